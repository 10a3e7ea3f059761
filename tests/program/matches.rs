//! Matches between engines: faulty ones cost games but not the match, every game is reported and stored, and an
//! interrupted match can be resumed.

use std::collections::BTreeMap;
use std::fs;

use chuhe::commands::matches::{FaultKind, GameFault, GameRecord, journal};
use chuhe::notation::format::Format;
use chuhe::notation::game::{Game, GameResult};
use chuhe::position::Strictness;
use chuhe::rules::Rules;
use chuhe::types::Side;
use serde_json::Value;

use crate::common::network::test_network_file;
#[cfg(target_os = "linux")]
use crate::harness::run_with_file_limit;
use crate::harness::{Ended, Program, TemporaryFile, refused, run, run_badly, run_noted, run_well};
use crate::mock_engine::with_fault;

/// Openings that lead to different games.
const OPENINGS: &str = "h2e2 h9g7\nb2e2 b9c7\nc3c4 g6g5\ng3g4 c6c5\nh0g2 h9g7\nc0e2 c9e7\n";

const GOOD: &str = "name=good,nodes=300,option.hashsize=1";

fn openings(label: &str) -> TemporaryFile {
    TemporaryFile::with(&format!("{label}-openings.txt"), OPENINGS)
}

fn match_of<'a>(engines: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    let engines = engines.iter().flat_map(|engine| ["--engine", engine]);
    ["match"].into_iter().chain(engines).chain(more.iter().copied()).collect()
}

/// Plays games of the good engine against one with a fault; returns the games and the rows of the table.
fn games_against(fault: &str, more: &str) -> (Vec<Value>, [Value; 2]) {
    let (openings, engine) = (openings(fault), with_fault(fault));
    let files = ["--openings", openings.path(), "--games", "4", "--json"];
    let more: Vec<&str> = more.split(' ').collect();
    let ended = run_noted(&match_of(&[GOOD, &engine], &[&files[..], &more].concat()));
    let mut games = ended.objects();
    let table = games.pop().unwrap();
    (games, [0, 1].map(|index| table["standings"][index].clone()))
}

/// Checks that the faulty engine loses every game with this kind of fault and this text.
fn assert_loses(fault: &str, kind: &str, words: &str, more: &str) {
    let (games, [good, bad]) = games_against(fault, more);
    assert_eq!(games.len(), 4);
    for game in &games {
        let (good_is_red, reason) = (game["red"] == "good", game["reason"].as_str().unwrap());
        assert_eq!(game["result"], if good_is_red { "1-0" } else { "0-1" }, "{fault}: {reason}");
        assert_eq!(game["fault"]["kind"], kind, "{fault}: {reason}");
        assert_eq!(game["fault"]["side"], if good_is_red { "black" } else { "red" });
        assert!(reason.starts_with(fault) && reason.contains(words), "{fault}: {reason}");
        assert!(!reason.contains(char::is_control), "{fault}: {reason}");
    }
    assert_eq!(bad["faults"][kind], 4, "{bad}");
    assert!(good["faults"].as_object().unwrap().values().all(|count| *count == 0), "{good}");
    assert_eq!((&good["wins"], &bad["losses"]), (&Value::from(4), &Value::from(4)));
}

#[test]
fn an_engine_that_does_not_answer_in_time_loses() {
    for (fault, kind, words, more) in [
        ("hangs", "hang", "did not answer for ", "--tc 3"),
        ("floods", "hang", "did not answer for ", "--tc 3"),
        ("deaf", "hang", "did not answer for ", "--nodes 100 --patience 6"),
        ("slow", "time", "overstepped the time by ", "--tc 3"),
    ] {
        assert_loses(fault, kind, words, &format!("{more} --concurrency 4"));
    }
}

#[test]
fn an_engine_that_crashes_or_answers_with_no_legal_move_loses() {
    for (fault, kind, words) in [
        ("crashes", "crash", if cfg!(unix) { "crashed (signal: 6" } else { "crashed" }),
        ("babbles", "garbage", ", which is not a move"),
        ("empty", "garbage", "answered '', which is not a move"),
        ("despairs", "garbage", "reports no legal move although it has one"),
        ("cheats", "illegal", "played a0a9, which is not legal: "),
    ] {
        assert_loses(fault, kind, words, "--nodes 100 --concurrency 2");
    }
}

