//! Losses of training as a table and as a plot.

use std::fmt::Write as _;

use super::checkpoint::Epoch;

/// Width and height of the plot inside its margins, and the margins at the left and above, in pixels.
const SIZE: [f64; 4] = [620.0, 320.0, 84.0, 36.0];

/// Returns a table with one row an epoch.
pub(super) fn table(epochs: &[Epoch]) -> String {
    let mut text = String::from("epoch\trate\ttraining\tvalidation\tseconds\n");
    for (number, Epoch { rate, training, validation, seconds }) in (1..).zip(epochs) {
        let validation = validation.map_or("-".to_owned(), |loss| format!("{loss:.8}"));
        let _ = writeln!(text, "{number}\t{rate:.3e}\t{training:.8}\t{validation}\t{seconds:.1}");
    }
    text
}

/// Returns an SVG with the training loss and, where known, the validation loss of every epoch.
pub(super) fn svg(epochs: &[Epoch]) -> String {
    let [width, height, left, above] = SIZE;
    let finite = |(index, loss): (usize, Option<f64>)| Some((index, loss.filter(|loss| loss.is_finite())?));
    let training = epochs.iter().map(|epoch| Some(epoch.training)).enumerate().filter_map(finite);
    let validation = epochs.iter().map(|epoch| epoch.validation).enumerate().filter_map(finite);
    let [training, validation]: [Vec<(usize, f64)>; 2] = [training.collect(), validation.collect()];
    let curves = [("training", "#c1272d", training), ("validation", "#1f5fa8", validation)];
    let losses = || curves.iter().flat_map(|(_, _, points)| points).map(|&(_, loss)| loss);
    let (min, max) = (losses().fold(f64::MAX, f64::min), losses().fold(f64::MIN, f64::max));
    let (min, max) = if min > max { (0.0, 1.0) } else { (min, max.max(min + 1e-6)) };
    let x = |index: usize| left + index as f64 / epochs.len().saturating_sub(1).max(1) as f64 * width;
    let y = |loss: f64| above + (max - loss) / (max - min) * height;
    let mut text = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 720 400\" font-family=\"sans-serif\" \
         font-size=\"13\">\n<title>Loss by epoch</title>\n<rect width=\"720\" height=\"400\" fill=\"#fff\"/>\n",
    );
    for loss in [min, (min + max) / 2.0, max] {
        let _ = writeln!(text, "<path d=\"M{left} {:.1}h{width}\" stroke=\"#ddd\"/>", y(loss));
        let _ = writeln!(text, "<text x=\"10\" y=\"{:.1}\">{loss:.6}</text>", y(loss) + 4.0);
    }
    let _ = writeln!(text, "<text x=\"{left}\" y=\"385\">epochs 1 to {}</text>", epochs.len());
    for (number, (name, colour, points)) in curves.iter().enumerate().filter(|(_, curve)| !curve.2.is_empty()) {
        let line: Vec<String> = points.iter().map(|&(index, loss)| format!("{:.1},{:.1}", x(index), y(loss))).collect();
        let line = line.join(" ");
        let _ = writeln!(text, "<polyline class=\"{name}\" points=\"{line}\" fill=\"none\" stroke=\"{colour}\"/>");
        let at = left + 110.0 * number as f64;
        let _ = writeln!(text, "<text x=\"{at}\" y=\"22\" fill=\"{colour}\">{name}</text>");
    }
    text + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_fall_with_the_losses_and_incomplete_ones_are_valid() {
        let epoch = |training, validation| Epoch { rate: 0.001, training, validation, seconds: 1.0 };
        let text = svg(&[epoch(0.09, Some(0.095)), epoch(0.08, Some(0.09)), epoch(0.07, Some(0.089))]);
        let document = roxmltree::Document::parse(&text).unwrap();
        for name in ["training", "validation"] {
            let node = document.descendants().find(|node| node.attribute("class") == Some(name)).unwrap();
            let numbers = node.attribute("points").unwrap().split([' ', ',']).map(|text| text.parse().unwrap());
            let numbers: Vec<f64> = numbers.collect();
            // To the right and down the page.
            assert!(numbers.len() == 6 && numbers[0] < numbers[2] && numbers[2] < numbers[4], "{numbers:?}");
            assert!(numbers[1] < numbers[3] && numbers[3] < numbers[5], "{numbers:?}");
        }
        for epochs in [vec![], vec![epoch(0.1, None)], vec![epoch(f64::NAN, None), epoch(0.1, Some(0.1))]] {
            let text = svg(&epochs);
            assert!(roxmltree::Document::parse(&text).is_ok() && !text.contains("NaN"), "{text}");
        }
    }
}
