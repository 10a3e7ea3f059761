//! Proves that positions are counted and drawn from the command line as the help says.

use chuhe::position::Position;
use serde_json::Value;

use crate::harness::{run_badly, run_well};

const PUBLISHED: &str = "7547040878332418571694532043654081760159";
const ALL: &str = "7583767311308936928441671793917387439659";

fn json(arguments: &[&str]) -> Vec<Value> {
    run_well(arguments).objects()
}

#[test]
fn all_positions_stand_beside_the_published_number() {
    let lines = run_well(&["count"]).lines;
    assert_eq!(lines[0], format!("{ALL} positions"));
    assert!(lines[1].starts_with("log10 39.8799, log2 132.4781; 133 bits"), "{}", lines[1]);
    let numbers = |start: &str| {
        let line = lines.iter().find(|line| line.starts_with(start)).unwrap();
        line[start.len()..].trim().to_owned()
    };
    assert_eq!(numbers("published (Wei and Li 2019)"), PUBLISHED);
    assert_eq!(numbers("their formulas, recomputed"), format!("{PUBLISHED}, equal"));
    assert_eq!(numbers("with formula (3) completed"), format!("{ALL}, equal"));
    assert!(
        numbers("missing from the published number").starts_with("36726432976518356747139750263305679500, 0.484 %")
    );
    let text = run_well(&["count", "--json"]).text();
    let formulas = [("positions", ALL), ("published", PUBLISHED), ("by_printed_formula", PUBLISHED)];
    for (key, number) in formulas.into_iter().chain([("by_complete_formula", ALL), ("bits", "133")]) {
        assert!(text.contains(&format!("\"{key}\":{number},")), "{key}: {text}");
    }
    let whole = &json(&["count", "--json"])[0];
    assert_eq!(numbers("upper bound by their rough formula"), "10^42.786, published 10^42.78");
    assert_eq!(numbers("storage, 132.48 bits a position"), "1.142e29 TB, published 1.14e29 TB");
    let earlier = "10^48 (Allis 1994), 10^60 (Tu 2004), 10^52 (Xu 2006), 10^52 (Wang 2007)";
    assert_eq!(numbers("earlier literature, their table 2"), earlier);
    assert_eq!((&whole["literature"][1]["author"], &whole["literature"][1]["log10"]), (&"Tu".into(), &60.into()));
    assert_eq!(whole["published_bound_log10"].as_f64(), Some(42.78));
    assert!((whole["terabytes"].as_f64().unwrap() / 1.142e29 - 1.0).abs() < 1e-3);
}

#[test]
fn the_wrong_term_is_shown_with_a_listing() {
    let text = run_well(&["count", "--explain"]).text();
    let smallest = "  a3, c3, e3, g3, i3, a4, e4, i4";
    assert!(text.lines().any(|line| line == smallest), "{text}");
    let wrong: Vec<Vec<&str>> = text
        .lines()
        .filter_map(|line| line.strip_suffix("printed is wrong"))
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(wrong[0], ["2", "1", "7", "8", "8"]);
    assert_eq!(wrong.len(), 4);
    for number in [PUBLISHED, ALL] {
        assert!(text.contains(number), "{text}");
    }
    let explanation = &json(&["count", "--explain", "--json"])[0];
    let terms = explanation["terms"].as_array().unwrap();
    assert_eq!(terms.len(), 18);
    assert!(terms.iter().all(|term| term["complete"] == term["listed"]));
    assert_eq!(explanation["smallest_case"].as_array().unwrap().len(), 8);
}

#[test]
fn men_are_counted_however_they_are_written() {
    for arguments in [["count", "KRvKAABB", "--json"], ["count", "--signature=kerbavkaa", "--json"]] {
        let size = &json(&arguments)[0];
        assert!(size["positions"].as_u64().unwrap() > 1_000);
    }
    assert_eq!(run_well(&["count", "KRvK"]).lines[0], "KRvK: 7128 positions");
    assert_eq!(run_well(&["count", "--signature", "KvHK"]).lines[0], "KvKN: 7128 positions");
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

#[test]
fn wrong_usage_is_refused_with_a_reason() {
    for (arguments, part) in [
        (&["count", "KXvK"][..], "letter 2, 'X'"),
        (&["count", "KRRRvK"], "more than 2 rooks"),
        (&["count", "KR"], "'KR'"),
        (&["count", "RvK"], "Red has no king"),
        (&["count", "KvK", "--signature", "KvK"], "--signature"),
        (&["count", "--table", "7"], "0..=6"),
        (&["count", "--table", "1", "--explain"], "--explain"),
        (&["count", "KvK", "--explain"], "--explain"),
        (&["count", "--sample", "0"], "--sample"),
        (&["count", "--sample", "many"], "--sample"),
        (&["count", "--legal"], "--sample"),
        (&["count", "--sample", "1", "--legal", "--estimate"], "--legal"),
    ] {
        let ended = run_badly(arguments, 2);
        assert!(ended.errors.contains(part) && ended.lines.is_empty(), "{arguments:?}: {}", ended.errors);
    }
}

#[test]
fn the_help_has_examples() {
    let text = run_well(&["count", "--help"]).text();
    assert!(text.contains("Examples:") && text.contains("chuhe count KRvKAABB"), "{text}");
    assert!(run_well(&["--help"]).text().contains("  count "));
}
