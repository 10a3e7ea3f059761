//! WebSocket of a page: the handshake, and the two directions as separate objects for two threads.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tungstenite::handshake::derive_accept_key;
use tungstenite::protocol::{Role, WebSocketConfig};
use tungstenite::{Message, WebSocket};

use super::http::Request;

/// Largest message from a page in bytes, enough for a file of games.
pub(super) const MAX_MESSAGE_BYTES: usize = 40 << 20;
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
