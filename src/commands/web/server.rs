//! The server: accepts connections up to a limit and answers each on a thread of its own.
//!
//! A random token is part of every address, so no other site can name one. `Host` and `Origin` are checked as well: a
//! site whose name is made to point to this machine (DNS rebinding) sends its own name.

use std::io;
use std::net::{IpAddr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use data_encoding::HEXLOWER;

use super::http::{self, Refusal, Request, read_request};
use super::share::EngineShare;
use super::tab;
use crate::util::files::create_folder;

/// Maximum number of connections at a time; further ones are closed at once.
const MAX_CONNECTIONS: usize = 256;
/// Maximum number of connections at a time that are open pages; the rest stays free for loading files.
const MAX_TABS: usize = 128;
/// Time that a client may take to send its request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);
/// Time that a client may take to receive a file.
const SEND_TIMEOUT: Duration = Duration::from_secs(15);
/// Name of the WebSocket below the token.
const SOCKET: &str = "socket";
/// Port of an address that names none.
const DEFAULT_PORT: u16 = 80;
/// Bytes of a token.
const TOKEN_BYTES: usize = 16;

/// Server that listens.
pub struct Server {
    listener: TcpListener,
    state: Arc<State>,
}

/// Data of all connections.
struct State {
    access: Access,
    share: Arc<EngineShare>,
    connections: Arc<()>,
    tabs: Arc<()>,
}

/// Returns one of at most `max` clones, which is a permit until it is dropped.
fn permit(permits: &Arc<()>, max: usize) -> Option<Arc<()>> {
    let permit = Arc::clone(permits);
    (Arc::strong_count(permits) <= max + 1).then_some(permit)
}

impl Server {
    /// Listens on the first free one of these addresses; port 0 takes any. Without a token the page's address has a new
    /// one.
    pub fn bind(addresses: &[SocketAddr], token: Option<String>, share: EngineShare) -> io::Result<Server> {
        let listener = TcpListener::bind(addresses)?;
        let address = listener.local_addr()?;
        // Where the first port was taken, whoever has it may know the token from open pages.
        let token = token.filter(|_| addresses.first().is_some_and(|first| first.port() == address.port()));
        let access = Access { token: token.unwrap_or_else(new_token), address };
        let share = Arc::new(share);
        let state = State { access, share, connections: Arc::default(), tabs: Arc::default() };
        Ok(Server { listener, state: Arc::new(state) })
    }

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
            let Some(permit) = permit(&self.state.connections, MAX_CONNECTIONS) else { continue };
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
    /// Sends what is requested, serves a page, or refuses the request.
    fn answer(&self, mut stream: TcpStream) -> io::Result<()> {
        stream.set_write_timeout(Some(SEND_TIMEOUT))?;
        let request = match read_request(&mut stream, REQUEST_TIMEOUT)? {
            Ok(request) => request,
            Err(refusal) => return refuse(stream, refusal),
        };
        let name = match self.admit(&request) {
            Ok(name) => name,
            Err(reason) => return refuse(stream, Refusal("403 Forbidden", reason)),
        };
        if name == SOCKET {
            let Some(_permit) = permit(&self.tabs, MAX_TABS) else {
                return refuse(stream, Refusal("503 Service Unavailable", "too many open pages"));
            };
            let Some((incoming, outgoing)) = http::accept(&stream, request)? else {
                return refuse(stream, Refusal("400 Bad Request", "a WebSocket was expected"));
            };
            tab::serve(incoming, outgoing, &self.share);
            return Ok(());
        }
        let Some((media_type, content)) = file(name) else {
            return refuse(stream, Refusal("404 Not Found", "there is no such page"));
        };
        let connects_to = format!("ws://{}", request.header("host").unwrap_or_default());
        http::respond(&mut stream, "200 OK", media_type, &connects_to, content)
    }

    /// Returns the path after the token, without the query, or the reason why the request is refused.
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
}

/// Sends the reason of a refusal and closes the connection.
fn refuse(mut stream: TcpStream, Refusal(status, reason): Refusal) -> io::Result<()> {
    let _ = stream.set_write_timeout(Some(Duration::from_secs(1)));
    let _ = http::respond(&mut stream, status, http::TEXT, "", &format!("{reason}\n"));
    let _ = stream.shutdown(Shutdown::Write);
    // A connection that is closed with unread bytes is reset, and the client might miss the reason.
    let _ = stream.set_read_timeout(Some(Duration::from_millis(200)));
    let _ = io::copy(&mut io::Read::take(&mut stream, 64 << 10), &mut io::sink());
    Ok(())
}

fn new_token() -> String {
    HEXLOWER.encode(&rand::random::<[u8; TOKEN_BYTES]>())
}

/// Returns the token of this user, from a file that only this user can read; it is made if it is missing, damaged or
/// can be read by others. `None` if there is no place for it.
pub fn kept_token(folder: &Path) -> Option<String> {
    let path = folder.join("web-token");
    let is_token = |text: &String| HEXLOWER.decode(text.as_bytes()).is_ok_and(|bytes| bytes.len() == TOKEN_BYTES);
    let kept = || is_private(&path).then(|| std::fs::read_to_string(&path).ok().filter(is_token)).flatten();
    if kept().is_none() {
        create_folder(folder).ok()?;
        // A temporary file has the permissions that the token needs.
        let mut fresh = tempfile::NamedTempFile::new_in(folder).ok()?;
        io::Write::write_all(&mut fresh, new_token().as_bytes()).ok()?;
        // Another program that starts at the same time may be first; its token counts.
        if let Err(taken) = fresh.persist_noclobber(&path)
            && kept().is_none()
        {
            taken.file.persist(&path).ok()?;
        }
    }
    kept()
}

/// Returns whether only the owner can read a file.
#[cfg(unix)]
fn is_private(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::symlink_metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o077 == 0)
}

