//! Tests of `chuhe web`: access, limits and searches, with raw sockets and a WebSocket client.

use std::io::{Read, Write};
use std::net::TcpStream;

use chuhe::commands::web::{request::Go, search::limits};
use serde_json::{Value, json};
use tungstenite::{Message, WebSocket};

use crate::harness::{Program, Start, TIMEOUT};

/// Threads of searches in the program.
#[cfg(target_os = "linux")]
const SEARCH_THREADS: [&str; 2] = ["search", "helper"];

/// A running server.
struct Server {
    program: Program,
    port: u16,
    token: String,
}

impl Server {
    fn start(arguments: &[&str]) -> Server {
        let arguments = [&["web", "--no-open", "--port", "0", "--hash", "4"], arguments].concat();
        let mut program = Start { arguments: &arguments, ..Start::default() }.now();
        let line = program.wait_until("address", |line| line.starts_with("http://")).pop().unwrap();
        let (port, token) = line.strip_prefix("http://127.0.0.1:").unwrap().split_once('/').unwrap();
        Server { port: port.parse().unwrap(), token: token.trim_end_matches('/').to_owned(), program }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).expect("the server accepts connections");
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        stream
    }

    /// Sends bytes and returns all of the answer.
    fn raw(&self, bytes: &[u8]) -> String {
        let mut stream = self.connect();
        // The server may refuse before it has read everything.
        let _ = stream.write_all(bytes);
        answer(&mut stream)
    }

    /// Sends a request for a path with these headers; `{port}` stands for the port.
    fn get(&self, path: &str, headers: &str) -> String {
        let headers = headers.replace("{port}", &self.port.to_string());
        self.raw(format!("GET {path} HTTP/1.1\r\n{headers}\r\n").as_bytes())
    }

    fn path(&self, name: &str) -> String {
        format!("/{}/{name}", self.token)
    }

    /// Opens a page's connection.
    fn tab(&self) -> Tab {
        self.try_tab("").expect("the handshake succeeds")
    }

    fn try_tab(&self, origin: &str) -> Option<Tab> {
        let url = format!("ws://127.0.0.1:{}{}", self.port, self.path("socket"));
        let mut request = tungstenite::client::IntoClientRequest::into_client_request(url).unwrap();
        if !origin.is_empty() {
            request.headers_mut().insert("Origin", origin.parse().unwrap());
        }
        tungstenite::client(request, self.connect()).ok().map(|(socket, _)| Tab { socket, last_id: 0 })
    }

    fn is_alive(&self) -> bool {
        self.get(&self.path(""), "Host: localhost:{port}\r\n").starts_with("HTTP/1.1 200")
    }
}

