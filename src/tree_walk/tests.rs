use std::collections::BTreeSet;
use std::os::unix::fs::symlink;
use std::process::Command;
use std::sync::Mutex;

use ignore::WalkBuilder;

use super::*;

struct Place(tempfile::TempDir);

impl Place {
    fn new(files: &[(&str, &str)]) -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        for (path, text) in files {
            place.write(path, text);
        }
        place
    }

    fn root(&self) -> PathBuf {
        self.0.path().canonicalize().unwrap()
    }

    fn path(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

fn walk<'a>(root: &'a Path, gate: &'a (dyn FileGate + Sync)) -> Walk<'a> {
    Walk {
        root,
        ignore_files: IgnoreFiles::Everywhere,
        skips_hidden: false,
        follows_links: false,
        max_depth: usize::MAX,
        threads: 3,
        gate,
    }
}

fn open_gate(_: &Path) -> bool {
    true
}

/// Entries that a walk visits below its root, each once, and the ignore files that it leaves out.
fn visited(walk: &Walk<'_>) -> (BTreeSet<String>, Vec<LeftOut>) {
    let found = Mutex::new(Vec::new());
    let left_out = walk.run(&|entry| entry.name() != ".git", || {
        |entry: io::Result<&Entry>| {
            let relative = entry.unwrap().path().strip_prefix(walk.root).unwrap();
            found.lock().unwrap().push(relative.to_str().unwrap().to_owned());
            Flow::Continue
        }
    });
    let found = found.into_inner().unwrap();
    let names: BTreeSet<String> = found.iter().cloned().collect();
    assert_eq!(names.len(), found.len(), "each is visited once");
    (names, left_out)
}

fn names(walk: &Walk<'_>) -> Vec<String> {
    let (names, left_out) = visited(walk);
    assert_eq!(left_out, []);
    names.into_iter().filter(|name| !name.is_empty()).collect()
}

/// Numbers that are the same on each run of a test.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as usize % end
    }

    fn one_of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }
}

const NAMES: &[&str] = &[
    "a", "b", "a.rs", "b.rs", ".a", "target", "x y", "é", "A", "#h", "!n",
];
const RULES: &[&str] = &[
    "a",
    "/a",
    "a/",
    "*.rs",
    "!*.rs",
    "!a",
    "/b/**",
    "**/a",
    "a/**/b",
    "target/",
    "!target/",
    ".*",
    "!.a",
    "x\\ y",
    "x y",
    "[ab]",
    "[!a]",
    "?",
    "*",
    "!*/",
    "# a",
    "\\#h",
    "\\!n",
    "a/b",
    "b/*.rs",
    "/*",
    "!/a",
    "é",
    "",
    "  ",
    "{a,b}",
    "b ",
    "**",
    "a[",
    "/target/a",
    "!b/",
    "**/target/**",
    "*.r?",
];

fn rules(numbers: &mut Numbers) -> String {
    let count = 1 + numbers.below(5);
    let lines: Vec<&str> = (0..count).map(|_| numbers.one_of(RULES)).collect();
    let end = numbers.one_of(&["\n", "\r\n"]);
    let start = numbers.one_of(&["", "", "", "\u{feff}"]);
    format!("{start}{}{end}", lines.join(end))
}

/// Fills a directory with files, directories, ignore files and repositories.
fn grow(place: &Place, directory: &str, depth: usize, numbers: &mut Numbers) {
    for file in [".ignore", ".gitignore"] {
        if numbers.below(3) == 0 {
            place.write(&format!("{directory}/{file}"), &rules(numbers));
        }
    }
    if numbers.below(5) == 0 {
        place.write(&format!("{directory}/.git/HEAD"), "ref: refs/heads/main\n");
        if numbers.below(2) == 0 {
            place.write(&format!("{directory}/.git/info/exclude"), &rules(numbers));
        }
    }
    for _ in 0..2 + numbers.below(4) {
        let path = format!("{directory}/{}", numbers.one_of(NAMES));
        if place.path(&path).exists() {
            continue;
        }
        if depth < 3 && numbers.below(2) == 0 {
            fs::create_dir_all(place.path(&path)).unwrap();
            grow(place, &path, depth + 1, numbers);
        } else {
            place.write(&path, "");
        }
    }
}

/// Entries that the walker of the `ignore` crate visits, which reads ignore files by itself.
fn reference(walk: &Walk<'_>, top: &Path) -> BTreeSet<String> {
    let mut builder = WalkBuilder::new(walk.root);
    let entries = builder
        .standard_filters(walk.ignore_files != IgnoreFiles::Unread)
        .hidden(walk.skips_hidden)
        .require_git(walk.ignore_files == IgnoreFiles::InRepositories)
        .follow_links(walk.follows_links)
        .filter_entry(|entry| entry.file_name() != ".git")
        .current_dir(top)
        .build();
    let relative = |entry: ignore::DirEntry| entry.path().strip_prefix(walk.root).unwrap().to_owned();
    entries
        .map(|entry| relative(entry.unwrap()).to_str().unwrap().to_owned())
        .collect()
}

