use super::*;

fn globs_of(include: &[String], exclude: &[String]) -> Result<Globs, ToolError> {
    FilterBuilder::of(include, exclude)?.build()
}

#[test]
fn a_glob_without_a_slash_matches_at_any_depth() {
    let globs = globs_of(
        &["*.rs".to_owned(), "!gen_*".to_owned()],
        &["target/**".to_owned()],
    )
    .unwrap();
    for (path, wanted) in [
        ("a.rs", true),
        ("src/deep/a.rs", true),
        ("src/gen_a.rs", false),
        ("target/a.rs", false),
        ("a.ts", false),
    ] {
        assert_eq!(globs.matches(Path::new(path)), wanted, "{path}");
    }
}

#[test]
fn a_glob_with_a_slash_matches_from_where_the_search_began() {
    let globs = globs_of(&["src/*.rs".to_owned()], &[]).unwrap();
    assert!(globs.matches(Path::new("src/a.rs")));
    assert!(!globs.matches(Path::new("src/deep/a.rs")));
    assert!(!globs.matches(Path::new("other/src/a.rs")));
}

#[test]
fn an_absolute_glob_matches_also_from_above_where_the_search_began() {
    let mut globs = globs_of(
        &["/p/src/**/*.rs".to_owned()],
        &["/p/src/gen".to_owned(), "/other".to_owned()],
    )
    .unwrap();
    globs.bases = vec!["/p/src/net".into()];
    assert!(globs.matches(Path::new("deep/a.rs")) && globs.matches(Path::new("a.rs")));
    assert!(!globs.matches(Path::new("a.ts")));
    globs.bases = vec!["/link".into(), "/p/src".into()];
    assert!(globs.matches(Path::new("net/a.rs")) && globs.prunes(Path::new("gen")));
    globs.bases = vec!["/q".into()];
    assert!(!globs.matches(Path::new("src/a.rs")));
}

#[test]
fn a_glob_that_is_too_long_is_refused() {
    let error = globs_of(&["a".repeat(5000)], &[]).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Parse);
    assert!(error.message.contains("5000 bytes"), "{}", error.message);
}

#[test]
fn a_glob_that_begins_with_a_slash_starts_where_the_search_began() {
    for pattern in ["/a.rs", "./a.rs"] {
        let globs = globs_of(&[pattern.to_owned()], &[]).unwrap();
        assert!(globs.matches(Path::new("a.rs")), "{pattern}");
        assert!(!globs.matches(Path::new("src/a.rs")), "{pattern}");
    }
    let globs = globs_of(&["src/".to_owned()], &[]).unwrap();
    assert!(globs.matches(Path::new("src/deep/a.rs")));
    assert!(!globs.matches(Path::new("a/src/a.rs")));
}

#[test]
fn an_excluded_directory_is_not_looked_into() {
    for pattern in ["target", "target/", "**/target/**", "/target", "t*"] {
        let globs = globs_of(&[], &[pattern.to_owned()]).unwrap();
        assert!(globs.prunes(Path::new("target")), "{pattern}");
        assert!(!globs.prunes(Path::new("src")), "{pattern}");
    }
    let globs = globs_of(&[], &["target/*.rs".to_owned()]).unwrap();
    assert!(!globs.prunes(Path::new("target")));
}

#[test]
fn star_question_mark_classes_and_braces_have_their_meaning() {
    for (pattern, path, wanted) in [
        ("src/*", "src/a", true),
        ("src/*", "src/a/b", false),
        ("src/**", "src/a/b", true),
        ("**/b", "a/c/b", true),
        ("**/b", "b", true),
        ("a?c", "abc", true),
        ("a?c", "a/c", false),
        ("[ab].rs", "b.rs", true),
        ("[!ab].rs", "b.rs", false),
        ("*.{ts,tsx}", "x.tsx", true),
        ("{src,lib}/*.rs", "lib/x.rs", true),
        ("*", ".hidden", true),
    ] {
        let globs = globs_of(&[pattern.to_owned()], &[]).unwrap();
        assert_eq!(globs.matches(Path::new(path)), wanted, "{pattern} {path}");
    }
}

#[test]
fn commas_separate_globs_outside_of_braces() {
    assert_eq!(split_globs("*.rs, *.{ts,tsx},"), ["*.rs", "*.{ts,tsx}"]);
}

#[test]
fn an_excluded_directory_is_not_read() {
    let dir = tempfile::tempdir().unwrap();
    for path in ["kept/a", "node_modules/b", "deep/node_modules/c"] {
        let path = dir.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "").unwrap();
    }
    let globs = globs_of(&[], &["node_modules/".to_owned()]).unwrap();
    let limit = SearchLimit::new(
        Duration::from_mins(1),
        CancellationToken::new(),
        SearchThreads::default(),
    );
    let collected = ThreadedResults::new();
    let tree = SearchTree {
        root: dir.path(),
        globs: &globs,
        limit: &limit,
        gate: &|_: &Path| true,
    };
    let end = tree.entries(|| {
        let mut thread_results = collected.thread_results();
        move |found: &VisitedFile<'_>| thread_results.push(found.relative.to_string_lossy().into_owned())
    });
    let mut seen = collected.into_vec();
    seen.sort();
    assert_eq!(seen, ["deep", "kept", "kept/a"]);
    assert!(!end.stopped);
}

#[test]
fn a_walk_that_was_cancelled_gives_an_answer_that_is_not_ok() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a"), "").unwrap();
    let cancel = CancellationToken::new();
    let limit = SearchLimit::new(
        Duration::from_millis(1500),
        cancel.clone(),
        SearchThreads::default(),
    );
    cancel.cancel();
    let tree = SearchTree {
        root: dir.path(),
        globs: &Globs::default(),
        limit: &limit,
        gate: &|_: &Path| true,
    };
    let end = tree.files(|| |_: &VisitedFile<'_>| {});
    let mut output = Output::new("", "Found 1 file\n\na", ());
    limit.mark(&mut output, &end);
    assert_eq!(output.failure, Some(ErrorKind::Cancelled));
    assert_eq!(
        output.text,
        "Error: cancelled; this was found until then\n\nFound 1 file\n\na"
    );
    assert!(!end.timed_out(&limit));
}

#[test]
fn a_broken_glob_is_named() {
    let error = globs_of(&["a[".to_owned()], &[]).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Parse);
    assert!(error.message.contains("`a[` is not a glob"), "{}", error.message);
}
