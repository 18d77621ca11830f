//! No question to git where it would read without end.

use super::*;

/// A sparse file that git would read whole.
fn sparse(path: &Path) {
    fs::File::create(path).unwrap().set_len(3 << 30).unwrap();
}

#[tokio::test]
async fn no_question_is_asked_where_git_would_read_without_end() {
    let limits = Limits {
        time: Duration::from_secs(10),
        bytes: 1 << 20,
    };
    for name in [
        "commondir",
        "config.worktree",
        "refs/heads/sparse",
        "modules/sub/HEAD",
    ] {
        let hostile = Hostile::new();
        let git = hostile.asked();
        let words = ["rev-parse", "--git-dir"];
        assert!(git.ask(&words, limits).await.is_ok(), "{name}");
        let path = hostile.root().join(".git").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        sparse(&path);
        let answers = [
            git.ask(&words, limits).await.map(drop),
            git.ask_together([&words, &["status"]], limits).map(drop),
            git.ask_with(&words, Vec::new(), limits).map(drop),
            git.at(hostile.root().join(".git/.."))
                .ask(&words, limits)
                .await
                .map(drop),
        ];
        for answer in answers {
            let error = answer.unwrap_err();
            let is_named = matches!(&error, GitError::Unbounded(why) if why.contains(name));
            assert!(is_named, "{name}: {error}");
        }
        assert_eq!(RepositoryCache::default().facts(&git), None, "{name}");
        fs::remove_file(&path).unwrap();
        assert!(git.ask(&words, limits).await.is_ok(), "{name}");
    }
}

/// Git's memory is bounded also for files that no known name leads to.
#[tokio::test]
async fn git_has_less_memory_than_a_machine() {
    let hostile = Hostile::new();
    if !Support::of_kernel().can_confine_reading() {
        return;
    }
    // Not tracked and not named anywhere.
    let nested = hostile.root().join("nested/.git");
    for name in ["objects", "refs"] {
        fs::create_dir_all(nested.join(name)).unwrap();
    }
    fs::write(nested.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    sparse(&nested.join("commondir"));
    let limits = Limits {
        time: Duration::from_mins(1),
        bytes: 1 << 20,
    };
    let words = ["ls-files", "--others", "--exclude-standard"];
    let answer = hostile.asked().ask(&words, limits).await.unwrap();
    assert!(!answer.is_success, "{answer:?}");
}

/// The proof that something was measured is made in one place, and what runs git takes it.
#[test]
fn there_is_one_way_to_run_git_and_it_is_measured() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/process/git");
    let mut sources = String::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "rs") && !path.ends_with("tests.rs") {
            let text = fs::read_to_string(path).unwrap();
            sources += text.split("#[cfg(test)]").next().unwrap();
        }
    }
    let count = |text: &str| sources.matches(text).count();
    assert_eq!(count("RunningCommand::start("), 1, "what runs git");
    assert_eq!(count("self.start(words)"), 1, "what makes the command line");
    assert_eq!(count("_measured: &Measured"), 1, "what takes the proof");
    assert_eq!(count("Measured(())"), 2, "the proof, and what makes it");
}