/// Folders of a user are private where permissions are not those of Unix.
#[cfg(not(unix))]
fn is_private(path: &Path) -> bool {
    path.is_file()
}

/// Rules by which the server accepts requests.
struct Access {
    token: String,
    address: SocketAddr,
}

impl Access {
    /// Returns the address of the page with the token.
    fn url(&self) -> String {
        let ip = match self.address.ip() {
            // A server on all addresses is opened on this machine.
            ip if ip.is_unspecified() => "127.0.0.1".to_owned(),
            IpAddr::V4(ip) => ip.to_string(),
            IpAddr::V6(ip) => format!("[{ip}]"),
        };
        format!("http://{ip}:{}/{}/", self.address.port(), self.token)
    }

    /// Returns the part of a path after the token; `None` for a missing or wrong token.
    fn inner_path<'a>(&self, path: &'a str) -> Option<&'a str> {
        let (token, inner) = path.strip_prefix('/')?.split_at_checked(self.token.len())?;
        let difference = token.bytes().zip(self.token.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b));
        (difference == 0).then(|| inner.strip_prefix('/'))?
    }

    /// Returns whether a `Host` header names this server: `127.0.0.1`, `[::1]` or `localhost` with its port, which
    /// browsers leave out if it is 80. A server that is bound beyond this machine also accepts its other addresses, but
    /// no other names.
    fn is_own_host(&self, host: &str) -> bool {
        let port_at = host.rfind(':').filter(|at| !host[*at..].contains(']'));
        let (name, port) = port_at.map_or((host, Ok(DEFAULT_PORT)), |at| (&host[..at], host[at + 1..].parse()));
        if port != Ok(self.address.port()) {
            return false;
        }
        if name.eq_ignore_ascii_case("localhost") {
            return true;
        }
        let literal = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
        let Ok(ip) = literal.parse::<IpAddr>() else { return false };
        ip.is_loopback() || !self.address.ip().is_loopback()
    }

    /// Returns whether an `Origin` header names this server.
    fn is_own_origin(&self, origin: &str) -> bool {
        origin.strip_prefix("http://").is_some_and(|host| self.is_own_host(host))
    }
}

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";

/// Names, media types and contents of the files of the page. The path of a request is only compared with the names.
const FILES: [(&str, &str, &str); 31] = [
    ("", HTML, include_str!("../../../assets/web/index.html")),
    ("style.css", STYLE, include_str!("../../../assets/web/style.css")),
    ("icon.svg", "image/svg+xml", include_str!("../../../assets/icon.svg")),
    ("glyphs.txt", http::TEXT, include_str!("../../../assets/glyphs/glyphs.txt")),
    ("view.js", SCRIPT, include_str!("../../../assets/web/view.js")),
    ("engine.js", SCRIPT, include_str!("../../../assets/web/engine.js")),
    ("transport.js", SCRIPT, include_str!("../../../assets/web/transport.js")),
    ("words.js", SCRIPT, include_str!("../../../assets/web/words.js")),
    ("store.js", SCRIPT, include_str!("../../../assets/web/store.js")),
    ("game.js", SCRIPT, include_str!("../../../assets/web/game.js")),
    ("boards.js", SCRIPT, include_str!("../../../assets/web/boards.js")),
    ("clock.js", SCRIPT, include_str!("../../../assets/web/clock.js")),
    ("opponents.js", SCRIPT, include_str!("../../../assets/web/opponents.js")),
    ("match.js", SCRIPT, include_str!("../../../assets/web/match.js")),
    ("analysis.js", SCRIPT, include_str!("../../../assets/web/analysis.js")),
    ("files.js", SCRIPT, include_str!("../../../assets/web/files.js")),
    ("editor.js", SCRIPT, include_str!("../../../assets/web/editor.js")),
    ("sound.js", SCRIPT, include_str!("../../../assets/web/sound.js")),
    ("pieces.js", SCRIPT, include_str!("../../../assets/web/pieces.js")),
    ("board.js", SCRIPT, include_str!("../../../assets/web/board.js")),
    ("actions.js", SCRIPT, include_str!("../../../assets/web/actions.js")),
    ("page.js", SCRIPT, include_str!("../../../assets/web/page.js")),
    ("parts.js", SCRIPT, include_str!("../../../assets/web/parts.js")),
    ("start_view.js", SCRIPT, include_str!("../../../assets/web/start_view.js")),
    ("play_view.js", SCRIPT, include_str!("../../../assets/web/play_view.js")),
    ("analyse_view.js", SCRIPT, include_str!("../../../assets/web/analyse_view.js")),
    ("games_view.js", SCRIPT, include_str!("../../../assets/web/games_view.js")),
    ("dialogs.js", SCRIPT, include_str!("../../../assets/web/dialogs.js")),
    ("main.js", SCRIPT, include_str!("../../../assets/web/main.js")),
    ("vendor/preact.js", SCRIPT, include_str!("../../../assets/web/vendor/preact.js")),
    ("vendor/htm.js", SCRIPT, include_str!("../../../assets/web/vendor/htm.js")),
];

