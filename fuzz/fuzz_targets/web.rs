//! The server of the board in the browser: requests, frames of a page, and its messages. Without the token nothing is
//! given away, and every message has an answer.
#![no_main]

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::LazyLock;
use std::thread;
use std::time::{Duration, Instant};

use chuhe::book::Book;
use chuhe::commands::web::Sources;
use chuhe::commands::web::server::Server;
use chuhe::commands::web::share::EngineShare;
use chuhe::engine::Engine;
use chuhe::position::Strictness;
use chuhe::tablebase::Tablebases;
use libfuzzer_sys::fuzz_target;
use tungstenite::Message;

/// The address of the server, and the part of its paths that holds the token.
static SERVER: LazyLock<(SocketAddr, String)> = LazyLock::new(|| {
    let engine = Engine::with_hash(1).expect("there is a megabyte");
    let sources = Sources {
        books: vec![Book::embedded()],
        tablebases: Tablebases::open(&[]).0,
        strictness: Strictness::Lax,
        games: None,
    };
    let share = EngineShare::new(engine, sources);
    let server = Server::bind(&[([127, 0, 0, 1], 0).into()], None, share).expect("there is a free port");
    let url = server.url();
    thread::spawn(|| server.run());
    let (address, path) = url.strip_prefix("http://").and_then(|url| url.split_once('/')).expect("an address");
    (address.parse().expect("an address"), format!("/{path}"))
});

/// Sends bytes and returns the answer; `None` without a connection.
fn answer(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut stream = TcpStream::connect(SERVER.0).ok()?;
    let mut answer = Vec::new();
    // The server may refuse before it has read everything.
    let _ = stream.write_all(bytes).and_then(|()| stream.shutdown(Shutdown::Write));
    let _ = stream.read_to_end(&mut answer);
    Some(answer)
}

/// Sends each line as a message of a page, which must all be answered.
fn send_messages(text: &str) {
    let (address, path) = &*SERVER;
    let url = format!("ws://{address}{path}socket");
    // The server has a limit of open pages, and those of earlier inputs may still be ending.
    let deadline = Instant::now() + Duration::from_secs(30);
    let mut socket = loop {
        let Ok(stream) = TcpStream::connect(address) else { return };
        match tungstenite::client(url.as_str(), stream) {
            Ok((socket, _)) => break socket,
            Err(error) => assert!(Instant::now() < deadline, "the handshake fails: {error}"),
        }
        thread::sleep(Duration::from_millis(50));
    };
    let mut unanswered = 0;
    for line in text.lines() {
        socket.send(Message::text(line)).expect("the server reads");
        unanswered += 1;
    }
    while unanswered > 0 {
        if let Message::Text(text) = socket.read().expect("the server answers") {
            let message: serde_json::Value = serde_json::from_str(text.as_str()).expect("messages are JSON");
            assert!(message["id"].is_u64());
            unanswered -= i32::from(message.get("event").is_none());
        }
    }
    let _ = socket.close(None);
    while socket.read().is_ok() {}
}

fuzz_target!(|input: &[u8]| {
    let Some((&choice, rest)) = input.split_first() else { return };
    let (address, path) = &*SERVER;
    match choice {
        b'R' => {
            let answer = answer(rest).unwrap_or_default();
            assert!(answer.is_empty() || answer.starts_with(b"HTTP/1.1 4"), "{}", String::from_utf8_lossy(&answer));
        }
        b'P' => {
            let mut lines = rest.splitn(2, |&byte| byte == b'\n');
            let (name, headers) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
            let version = format!(" HTTP/1.1\r\nHost: {address}\r\n");
            answer(&[b"GET ", path.as_bytes(), name, version.as_bytes(), headers, b"\r\n\r\n"].concat());
        }
        b'F' => {
            let head = format!(
                "GET {path}socket HTTP/1.1\r\nHost: {address}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
                 Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
            );
            let answer = answer(&[head.as_bytes(), rest].concat());
            assert!(answer.is_none_or(|answer| answer.starts_with(b"HTTP/1.1 101")));
        }
        _ => send_messages(&String::from_utf8_lossy(rest)),
    }
});
