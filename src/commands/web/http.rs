//! The head of an HTTP request, read within limits of size and time, the response to it, and the WebSocket of a page: the
//! handshake, and the two directions as separate objects for two threads.
//!
//! The server takes `GET` alone and closes the connection after each response, so a request has no body.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use thiserror::Error;
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
    pub(super) rest: Vec<u8>,
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
    pub(super) fn header_lists(&self, name: &str, word: &str) -> bool {
        self.header(name).is_some_and(|value| value.split(',').any(|item| item.trim().eq_ignore_ascii_case(word)))
    }
}

/// Reason why a request is refused.
#[derive(Debug, Error)]
pub(super) enum RequestError {
    #[error("the request took too long")]
    Slow,
    #[error("the request is too long")]
    TooLong,
    #[error("the request is malformed")]
    Malformed,
    #[error("only GET is answered")]
    Method,
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl RequestError {
    /// Returns the status line for the client; `None` if there is no use in an answer.
    pub(super) fn status(&self) -> Option<&'static str> {
        match self {
            RequestError::Slow => Some("408 Request Timeout"),
            RequestError::TooLong => Some("431 Request Header Fields Too Large"),
            RequestError::Malformed => Some("400 Bad Request"),
            RequestError::Method => Some("405 Method Not Allowed"),
            RequestError::Io(_) => None,
        }
    }
}

/// Reads the head of a request, which must be complete within `timeout`.
///
/// # Errors
/// [`RequestError`] if it is not.
pub(super) fn read_request(stream: &mut TcpStream, timeout: Duration) -> Result<Request, RequestError> {
    let deadline = Instant::now() + timeout;
    let mut bytes = Vec::new();
    let mut chunk = [0; 2048];
    loop {
        let remaining = deadline.saturating_duration_since(Instant::now());
        if remaining.is_zero() {
            return Err(RequestError::Slow);
        }
        stream.set_read_timeout(Some(remaining))?;
        let count = match stream.read(&mut chunk) {
            Ok(0) => return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
            Ok(count) => count,
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                return Err(RequestError::Slow);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error.into()),
        };
        bytes.extend_from_slice(&chunk[..count]);
        if let Some(request) = parse(&bytes)? {
            return Ok(request);
        }
        if bytes.len() >= MAX_HEAD_BYTES {
            return Err(RequestError::TooLong);
        }
    }
}

/// Parses a request; `None` if it is not complete.
fn parse(bytes: &[u8]) -> Result<Option<Request>, RequestError> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut head = httparse::Request::new(&mut headers);
    let length = match head.parse(bytes) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(httparse::Error::TooManyHeaders) => return Err(RequestError::TooLong),
        Err(_) => return Err(RequestError::Malformed),
    };
    if head.method != Some("GET") {
        return Err(RequestError::Method);
    }
    let mut pairs = Vec::with_capacity(head.headers.len());
    for header in head.headers.iter() {
        let value = str::from_utf8(header.value).map_err(|_| RequestError::Malformed)?;
        pairs.push((header.name.to_owned(), value.trim().to_owned()));
    }
    let path = head.path.ok_or(RequestError::Malformed)?.to_owned();
    Ok(Some(Request { path, headers: pairs, rest: bytes[length..].to_vec() }))
}

/// Response with a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Response<'a> {
    /// Status code and its name, such as `200 OK`.
    pub(super) status: &'a str,
    pub(super) media_type: &'a str,
    pub(super) body: &'a [u8],
    /// Hosts that the page may connect to beside its own origin.
    pub(super) connects_to: &'a str,
}

impl<'a> Response<'a> {
    /// Creates a response of one line of text.
    pub(super) fn text(status: &'a str, text: &'a str) -> Response<'a> {
        Response { status, media_type: "text/plain; charset=utf-8", body: text.as_bytes(), connects_to: "" }
    }

    /// Sends the response. The page may load nothing from elsewhere, nor be shown in a frame, nor reveal its address.
    ///
    /// # Errors
    /// Errors of the connection.
    pub(super) fn send(&self, stream: &mut impl Write) -> io::Result<()> {
        let Response { status, media_type, body, connects_to } = self;
        let length = body.len();
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: {media_type}\r\nContent-Length: {length}\r\nConnection: close\r\n\
             Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
             Cross-Origin-Opener-Policy: same-origin\r\nCross-Origin-Resource-Policy: same-origin\r\n\
             Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
             connect-src 'self' {connects_to}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n\r\n"
        );
        stream.write_all(head.as_bytes())?;
        stream.write_all(body)?;
        stream.flush()
    }
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
///
/// # Errors
/// Errors of the connection.
pub(super) fn accept(mut stream: TcpStream, request: Request) -> io::Result<Option<(Incoming, Outgoing)>> {
    let Some(answer) = handshake(&request) else { return Ok(None) };
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
    /// Sends a text.
    ///
    /// # Errors
    /// If the page is gone or too slow.
    pub(super) fn send(&mut self, text: String) -> Result<(), tungstenite::Error> {
        self.0.send(Message::text(text))
    }

    /// Sends a ping, which a live page answers.
    ///
    /// # Errors
    /// If the page is gone.
    pub(super) fn ping(&mut self) -> Result<(), tungstenite::Error> {
        self.0.send(Message::Ping(Vec::new().into()))
    }

    /// Ends the connection in both directions.
    pub(super) fn shut_down(&mut self) {
        let _ = self.0.get_mut().stream.shutdown(Shutdown::Both);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_parsed_when_they_are_complete() {
        let text = b"GET /a?b HTTP/1.1\r\nHost: x\r\nConnection: keep-alive, Upgrade\r\n\r\nrest";
        assert!(parse(&text[..40]).unwrap().is_none());
        let request = parse(text).unwrap().unwrap();
        assert_eq!(
            (request.path.as_str(), request.header("host"), request.rest.as_slice()),
            ("/a?b", Some("x"), &b"rest"[..])
        );
        assert!(request.header_lists("connection", "upgrade") && !request.header_lists("connection", "close"));
    }

    #[test]
    fn a_doubled_header_has_no_value() {
        let request = parse(b"GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n").unwrap().unwrap();
        assert!(request.header("Host").is_none() && request.has_header("Host"));
    }

    #[test]
    fn other_methods_and_other_protocols_are_refused() {
        assert!(matches!(parse(b"POST / HTTP/1.1\r\n\r\n"), Err(RequestError::Method)));
        assert!(matches!(parse(b"\x16\x03\x01\x02\r\n\r\n"), Err(RequestError::Malformed)));
        let many = format!("GET / HTTP/1.1\r\n{}\r\n", "A: b\r\n".repeat(MAX_HEADERS + 1));
        assert!(matches!(parse(many.as_bytes()), Err(RequestError::TooLong)));
    }
}