#[test]
fn generated_trees_are_walked_as_by_the_walker_of_ripgrep() {
    let mut not_empty = 0;
    for seed in 0..60 {
        let mut numbers = Numbers(seed);
        let place = Place::new(&[]);
        grow(&place, "top", 0, &mut numbers);
        let mut roots = vec![place.path("top")];
        let below = fs::read_dir(place.path("top"))
            .unwrap()
            .map(|entry| entry.unwrap().path());
        roots.extend(below.filter(|path| path.is_dir() && !path.ends_with(".git")));
        for root in &roots {
            for ignore_files in [
                IgnoreFiles::Everywhere,
                IgnoreFiles::InRepositories,
                IgnoreFiles::Unread,
            ] {
                for skips_hidden in [false, true] {
                    let walk = Walk {
                        ignore_files,
                        skips_hidden,
                        ..walk(root, &open_gate)
                    };
                    let (ours, left_out) = visited(&walk);
                    assert_eq!(left_out, []);
                    let theirs = reference(&walk, root);
                    assert_eq!(
                        ours, theirs,
                        "seed {seed}, {ignore_files:?}, hidden {skips_hidden}, {root:?}"
                    );
                    not_empty += usize::from(ours.len() > 2);
                }
            }
        }
    }
    assert!(not_empty > 200, "most trees have something in them");
}

#[test]
fn a_linked_work_tree_and_a_submodule_have_the_excludes_of_their_repository() {
    let place = Place::new(&[
        ("main/.git/info/exclude", "*.log\n"),
        ("main/.git/worktrees/w/commondir", "../..\n"),
        ("main/.git/modules/sub/info/exclude", "*.tmp\n"),
        ("main/sub/a.tmp", ""),
        ("main/sub/b", ""),
        ("main/sub/.git", "gitdir: ../.git/modules/sub\n"),
        ("w/a.log", ""),
        ("w/b", ""),
    ]);
    let git = format!("gitdir: {}\n", place.path("main/.git/worktrees/w").display());
    place.write("w/.git", &git);
    assert_eq!(names(&walk(&place.path("w"), &open_gate)), ["b"]);
    assert_eq!(names(&walk(&place.path("main/sub"), &open_gate)), ["b"]);
}

#[test]
fn a_root_behind_a_link_has_the_rules_of_where_it_is() {
    let place = Place::new(&[
        ("real/.gitignore", "/sub/x\n"),
        ("real/sub/x", ""),
        ("real/sub/y", ""),
    ]);
    symlink("real/sub", place.path("link")).unwrap();
    assert_eq!(names(&walk(&place.path("link"), &open_gate)), ["y"]);
}