#[test]
fn noise_and_many_options_are_no_faults_and_agreement_counts() {
    let (_, [_, noisy]) = games_against("noisy", "--nodes 100 --max-plies 12 --restart");
    assert!(noisy["faults"].as_object().unwrap().values().all(|count| *count == 0), "{noisy}");
    let (games, _) = games_against("resigns", "--nodes 100");
    assert!(games.iter().all(|game| game["reason"] == "resigns resigns" && game["fault"].is_null()), "{games:?}");
    let peaceful = with_fault("peaceful");
    let ended = run_well(&match_of(&[&peaceful, &peaceful], &["--games", "2", "--nodes", "1"]));
    assert!(ended.lines[0].contains("peaceful – peaceful 2 1/2-1/2: both engines offer a draw"), "{}", ended.text());
    // More options than commands are queued. Some are unknown to the engine, which the match says.
    let options: String = (0..300).map(|number| format!(",option.x{number}={number}")).collect();
    let obliging = with_fault("obliging") + &options;
    let ended = run_noted(&match_of(&[GOOD, &obliging], &["--games", "2", "--nodes", "9", "--max-plies", "6"]));
    assert!(ended.text().contains("2 games, 100.0 % drawn"), "{}", ended.text());
}

#[test]
fn engines_that_do_not_start_leave_the_others_to_play() {
    let engines = [with_fault("leaves"), with_fault("mute")];
    let ended = run(&match_of(
        &[GOOD, &engines[0], &engines[1], "name=other,nodes=300", "name=ghost,cmd=/no/such/engine"],
        &["--games", "2", "--patience", "1", "--max-plies", "20", "--json"],
    ));
    assert_eq!(ended.status, Some(1), "{}", ended.errors);
    assert!(ended.errors.ends_with("chuhe: 18 games were not played\n"), "{}", ended.errors);
    let all = ended.objects();
    assert_eq!(all.len(), 3, "{}", ended.text());
    let can_play = |name: &Value| *name == "good" || *name == "other";
    assert!(all[..2].iter().all(|game| can_play(&game["red"]) && can_play(&game["black"])));
    for words in [
        "chuhe: leaves cannot be started: ",
        ": it crashed (exit status: 3) before 'ucciok'; its games are not played",
        ": it did not answer for 1.0 s before 'ucciok'; its games are not played",
        "chuhe: ghost cannot be started: /no/such/engine: ",
    ] {
        ended.tells(words);
    }
    let ended = run_badly(&["match", "--engine", GOOD, "--engine", "cmd=/no/such/engine"], 2);
    assert!(ended.errors.ends_with("chuhe: fewer than two engines can play\n"), "{}", ended.errors);
}

fn games_of(path: &str) -> BTreeMap<u64, Game> {
    let bytes = fs::read(path).unwrap();
    let games = Format::Pgn.games(&bytes[..], Strictness::Strict).filter_map(Result::ok);
    games.filter_map(|game| Some((game.tag("Round")?.parse().unwrap(), game))).collect()
}

#[test]
fn games_are_stored_with_their_reasons() {
    let (openings, pgn) = (openings("kept"), TemporaryFile::named("kept.pgn"));
    let ended = run_well(&match_of(
        &["name=A,nodes=400", "name=B,depth=2"],
        &["--games", "5", "--openings", openings.path(), "--pgn", pgn.path(), "--concurrency", "2"],
    ));
    let games = games_of(pgn.path());
    assert_eq!(games.keys().copied().collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6], "odd numbers are rounded up");
    for (number, game) in &games {
        let end = game.end();
        let verdict = Rules::default().verdict(&end);
        let reason = game.tag("Termination").unwrap();
        assert_eq!(verdict.reason().map(|reason| reason.to_string()).as_deref(), Some(reason), "game {number}");
        let winner = verdict.winner().map(GameResult::win_of);
        assert_eq!(winner.unwrap_or(GameResult::Draw), game.result);
        let [red, black] = ["Red", "Black"].map(|tag| game.tag(tag).unwrap());
        let line = format!("{number}/6 {red} – {black} {}: {reason}", game.result);
        assert!(ended.lines.iter().any(|told| told.starts_with(&line)), "{line}: {}", ended.text());
    }
    for pair in 0..3 {
        let [first, second] = [2 * pair + 1, 2 * pair + 2].map(|number| &games[&number]);
        assert_eq!((first.tag("Red"), first.tag("Black")), (second.tag("Black"), second.tag("Red")));
        assert_eq!(first.line()[..2], second.line()[..2]);
    }
    assert!(ended.text().contains("engine  games"), "{}", ended.text());
}

