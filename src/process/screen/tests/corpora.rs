//! Recorded byte streams and the screens that other terminals make of them.
//!
//! The streams are outside of the repository; a test that does not find them says so. Those whose screen is another one
//! here are listed with the reason in `tests/fixtures/terminal/differences.txt`.

use std::fs;
use std::path::{Path, PathBuf};

use super::*;

pub(super) fn folder() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/vectors/terminal");
    let set = std::env::var_os("TERMINAL_VECTORS").map(PathBuf::from);
    set.into_iter().chain([beside]).find(|folder| folder.is_dir())
}

/// A stream with its size and the rows that are expected.
pub(super) struct Case {
    pub(super) name: String,
    pub(super) input: Vec<u8>,
    pub(super) size: ScreenSize,
    pub(super) expected: Vec<String>,
}

pub(super) fn cases(corpus: &Path) -> Vec<Case> {
    let mut folders: Vec<PathBuf> = fs::read_dir(corpus)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    folders.sort();
    folders
        .iter()
        .map(|folder| {
            let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
            let size = read("size");
            let (cols, rows) = size.trim().split_once(' ').unwrap();
            let mut expected: Vec<String> = read("screen.txt")
                .lines()
                .map(|row| row.trim_end().into())
                .collect();
            expected.truncate(
                expected
                    .iter()
                    .rposition(|row| !row.is_empty())
                    .map_or(0, |last| last + 1),
            );
            Case {
                name: folder.file_name().unwrap().to_str().unwrap().into(),
                input: fs::read(folder.join("input.bin")).unwrap(),
                size: ScreenSize {
                    cols: cols.parse().unwrap(),
                    rows: rows.trim().parse().unwrap(),
                },
                expected,
            }
        })
        .collect()
}

#[test]
fn the_corpora_differ_only_where_the_list_says_so() {
    let Some(folder) = folder() else {
        eprintln!("skipped: the recorded streams are not there");
        return;
    };
    let list = include_str!("../../../../tests/fixtures/terminal/differences.txt");
    let listed: Vec<&str> = list
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .map(|line| {
            let (name, reason) = line.split_once(": ").expect("a name and a reason");
            assert!(!reason.trim().is_empty());
            name
        })
        .collect();
    let mut different = Vec::new();
    for (corpus, least) in [("alacritty", 27), ("xtermjs", 34)] {
        let cases = cases(&folder.join(corpus));
        let mut equal = 0;
        for case in cases {
            let screen = fed(case.size.cols, case.size.rows, &case.input);
            if text(&screen) == case.expected {
                equal += 1;
            } else {
                let shown = text(&screen);
                let rows = shown.len().max(case.expected.len());
                let row = |rows: &[String], at: usize| rows.get(at).cloned().unwrap_or_default();
                for at in 0..rows {
                    let (shown, expected) = (row(&shown, at), row(&case.expected, at));
                    if shown != expected {
                        println!(
                            "{}/{} {at}\n  expected {expected:?}\n  shown    {shown:?}",
                            corpus, case.name
                        );
                    }
                }
                different.push(format!("{corpus}/{}", case.name));
            }
        }
        println!("{corpus}: {equal} equal");
        assert!(equal >= least, "{corpus}: only {equal} screens are equal");
    }
    assert_eq!(different, listed);
}