fn answer(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Connection of a page.
struct Tab {
    socket: WebSocket<TcpStream>,
    last_id: u64,
}

impl Tab {
    fn send(&mut self, mut request: Value) -> u64 {
        self.last_id += 1;
        request["id"] = self.last_id.into();
        self.socket.send(Message::text(request.to_string())).expect("the page is connected");
        self.last_id
    }

    fn next(&mut self) -> Value {
        loop {
            match self.socket.read().expect("the server answers") {
                Message::Text(text) => return serde_json::from_str(text.as_str()).expect("messages are JSON"),
                Message::Close(_) => panic!("the server closed the connection"),
                _ => {}
            }
        }
    }

    /// Sends a request and returns its answer.
    fn ask(&mut self, request: Value) -> Value {
        let id = self.send(request);
        loop {
            let message = self.next();
            if message["id"] == id && message.get("event").is_none() {
                return message;
            }
        }
    }

    /// Returns the next event of this name.
    fn event(&mut self, name: &str) -> Value {
        loop {
            let message = self.next();
            assert_ne!(message["event"], "failed", "{message}");
            if message["event"] == name {
                return message;
            }
        }
    }

    fn analyse(&mut self) -> u64 {
        self.send(json!({ "do": "go", "purpose": "analyse" }))
    }
}

#[test]
fn only_own_names_with_the_token_are_answered() {
    let server = Server::start(&[]);
    let page = server.path("");
    for host in ["127.0.0.1:{port}", "localhost:{port}", "[::1]:{port}"] {
        let found = server.get(&page, &format!("Host: {host}\r\n"));
        assert!(found.starts_with("HTTP/1.1 200") && found.contains("<title>Chuhe"), "{host}: {found}");
        assert!(found.contains("default-src 'none'") && found.contains("frame-ancestors 'none'"), "{found}");
    }
    let host = "Host: 127.0.0.1:{port}\r\n";
    // The unit tests of the server have more names.
    for (path, headers) in [
        ("/", host.to_owned()),
        ("//", host.to_owned()),
        ("/socket", host.to_owned()),
        (&*page.replace(&server.token[..4], "zzzz"), host.to_owned()),
        (&*page.replace(|letter: char| letter.is_ascii_alphanumeric(), "0"), host.to_owned()),
        (page.trim_end_matches('/'), host.to_owned()),
        (&page[..page.len() - 3], host.to_owned()),
        ("/ääääääääääääääääääääääää", host.to_owned()),
        (&page, String::new()),
        (&page, "Host: evil.example:{port}\r\n".to_owned()),
        (&page, "Host: 127.0.0.1:{port}\r\nHost: evil.example\r\n".to_owned()),
        (&page, format!("{host}Origin: http://evil.example\r\n")),
    ] {
        let found = server.get(path, &headers);
        assert!(found.starts_with("HTTP/1.1 403") && !found.contains("<html"), "{path} {headers}: {found}");
    }
    assert!(server.try_tab("http://evil.example").is_none(), "a page of another site");
    assert!(server.try_tab(&format!("http://localhost:{}", server.port)).is_some());
}

#[test]
fn malformed_and_oversized_requests_are_refused() {
    let server = Server::start(&[]);
    let long = format!("GET {} HTTP/1.1\r\nHost: localhost\r\nX: {}\r\n\r\n", server.path(""), "x".repeat(1 << 20));
    for (bytes, status) in [
        (b"\x16\x03\x01\x00\xff\r\n\r\n".to_vec(), "400"),
        (b"HELLO\r\n\r\n".to_vec(), "400"),
        (format!("POST {} HTTP/1.1\r\nHost: localhost\r\n\r\n", server.path("")).into_bytes(), "405"),
        (long.into_bytes(), "431"),
        (format!("GET / HTTP/1.1\r\n{}\r\n", "A: b\r\n".repeat(1_000)).into_bytes(), "431"),
    ] {
        let found = server.raw(&bytes);
        assert!(found.starts_with(&format!("HTTP/1.1 {status}")), "{status}: {found}");
    }
    let local = "Host: localhost:{port}\r\n";
    for (name, start) in [("socket", "HTTP/1.1 400"), ("..%2fCargo.toml", "HTTP/1.1 404"), ("\\x", "HTTP/1.1 40")] {
        assert!(server.get(&server.path(name), local).starts_with(start), "{name}");
    }
    for name in ["index.html", "../Cargo.toml", "/etc/passwd", "main.js/", "%2e%2e/main.js", "Main.js", "."] {
        assert!(server.get(&server.path(name), local).starts_with("HTTP/1.1 404"), "{name}");
    }
    assert!(server.get(&server.path("main.js?x=1"), local).contains("text/javascript"));
    assert!(server.is_alive());
}

#[test]
fn a_message_may_follow_its_request_at_once_and_a_connection_be_kept_for_others_too() {
    let server = Server::start(&[]);
    let key = "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    let headers = format!("Host: localhost:{}\r\nConnection: keep-alive, Upgrade\r\n{key}", server.port);
    let request = format!("GET {} HTTP/1.1\r\n{headers}\r\n", server.path("socket"));
    // A masked text and the end of the connection; the mask is 0.
    let text = [&b"\x81\x95\0\0\0\0"[..], br#"{"id":1,"do":"hello"}"#, b"\x88\x80\0\0\0\0"].concat();
    let found = server.raw(&[request.as_bytes(), &text].concat());
    assert!(found.starts_with("HTTP/1.1 101") && found.contains("\"version\""), "{found}");
}

#[test]
fn malformed_messages_are_answered_and_oversized_ones_end_the_connection() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    for text in
        ["", "{", "[]", "null", "{\"id\":7}", "{\"id\":7,\"do\":\"format_disk\"}", "{\"id\":-1,\"do\":\"hello\"}"]
    {
        tab.socket.send(Message::text(text)).unwrap();
        let message = tab.next();
        assert!(message["error"]["en"].as_str().is_some_and(|error| error.contains("malformed")), "{text}: {message}");
    }
    let nested = format!("{{\"id\":1,\"do\":\"position\",\"moves\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    tab.socket.send(Message::text(nested)).unwrap();
    assert!(tab.next()["error"]["en"].is_string());
    for request in [
        json!({ "do": "position", "start": "x" }),
        json!({ "do": "position", "moves": ["h2e2", "h2e2"] }),
        json!({ "do": "position", "moves": vec!["h2e2"; 20_000] }),
        json!({ "do": "position", "rules": "none" }),
        json!({ "do": "read_move", "text": "炮九平五" }),
        json!({ "do": "set_up", "board": "K", "side": "red" }),
        json!({ "do": "import", "data": "!!" }),
        json!({ "do": "import", "text": "Dear Sir" }),
        json!({ "do": "export", "format": "exe", "game": { "nodes": [] } }),
        json!({ "do": "export", "format": "pgn", "game": { "nodes": [{ "parent": 5, "move": "h2e2" }] } }),
        json!({ "do": "export", "format": "pgn", "game": { "nodes": [{ "parent": null, "move": "a0a9" }] } }),
    ] {
        let message = tab.ask(request.clone());
        assert!(message["error"]["en"].is_string(), "{request}: {message}");
    }
    assert!(tab.ask(json!({ "do": "hello" }))["ok"]["version"].is_string(), "the connection still works");
    // Larger than any message may be.
    let huge = "x".repeat(41 << 20);
    let _ = tab.socket.send(Message::text(huge));
    assert!(std::iter::from_fn(|| tab.socket.read().ok()).all(|message| !message.is_text()));
    let mut binary = server.tab();
    binary.socket.send(Message::binary(vec![0; 10])).unwrap();
    assert!(std::iter::from_fn(|| binary.socket.read().ok()).all(|message| !message.is_text()));
    assert!(server.is_alive());
}

#[test]
fn many_connections_and_slow_clients_leave_the_server_usable() {
    let server = Server::start(&[]);
    let mut slow: Vec<TcpStream> = (0..200).map(|_| server.connect()).collect();
    for stream in &mut slow {
        stream.write_all(b"GET / HT").unwrap();
    }
    assert!(server.is_alive(), "beside 200 silent connections");
    let mut tabs: Vec<Tab> = (0..40).map(|_| server.tab()).collect();
    for tab in &mut tabs {
        assert_eq!(tab.ask(json!({ "do": "position" }))["ok"]["legal"].as_array().unwrap().len(), 44);
    }
    // The server ends the silent ones by itself.
    let refused = slow.iter_mut().map(answer).filter(|text| text.starts_with("HTTP/1.1 408")).count();
    assert_eq!(refused, 200);
    assert!(server.is_alive());
}

#[test]
fn pages_share_the_threads_and_take_turns() {
    let server = Server::start(&["--threads", "2"]);
    let mut tabs: Vec<Tab> = (0..100).map(|_| server.tab()).collect();
    for tab in &mut tabs {
        tab.analyse();
    }
    let mut waiting = 0;
    for tab in &mut tabs {
        let message = loop {
            let message = tab.next();
            if matches!(message["event"].as_str(), Some("waiting" | "line")) {
                break message;
            }
        };
        waiting += usize::from(message["event"] == "waiting");
    }
    assert!(waiting >= 99, "{waiting} pages wait");
    #[cfg(target_os = "linux")]
    assert!(server.program.threads_named(&SEARCH_THREADS) <= 2);
    // An analysis without limits gives way, so every page has its turn.
    tabs.truncate(2);
    for tab in &mut tabs {
        tab.event("searching");
        tab.event("line");
    }
}

#[test]
fn a_closed_page_ends_its_search() {
    let server = Server::start(&[]);
    let mut first = server.tab();
    first.analyse();
    first.event("line");
    let mut second = server.tab();
    second.send(json!({ "do": "go", "purpose": "play", "depth": 2 }));
    second.event("waiting");
    // The connection is cut as when the browser is killed.
    drop(first);
    assert!(second.event("finished")["best"]["move"].is_string());
    let mut third = server.tab();
    third.send(json!({ "do": "go", "purpose": "play", "depth": 2 }));
    assert_eq!(third.event("finished")["stopped"], false);
}

#[test]
fn a_search_is_stopped_and_replaced() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    let first = tab.analyse();
    tab.event("line");
    let second = tab.send(json!({ "do": "go", "purpose": "hint", "depth": 3, "moves": ["h2e2"] }));
    let finished = [tab.event("finished"), tab.event("finished")];
    assert_eq!((&finished[0]["id"], &finished[0]["stopped"]), (&json!(first), &json!(true)));
    assert_eq!((&finished[1]["id"], &finished[1]["depth"]), (&json!(second), &json!(3)));
    tab.analyse();
    tab.event("line");
    tab.send(json!({ "do": "stop" }));
    assert_eq!(tab.event("finished")["stopped"], true);
}

#[test]
fn a_game_is_read_reviewed_and_written() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    let text = "[Red \"甲\"]\n\n1. 炮二平五 {中炮} (1. 兵三进一 卒7进1) 马8进7 2. 马二进三 *\n";
    let imported = tab.ask(json!({ "do": "import", "text": text }));
    let game = &imported["ok"]["games"][0];
    let moves = game["nodes"].as_array().unwrap().iter().map(|node| node["move"].as_str().unwrap());
    assert_eq!(moves.collect::<Vec<_>>(), ["h2e2", "h9g7", "h0g2", "g3g4", "g6g5"], "{imported}");
    assert_eq!((&game["nodes"][0]["comment"], &game["nodes"][3]["parent"]), (&json!("中炮"), &Value::Null));
    let page = "[DhtmlXQ]\n[DhtmlXQ_movelist]7747[/DhtmlXQ_movelist]\n[DhtmlXQ_move_0_1_1]0000[/DhtmlXQ_move_0_1_1]\n";
    let damaged = tab.ask(json!({ "do": "import", "text": page }));
    assert_eq!(damaged["ok"]["games"][0]["nodes"].as_array().unwrap().len(), 1);
    assert!(damaged["ok"]["errors"][0]["en"].as_str().is_some_and(|error| error.contains("left out")), "{damaged}");
    for format in ["pgn", "xqf", "dhtmlxq"] {
        let written = tab.ask(json!({ "do": "export", "format": format, "game": game, "notation": "wxf" }));
        let again = tab.ask(json!({ "do": "import", "data": written["ok"]["data"] }));
        assert_eq!(again["ok"]["games"][0], *game, "{format}: {again}");
    }
    tab.send(json!({ "do": "review", "moves": ["h2e2", "h9g7", "h0g2"], "depth": 3 }));
    for done in 1..=3 {
        let progress = tab.event("progress");
        assert_eq!((&progress["done"], &progress["total"]), (&json!(done), &json!(3)));
    }
    let finished = tab.event("finished");
    assert!(finished["accuracy"][0].as_f64().is_some_and(|accuracy| accuracy > 50.0), "{finished}");
}

