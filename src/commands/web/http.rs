//! The head of an HTTP request, read within limits of size and time, the response to it, and the WebSocket of a page:
//! the handshake and both directions.
//!
//! The server takes `GET` alone and closes the connection after each response, so a request has no body.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tungstenite::handshake::derive_accept_key;
use tungstenite::protocol::{Role, WebSocketConfig};
use tungstenite::{Message, WebSocket};

/// Maximum size of a request up to its empty line, in bytes.
const MAX_HEAD_BYTES: usize = 16 << 10;
/// Maximum number of headers of a request.
const MAX_HEADERS: usize = 64;

/// Request without a body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Request {
    /// Path as written, with a query if there is one.
    pub(super) path: String,
    headers: Vec<(String, String)>,
    /// Bytes that followed the head.
    rest: Vec<u8>,
}

impl Request {
    /// Returns the value of a header that occurs exactly once. Names ignore case.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.iter().filter(|(other, _)| other.eq_ignore_ascii_case(name));
        let first = values.next()?;
        values.next().is_none().then_some(first.1.as_str())
    }

    /// Returns whether a header occurs.
    pub(super) fn has_header(&self, name: &str) -> bool {
        self.headers.iter().any(|(other, _)| other.eq_ignore_ascii_case(name))
    }

    /// Returns whether a header lists this word, without regard to case.
    fn header_lists(&self, name: &str, word: &str) -> bool {
        self.header(name).is_some_and(|value| value.split(',').any(|item| item.trim().eq_ignore_ascii_case(word)))
    }
}

/// Refusal of a request: the status code with its name, and the reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Refusal(pub(super) &'static str, pub(super) &'static str);

const SLOW: Refusal = Refusal("408 Request Timeout", "the request took too long");
const TOO_LONG: Refusal = Refusal("431 Request Header Fields Too Large", "the request is too long");
const MALFORMED: Refusal = Refusal("400 Bad Request", "the request is malformed");
const OTHER_METHOD: Refusal = Refusal("405 Method Not Allowed", "only GET is answered");

/// Reads the head of a request, which must be complete within `timeout`.
/// After an error of the connection there is no use in an answer.
pub(super) fn read_request(stream: &mut TcpStream, timeout: Duration) -> io::Result<Result<Request, Refusal>> {
    let deadline = Instant::now() + timeout;
    let mut bytes = Vec::new();
    let mut chunk = [0; 2048];
    loop {
        let remaining = deadline.saturating_duration_since(Instant::now());
        if remaining.is_zero() {
            return Ok(Err(SLOW));
        }
        stream.set_read_timeout(Some(remaining))?;
        match stream.read(&mut chunk) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => bytes.extend_from_slice(&chunk[..count]),
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                return Ok(Err(SLOW));
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        }
        match parse(&bytes) {
            Ok(None) if bytes.len() < MAX_HEAD_BYTES => {}
            Ok(request) => return Ok(request.ok_or(TOO_LONG)),
            Err(refusal) => return Ok(Err(refusal)),
        }
    }
}

/// Parses a request; `None` if it is not complete.
fn parse(bytes: &[u8]) -> Result<Option<Request>, Refusal> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut head = httparse::Request::new(&mut headers);
    let length = match head.parse(bytes) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(httparse::Error::TooManyHeaders) => return Err(TOO_LONG),
        Err(_) => return Err(MALFORMED),
    };
    let (Some("GET"), Some(path)) = (head.method, head.path) else { return Err(OTHER_METHOD) };
    let pair = |header: &httparse::Header| {
        let value = str::from_utf8(header.value).map_err(|_| MALFORMED)?;
        Ok((header.name.to_owned(), value.trim().to_owned()))
    };
    let headers = head.headers.iter().map(pair).collect::<Result<_, _>>()?;
    Ok(Some(Request { path: path.to_owned(), headers, rest: bytes[length..].to_vec() }))
}

/// Media type of texts.
pub(super) const TEXT: &str = "text/plain; charset=utf-8";

