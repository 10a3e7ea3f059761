//! The layers of the crate: no module imports from a layer below it, and no two files of one folder import each other.
//!
//! The table in the crate documentation is the law. Every source file is parsed, so that every way of writing an import
//! counts: `crate::`, `super::` and `self::` paths, groups, globs, re-exports and paths inside expressions.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};

/// A path from the root of the crate, such as `["search", "picker", "Picker"]`.
type CratePath = Vec<String>;

fn source_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// The rows of the table in the crate documentation: each layer and the layers that it may import, top layer first.
fn layers() -> Vec<(String, Vec<String>)> {
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

/// A source file as a module.
struct Module {
    /// Path below `src`, for messages.
    file: String,
    path: CratePath,
    imports: Vec<Import>,
    /// Names that the module re-exports, and where they come from.
    exports: BTreeMap<String, CratePath>,
}

/// An absolute path that a module names.
struct Import {
    path: CratePath,
    /// It is named in code that exists for tests only.
    for_tests: bool,
}

/// Collects the paths of one file.
struct Collector<'a> {
    /// The module at the current position: the file, then inline modules.
    module: CratePath,
    /// The names of modules directly inside the file's module, which paths may begin with.
    children: &'a BTreeSet<String>,
    test_depth: usize,
    imports: Vec<Import>,
    exports: BTreeMap<String, CratePath>,
}

impl Collector<'_> {
    /// The absolute form of a path in this crate; `None` for other crates, the prelude and local names.
    fn resolve(&self, segments: &[String]) -> Option<CratePath> {
        let mut base = match segments.first()?.as_str() {
            "crate" => Vec::new(),
            "self" => self.module.clone(),
            "super" => {
                let mut base = self.module.clone();
                base.pop();
                base
            }
            first if self.children.contains(first) && segments.len() > 1 => {
                return Some([self.module.as_slice(), segments].concat());
            }
            _ => return None,
        };
        let mut rest = &segments[1..];
        while rest.first().is_some_and(|segment| segment == "super") {
            base.pop();
            rest = &rest[1..];
        }
        base.extend_from_slice(rest);
        Some(base)
    }

    fn add(&mut self, segments: &[String]) {
        if let Some(path) = self.resolve(segments) {
            self.imports.push(Import { path, for_tests: self.test_depth > 0 });
        }
    }

    /// All paths of a tree of imports with the name that each gets.
    fn flatten(tree: &syn::UseTree, prefix: &[String], found: &mut Vec<(Vec<String>, String)>) {
        let with = |name: &syn::Ident| [prefix, &[name.to_string()]].concat();
        match tree {
            syn::UseTree::Path(path) => Self::flatten(&path.tree, &with(&path.ident), found),
            syn::UseTree::Name(name) if name.ident == "self" => {
                found.push((prefix.to_vec(), prefix.last().cloned().unwrap_or_default()));
            }
            syn::UseTree::Name(name) => found.push((with(&name.ident), name.ident.to_string())),
            syn::UseTree::Rename(rename) => found.push((with(&rename.ident), rename.rename.to_string())),
            syn::UseTree::Glob(_) => found.push((prefix.to_vec(), "*".to_owned())),
            syn::UseTree::Group(group) => group.items.iter().for_each(|item| Self::flatten(item, prefix, found)),
        }
    }
}

impl<'ast> Visit<'ast> for Collector<'_> {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let mut found = Vec::new();
        Self::flatten(&item.tree, &[], &mut found);
        for (segments, name) in found {
            if !matches!(item.vis, syn::Visibility::Inherited)
                && let Some(path) = self.resolve(&segments)
            {
                self.exports.insert(name, path);
            }
            self.add(&segments);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        let for_tests = item.attrs.iter().any(|attribute| {
            matches!(&attribute.meta, syn::Meta::List(list) if list.path.is_ident("cfg") && list.tokens.to_string().split(|c: char| !c.is_alphanumeric()).any(|word| word == "test"))
        });
        self.module.push(item.ident.to_string());
        self.test_depth += usize::from(for_tests);
        visit::visit_item_mod(self, item);
        self.test_depth -= usize::from(for_tests);
        self.module.pop();
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.add(&segments);
        visit::visit_path(self, path);
    }
}

/// The module path of a file below `src`.
fn module_path(inner: &Path) -> CratePath {
    let mut path: CratePath = inner.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if matches!(path.last().map(String::as_str), Some("mod" | "lib" | "main")) {
        path.pop();
    }
    path
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
    found.sort();
}

