//! Loss curves of training as an SVG.

use std::fmt::Write as _;

use super::checkpoint::Epoch;

const SIZE: [f64; 2] = [720.0, 400.0];
/// Margins at the left, below, at the right and above, in pixels.
const MARGINS: [f64; 4] = [84.0, 44.0, 16.0, 36.0];
const COLOURS: [&str; 2] = ["#c1272d", "#1f5fa8"];
/// Number of horizontal grid lines.
const LINES: usize = 5;

/// Returns an SVG with the training loss and, where known, the validation loss of every epoch.
pub(super) fn svg(epochs: &[Epoch]) -> String {
    let [width, height] = SIZE;
    let [left, below, right, above] = MARGINS;
    let curves: [(&str, Vec<(usize, f64)>); 2] = [
        ("training", (1..).zip(epochs).map(|(number, epoch)| (number, epoch.training)).collect()),
        ("validation", (1..).zip(epochs).filter_map(|(number, epoch)| Some((number, epoch.validation?))).collect()),
    ];
    let losses = || curves.iter().flat_map(|(_, points)| points).map(|&(_, loss)| loss).filter(|loss| loss.is_finite());
    let (mut min, mut max) = (losses().fold(f64::MAX, f64::min), losses().fold(f64::MIN, f64::max));
    if min > max {
        (min, max) = (0.0, 1.0);
    }
    let room = ((max - min) * 0.05).max(1e-6);
    (min, max) = (min - room, max + room);
    let x = |number: usize| {
        left + (number - 1) as f64 / epochs.len().saturating_sub(1).max(1) as f64 * (width - left - right)
    };
    let y = |loss: f64| above + (max - loss) / (max - min) * (height - above - below);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" \
         font-size=\"13\">\n<title>Loss by epoch</title>\n<rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n"
    );
    for line in 0..LINES {
        let loss = min + (max - min) * line as f64 / (LINES - 1) as f64;
        let at = y(loss);
        let _ = writeln!(
            text,
            "<path d=\"M{left} {at:.1}H{}\" stroke=\"#ddd\"/>\n\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{loss:.6}</text>",
            width - right,
            left - 8.0,
            at + 4.0
        );
    }
    for number in [1, epochs.len().div_ceil(2), epochs.len()].into_iter().filter(|&number| number > 0) {
        let at = height - below + 20.0;
        let _ = writeln!(text, "<text x=\"{:.1}\" y=\"{at}\" text-anchor=\"middle\">{number}</text>", x(number));
    }
    let _ = writeln!(
        text,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">epoch</text>",
        (left + width - right) / 2.0,
        height - 8.0
    );
    for (index, ((name, points), colour)) in curves.iter().zip(COLOURS).enumerate() {
        if points.is_empty() {
            continue;
        }
        let points: Vec<(usize, f64)> = points.iter().copied().filter(|(_, loss)| loss.is_finite()).collect();
        let line: Vec<String> =
            points.iter().map(|&(number, loss)| format!("{:.1},{:.1}", x(number), y(loss))).collect();
        let _ = writeln!(
            text,
            "<polyline class=\"{name}\" points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            line.join(" ")
        );
        for (number, loss) in points {
            let _ = writeln!(
                text,
                "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"2.5\" fill=\"{colour}\"><title>epoch {number}, {name}: {loss:.6}</title></circle>",
                x(number),
                y(loss)
            );
        }
        let at = left + 110.0 * index as f64;
        let _ = writeln!(
            text,
            "<path d=\"M{at} 18h22\" stroke=\"{colour}\" stroke-width=\"2\"/><text x=\"{}\" y=\"22\">{name}</text>",
            at + 28.0
        );
    }
    text + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn epoch(training: f64, validation: Option<f64>) -> Epoch {
        Epoch { rate: 0.001, training, validation, seconds: 1.0 }
    }

    #[test]
    fn every_epoch_is_a_point_of_both_curves() {
        let epochs = [epoch(0.09, Some(0.095)), epoch(0.08, Some(0.09)), epoch(0.07, Some(0.089))];
        let text = svg(&epochs);
        let document = roxmltree::Document::parse(&text).unwrap();
        let curve = |name| {
            let node = document.descendants().find(|node| node.attribute("class") == Some(name)).unwrap();
            let number = |text: &str| text.parse::<f64>().unwrap();
            let points = node.attribute("points").unwrap().split(' ').map(|square| square.split_once(',').unwrap());
            points.map(|(x, y)| (number(x), number(y))).collect::<Vec<_>>()
        };
        for name in ["training", "validation"] {
            let points = curve(name);
            assert_eq!(points.len(), 3);
            // To the right and, as the loss falls, down the page.
            assert!(points.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1), "{points:?}");
            assert!(points.iter().all(|&(x, y)| (0.0..=SIZE[0]).contains(&x) && (0.0..=SIZE[1]).contains(&y)));
        }
        // A higher loss is drawn higher.
        assert!(curve("validation")[2].1 < curve("training")[2].1);
    }

    #[test]
    fn incomplete_curves_are_valid_svg() {
        for epochs in [vec![], vec![epoch(0.1, None)], vec![epoch(f64::NAN, None), epoch(0.1, Some(0.1))]] {
            let text = svg(&epochs);
            assert!(roxmltree::Document::parse(&text).is_ok() && !text.contains("NaN"), "{text}");
        }
    }
}