/// Returns media type and content of the file of this name; the page itself for the empty name.
fn file(name: &str) -> Option<(&'static str, &'static str)> {
    FILES.into_iter().find(|(other, ..)| *other == name).map(|(_, media_type, content)| (media_type, content))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(address: &str) -> Access {
        Access { token: new_token(), address: address.parse().unwrap() }
    }

    #[test]
    fn the_token_of_a_user_stays_and_is_private() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("state");
        let token = kept_token(&inner).unwrap();
        assert_eq!((kept_token(&inner).unwrap(), token.len()), (token.clone(), 2 * TOKEN_BYTES));
        let other = folder.path().join("other");
        let tokens = std::thread::scope(|scope| {
            [(); 8].map(|()| scope.spawn(|| kept_token(&other))).map(|start| start.join().unwrap().unwrap())
        });
        assert_eq!(
            tokens.iter().filter(|token| **token == tokens[0]).count(),
            8,
            "first starts at the same time agree"
        );
        let path = inner.join("web-token");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode(&path), 0o600);
            // A token that others could read is replaced.
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
            let other = kept_token(&inner).unwrap();
            assert!(other != token && mode(&path) == 0o600);
        }
        std::fs::write(&path, "short").unwrap();
        assert_eq!(kept_token(&inner).unwrap().len(), 2 * TOKEN_BYTES, "a damaged one is replaced");
    }

    #[test]
    fn only_own_names_are_hosts_and_origins() {
        let local = access("127.0.0.1:8000");
        for host in ["127.0.0.1:8000", "localhost:8000", "LOCALHOST:8000", "[::1]:8000"] {
            assert!(local.is_own_host(host) && local.is_own_origin(&format!("http://{host}")), "{host}");
        }
        for host in ["127.0.0.1", "127.0.0.1:8001", "evil.example:8000", "192.168.1.7:8000", "", ":8000", "null"] {
            assert!(!local.is_own_host(host) && !local.is_own_origin(&format!("http://{host}")), "{host}");
        }
        assert!(!local.is_own_origin("https://localhost:8000") && !local.is_own_origin("null"));
        // Browsers leave out the usual port.
        let usual = access("127.0.0.1:80");
        for host in ["127.0.0.1", "localhost", "[::1]", "127.0.0.1:80", "[::1]:80"] {
            assert!(usual.is_own_host(host) && usual.is_own_origin(&format!("http://{host}")), "{host}");
        }
        for host in ["evil.example", "127.0.0.1:8000", "[::1]:8000", "127.0.0.1:", "::1", ""] {
            assert!(!usual.is_own_host(host), "{host}");
        }
        let open = access("0.0.0.0:8000");
        assert!(open.is_own_host("192.168.1.7:8000") && !open.is_own_host("evil.example:8000"));
        assert!(open.url().starts_with("http://127.0.0.1:8000/") && open.url() != access("0.0.0.0:8000").url());
    }

    #[test]
    fn every_file_that_the_page_names_exists() {
        for (name, _, content) in FILES {
            let quoted = content.split(['"', '\'']).filter_map(|word| word.strip_prefix("./"));
            let is_file = |word: &&str| [".js", ".css", ".txt", ".svg"].iter().any(|end| word.ends_with(end));
            for other in quoted.filter(is_file) {
                assert!(file(other).is_some(), "{name} names {other}");
            }
        }
    }
}