fn repeatable<'a>(openings: &'a TemporaryFile, journal: &'a TemporaryFile, pgn: &'a TemporaryFile) -> Vec<&'a str> {
    let files = ["--openings", openings.path(), "--resume", journal.path(), "--pgn", pgn.path()];
    let settings = ["--games", "12", "--concurrency", "2", "--restart"];
    match_of(&["name=A,nodes=400", "name=B,nodes=150"], &[&files[..], &settings].concat())
}

#[test]
fn a_killed_match_resumes() {
    let openings = openings("resumed");
    let whole = [TemporaryFile::named("whole.jsonl"), TemporaryFile::named("whole.pgn")];
    run_well(&repeatable(&openings, &whole[0], &whole[1]));
    let expected = games_of(whole[1].path());
    assert_eq!(expected.len(), 12);

    let files = [TemporaryFile::named("killed.jsonl"), TemporaryFile::named("killed.pgn")];
    let arguments = repeatable(&openings, &files[0], &files[1]);
    for games in [1, 3] {
        let mut program = Program::with(&arguments);
        for _ in 0..games {
            program.wait_until("a game", |line| line.contains("/12 "));
        }
        program.kill();
    }
    // Incomplete last lines of both files, as after a power cut.
    for (file, rest) in files.iter().zip(["{\"game\":11,\"re", "[Game \"Chinese Chess\"]\n[Event \"Mat"]) {
        let mut text = fs::read_to_string(file.path()).unwrap();
        text.push_str(rest);
        fs::write(file.path(), text).unwrap();
    }
    let ended = run_noted(&arguments);
    ended.tells("cannot be read and is ignored");
    ended.tells(" games were played before");
    let found = games_of(files[1].path());
    assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
    for (number, game) in &expected {
        assert_eq!((game.line(), game.result), (found[number].line(), found[number].result), "game {number}");
    }
    let table =
        |ended: &Ended| ended.lines.iter().filter(|line| line.starts_with("12 games")).cloned().collect::<Vec<_>>();
    let again = run(&arguments);
    assert_eq!((table(&ended).len(), table(&again)), (1, table(&ended)), "{}", again.text());
    assert_eq!(games_of(files[1].path()).len(), 12, "nothing was left to play");

    let other = [&arguments[..], &["--max-plies", "9"]].concat();
    refused(&other, 2, "this match has most plies 'any', not '9'");
    // No games are added to another file, and two files are needed.
    let foreign = TemporaryFile::with("foreign.pgn", "Not a game.\n");
    for (pgn, fault) in [(&foreign, "not a PGN file"), (&files[0], "--resume and --pgn must name two files")] {
        refused(&repeatable(&openings, &files[0], pgn), 2, fault);
    }
    assert_eq!(fs::read_to_string(foreign.path()).unwrap(), "Not a game.\n");
}

#[test]
fn shards_form_one_match() {
    let openings = openings("shared");
    let whole = [TemporaryFile::named("unshared.jsonl"), TemporaryFile::named("unshared.pgn")];
    run_well(&repeatable(&openings, &whole[0], &whole[1]));
    let (mut journals, mut games) = (String::new(), BTreeMap::new());
    for (shard, count) in [("1/4", 4), ("2/4", 4), ("3/4", 2), ("4/4", 2)] {
        let files = ["shared-part.jsonl", "shared-part.pgn"].map(TemporaryFile::named);
        run_well(&[&repeatable(&openings, &files[0], &files[1])[..], &["--shard", shard]].concat());
        let part = games_of(files[1].path());
        assert_eq!(part.len(), count, "{shard}");
        games.extend(part);
        journals.push_str(&fs::read_to_string(files[0].path()).unwrap());
    }
    let lines =
        |games: &BTreeMap<u64, Game>| -> Vec<_> { games.iter().map(|(key, game)| (*key, game.line())).collect() };
    assert_eq!(lines(&games), lines(&games_of(whole[1].path())));
    // Journals of all shards in one file are the whole match; a game that is there twice counts once.
    let twice = journals.lines().find(|line| line.contains("\"game\":3,")).expect("a shard has the third game");
    let (joined, pgn) =
        (TemporaryFile::with("joined.jsonl", &format!("{journals}{twice}\n")), TemporaryFile::named("joined.pgn"));
    let arguments = repeatable(&openings, &joined, &pgn);
    let ended = run_noted(&arguments);
    ended.tells("12 games were played before\n");
    ended.tells(" there twice and counted once");
    assert!(ended.text().contains("12 games, "), "{}", ended.text());
    let sprt = [&arguments[..], &["--shard", "1/2", "--sprt", "elo0=0,elo1=5"]].concat();
    refused(&sprt, 2, "cannot be used with");
}