#[test]
fn a_position_is_described() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    let mut describe = |moves: &str| {
        let moves: Vec<&str> = moves.split_whitespace().collect();
        tab.ask(json!({ "do": "position", "moves": moves }))["ok"].take()
    };
    let state = describe("h2e2 d9e8 e2e6");
    assert_eq!((&state["side"], &state["check"]), (&"black".into(), &"e9".into()));
    let legal = state["legal"].as_array().unwrap();
    assert!(legal.contains(&"e8d9".into()) && !legal.contains(&"a9a8".into()));
    let names: Vec<&Value> = state["moves"].as_array().unwrap().iter().map(|name| &name["chinese"]).collect();
    assert_eq!(names, ["炮二平五", "士４进５", "炮五进四"]);
    assert_eq!(state["verdict"], json!({ "word": "none" }));
    let named = json!({ "en": "Central Cannon v Screen Horses", "zh": "中炮对屏风马" });
    assert_eq!((&describe("h2e2 h9g7 h0g2 b9c7")["opening"], &describe("")["opening"]), (&named, &Value::Null));
    // The same board, set up by hand.
    let again = tab.ask(json!({ "do": "set_up", "board": state["board"], "side": "black" }))["ok"]["fen"].take();
    let fields = |fen: &Value| fen.as_str().unwrap().split(' ').take(2).collect::<Vec<_>>().join(" ");
    assert_eq!(fields(&again), fields(&state["fen"]));
    let empty = tab.ask(json!({ "do": "set_up", "board": ".".repeat(90), "side": "black" }));
    assert!(empty["error"]["en"].is_string(), "{empty}");
}

