//! Access control: token, `Host` and `Origin`.
//!
//! The token is part of every address, so no other site can name one. `Host` and `Origin` are checked as well: a site
//! whose name is made to point to this machine (DNS rebinding) sends its own name.

use std::net::{IpAddr, SocketAddr};

use data_encoding::HEXLOWER;

/// Port of an address that names none.
const DEFAULT_PORT: u16 = 80;
/// Bytes of a token.
const TOKEN_BYTES: usize = 16;

/// Rules by which the server accepts requests.
#[derive(Clone, Debug)]
pub struct Access {
    token: String,
    address: SocketAddr,
}

impl Access {
    /// Creates a random token for a server at this address.
    pub fn new(address: SocketAddr) -> Access {
        let bytes: [u8; TOKEN_BYTES] = rand::random();
        Access { token: HEXLOWER.encode(&bytes), address }
    }

    /// Returns the address of the page with the token.
    pub fn url(&self) -> String {
        let ip = match self.address.ip() {
            // A server on all addresses is opened on this machine.
            ip if ip.is_unspecified() => "127.0.0.1".to_owned(),
            IpAddr::V4(ip) => ip.to_string(),
            IpAddr::V6(ip) => format!("[{ip}]"),
        };
        format!("http://{ip}:{}/{}/", self.address.port(), self.token)
    }

    /// Returns the part of a path after the token; `None` for a missing or wrong token.
    pub fn inner_path<'a>(&self, path: &'a str) -> Option<&'a str> {
        let (token, inner) = path.strip_prefix('/')?.split_at_checked(self.token.len())?;
        let difference = token.bytes().zip(self.token.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b));
        (difference == 0).then(|| inner.strip_prefix('/'))?
    }

    /// Returns whether a `Host` header names this server: `127.0.0.1`, `[::1]` or `localhost` with its port, which
    /// browsers leave out if it is 80. A server that is bound beyond this machine also accepts its other addresses, but
    /// no other names.
    pub fn is_own_host(&self, host: &str) -> bool {
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
    pub fn is_own_origin(&self, origin: &str) -> bool {
        origin.strip_prefix("http://").is_some_and(|host| self.is_own_host(host))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(address: &str) -> Access {
        Access::new(address.parse().unwrap())
    }

    #[test]
    fn only_the_token_opens_a_path() {
        let access = access("127.0.0.1:8000");
        let url = access.url();
        let path = url.strip_prefix("http://127.0.0.1:8000").unwrap();
        assert_eq!(access.inner_path(path), Some(""));
        assert_eq!(access.inner_path(&format!("{path}main.js")), Some("main.js"));
        let other = path.replace(|c: char| c.is_ascii_alphanumeric(), "0");
        for wrong in ["", "/", "/main.js", "//", other.as_str(), path.trim_end_matches('/'), &path[..path.len() - 3]] {
            assert_eq!(access.inner_path(wrong), None, "{wrong}");
        }
        assert_eq!(access.inner_path("/ääääääääääääääääääääääää"), None);
        assert_ne!(url, self::access("127.0.0.1:8000").url());
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
        assert!(open.url().starts_with("http://127.0.0.1:8000/"));
    }
}