#[test]
fn the_last_game_of_a_number_in_a_journal_counts() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.jsonl");
    let settings = BTreeMap::from([("nodes".to_owned(), "9".to_owned())]);
    let (header, effort) = ("{\"chuhe_match\":1,\"settings\":{\"nodes\":\"9\"}}\n", "{\"moves\":2,\"nodes\":5}");
    let line = |game: i32, result: &str, fault: &str| {
        format!("{{\"game\":{game},\"result\":\"{result}\",\"fault\":{fault},\"efforts\":[{effort},{effort}]}}\n")
    };
    let not_started = "{\"side\":\"black\",\"kind\":\"start\"}";
    let lines = [
        line(1, "1-0", "null"),
        line(3, "1/2-1/2", "{\"side\":\"red\",\"kind\":\"hang\"}"),
        line(1, "0-1", "null"),
        // Games that an engine was not started for are played again, in whatever order journals are joined.
        line(4, "1-0", not_started),
        line(3, "1-0", not_started),
        header.to_owned(),
        line(0, "1-0", "null"),
        line(5, "*", "null"),
        line(6, "won", "null"),
    ];
    std::fs::write(&path, header.to_owned() + &lines.concat()).unwrap();
    let (mut file, state) = journal::open(&path, &settings).unwrap();
    assert_eq!((state.games.keys().copied().collect::<Vec<_>>(), state.repeated), (vec![0, 2], 1));
    assert_eq!((state.not_started, state.faulty_lines), (1, vec![8, 9, 10]));
    assert_eq!(state.games[&0].result, GameResult::BlackWins);
    assert_eq!(state.games[&2].fault.map(|fault| fault.kind), Some(FaultKind::Hang));
    assert_eq!((state.games[&0].efforts[1].moves, state.games[&0].efforts[1].nodes), (2, 5));
    let fault = Some(GameFault { side: Side::Red, kind: FaultKind::Time });
    let record = GameRecord { game: 8, fault, ..state.games[&0].clone() };
    file.hold(&record);
    file.save().unwrap();
    drop(file);
    assert_eq!(journal::open(&path, &settings).unwrap().1.games[&7], record);
}

#[test]
fn a_test_ends_when_it_is_decided_and_without_clocks_counts_no_game_twice() {
    let (one, network) = (TemporaryFile::with("sprt-one.txt", "h2e2 h9g7\n"), test_network_file());
    // Scores do not depend on the shipped network.
    let engine = |engine: &str| format!("{engine},option.evalfile={}", network.path().display());
    let engines = ["name=strong,nodes=3000", "name=weak,depth=1"].map(engine);
    let play = |more: &[&str]| {
        let ended =
            run_noted(&match_of(&[&engines[0], &engines[1]], &[&["--sprt", "elo1=200", "--json"], more].concat()));
        (ended.objects().pop().unwrap(), ended.errors)
    };
    let (report, _) = play(&["--concurrency", "2"]);
    assert_eq!(report["sprt"]["accepted"], "H1", "{report}");
    assert!(report["sprt"]["llr"].as_f64() >= report["sprt"]["upper"].as_f64());
    assert!(report["standings"][0]["games"].as_u64().unwrap() < 400, "{report}");
    let (report, errors) = play(&["--openings", one.path()]);
    assert!(errors.contains("--games plays repeated games too"), "{errors}");
    assert_eq!((&report["sprt"]["accepted"], &report["standings"][0]["games"]), (&Value::Null, &Value::from(2)));
}

#[test]
fn a_mate_in_the_last_ply_wins() {
    let file = TemporaryFile::with("mate-openings.txt", "3a2b2/3k5/9/7N1/9/9/9/9/4K4/6R2 w\n");
    let ended = run(&match_of(&[GOOD, GOOD], &["--openings", file.path(), "--games", "2", "--max-plies", "1"]));
    assert_eq!(ended.text().matches(" 1-0: Black is checkmated").count(), 2, "{}", ended.text());
}

