//! Files of the page, embedded in the program. The path of a request is only compared with their names.

use std::borrow::Cow;

use crate::console::svg;

/// Place in the page for the definitions of board and pieces.
const DEFINITIONS: &str = "<!-- definitions -->";

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";

/// Names, media types and contents.
const FILES: [(&str, &str, &str); 11] = [
    ("", HTML, include_str!("../../../assets/web/index.html")),
    ("style.css", STYLE, include_str!("../../../assets/web/style.css")),
    ("main.js", SCRIPT, include_str!("../../../assets/web/main.js")),
    ("board.js", SCRIPT, include_str!("../../../assets/web/board.js")),
    ("connection.js", SCRIPT, include_str!("../../../assets/web/connection.js")),
    ("game.js", SCRIPT, include_str!("../../../assets/web/game.js")),
    ("moves.js", SCRIPT, include_str!("../../../assets/web/moves.js")),
    ("play.js", SCRIPT, include_str!("../../../assets/web/play.js")),
    ("analysis.js", SCRIPT, include_str!("../../../assets/web/analysis.js")),
    ("files.js", SCRIPT, include_str!("../../../assets/web/files.js")),
    ("words.js", SCRIPT, include_str!("../../../assets/web/words.js")),
];

/// File of the page.
pub(super) struct Asset {
    /// Media type.
    pub(super) media_type: &'static str,
    /// Content.
    pub(super) content: Cow<'static, str>,
}

/// Returns the file of this name; the page itself for the empty name.
pub(super) fn find(name: &str) -> Option<Asset> {
    let (name, media_type, content) = FILES.into_iter().find(|(other, ..)| *other == name)?;
    let content = match name {
        "" => Cow::Owned(page(content)),
        _ => Cow::Borrowed(content),
    };
    Some(Asset { media_type, content })
}

/// Returns the page with the definitions. The policy of the page forbids styles in attributes; its style sheet hides
/// the definitions.
fn page(content: &str) -> String {
    let definitions = svg::shared_definitions().replace(" style=\"position:absolute\"", "");
    content.replace(DEFINITIONS, &definitions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_that_the_page_names_exists() {
        for (name, _, content) in FILES {
            let quoted = content.split(['"', '\'']).filter_map(|word| word.strip_prefix("./"));
            for other in quoted.filter(|word| word.ends_with(".js") || word.ends_with(".css")) {
                assert!(find(other).is_some(), "{name} names {other}");
            }
        }
        assert!(find("").is_some_and(|page| page.content.contains("chuhe-red-king")));
    }

    #[test]
    fn no_other_path_is_a_file() {
        for name in ["index.html", "../Cargo.toml", "/etc/passwd", "main.js/", "%2e%2e/main.js", "Main.js", "."] {
            assert!(find(name).is_none(), "{name}");
        }
    }
}
