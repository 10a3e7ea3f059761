//! Outputs of commands: JSON, and files that must not replace inputs.

use std::fs;
use std::io::Write;
use std::path::Path;

use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
#[cfg(feature = "commands")]
use unicode_width::UnicodeWidthStr;

use crate::console::error::{CommandError, Result};
use crate::types::Side;

#[derive(Serialize)]
struct TypedObject<'a, T> {
    #[serde(rename = "type")]
    kind: &'a str,
    #[serde(flatten)]
    object: &'a T,
}

/// JSON object whose keys stay in the order in which they were added.
#[derive(Default)]
pub struct Object(Vec<(&'static str, Box<RawValue>)>);

impl Object {
    /// Adds a key. Its value, a number, a text, a list or such an object, can always be written.
    pub fn with(mut self, key: &'static str, value: impl Serialize) -> Object {
        self.0.push((key, to_raw_value(&value).unwrap_or_default()));
        self
    }
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

/// Writes an object as a line of JSON that begins with its kind, the key `type`.
pub fn write_json(out: &mut (impl Write + ?Sized), kind: &str, object: &impl Serialize) -> Result {
    Ok(writeln!(out, "{}", serde_json::to_string(&TypedObject { kind, object })?)?)
}

pub fn side_name(side: Side) -> &'static str {
    match side {
        Side::Red => "red",
        Side::Black => "black",
    }
}

pub fn would_replace(output: &Path, input: &Path) -> bool {
    // A file that does not exist yet cannot be resolved, and is no input.
    let real = |path: &Path| fs::canonicalize(path).ok().filter(|path| path.is_file());
    real(output).is_some_and(|output| real(input) == Some(output))
}

/// Refuses an output that is one of the inputs. `option` names the output in the message.
pub fn refuse_replacing<'a>(option: &str, output: &Path, inputs: impl IntoIterator<Item = &'a Path>) -> Result {
    match inputs.into_iter().find(|input| would_replace(output, input)) {
        Some(input) => {
            let fault = format!("{}: {option} would replace this input; name another output", input.display());
            Err(CommandError::Mismatch(fault))
        }
        None => Ok(()),
    }
}

/// Returns a table with aligned columns: these to the left, the others, which are numbers, to the right.
#[cfg(feature = "commands")]
pub fn aligned(rows: &[Vec<String>], left: &[usize]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.width()).max();
    let widths: Vec<usize> = (0..columns).filter_map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().enumerate().map(|(column, cell)| {
            let gap = " ".repeat(widths[column] - cell.width());
            if left.contains(&column) { format!("{cell}{gap}") } else { format!("{gap}{cell}") }
        });
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end_matches(' '));
        text.push('\n');
    }
    text
}
