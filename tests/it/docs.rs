//! The README and `docs/`: their tables agree with the program, their links lead somewhere, and their examples work.
//!
//! Tables that the program knows are made by it. `LATHE_DOCS=write cargo test --test it docs` writes them.

mod blocks;
mod configuration;
mod examples;
mod reference;
mod tables;

use std::fs;
use std::path::{Path, PathBuf};

/// The most that the README may have, in bytes.
const README_SIZE: usize = 8_000;

/// A Markdown file of the repository.
struct Document {
    /// From the repository's root.
    path: PathBuf,
    text: String,
}

impl Document {
    fn read(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let text = fs::read_to_string(root().join(&path));
        let text = text.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self { path, text }
    }

    fn all() -> Vec<Self> {
        let mut names: Vec<PathBuf> = fs::read_dir(root().join("docs"))
            .unwrap()
            .map(|entry| Path::new("docs").join(entry.unwrap().file_name()))
            .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
            .collect();
        names.sort();
        names.insert(0, PathBuf::from("README.md"));
        names.into_iter().map(Self::read).collect()
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn the_readme_is_short_and_leads_to_every_page() {
    let readme = Document::read("README.md").text;
    assert!(readme.len() <= README_SIZE, "{} bytes", readme.len());
    for document in Document::all().iter().skip(1) {
        let path = document.path.to_str().unwrap();
        assert!(
            readme.contains(&format!("({path})")),
            "the README has no link to {path}"
        );
    }
}

#[test]
fn every_link_leads_to_a_file_and_a_heading() {
    for document in Document::all() {
        let directory = document.path.parent().unwrap();
        for target in links(&document.text) {
            let (path, heading) = target.split_once('#').unwrap_or((target, ""));
            let path = match path {
                "" => document.path.clone(),
                _ => directory.join(path),
            };
            let named = format!("{}: {target}", document.path.display());
            assert!(root().join(&path).exists(), "{named}");
            if !heading.is_empty() {
                let text = Document::read(path).text;
                assert!(headings(&text).any(|anchor| anchor == heading), "{named}");
            }
        }
    }
}

/// The targets of links and pictures within the repository.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.filter(|target| !target.contains("://"))
}

/// The anchors of headings, as code hosts make them.
fn headings(text: &str) -> impl Iterator<Item = String> {
    let lines = text.lines().filter(|line| line.starts_with('#'));
    lines.map(|line| {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        let letters = title
            .chars()
            .filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter));
        letters.collect::<String>().replace(' ', "-")
    })
}