#[test]
fn repetitions_are_explained_with_their_plies() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    let mut describe = |start: &str, moves: &str| {
        let moves: Vec<&str> = moves.split(' ').collect();
        tab.ask(json!({ "do": "position", "start": start, "moves": moves }))["ok"].take()
    };
    let checks = "a8a9 d9d8 a9a8 d8d9 a8a9 d9d8 a9a8 d8d9";
    let state = describe("3k5/R8/9/9/9/9/9/4K4/9/9 w", checks);
    let verdict = &state["verdict"];
    assert_eq!((&verdict["word"], &verdict["kind"]), (&"black_wins".into(), &"perpetual_check".into()));
    assert_eq!(verdict["reason"]["zh"], "红方长将（第 1–8 步循环），判负");
    assert!(verdict["reason"]["en"].as_str().unwrap().starts_with("Red's rook checks"), "{verdict}");
    assert_eq!(verdict["cycle"].as_array().unwrap().len(), 8);
    assert_eq!((&verdict["cycle"][0]["zh"], &verdict["cycle"][1]["zh"]), (&"车（a9）将军".into(), &"闲着".into()));
    assert_eq!(state["legal"], json!([]), "the game is over");
    // From the test data of the rules: a cannon chases an advisor.
    let chase = "e8d9 e5d5 d9e8 d5e5 e8d9 e5d5 d9e8 d5e5";
    let verdict = &describe("9/4a4/3k5/n3N2R1/4C4/9/9/B4K3/9/9 b - - 0 1", chase)["verdict"];
    assert_eq!((&verdict["word"], &verdict["kind"]), (&"black_wins".into(), &"perpetual_chase".into()));
    assert!(verdict["reason"]["zh"].as_str().unwrap().contains("长捉"), "{verdict}");
}