#[test]
fn bad_input_is_reported_with_its_line() {
    let file = TemporaryFile::with("bad-openings.txt", "h2e2 h9g7\nh2e2 h2e2\n9/9 w\n3k5/9/9/9/9/9/9/9/9/4K4 w\n");
    let ended = run_noted(&match_of(&[GOOD, GOOD], &["--openings", file.path(), "--games", "2", "--max-plies", "4"]));
    for words in [
        "bad-openings.txt: line 2: ply 2: ",
        "bad-openings.txt: line 3: invalid position: ",
        "bad-openings.txt: line 4: the game is over: neither side",
    ] {
        ended.tells(words);
    }
    assert!(ended.text().contains("\n2/2 good 2 – good 1/2-1/2: the game is drawn after 4 plies"), "{}", ended.text());
    let empty = TemporaryFile::with("no-openings.txt", "# nothing\n");
    for (engines, arguments, status, words) in [
        (&[GOOD][..], &[][..], 2, "a match needs two engines"),
        (&[GOOD, GOOD, GOOD], &["--sprt", "elo1=5"], 2, "--sprt compares two engines"),
        (&[GOOD, GOOD], &["--openings", "/no/such/file"], 1, "/no/such/file: "),
        (&[GOOD, GOOD], &["--openings", empty.path()], 1, "it contains no valid opening"),
        (&[GOOD, GOOD], &["--pgn", "/no/such/folder/games.pgn"], 1, "/no/such/folder/games.pgn: "),
    ] {
        refused(&match_of(engines, arguments), status, words);
    }
    let pgn = TemporaryFile::with("games.pgn", &"[Game \"Chinese Chess\"]\n\n1. h2e2 h9g7 *\n\n".repeat(50));
    let ended = refused(
        &match_of(&[GOOD, GOOD], &["--openings", pgn.path()]),
        1,
        "it contains games (pgn), not openings; 'chuhe openings",
    );
    assert_eq!(ended.errors.lines().count(), 1, "{}", ended.errors);
    let many = TemporaryFile::with("many-faults.txt", &format!("h2e2\n{}", "h2e9\n".repeat(100)));
    let ended = run(&match_of(&[GOOD, GOOD], &["--openings", many.path(), "--games", "2", "--max-plies", "4"]));
    assert_eq!(ended.errors.matches("this opening is left out").count(), 20, "{}", ended.errors);
    ended.tells("many-faults.txt: 100 openings left out");
}

#[cfg(unix)]
#[test]
fn a_request_to_end_leaves_the_table() {
    let arguments = match_of(&[GOOD, GOOD], &["--games", "100000", "--max-plies", "4"]);
    for signal in ["INT", "TERM"] {
        let mut program = Program::with(&arguments);
        program.wait_until("a game", |line| line.contains("/100000 "));
        let ended = program.interrupt(signal);
        assert!(ended.lines.iter().any(|line| line.starts_with("engine ")), "{}", ended.text());
    }
}

#[test]
fn what_engines_say_about_their_options_is_reported_once() {
    let engines = ["name=A,option.evalfile=/nonexistent/network,option.hsh=3", "name=B,option.searchparams=foo=1"];
    let ended = run_noted(&match_of(&engines, &["--nodes", "20", "--games", "2", "--max-plies", "4", "--restart"]));
    for words in [
        "chuhe: A says: /nonexistent/network: ",
        "chuhe: B says: searchparams: there is no search parameter",
        "chuhe: A has no option 'hsh'",
    ] {
        assert_eq!(ended.errors.matches(words).count(), 1, "{words}: {}", ended.errors);
    }
}

#[test]
fn engines_that_stop_starting_end_the_match() {
    let doors: Vec<String> = (0..2).map(|door| format!("once-{}-{door}", std::process::id())).collect();
    let engines: Vec<String> = doors.iter().map(|door| with_fault(door)).collect();
    let common = ["match", "--restart", "--nodes", "50", "--max-plies", "6", "--sprt", "elo0=0,elo1=5"];
    // One of two engines, then both, start only once.
    for engines in [[GOOD, &engines[0]], [&engines[0], &engines[1]]] {
        doors.iter().for_each(|door| drop(fs::remove_file(std::env::temp_dir().join(door))));
        let ended = run(&[&common[..], &["--engine", engines[0], "--engine", engines[1]]].concat());
        assert_eq!(ended.status, Some(1), "{}", ended.errors);
        ended.tells("it failed 3 times in a row; once-");
        assert!(ended.errors.ends_with("the test is not decided: the games it still needs were not played\n"));
        assert!(ended.text().contains("LLR 0.00") && ended.text().contains("not decided"), "{}", ended.text());
    }
    doors.iter().for_each(|door| drop(fs::remove_file(std::env::temp_dir().join(door))));
}

