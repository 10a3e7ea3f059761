//! Proves that positions are counted and drawn from the command line as the help says.

use chuhe::position::Position;
use serde_json::Value;

use crate::harness::run_well;

const ALL: &str = "7583767311308936928441671793917387439659";

fn json(arguments: &[&str]) -> Vec<Value> {
    run_well(arguments).objects()
}

#[test]
fn all_positions_are_counted() {
    let lines = run_well(&["count"]).lines;
    assert_eq!(lines, [&format!("{ALL} positions"), "log10 39.8799, log2 132.4781; 133 bits index each of them"]);
    let text = run_well(&["count", "--json"]).text();
    assert!(text.contains(&format!("\"positions\":{ALL},")) && text.contains("\"bits\":133"), "{text}");
}

#[test]
fn men_are_counted_however_they_are_written() {
    assert_eq!(run_well(&["count", "KRvK"]).lines[0], "KRvK: 7128 positions");
    assert_eq!(run_well(&["count", "KvHK"]).lines[0], "KvKN: 7128 positions");
    assert_eq!(run_well(&["count", "KvK"]).lines[1], "log10 1.9085, log2 6.3399; 7 bits index each of them");
}

#[test]
fn tables_list_what_men_there_can_be() {
    let lines = run_well(&["count", "--table", "0"]).lines;
    assert_eq!(lines.len(), 1 + 45 + 1, "{lines:#?}");
    assert_eq!(lines[1].split_whitespace().collect::<Vec<_>>(), ["81", "KvK"]);
    let rows = json(&["count", "--table", "1", "--json"]);
    assert_eq!(rows.len(), 45 + 8 * 81 / 2);
    let sizes: Vec<u64> = rows.iter().map(|row| row["positions"].as_u64().unwrap()).collect();
    assert!(sizes.is_sorted());
    let rook = rows.iter().find(|row| row["signature"] == "KRvK").unwrap();
    assert_eq!((&rook["men"], &rook["attackers"]), (&Value::from(3), &Value::from(1)));
    assert!(rows.iter().all(|row| row["signature"] != "KvKR"), "the other way round is not listed");
}

#[test]
fn samples_are_positions_and_tell_how_many_are_legal() {
    let lines = run_well(&["count", "--sample", "40", "--seed", "3"]).lines;
    let (fens, remarks): (Vec<&String>, Vec<&String>) = lines.iter().partition(|line| !line.starts_with('#'));
    assert_eq!((fens.len(), remarks.len()), (40, 3));
    let legal = fens.iter().filter(|fen| Position::from_fen(fen).is_ok()).count();
    let drawn = json(&["count", "--sample", "40", "--seed", "3", "--json"]);
    assert_eq!(drawn.len(), 41);
    for (fen, object) in fens.iter().zip(&drawn) {
        assert_eq!(object["fen"].as_str(), Some(fen.as_str()));
        assert_eq!(object["legal"].as_bool(), Some(Position::from_fen(fen).is_ok()));
    }
    let summary = &drawn[40];
    assert_eq!((&summary["type"], &summary["drawn"]), (&Value::from("estimate"), &Value::from(40)));
    let share = summary["with_a_side"]["share"].as_f64().unwrap();
    assert_eq!((share * 40.0).round() as usize, legal);
    assert!(summary["with_either_side"]["share"].as_f64().unwrap() >= share);
    let only_legal = run_well(&["count", "--sample", "40", "--seed", "3", "--legal"]).lines;
    assert_eq!(only_legal.len(), legal + 3);
    assert!(only_legal[..legal].iter().all(|fen| Position::from_fen(fen).is_ok()));
    let estimate = run_well(&["count", "--sample", "40", "--seed", "3", "--estimate"]).lines;
    assert_eq!(estimate.iter().collect::<Vec<_>>(), remarks);
    let other = run_well(&["count", "--sample", "40", "--seed", "4"]).lines;
    assert_ne!(other, lines);
    let rooks = run_well(&["count", "KRvKR", "--sample", "10"]).lines;
    assert!(rooks[..10].iter().all(|fen| fen.contains('R') && fen.contains('r')), "{rooks:#?}");
}