#[test]
fn only_a_move_of_the_boards_own_game_saves_time() {
    for (purpose, saves_time) in [("play", true), ("hint", false), ("analyse", false), ("draw", false)] {
        for limit in [json!({}), json!({ "time": 500 }), json!({ "clock": 60000, "increment": 100 })] {
            let mut request = limit;
            (request["moves"], request["purpose"]) = (json!([]), purpose.into());
            let go: Go = serde_json::from_value(request.clone()).unwrap();
            assert_eq!(limits(&go).saves_time, saves_time, "{request}");
        }
    }
}

#[test]
fn books_and_tables_are_looked_up() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    let book = tab.ask(json!({ "do": "book" }));
    assert!(book["ok"].as_array().unwrap().iter().any(|known| known["move"] == "b2e2"), "{book}");
    let table = tab.ask(json!({ "do": "tablebase", "start": "3k5/9/9/9/9/9/9/9/9/4K3R w" }));
    assert_eq!(table["ok"]["outcome"], "win", "{table}");
    assert_eq!(tab.ask(json!({ "do": "tablebase" }))["ok"], Value::Null);
    let read = tab.ask(json!({ "do": "read_move", "text": "C2.5" }));
    assert_eq!(read["ok"]["move"], "h2e2");
    tab.send(json!({ "do": "go", "purpose": "play", "book": true }));
    assert_eq!(tab.event("finished")["book"], true);
    tab.send(json!({ "do": "go", "purpose": "draw" }));
    assert!(tab.event("finished")["accepts"].is_boolean());
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_the_server_cleanly() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    tab.analyse();
    tab.event("line");
    server.program.signal("INT");
    let ended = server.program.expect_exit();
    assert_eq!((ended.status, ended.errors.as_str()), (Some(0), ""));
}

