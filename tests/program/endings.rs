//! Endgame tables and the numbers of positions, from the command line as the help says.

use serde_json::Value;

use crate::harness::{refused, run_noted, run_well};

fn built(more: &[&str]) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap().to_owned();
    let built = run_noted(&[&["tablebase", "build", "KAvKN", "--dir", &path], more].concat());
    ["2 tables into", "KNvKA: 34020 entries"].iter().for_each(|part| built.tells(part));
    (folder, path)
}

fn probe(arguments: &[&str]) -> Value {
    let lines = run_well(&[&["tablebase", "probe"], arguments, &["--json"]].concat()).lines;
    assert_eq!(lines.len(), 1);
    serde_json::from_str(&lines[0]).unwrap()
}

#[test]
fn tables_are_built_shown_and_verified() {
    let (_folder, path) = built(&["--dtm"]);
    let info = run_well(&["tablebase", "info", "KNvKA", "--dir", &path]).text();
    assert!(info.contains("ending     KNvKA\n") && info.contains("longest    29 plies"), "{info}");
    let red = "Red moves  21426 legal: 21366 (99.72 %) won, 60 (0.28 %) drawn, 0 (0.00 %) lost\n";
    let black = "Black moves 22806 legal: 0 (0.00 %) won, 816 (3.58 %) drawn, 21990 (96.42 %) lost\n";
    assert!(info.contains(red) && info.contains(black), "{info}");
    let verified = run_well(&["tablebase", "verify", "KNvKA", "KNvK", "--dir", &path]).lines;
    assert_eq!(verified, ["KNvKA: 23394 positions checked, no error", "KNvK: 6336 positions checked, no error"]);
    let mates = run_well(&["tablebase", "verify", "KNvKA", "--dtm", "--dir", &path]).lines;
    assert_eq!(mates, ["KNvKA: 23394 positions checked, no error"]);
    let export = run_well(&["tablebase", "export", "KNvK", "--dir", &path]).lines;
    let wins = export.iter().filter(|line| line.contains("\twin\t")).count();
    assert!(wins > 1000 && export.iter().all(|line| line.split('\t').count() == 3), "{wins}");
}

#[test]
fn a_position_is_looked_up_with_or_without_files() {
    let win = "3ak4/9/9/9/9/9/9/9/3N5/3K5 w";
    let (_folder, path) = built(&["--dtm"]);
    let without = probe(&[win]);
    let with = probe(&[win, "--dir", &path]);
    assert_eq!((without["result"].as_str(), without["dtm"].is_null()), (Some("win"), true));
    assert_eq!(with["dtc"], without["dtc"]);
    assert_eq!(with["moves"], without["moves"]);
    assert!(with["dtm"].as_u64() >= with["dtc"].as_u64());
    assert_eq!(with["exact"], Value::Bool(true));
    let line = with["moves"].as_array().unwrap();
    assert!(line.len() as u64 >= with["dtc"].as_u64().unwrap());
    // The same with colours exchanged.
    let flipped = probe(&["3k5/3n5/9/9/9/9/9/9/9/3AK4 b"]);
    assert_eq!((&flipped["result"], &flipped["dtc"]), (&without["result"], &without["dtc"]));
    let draw = probe(&["3ak4/9/9/9/9/9/9/9/9/3K5 w"]);
    assert_eq!((draw["result"].as_str(), draw["dtc"].is_null()), (Some("draw"), true));
    let text = run_well(&["tablebase", "probe", win, "--notation", "wxf"]).text();
    assert!(text.starts_with("result  win\n") && text.contains("\nline    "), "{text}");
}

#[test]
fn what_cannot_be_done_is_said_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let cases: [(&[&str], i32, &str); 8] = [
        (&["tablebase", "build", "KAvK", "--dir", path], 2, "has no attacker"),
        (&["tablebase", "build", "KRvKAABB", "--dir", path, "--memory", "1"], 2, "limit is 1 MB"),
        (&["tablebase", "info", "KRvK", "--dir", path], 1, "build it with 'chuhe tablebase build KRvK --dir "),
        (&["tablebase", "info", "KRvK", "--dtm", "--dir", "/nonexistent"], 1, "KRvK --dir /nonexistent --dtm'"),
        (&["tablebase", "info", "KvK", "--dir", path], 2, "has no attacker"),
        (&["tablebase", "probe", "startpos"], 2, "has more than 6 attackers"),
        (&["tablebase", "probe", "3k1a3/4a4/9/9/9/9/9/9/9/RN2K4 w"], 2, "'chuhe tablebase build KRNvKAA'"),
        (&["tablebase", "info", "KRNvKAA", "--dir", "/nonexistent"], 1, "build KRNvKAA --dir /nonexistent'"),
    ];
    for (arguments, status, message) in cases {
        refused(arguments, status, message);
    }
}

// Numbers of positions

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