#[cfg(unix)]
#[test]
fn games_that_an_engine_was_not_started_for_are_played_when_the_match_is_resumed() {
    let script = TemporaryFile::named("mended.sh");
    let write = |command: &str| fs::write(script.path(), format!("exec {command}\n")).unwrap();
    let door = format!("once-mended-{}", std::process::id());
    let failing = with_fault(&door);
    write(failing.split_once("cmd=").unwrap().1);
    let [journal, pgn] = ["mended.jsonl", "mended.pgn"].map(TemporaryFile::named);
    let engine = format!("name=mended,cmd=sh {}", script.path());
    let limits = ["--restart", "--nodes", "50", "--max-plies", "6", "--games", "2"];
    let files = ["--resume", journal.path(), "--pgn", pgn.path()];
    let arguments = match_of(&[GOOD, &engine], &[&limits[..], &files].concat());
    // It starts once, to be asked for its options.
    let ended = run(&arguments);
    drop(fs::remove_file(std::env::temp_dir().join(door)));
    assert_eq!(ended.status, Some(1), "{}", ended.errors);
    assert!(ended.errors.ends_with("chuhe: 2 games were not played\n"), "{}", ended.errors);
    assert!(ended.text().contains(" 2 start"), "{}", ended.text());
    assert_eq!(fs::read_to_string(journal.path()).unwrap().lines().count(), 3);
    assert_eq!(fs::read_to_string(pgn.path()).unwrap(), "");

    write(env!("CARGO_BIN_EXE_chuhe"));
    let ended = run_noted(&arguments);
    let message = format!("{}: 2 games that an engine was not started for: not counted\n", journal.path());
    ended.tells(&message);
    assert!(ended.text().contains("\n2 games, "), "{}", ended.text());
    assert_eq!(games_of(pgn.path()).len(), 2);
    // Now nothing is left to play.
    let again = run(&arguments);
    assert_eq!((again.status, again.errors.contains("not counted")), (Some(0), false), "{}", again.errors);
    again.tells("2 games were played before");
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_of_the_process_group_is_not_a_fault() {
    use std::os::unix::process::CommandExt as _;
    use std::process::{Command, Stdio};
    let journal = TemporaryFile::named("interrupted.jsonl");
    let engines = [GOOD, "name=long,movetime=60000"];
    let mut command = Command::new(env!("CARGO_BIN_EXE_chuhe"));
    command.args(["match", "--engine", engines[0], "--engine", engines[1], "--resume", journal.path()]);
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).process_group(0).spawn().unwrap();
    // The threads of an engine have names.
    let tasks = || fs::read_dir(format!("/proc/{}/task", child.id())).unwrap().flatten();
    let name = |task: fs::DirEntry| fs::read_to_string(task.path().join("comm")).unwrap_or_default();
    while !tasks().any(|task| name(task).trim() == "engine output") {
        std::thread::yield_now();
    }
    let group = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process_group(group, rustix::process::Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(fs::read_to_string(journal.path()).unwrap().lines().count(), 1, "no game was over");
}

#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_fills_up_loses_no_complete_game() {
    let files = ["filling.jsonl", "filling.pgn"].map(TemporaryFile::named);
    let openings = openings("filling");
    let arguments = repeatable(&openings, &files[0], &files[1]);
    let limited = run_with_file_limit(80, &arguments);
    let errors = &limited.errors;
    assert_eq!(limited.status, Some(1), "{errors}");
    // Once for each file that fills up.
    let told = errors.matches("; the match continues, and the missing games are written later").count();
    assert!((1..=2).contains(&told), "{errors}");
    assert!(limited.text().contains("12 games, "), "all were played");
    let journal = fs::read_to_string(files[0].path()).unwrap();
    assert!(journal.ends_with("\n") && journal.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
    let kept = journal.lines().count() - 1;
    assert!((1..12).contains(&kept), "{kept}");
    // Games that the journal lacks are played again, so the PGN file must not have them yet.
    let headers = || fs::read_to_string(files[1].path()).unwrap().matches("[Round ").count();
    assert!(headers() <= kept, "{} {kept}", headers());
    let ended = run_noted(&arguments);
    let kept = if kept == 1 { "1 game was".to_owned() } else { format!("{kept} games were") };
    ended.tells(&format!("chuhe: {kept} played before"));
    assert_eq!(fs::read_to_string(files[0].path()).unwrap().lines().count(), 13);
    assert_eq!((headers(), games_of(files[1].path()).len()), (12, 12), "each game once");
}