/// Parses a text as the file of this module.
fn parse(text: &str, file: &str, path: CratePath, all: &BTreeSet<CratePath>) -> Module {
    let syntax = syn::parse_file(text).unwrap_or_else(|error| panic!("{file}: {error}"));
    let is_child = |other: &&CratePath| other.len() == path.len() + 1 && other.starts_with(&path);
    let children: BTreeSet<String> = all.iter().filter(is_child).filter_map(|other| other.last().cloned()).collect();
    let mut collector = Collector {
        module: path.clone(),
        children: &children,
        test_depth: 0,
        imports: Vec::new(),
        exports: BTreeMap::new(),
    };
    collector.visit_file(&syntax);
    let Collector { imports, exports, .. } = collector;
    Module { file: file.to_owned(), path, imports, exports }
}

/// All modules of the library.
fn modules() -> Vec<Module> {
    let root = source_root();
    let mut files = Vec::new();
    source_files(&root, &mut files);
    files.retain(|file| !file.ends_with("main.rs"));
    let inner = |file: &PathBuf| file.strip_prefix(&root).expect("the file lies under the root").to_owned();
    let paths: BTreeSet<CratePath> = files.iter().map(|file| module_path(&inner(file))).collect();
    let read = |file: &PathBuf| {
        let text = fs::read_to_string(file).expect("the file can be read");
        parse(&text, &inner(file).display().to_string(), module_path(&inner(file)), &paths)
    };
    files.iter().map(read).collect()
}

/// The module that defines what a path names: the longest module in it, and on through re-exports.
fn definer(path: &[String], by_path: &BTreeMap<&[String], &Module>) -> CratePath {
    let mut path = path.to_vec();
    // Chains of re-exports are short; the bound ends those that lead back to themselves.
    for _ in 0..8 {
        let length = (0..=path.len()).rev().find(|&length| by_path.contains_key(&path[..length])).unwrap_or(0);
        let Some(module) = by_path.get(&path[..length]) else { return Vec::new() };
        let Some(target) = path.get(length).and_then(|name| module.exports.get(name)) else {
            return module.path.clone();
        };
        path = [target.as_slice(), &path[length + 1..]].concat();
    }
    path
}

/// The imports that climb from a layer to one that it may not import.
fn violations(modules: &[Module], layers: &[(String, Vec<String>)]) -> Vec<String> {
    let allowed: BTreeMap<&str, &[String]> =
        layers.iter().map(|(layer, allowed)| (layer.as_str(), allowed.as_slice())).collect();
    let mut found = Vec::new();
    for module in modules {
        let Some(layer) = module.path.first() else { continue };
        let may_import = allowed.get(layer.as_str()).unwrap_or_else(|| panic!("layer '{layer}' is not in the table"));
        for import in &module.imports {
            let Some(target) = import.path.first().filter(|target| allowed.contains_key(target.as_str())) else {
                continue;
            };
            if target != layer && !may_import.contains(target) {
                found.push(format!("{}: {}", module.file, import.path.join("::")));
            }
        }
    }
    found
}

/// The children of a folder, each with those that it imports and an import that shows it.
type Graph = BTreeMap<String, BTreeMap<String, String>>;

/// The graph of each folder, tests left out.
fn folder_graphs(modules: &[Module]) -> BTreeMap<CratePath, Graph> {
    let by_path: BTreeMap<&[String], &Module> = modules.iter().map(|module| (module.path.as_slice(), module)).collect();
    let mut graphs: BTreeMap<CratePath, Graph> = BTreeMap::new();
    for module in modules {
        for import in module.imports.iter().filter(|import| !import.for_tests) {
            let target = definer(&import.path, &by_path);
            let shared = module.path.iter().zip(&target).take_while(|(own, other)| own == other).count();
            // A folder's own file re-exports what its children define, which is no cycle.
            if let (Some(own), Some(other)) = (module.path.get(shared), target.get(shared)) {
                let graph = graphs.entry(target[..shared].to_vec()).or_default();
                let example = format!("{} imports {}", module.file, import.path.join("::"));
                graph.entry(own.clone()).or_default().insert(other.clone(), example);
            }
        }
    }
    graphs
}

/// A cycle in a graph, if there is one; its first node is its last.
fn cycle(graph: &Graph) -> Option<Vec<String>> {
    fn visit(
        node: &String,
        graph: &Graph,
        trail: &mut Vec<String>,
        done: &mut BTreeSet<String>,
    ) -> Option<Vec<String>> {
        if let Some(start) = trail.iter().position(|earlier| earlier == node) {
            return Some([&trail[start..], std::slice::from_ref(node)].concat());
        }
        if !done.insert(node.clone()) {
            return None;
        }
        trail.push(node.clone());
        let found = graph.get(node).into_iter().flatten().find_map(|(next, _)| visit(next, graph, trail, done));
        trail.pop();
        found
    }
    let mut done = BTreeSet::new();
    graph.keys().find_map(|node| visit(node, graph, &mut Vec::new(), &mut done))
}

