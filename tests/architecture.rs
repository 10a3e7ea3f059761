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

/// A source file as a module.
struct Module {
    /// Path below `src`, for messages.
    file: String,
    path: CratePath,
    /// Absolute paths that it names, each with whether only code for tests does.
    imports: Vec<(CratePath, bool)>,
    /// Names that the module re-exports, and where they come from.
    exports: BTreeMap<String, CratePath>,
}

/// Collects the paths of one file.
struct Collector<'a> {
    found: Module,
    /// The module at the current position: the file, then inline modules.
    module: CratePath,
    /// All modules; paths may begin with those directly inside the file's own.
    all: &'a BTreeSet<CratePath>,
    test_depth: usize,
}

impl Collector<'_> {
    /// The absolute form of a path in this crate; `None` for other crates, the prelude and local names.
    fn resolve(&self, segments: &[String]) -> Option<CratePath> {
        let ups = segments.iter().take_while(|segment| *segment == "super").count();
        match segments.first()?.as_str() {
            "crate" => Some(segments[1..].to_vec()),
            "self" => Some([&self.module, &segments[1..]].concat()),
            "super" => Some([&self.module[..self.module.len().checked_sub(ups)?], &segments[ups..]].concat()),
            first => {
                let child = [self.found.path.as_slice(), &[first.to_owned()]].concat();
                let is_child = segments.len() > 1 && self.all.contains(&child);
                is_child.then(|| [self.module.as_slice(), segments].concat())
            }
        }
    }

    fn add(&mut self, segments: &[String]) {
        let path = self.resolve(segments).map(|path| (path, self.test_depth > 0));
        self.found.imports.extend(path);
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
            if !matches!(item.vis, syn::Visibility::Inherited) {
                self.found.exports.extend(self.resolve(&segments).map(|path| (name, path)));
            }
            self.add(&segments);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        let is_for_tests = |list: &syn::MetaList| {
            let tokens = list.tokens.to_string();
            list.path.is_ident("cfg") && tokens.split(|c: char| !c.is_alphanumeric()).any(|word| word == "test")
        };
        let mut lists = item.attrs.iter().filter_map(|attribute| attribute.meta.require_list().ok());
        let for_tests = usize::from(lists.any(is_for_tests));
        self.module.push(item.ident.to_string());
        self.test_depth += for_tests;
        visit::visit_item_mod(self, item);
        self.test_depth -= for_tests;
        self.module.pop();
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.add(&segments);
        visit::visit_path(self, path);
    }
}

/// Parses a text as the file of this module.
fn parse(text: &str, file: &str, path: CratePath, all: &BTreeSet<CratePath>) -> Module {
    let syntax = syn::parse_file(text).unwrap_or_else(|error| panic!("{file}: {error}"));
    let found = Module { file: file.to_owned(), path: path.clone(), imports: Vec::new(), exports: BTreeMap::new() };
    let mut collector = Collector { found, module: path, all, test_depth: 0 };
    collector.visit_file(&syntax);
    collector.found
}

fn source_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// The rows of the table in the crate documentation: each layer and the layers that it may import, top layer first.
fn layers() -> Vec<(String, Vec<String>)> {
    let text = fs::read_to_string(source_root().join("lib.rs")).expect("the crate has a root");
    let rows = text.lines().filter_map(|line| line.strip_prefix("//! | `")).map(|row| {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let layer = cells[0].trim_end_matches('`').to_owned();
        (layer, cells[2].split_whitespace().map(str::to_owned).collect())
    });
    rows.collect()
}

fn source_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("the entry can be read").path();
        if path.is_dir() {
            source_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") && !path.ends_with("main.rs") {
            found.push(path);
        }
    }
}

/// All modules of the library.
fn modules() -> Vec<Module> {
    let root = source_root();
    let mut files = Vec::new();
    source_files(&root, &mut files);
    let path_of = |file: &PathBuf| {
        let inner = file.strip_prefix(&root).expect("the file lies under the root").with_extension("");
        let mut path: CratePath = inner.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        path.pop_if(|last| last == "mod" || last == "lib");
        path
    };
    let paths: BTreeSet<CratePath> = files.iter().map(path_of).collect();
    let read = |file: &PathBuf| {
        let text = fs::read_to_string(file).expect("the file can be read");
        parse(&text, &file.display().to_string(), path_of(file), &paths)
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
    let allowed: BTreeMap<&String, &Vec<String>> = layers.iter().map(|(layer, allowed)| (layer, allowed)).collect();
    let mut found = Vec::new();
    for module in modules {
        let Some(layer) = module.path.first() else { continue };
        let may_import = allowed.get(layer).unwrap_or_else(|| panic!("layer '{layer}' is not in the table"));
        let is_forbidden = |path: &CratePath| {
            let target = path.first().filter(|target| allowed.contains_key(target));
            target.is_some_and(|target| target != layer && !may_import.contains(target))
        };
        let forbidden = module.imports.iter().filter(|(path, _)| is_forbidden(path));
        found.extend(forbidden.map(|(path, _)| format!("{}: {}", module.file, path.join("::"))));
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
        for (path, _) in module.imports.iter().filter(|(_, for_tests)| !for_tests) {
            let target = definer(path, &by_path);
            let shared = module.path.iter().zip(&target).take_while(|(own, other)| own == other).count();
            // A folder's own file re-exports what its children define, which is no cycle.
            if let (Some(own), Some(other)) = (module.path.get(shared), target.get(shared)) {
                let graph = graphs.entry(target[..shared].to_vec()).or_default();
                let example = format!("{} imports {}", module.file, path.join("::"));
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
    for (index, (layer, imports)) in layers.iter().enumerate() {
        let is_above = |import: &String| layers[..index].iter().any(|(above, _)| above == import);
        assert!(imports.iter().all(is_above), "the table lets {layer} import a layer below it");
    }
    let found = violations(&modules, &layers);
    assert!(found.is_empty(), "imports against the order of the layers:\n{}", found.join("\n"));
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

#[test]
fn imports_cycles_and_violations_are_found() {
    let strings = |path: &str| path.split("::").map(str::to_owned).collect::<CratePath>();
    let all: BTreeSet<CratePath> = ["a", "a::x", "a::x::inner", "a::y", "b"].map(strings).into_iter().collect();
    for (text, expected) in [
        (
            "use crate::types::{Move, position::{Position, self}};",
            "types::Move types::position::Position types::position",
        ),
        ("use super::y::Y;", "a::y::Y"),
        ("mod tests { use super::super::y::Y; use super::X; }", "a::y::Y a::x::X"),
        ("pub use inner::Stage;", "a::x::inner::Stage"),
        ("use crate::eval::*; use crate::eval::Knowledge as Level;", "eval eval::Knowledge"),
        ("fn f(x: &self::inner::T) -> super::U { crate::cli::Y }", "a::x::inner::T a::U cli::Y"),
        ("use std::fs; /// see [`crate::engine`]\nfn f() {}", ""),
    ] {
        let module = parse(text, "text", strings("a::x"), &all);
        let found: Vec<String> = module.imports.iter().map(|(path, _)| path.join("::")).collect();
        assert_eq!(found.join(" "), expected, "{text}");
    }
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
