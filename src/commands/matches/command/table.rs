//! Standings of a match as text.

use unicode_width::UnicodeWidthStr;

use crate::commands::matches::sprt::Sprt;
use crate::commands::matches::statistics::Estimate;
use crate::commands::matches::{FaultKind, Standing, Standings};

/// Placeholder of an unknown number.
const UNKNOWN: &str = "–";

/// Returns the short standing of two engines for the line of a game; empty for more engines.
pub(super) fn line(standings: &Standings, test: Option<&Sprt>) -> String {
    let engines: Vec<_> = standings.engines().collect();
    let [(name, first), _] = engines[..] else { return String::new() };
    let mut text = format!("; {name} +{} ={} -{}", first.wins, first.draws, first.losses);
    if let Some(estimate) = first.estimate() {
        text.push_str(&format!(", Elo {}", elo(&estimate)));
    }
    if let Some(test) = test {
        text.push_str(&format!(", {}", ratio(standings, test)));
    }
    text
}

/// Returns the table of all standings.
pub(super) fn text(standings: &Standings, test: Option<&Sprt>) -> String {
    let head = [
        "engine",
        "games",
        "+",
        "=",
        "-",
        "score",
        "Elo",
        "ms/move",
        "depth",
        "growth",
        "knodes/s",
        "time losses",
        "other faults",
    ];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(standings.engines().map(|(name, standing)| row(name, standing)));
    let mut text = aligned(&rows);
    if standings.engines().any(|(_, standing)| standing.effort.lacks_nodes()) {
        text.push_str("≥: fewer nodes than searched, since the last 'info' lines before the moves have no totals\n");
    }
    if let Some(rate) = standings.draw_rate() {
        text.push_str(&format!("{} games, {:.1} % drawn", standings.games(), 100.0 * rate));
    }
    let engines: Vec<_> = standings.engines().collect();
    if let [(name, first), _] = engines[..]
        && let Some(estimate) = first.estimate()
    {
        let [zero, half, one, three_halves, two] = first.pairs.0;
        text.push_str(&format!(
            "; pairs with 0, ½, 1, 1½, 2 points: {zero} {half} {one} {three_halves} {two}\n{name}: Elo {} (95 %)",
            elo(&estimate),
        ));
        if let Some(superiority) = estimate.superiority {
            text.push_str(&format!(", stronger with {:.1} %", 100.0 * superiority));
        }
    }
    if !text.ends_with('\n') {
        text.push('\n');
    }
    if let Some(test) = test {
        let (ratio, decision) = (ratio(standings, test), test.decision(test.log_likelihood_ratio(&standings.pairs())));
        let verdict = decision.map_or_else(|| "not decided".to_owned(), |hypothesis| format!("{hypothesis} accepted"));
        text.push_str(&format!("SPRT {test}: {ratio}, {verdict}\n"));
    }
    text
}

fn row(name: &str, standing: &Standing) -> Vec<String> {
    let number = |value: Option<f64>, decimals: usize| {
        value.map_or_else(|| UNKNOWN.to_owned(), |value| format!("{value:.decimals$}"))
    };
    let minimum = if standing.effort.lacks_nodes() { "≥ " } else { "" };
    let others: Vec<String> = FaultKind::ALL
        .into_iter()
        .filter(|kind| *kind != FaultKind::Time && standing.faults_of(*kind) > 0)
        .map(|kind| format!("{} {}", standing.faults_of(kind), kind.name()))
        .collect();
    vec![
        name.to_owned(),
        standing.games().to_string(),
        standing.wins.to_string(),
        standing.draws.to_string(),
        standing.losses.to_string(),
        standing.score().map_or_else(|| UNKNOWN.to_owned(), |score| format!("{:.1} %", 100.0 * score)),
        standing.estimate().map_or_else(|| UNKNOWN.to_owned(), |estimate| elo(&estimate)),
        number(standing.effort.milliseconds_a_move(), 1),
        number(standing.effort.mean_depth(), 1),
        number(standing.effort.mean_growth(), 2),
        minimum.to_owned() + &number(standing.effort.nodes_per_second().map(|nodes| nodes / 1e3), 0),
        standing.faults_of(FaultKind::Time).to_string(),
        if others.is_empty() { "0".to_owned() } else { others.join(", ") },
    ]
}

/// Returns the log-likelihood ratio and its bounds.
fn ratio(standings: &Standings, test: &Sprt) -> String {
    let (lower, upper) = test.bounds();
    format!("LLR {:.2} ({lower:.2}, {upper:.2})", test.log_likelihood_ratio(&standings.pairs()))
}

fn elo(estimate: &Estimate) -> String {
    let error = if estimate.error.is_finite() { format!("{:.0}", estimate.error) } else { "?".to_owned() };
    // Infinite when every game was won or every game lost.
    if estimate.elo.is_finite() {
        format!("{:+.0} ± {error}", estimate.elo)
    } else {
        format!("{}∞", if estimate.elo > 0.0 { '+' } else { '-' })
    }
}

/// Aligns columns: the first and the last to the left, the others to the right.
fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width =
        |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.width()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().enumerate().map(|(column, cell)| {
            let gap = " ".repeat(widths[column].saturating_sub(cell.width()));
            if column == 0 || column + 1 == columns { format!("{cell}{gap}") } else { format!("{gap}{cell}") }
        });
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::matches::{Effort, Format, Schedule, Summary};
    use crate::notation::game::GameResult::{BlackWins, Draw, RedWins};
    use crate::types::Side;

    #[test]
    fn columns_align_with_wide_names() {
        let schedule = Schedule::new(2, Format::RoundRobin, 2, &[0]);
        let mut standings = Standings::new(vec!["楚河".to_owned(), "Fairy".to_owned()]);
        for (number, result) in [RedWins, BlackWins, Draw, RedWins].into_iter().enumerate() {
            let fault = (number == 1).then_some((Side::Red, FaultKind::Crash));
            let counted = Effort { moves: 1, microseconds: 1_000, nodes: 2_000, ..Effort::default() };
            let cut = Effort { uncounted_microseconds: 400, ..counted };
            let efforts = if number % 2 == 0 { [counted, cut] } else { [cut, counted] };
            let summary = Summary { result, fault, efforts };
            standings.add(&schedule.game(number as u64), &summary);
        }
        let text = text(&standings, Some(&Sprt::default()));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[..3],
            [
                "engine  games  +  =  -   score      Elo  ms/move  depth  growth  knodes/s  time losses  other faults",
                "楚河        4  2  1  1  62.5 %  +89 ± ?      1.0      –       –      2000            0  0",
                "Fairy       4  1  1  2  37.5 %  -89 ± ?      1.0      –       –    ≥ 2000            0  1 crash",
            ]
        );
        assert!(lines[3].starts_with("≥: fewer nodes than searched"), "{text}");
        assert_eq!(lines[4], "4 games, 25.0 % drawn; pairs with 0, ½, 1, 1½, 2 points: 0 1 0 0 1");
        assert!(lines[6].starts_with("SPRT elo0=0,elo1=10,"), "{text}");
        assert!(line(&standings, None).starts_with("; 楚河 +2 =1 -1, Elo +89 ± "));
    }
}