/// Sends a response with this status code and its name. A page may load nothing from elsewhere, nor be shown in a
/// frame, nor reveal its address; it may connect to its own origin and to `connects_to`.
pub(super) fn respond(
    stream: &mut impl Write,
    status: &str,
    media_type: &str,
    connects_to: &str,
    body: &str,
) -> io::Result<()> {
    let length = body.len();
    let response = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {media_type}\r\nContent-Length: {length}\r\nConnection: close\r\n\
         Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
         Cross-Origin-Opener-Policy: same-origin\r\nCross-Origin-Resource-Policy: same-origin\r\n\
         Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
         connect-src 'self' {connects_to}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n\r\n{body}"
    );
    stream.write_all(response.as_bytes())?;
    stream.flush()
}

/// Largest message from a page in bytes, enough for a file of games.
const MAX_MESSAGE_BYTES: usize = 40 << 20;
/// Time without any byte from a page, which answers pings, after which it counts as gone.
const SILENCE: Duration = Duration::from_secs(90);
/// Time that a page may take to receive a message.
const WRITE_TIMEOUT: Duration = Duration::from_secs(15);
const BUFFER_BYTES: usize = 8 << 10;

/// Returns the answer to a handshake; `None` if the request is not one.
fn handshake(request: &Request) -> Option<String> {
    let is_upgrade = request.header_lists("upgrade", "websocket") && request.header_lists("connection", "upgrade");
    let key = request.header("sec-websocket-key").filter(|key| key.len() == 24)?;
    (is_upgrade && request.header("sec-websocket-version") == Some("13")).then(|| {
        let accept = derive_accept_key(key.as_bytes());
        format!(
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
             Sec-WebSocket-Accept: {accept}\r\n\r\n"
        )
    })
}

/// Stream whose writes are whole frames, so that both directions can write.
struct SharedStream {
    stream: TcpStream,
    lock: Arc<Mutex<()>>,
}

impl Read for SharedStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.read(buffer)
    }
}

impl Write for SharedStream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        // After half a frame nothing more can be sent.
        if let Err(error) = self.stream.write_all(bytes) {
            let _ = self.stream.shutdown(Shutdown::Both);
            return Err(error);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// Messages from a page.
pub(super) struct Incoming(WebSocket<SharedStream>);

/// Messages to a page.
pub(super) struct Outgoing(WebSocket<SharedStream>);

/// Completes the handshake; `None` if the request is not one.
pub(super) fn accept(stream: &TcpStream, request: Request) -> io::Result<Option<(Incoming, Outgoing)>> {
    let Some(answer) = handshake(&request) else { return Ok(None) };
    let mut stream = stream.try_clone()?;
    stream.set_read_timeout(Some(SILENCE))?;
    stream.set_write_timeout(Some(WRITE_TIMEOUT))?;
    stream.set_nodelay(true)?;
    stream.write_all(answer.as_bytes())?;
    let lock = Arc::new(Mutex::new(()));
    let writer = SharedStream { stream: stream.try_clone()?, lock: Arc::clone(&lock) };
    let config = WebSocketConfig::default()
        .read_buffer_size(BUFFER_BYTES)
        .write_buffer_size(0)
        .max_message_size(Some(MAX_MESSAGE_BYTES))
        .max_frame_size(Some(MAX_MESSAGE_BYTES));
    let reader = SharedStream { stream, lock };
    let incoming = WebSocket::from_partially_read(reader, request.rest, Role::Server, Some(config));
    let outgoing = WebSocket::from_raw_socket(writer, Role::Server, Some(config));
    Ok(Some((Incoming(incoming), Outgoing(outgoing))))
}

impl Incoming {
    /// Returns the next text; `None` when the page is gone, silent for too long, or breaks the protocol.
    pub(super) fn next_text(&mut self) -> Option<String> {
        loop {
            match self.0.read() {
                Ok(Message::Text(text)) => return Some(text.as_str().to_owned()),
                Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_)) => {}
                Ok(Message::Close(_)) => {
                    let _ = self.0.flush();
                    return None;
                }
                Ok(Message::Binary(_)) => return None,
                Err(error) => {
                    log::debug!("a page is gone: {error}");
                    return None;
                }
            }
        }
    }
}

impl Outgoing {
    /// Sends a text, or a ping, which a live page answers.
    pub(super) fn send(&mut self, text: Option<String>) -> Result<(), tungstenite::Error> {
        self.0.send(text.map_or_else(|| Message::Ping(Vec::new().into()), Message::text))
    }

    /// Ends the connection in both directions.
    pub(super) fn shut_down(&mut self) {
        let _ = self.0.get_mut().stream.shutdown(Shutdown::Both);
    }
}