#[test]
#[cfg(target_os = "linux")]
fn the_opener_of_the_browser_gets_a_file_that_only_this_user_can_read() {
    use std::os::unix::fs::PermissionsExt;
    use std::process::{Command, Stdio};

    let folder = tempfile::tempdir().unwrap();
    let opener = folder.path().join("xdg-open");
    let script = "#!/bin/sh\n{ echo \"$*\"; stat -c %a \"$1\"; cat \"$1\"; } >\"$0.pipe\"\n";
    std::fs::write(&opener, script).unwrap();
    std::fs::set_permissions(&opener, PermissionsExt::from_mode(0o700)).unwrap();
    let pipe = folder.path().join("xdg-open.pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
    let mut program = Command::new(env!("CARGO_BIN_EXE_chuhe"))
        .args(["web", "--port", "0", "--hash", "4"])
        .env("PATH", path)
        .env("XDG_RUNTIME_DIR", folder.path())
        .env("DISPLAY", ":0")
        .env_remove("SSH_CONNECTION")
        .env_remove("SSH_TTY")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let opened = std::fs::read_to_string(pipe).unwrap();
    let mut address = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(program.stdout.take().unwrap()), &mut address).unwrap();
    program.kill().unwrap();
    program.wait().unwrap();
    let mut lines = opened.lines();
    let (arguments, mode, page) = (lines.next().unwrap(), lines.next().unwrap(), lines.next().unwrap());
    assert!(arguments.starts_with(folder.path().to_str().unwrap()) && arguments.ends_with(".html"), "{arguments}");
    assert_eq!(mode, "600");
    assert!(page.contains(&format!("url={}\"", address.trim())), "{page}");
    assert!(!arguments.contains(address.trim().rsplit('/').nth(1).unwrap()), "{arguments}");
}

#[test]
fn games_are_kept_in_the_folder_of_the_command_line_alone() {
    let folder = tempfile::tempdir().unwrap();
    let games = folder.path().join("games");
    let server = Server::start(&["--games", games.to_str().unwrap()]);
    let mut tab = server.tab();
    assert_eq!(tab.ask(json!({ "do": "hello" }))["ok"]["keeps_games"], true);
    let game = |mv: &str| json!({ "tags": [["Red", "我"]], "nodes": [{ "parent": null, "move": mv }] });
    let mut keep = |name: &str, mv: &str| tab.ask(json!({ "do": "keep_game", "name": name, "game": game(mv) }));
    assert!(keep("20261129-a1", "h2e2")["error"].is_null());
    let kept = std::fs::read_to_string(games.join("20261129-a1.pgn")).unwrap();
    assert!(kept.contains("[Red \"我\"]") && kept.contains("炮二平五"), "{kept}");
    for name in ["", ".", "..", "../out", "a/b", "a\\b", "a.pgn", "a\0b", "棋", &"a".repeat(41)] {
        assert!(keep(name, "h2e2")["error"]["en"].as_str().unwrap().contains("letters, digits and hyphens"), "{name}");
    }
    assert!(keep("bad", "h2h9x")["error"]["en"].is_string() && keep("bad", "e0e9")["error"]["en"].is_string());
    assert_eq!(std::fs::read_dir(&games).unwrap().count(), 1);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    let answer = Server::start(&[]).tab().ask(json!({ "do": "keep_game", "name": "a", "game": game("h2e2") }));
    assert!(answer["error"]["en"].as_str().unwrap().contains("--games"), "{answer}");
}

#[test]
fn a_move_of_a_game_goes_before_an_analysis_and_a_review() {
    let server = Server::start(&[]);
    let (mut analysing, mut playing) = (server.tab(), server.tab());
    let moves = ["h2e2", "h9g7", "h0g2", "i9h9", "i0h0", "b9c7", "h0h6", "c6c5", "h6g6", "h7i7", "b0c2", "h9h5"];
    for (task, first) in [
        (json!({ "do": "go", "purpose": "analyse" }), "line"),
        (json!({ "do": "review", "moves": moves, "time": 150 }), "progress"),
    ] {
        let other = analysing.send(task);
        analysing.event(first);
        playing.send(json!({ "do": "go", "purpose": "play", "nodes": 1000, "skill": -2 }));
        assert!(playing.event("finished")["best"]["move"].is_string());
        // The other task goes on by itself.
        assert_eq!(analysing.event("searching")["id"], other);
    }
    let finished = analysing.event("finished");
    assert!(finished["stopped"] == false && finished["accuracy"][0].is_number(), "{finished}");
}