/// Puts what is no ordinary file in a place.
fn put(place: &Place, path: &str, what: &str) {
    let path = place.path(path);
    let _ = fs::remove_file(&path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    match what {
        "device" => symlink("/dev/zero", path).unwrap(),
        "fifo" => assert!(Command::new("mkfifo").arg(path).status().unwrap().success()),
        "sparse" => fs::File::create(path).unwrap().set_len(20 << 30).unwrap(),
        "directory" => fs::create_dir(path).unwrap(),
        other => symlink(other, path).unwrap(),
    }
}

#[test]
fn an_ignore_file_that_is_no_file_is_left_out_and_named() {
    let places = [
        "top/.ignore",
        "top/.gitignore",
        "top/.git/info/exclude",
        "top/sub/.ignore",
        "top/sub/.gitignore",
        ".ignore",
        ".gitignore",
    ];
    for path in places {
        for (what, why) in [
            ("device", "it is not a regular file"),
            ("fifo", "it is not a regular file"),
            ("directory", "it is not a regular file"),
            ("sparse", "it has more than 1048576 bytes"),
        ] {
            let place = Place::new(&[("top/a.log", ""), ("top/sub/b.log", ""), ("top/sub/c", "")]);
            let other = if path.ends_with(".gitignore") {
                ".ignore"
            } else {
                ".gitignore"
            };
            place.write(&format!("top/{other}"), "*.log\n");
            put(&place, path, what);
            let root = place.path("top");
            let (names, left_out) = visited(&walk(&root, &open_gate));
            assert!(
                names.contains("sub/c") && !names.contains("a.log"),
                "{path} {what} {names:?}"
            );
            let expected = LeftOut {
                path: place.path(path),
                why: why.to_owned(),
            };
            assert_eq!(left_out, [expected], "{path} {what}");
        }
    }
}

#[test]
fn what_says_where_the_excludes_are_is_read_as_carefully() {
    for what in ["fifo", "sparse", "device"] {
        let place = Place::new(&[("top/a", ""), ("git/HEAD", "")]);
        put(&place, "top/.git", what);
        let (names, _) = visited(&walk(&place.path("top"), &open_gate));
        assert!(names.contains("a"), "{what}");
        fs::remove_file(place.path("top/.git")).unwrap();
        place.write("top/.git", "gitdir: ../git\n");
        put(&place, "git/commondir", what);
        let (names, left_out) = visited(&walk(&place.path("top"), &open_gate));
        assert!(names.contains("a"), "{what}");
        assert_eq!(left_out.len(), 1, "{left_out:?}");
    }
}

#[test]
fn a_link_is_obeyed_where_the_gate_lets_its_target_be_read() {
    let place = Place::new(&[
        ("rules", "*.log\n"),
        (".env", "*.log\n"),
        ("a.log", ""),
        ("b", ""),
    ]);
    let root = place.root();
    let gate = |real: &Path| !real.ends_with(".env");
    put(&place, ".ignore", "rules");
    assert_eq!(names(&walk(&root, &gate)), [".env", ".ignore", "b", "rules"]);
    fs::remove_file(place.path(".ignore")).unwrap();
    put(&place, ".gitignore", ".env");
    let (names, left_out) = visited(&walk(&root, &gate));
    assert!(names.contains("a.log"));
    assert!(left_out[0].why.contains("permission rules"), "{left_out:?}");
}

#[test]
fn a_link_to_nothing_is_no_ignore_file() {
    let place = Place::new(&[("a", "")]);
    put(&place, ".gitignore", "nowhere");
    assert_eq!(names(&walk(&place.root(), &open_gate)), [".gitignore", "a"]);
}

#[test]
fn too_many_wildcards_are_left_out_and_many_names_are_not() {
    let place = Place::new(&[("sub/a", ""), ("name7", "")]);
    let plain: Vec<String> = (0..50_000).map(|index| format!("name{index}")).collect();
    place.write(".gitignore", &plain.join("\n"));
    let wild: Vec<String> = (0..20_000).map(|index| format!("*a{index}*b?c")).collect();
    place.write("sub/.gitignore", &wild.join("\n"));
    let (names, left_out) = visited(&walk(&place.root(), &open_gate));
    assert!(!names.contains("name7") && names.contains("sub/a"));
    let paths: Vec<&PathBuf> = left_out.iter().map(|left_out| &left_out.path).collect();
    assert_eq!(paths, [&place.path("sub/.gitignore")]);
}

#[test]
fn links_are_followed_once_and_never_back() {
    let place = Place::new(&[("a/file", ""), ("b/file", "")]);
    symlink("../b", place.path("a/to-b")).unwrap();
    symlink("..", place.path("b/back")).unwrap();
    let root = place.root();
    let walk = Walk {
        follows_links: true,
        ..walk(&root, &open_gate)
    };
    let (mut found, mut errors) = (BTreeSet::new(), 0);
    walk.each(&|_| true, |entry| {
        match entry {
            Ok(entry) => {
                found.insert(
                    entry
                        .path()
                        .strip_prefix(&root)
                        .unwrap()
                        .to_str()
                        .unwrap()
                        .to_owned(),
                );
            }
            Err(_) => errors += 1,
        }
        Flow::Continue
    });
    let expected = ["", "a", "a/file", "a/to-b", "a/to-b/file", "b", "b/file"].map(str::to_owned);
    assert_eq!((found, errors), (BTreeSet::from(expected), 2));
}

#[test]
fn a_walk_goes_no_deeper_than_it_may_and_ends_when_it_is_told_to() {
    let place = Place::new(&[("a/b/c/d", ""), ("e", "")]);
    let root = place.root();
    let shallow = Walk {
        max_depth: 2,
        ..walk(&root, &open_gate)
    };
    assert_eq!(names(&shallow), ["a", "a/b", "e"]);
    let mut count = 0;
    walk(&root, &open_gate).each(&|_| true, |_| {
        count += 1;
        Flow::Stop
    });
    assert_eq!(count, 1);
}

#[test]
fn a_large_directory_is_visited_whole_by_several_threads() {
    let place = Place::new(&[]);
    for index in 0..1000 {
        place.write(&format!("{index}"), "");
    }
    assert_eq!(names(&walk(&place.root(), &open_gate)).len(), 1000);
}

#[test]
fn a_visitor_that_panics_ends_the_walk() {
    let place = Place::new(&[("a/b", ""), ("c/d", ""), ("e/f", "")]);
    let root = place.root();
    let ended = std::panic::catch_unwind(|| {
        walk(&root, &open_gate).run(&|_| true, || |_: io::Result<&Entry>| panic!("in a test"))
    });
    assert!(ended.is_err());
}
