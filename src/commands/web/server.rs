//! The server: accepts connections up to a limit and answers each on a thread of its own.

use std::io;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use super::access::Access;
use super::http::{Request, Response, read_request};
use super::share::EngineShare;
use super::{assets, tab, websocket};

/// Maximum number of connections at a time; further ones are closed at once.
pub const MAX_CONNECTIONS: usize = 256;
/// Maximum number of connections at a time that are open pages; the rest stays free for loading files.
pub const MAX_TABS: usize = 128;
/// Time that a client may take to send its request.
pub const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);
/// Time that a client may take to receive a file.
const SEND_TIMEOUT: Duration = Duration::from_secs(15);
/// Name of the WebSocket below the token.
const SOCKET: &str = "socket";

/// Server that listens.
pub struct Server {
    listener: TcpListener,
    state: Arc<State>,
}

/// Data of all connections.
struct State {
    access: Access,
    share: Arc<EngineShare>,
    connections: Arc<AtomicUsize>,
    tabs: Arc<AtomicUsize>,
}

/// One of a bounded number, given back when it is dropped.
struct Permit(Arc<AtomicUsize>);

impl Permit {
    fn new(count: &Arc<AtomicUsize>, max: usize) -> Option<Permit> {
        let taken = count.fetch_update(SeqCst, SeqCst, |count| (count < max).then_some(count + 1));
        taken.is_ok().then(|| Permit(Arc::clone(count)))
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.0.fetch_sub(1, SeqCst);
    }
}

impl Server {
    /// Listens on this address; port 0 takes a free one.
    ///
    /// # Errors
    /// If the address cannot be used.
    pub fn bind(address: SocketAddr, share: EngineShare) -> io::Result<Server> {
        let listener = TcpListener::bind(address)?;
        let access = Access::new(listener.local_addr()?);
        let share = Arc::new(share);
        let state = State { access, share, connections: Arc::default(), tabs: Arc::default() };
        Ok(Server { listener, state: Arc::new(state) })
    }

    /// Returns the address of the page with its token.
    pub fn url(&self) -> String {
        self.state.access.url()
    }

    /// Answers connections for ever.
    pub fn run(self) {
        for stream in self.listener.incoming() {
            let stream = match stream {
                Ok(stream) => stream,
                Err(error) => {
                    // Too many open files, for example: they become free when connections end.
                    log::warn!("a connection failed: {error}");
                    std::thread::sleep(Duration::from_millis(20));
                    continue;
                }
            };
            // Without a thread: a flood of connections must not start any number of them.
            let Some(permit) = Permit::new(&self.state.connections, MAX_CONNECTIONS) else { continue };
            let state = Arc::clone(&self.state);
            let started = std::thread::Builder::new().name("connection".to_owned()).spawn(move || {
                let _permit = permit;
                if let Err(error) = state.answer(stream) {
                    log::debug!("a connection ended: {error}");
                }
            });
            if let Err(error) = started {
                log::warn!("a connection was dropped: {error}");
            }
        }
    }
}

impl State {
    fn answer(&self, mut stream: TcpStream) -> io::Result<()> {
        stream.set_write_timeout(Some(SEND_TIMEOUT))?;
        let request = match read_request(&mut stream, REQUEST_TIMEOUT) {
            Ok(request) => request,
            Err(error) => {
                if let Some(status) = error.status() {
                    refuse(stream, status, &error.to_string());
                }
                return Ok(());
            }
        };
        let name = match self.admit(&request) {
            Ok(name) => name.to_owned(),
            Err(reason) => {
                refuse(stream, "403 Forbidden", reason);
                return Ok(());
            }
        };
        if name == SOCKET {
            return self.serve_tab(stream, request);
        }
        let host = request.header("host").unwrap_or_default();
        let socket = format!("ws://{host}");
        match assets::find(&name) {
            Some(asset) => Response {
                status: "200 OK",
                media_type: asset.media_type,
                body: asset.content.as_bytes(),
                connects_to: &socket,
            }
            .send(&mut stream)?,
            None => refuse(stream, "404 Not Found", "there is no such page"),
        }
        Ok(())
    }

    /// Returns the path after the token, without the query.
    ///
    /// # Errors
    /// The reason why the request is refused.
    fn admit<'a>(&self, request: &'a Request) -> Result<&'a str, &'static str> {
        if !request.header("host").is_some_and(|host| self.access.is_own_host(host)) {
            return Err("the name of the server is not that of this machine");
        }
        // Pages and their scripts are loaded without an origin, or with that of the page.
        if request.has_header("origin")
            && !request.header("origin").is_some_and(|origin| self.access.is_own_origin(origin))
        {
            return Err("the request comes from another site");
        }
        let path = request.path.split('?').next().unwrap_or_default();
        self.access.inner_path(path).ok_or("the token is missing or wrong; open the address that chuhe printed")
    }

    fn serve_tab(&self, mut stream: TcpStream, request: Request) -> io::Result<()> {
        let Some(_permit) = Permit::new(&self.tabs, MAX_TABS) else {
            refuse(stream, "503 Service Unavailable", "too many open pages");
            return Ok(());
        };
        let plain = stream.try_clone()?;
        match websocket::accept(stream, request)? {
            Some((incoming, outgoing)) => tab::serve(incoming, outgoing, &self.share),
            None => {
                stream = plain;
                refuse(stream, "400 Bad Request", "a WebSocket was expected");
            }
        }
        Ok(())
    }
}

/// Sends a short text and closes the connection.
fn refuse(mut stream: TcpStream, status: &str, reason: &str) {
    let _ = stream.set_write_timeout(Some(Duration::from_secs(1)));
    let _ = Response::text(status, &format!("{reason}\n")).send(&mut stream);
    let _ = stream.shutdown(Shutdown::Write);
    // A connection that is closed with unread bytes is reset, and the client might miss the reason.
    let _ = stream.set_read_timeout(Some(Duration::from_millis(200)));
    let _ = io::copy(&mut io::Read::take(&mut stream, 64 << 10), &mut io::sink());
}
