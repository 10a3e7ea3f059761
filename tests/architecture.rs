//! Proves that no layer imports what stands below it: the table in the crate documentation is the law, the `crate::`
//! paths of every source file are the witnesses.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn source_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// The layers that each layer may import, as the crate documentation tells.
fn allowed_imports() -> BTreeMap<String, Vec<String>> {
    let text = fs::read_to_string(source_root().join("lib.rs")).expect("the crate has a root");
    text.lines()
        .filter_map(|line| line.strip_prefix("//! | `"))
        .map(|row| {
            let cells: Vec<&str> = row.split('|').map(str::trim).collect();
            let layer = cells[0].trim_end_matches('`').to_owned();
            (layer, cells[2].split_whitespace().map(str::to_owned).collect())
        })
        .collect()
}

fn source_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("the entry can be read").path();
        if path.is_dir() {
            source_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The first segments of all `crate::` paths in a line of code.
fn crate_paths(line: &str) -> Vec<String> {
    let code = line.split("//").next().unwrap_or_default();
    code.split("crate::")
        .skip(1)
        .flat_map(|rest| {
            let group = rest.strip_prefix('{').map(|group| group.split('}').next().unwrap_or_default());
            group.unwrap_or(rest).split(',').take(if group.is_some() { usize::MAX } else { 1 }).collect::<Vec<_>>()
        })
        .map(|path| path.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect())
        .collect()
}

#[test]
fn no_layer_imports_what_stands_below_it() {
    let allowed = allowed_imports();
    assert!(allowed.len() >= 9, "the table of layers was found: {allowed:?}");
    let mut files = Vec::new();
    source_files(&source_root(), &mut files);
    let (mut offences, mut seen) = (Vec::new(), 0);
    for file in files {
        let inner = file.strip_prefix(source_root()).expect("the file lies under the root");
        let layer =
            inner.iter().next().expect("the path has a part").to_string_lossy().trim_end_matches(".rs").to_owned();
        if layer == "lib" || layer == "main" {
            continue;
        }
        let may_import = allowed.get(&layer).unwrap_or_else(|| panic!("layer '{layer}' is not in the table"));
        for (number, line) in fs::read_to_string(&file).expect("the file can be read").lines().enumerate() {
            for import in crate_paths(line) {
                seen += 1;
                if import != layer && !may_import.contains(&import) {
                    offences.push(format!("{}:{}: {}", inner.display(), number + 1, line.trim()));
                }
            }
        }
    }
    assert!(seen > 50, "imports were found at all: {seen}");
    assert!(offences.is_empty(), "imports that climb the stairs:\n{}", offences.join("\n"));
}

#[test]
fn the_table_orders_its_layers() {
    let text = fs::read_to_string(source_root().join("lib.rs")).expect("the crate has a root");
    let order: Vec<String> = text
        .lines()
        .filter_map(|line| line.strip_prefix("//! | `"))
        .map(|row| row.split('`').next().unwrap_or_default().to_owned())
        .collect();
    for (layer, imports) in allowed_imports() {
        let own = order.iter().position(|name| *name == layer).expect("every layer has a row");
        for import in imports {
            let other = order.iter().position(|name| *name == import).expect("every import is a layer");
            assert!(other < own, "{layer} may not import {import}, which stands below it");
        }
    }
}

#[test]
fn imports_are_recognised_in_every_form() {
    assert_eq!(crate_paths("use crate::types::{Move, Value};"), ["types"]);
    assert_eq!(crate_paths("use crate::{types, position};"), ["types", "position"]);
    assert_eq!(crate_paths("let x = crate::eval::evaluate(crate::search::y);"), ["eval", "search"]);
    assert_eq!(crate_paths("/// see [`crate::engine`]"), Vec::<String>::new());
}
