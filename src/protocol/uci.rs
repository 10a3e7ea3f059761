//! What only the Universal Chess Interface says.

use super::options::{Declaration, Kind, declarations, variants};

/// The lines that answer `uci`.
pub(super) fn introduction() -> Vec<String> {
    let identity = [concat!("id name Chuhe ", env!("CARGO_PKG_VERSION")), "id author the Chuhe developers"];
    let mut lines: Vec<String> = identity.map(str::to_owned).into();
    lines.extend(declarations().iter().filter_map(option));
    lines.push("uciok".to_owned());
    lines
}

fn option(declaration: &Declaration) -> Option<String> {
    let kind = match &declaration.kind {
        Kind::Check(default) => format!("check default {default}"),
        Kind::Spin { least, most, default } => format!("spin default {default} min {least} max {most}"),
        Kind::Combo { words, default } => format!("combo default {default}{}", variants(words)),
        Kind::Text(default) => format!("string default {}", if default.is_empty() { "<empty>" } else { default }),
        Kind::Button => "button".to_owned(),
    };
    Some(format!("option name {} type {kind}", declaration.uci?))
}