#[test]
fn no_module_imports_from_a_layer_below_it() {
    let (modules, layers) = (modules(), layers());
    let imports: usize = modules.iter().map(|module| module.imports.len()).sum();
    assert!(layers.len() >= 12 && modules.len() > 100 && imports > 1_000, "{layers:?}, {imports} imports");
    let found = violations(&modules, &layers);
    assert!(found.is_empty(), "imports against the order of the layers:\n{}", found.join("\n"));
}

#[test]
fn the_table_lists_layers_in_their_order() {
    let layers = layers();
    for (index, (layer, imports)) in layers.iter().enumerate() {
        for import in imports {
            assert!(layers[..index].iter().any(|(above, _)| above == import), "{layer} may not import {import}");
        }
    }
}

#[test]
fn no_files_of_one_folder_import_each_other_in_a_cycle() {
    let graphs = folder_graphs(&modules());
    assert!(graphs.len() > 10, "imports inside folders were found");
    let described = |(folder, graph): (&CratePath, &Graph)| {
        let cycle = cycle(graph)?;
        let edges = cycle.windows(2).map(|edge| format!("\n    {}", graph[&edge[0]][&edge[1]]));
        Some(format!("{}: {}{}", folder.join("::"), cycle.join(" -> "), edges.collect::<String>()))
    };
    let cycles: Vec<String> = graphs.iter().filter_map(described).collect();
    assert!(cycles.is_empty(), "cycles of imports:\n{}", cycles.join("\n"));
}

/// The absolute paths that a text names as the module `search::picker`.
fn paths_of(text: &str) -> Vec<String> {
    let strings = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<CratePath>();
    let all = [strings(&["search"]), strings(&["search", "picker"]), strings(&["search", "picker", "inner"])];
    let module = parse(text, "text", strings(&["search", "picker"]), &all.into_iter().collect());
    module.imports.iter().map(|import| import.path.join("::")).collect()
}

#[test]
fn imports_are_found_in_every_form() {
    for (text, expected) in [
        ("use crate::types::{Move, Value};", vec!["types::Move", "types::Value"]),
        (
            "use crate::{\n    types,\n    position::{\n        Position, self},\n};",
            vec!["types", "position::Position", "position"],
        ),
        ("use super::history::History;", vec!["search::history::History"]),
        ("mod tests { use super::super::table::Table; }", vec!["search::table::Table"]),
        ("mod tests { use super::Picker; }", vec!["search::picker::Picker"]),
        ("pub use inner::Stage;", vec!["search::picker::inner::Stage"]),
        ("use crate::eval::*;", vec!["eval"]),
        ("use crate::eval::Knowledge as Level;", vec!["eval::Knowledge"]),
        ("fn f() { let x = crate::eval::evaluate(crate::cli::Y); }", vec!["eval::evaluate", "cli::Y"]),
        ("fn f(x: &self::inner::T) -> super::U { todo!() }", vec!["search::picker::inner::T", "search::U"]),
        ("use std::fs; /// see [`crate::engine`]\nfn f() {}", vec![]),
    ] {
        assert_eq!(paths_of(text), expected, "{text}");
    }
}

#[test]
fn cycles_and_violations_are_found() {
    let strings = |path: &str| path.split("::").map(str::to_owned).collect::<CratePath>();
    let all: BTreeSet<CratePath> = ["a", "a::x", "a::y", "b"].map(strings).into_iter().collect();
    let texts = [
        ("a", "pub use y::Y; mod x; mod y;"),
        ("a::x", "use super::Y;"),
        ("a::y", "use crate::a::x::X;"),
        ("b", "use crate::a::x;"),
    ];
    let modules: Vec<Module> = texts.iter().map(|(path, text)| parse(text, path, strings(path), &all)).collect();
    let graphs = folder_graphs(&modules);
    assert_eq!(cycle(&graphs[&strings("a")]), Some(["x", "y", "x"].map(str::to_owned).to_vec()));
    assert_eq!(cycle(&graphs[&CratePath::new()]), None);
    let layers = [("b".to_owned(), vec![]), ("a".to_owned(), vec!["b".to_owned()])];
    assert_eq!(violations(&modules, &layers), ["b: a::x"]);
}
