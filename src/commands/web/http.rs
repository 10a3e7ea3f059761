//! The head of an HTTP request, read within limits of size and time, and the response to it.
//!
//! The server takes `GET` alone and closes the connection after each response, so a request has no body.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use thiserror::Error;

/// Maximum size of a request up to its empty line, in bytes.
pub const MAX_HEAD_BYTES: usize = 16 << 10;
/// Maximum number of headers of a request.
const MAX_HEADERS: usize = 64;

/// Request without a body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    /// Path as written, with a query if there is one.
    pub path: String,
    headers: Vec<(String, String)>,
    /// Bytes that followed the head.
    pub rest: Vec<u8>,
}

impl Request {
    /// Returns the value of a header that occurs exactly once. Names ignore case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.iter().filter(|(other, _)| other.eq_ignore_ascii_case(name));
        let first = values.next()?;
        values.next().is_none().then_some(first.1.as_str())
    }

    /// Returns whether a header occurs.
    pub fn has_header(&self, name: &str) -> bool {
        self.headers.iter().any(|(other, _)| other.eq_ignore_ascii_case(name))
    }

    /// Returns whether a header lists this word, without regard to case.
    pub fn header_lists(&self, name: &str, word: &str) -> bool {
        self.header(name).is_some_and(|value| value.split(',').any(|item| item.trim().eq_ignore_ascii_case(word)))
    }
}

/// Reason why a request is refused.
#[derive(Debug, Error)]
pub enum RequestError {
    /// The client sent nothing or too slowly.
    #[error("the request took too long")]
    Slow,
    /// The head is too long.
    #[error("the request is too long")]
    TooLong,
    /// Not an HTTP request.
    #[error("the request is malformed")]
    Malformed,
    /// Another method than `GET`.
    #[error("only GET is answered")]
    Method,
    /// The connection failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl RequestError {
    /// Returns the status line for the client; `None` if there is no use in an answer.
    pub fn status(&self) -> Option<&'static str> {
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
pub fn read_request(stream: &mut TcpStream, timeout: Duration) -> Result<Request, RequestError> {
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
pub struct Response<'a> {
    /// Status code and its name, such as `200 OK`.
    pub status: &'a str,
    /// Media type of the body.
    pub media_type: &'a str,
    /// The body.
    pub body: &'a [u8],
    /// Hosts that the page may connect to beside its own origin.
    pub connects_to: &'a str,
}

impl<'a> Response<'a> {
    /// Creates a response of one line of text.
    pub fn text(status: &'a str, text: &'a str) -> Response<'a> {
        Response { status, media_type: "text/plain; charset=utf-8", body: text.as_bytes(), connects_to: "" }
    }

    /// Sends the response. The page may load nothing from elsewhere, nor be shown in a frame, nor reveal its address.
    ///
    /// # Errors
    /// Errors of the connection.
    pub fn send(&self, stream: &mut impl Write) -> io::Result<()> {
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
