//! Circles between sibling modules: the paths that source files name, outside of tests, against what the parents' docs say.
//!
//! A circle that stays is named in the doc of the module that holds it, on one line, with its reason:
//! `//! Import circle: reader, flow: they call each other, because …`. A name that a module takes from its parent counts as
//! the parent's, wherever it was defined.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;

use super::scan::Source;
use super::{manifest_directory, module_of, opening, rust_files};

const MARK: &str = "//! Import circle: ";

type Module = Vec<String>;
type Names = BTreeSet<String>;

/// The source files by their modules, without those that only tests see.
struct Crate {
    files: BTreeMap<Module, String>,
}

impl Crate {
    fn read() -> Self {
        let source = manifest_directory().join("src");
        let mut files = BTreeMap::new();
        for path in rust_files(&source) {
            let file = path.strip_prefix(&source).unwrap();
            if file.ends_with("main.rs") || opening::is_test(&format!("src/{}", file.display())) {
                continue;
            }
            files.insert(module_of(file), fs::read_to_string(&path).unwrap());
        }
        Self { files }
    }

    /// By the module that holds them: which of its modules names which other one.
    fn edges(&self) -> BTreeMap<Module, BTreeMap<String, Names>> {
        let mut edges: BTreeMap<Module, BTreeMap<String, Names>> = BTreeMap::new();
        for (module, text) in &self.files {
            for mut path in Source::new(text).paths_outside_of_tests(module) {
                while !self.files.contains_key(&path) {
                    path.pop();
                }
                let shared = module.iter().zip(&path).take_while(|(a, b)| a == b).count();
                if let (Some(from), Some(to)) = (module.get(shared), path.get(shared)) {
                    let of_parent = edges.entry(path[..shared].to_vec()).or_default();
                    of_parent.entry(from.clone()).or_default().insert(to.clone());
                }
            }
        }
        edges
    }

    /// The circles that the doc of a module names with a reason.
    fn named_circles(&self, parent: &Module) -> Vec<Names> {
        let text = self.files.get(parent).map_or("", String::as_str);
        let marked = text.lines().filter_map(|line| line.strip_prefix(MARK));
        let with_reason = marked.filter_map(|rest| rest.split_once(": "));
        with_reason
            .map(|(names, _)| names.split(", ").map(str::to_owned).collect())
            .collect()
    }
}

/// The groups of modules that lead back to each other.
fn circles(edges: &BTreeMap<String, Names>) -> Vec<Names> {
    let reached: BTreeMap<&String, Names> = edges.keys().map(|from| (from, reached(from, edges))).collect();
    let mut found: Vec<Names> = Vec::new();
    for (from, there) in &reached {
        let leads_back = |to: &&String| reached.get(to).is_some_and(|back| back.contains(*from));
        let circle: Names = there.iter().filter(leads_back).cloned().collect();
        if circle.len() > 1 && !found.contains(&circle) {
            found.push(circle);
        }
    }
    found
}

fn reached(from: &str, edges: &BTreeMap<String, Names>) -> Names {
    let mut reached = Names::new();
    let mut waiting = vec![from];
    while let Some(module) = waiting.pop() {
        for next in edges.get(module).into_iter().flatten() {
            if reached.insert(next.clone()) {
                waiting.push(next);
            }
        }
    }
    reached
}

#[test]
fn sibling_modules_import_in_one_direction_or_their_parent_says_why_not() {
    let source = Crate::read();
    let mut report = String::new();
    let mut named: Vec<(Module, Names)> = Vec::new();
    for parent in source.files.keys() {
        named.extend(
            source
                .named_circles(parent)
                .into_iter()
                .map(|circle| (parent.clone(), circle)),
        );
    }
    for (parent, edges) in source.edges() {
        for circle in circles(&edges) {
            let place = parent.join("::");
            let is_named = named
                .iter()
                .position(|known| *known == (parent.clone(), circle.clone()));
            if let Some(at) = is_named {
                named.remove(at);
                continue;
            }
            let inside = |(from, to): (&String, &Names)| {
                let to: Vec<&String> = to.iter().filter(|to| circle.contains(*to)).collect();
                circle
                    .contains(from)
                    .then(|| format!("    {from} names {to:?}\n"))
            };
            let details: String = edges.iter().filter_map(inside).collect();
            writeln!(report, "in `{place}`: {circle:?}\n{details}").unwrap();
        }
    }
    assert!(
        report.is_empty(),
        "these import each other; put what they share below both, or name them in the parent's doc: `{MARK}a, b: \
         why`.\n{report}"
    );
    assert!(named.is_empty(), "these import in one direction now: {named:?}");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(files: &[(&str, &str)]) -> Crate {
        let module = |path: &str| match path {
            "" => Vec::new(),
            path => path.split("::").map(str::to_owned).collect(),
        };
        Crate {
            files: files
                .iter()
                .map(|(path, text)| (module(path), (*text).to_owned()))
                .collect(),
        }
    }

    fn found(files: &[(&str, &str)]) -> Vec<(String, Vec<String>)> {
        let mut found = Vec::new();
        for (parent, edges) in of(files).edges() {
            for circle in circles(&edges) {
                found.push((parent.join("::"), circle.into_iter().collect()));
            }
        }
        found
    }

    #[test]
    fn circles_are_found_at_the_module_that_holds_them() {
        let files = [
            ("", ""),
            ("a", "mod b; mod c; mod d;"),
            ("a::b", "use super::c::deep::X;"),
            ("a::c", "use crate::a::d;"),
            ("a::c::deep", ""),
            ("a::d", "fn f() { super::b::g() }"),
        ];
        assert_eq!(
            found(&files),
            [("a".to_owned(), ["b", "c", "d"].map(str::to_owned).to_vec())]
        );
    }

    #[test]
    fn one_direction_parents_and_tests_are_no_circle() {
        let files = [
            ("", ""),
            ("a", "mod b; mod c;"),
            ("a::b", "use super::c::X; use super::Shared;"),
            (
                "a::c",
                "use super::Other;\n#[cfg(test)]\nmod tests { use super::super::b::Y; }",
            ),
        ];
        assert!(found(&files).is_empty());
    }

    #[test]
    fn a_circle_is_named_with_a_reason() {
        let source = of(&[(
            "a",
            "//! Things.\n//!\n//! Import circle: b, c: they call each other.\n//! Import circle: d, e\n",
        )]);
        let named = source.named_circles(&vec!["a".to_owned()]);
        assert_eq!(named, [["b", "c"].map(str::to_owned).into_iter().collect()]);
    }
}
