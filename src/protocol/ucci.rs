//! What only the Universal Chinese Chess Protocol says.

use super::options::{Declaration, Kind, declarations, variants};

/// The lines that answer `ucci`.
pub(super) fn introduction() -> Vec<String> {
    let identity = [
        "id name Chuhe",
        concat!("id version ", env!("CARGO_PKG_VERSION")),
        "id copyright MIT OR Apache-2.0",
        "id author the Chuhe developers",
    ];
    let mut lines: Vec<String> = identity.map(str::to_owned).into();
    lines.extend(declarations().iter().filter_map(option));
    lines.push("ucciok".to_owned());
    lines
}

fn option(declaration: &Declaration) -> Option<String> {
    let kind = match &declaration.kind {
        Kind::Check(default) => format!("check default {default}"),
        Kind::Spin { least, most, default } => format!("spin min {least} max {most} default {default}"),
        Kind::Combo { words, default } => format!("combo{} default {default}", variants(words)),
        Kind::Text(default) => format!("string default {default}"),
        Kind::Button => "button".to_owned(),
    };
    Some(format!("option {} type {kind}", declaration.ucci?))
}
