use std::fs;

use super::*;

struct Place {
    dir: tempfile::TempDir,
}

impl Place {
    fn new(files: &[&str]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        for file in files {
            let path = dir.path().join("project").join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, format!("this is {file}\n")).unwrap();
        }
        Self { dir }
    }

    fn places(&self) -> FinderPaths {
        FinderPaths {
            directory: self.dir.path().join("project"),
            home: None,
            frecency_file: self.dir.path().join("state/uses.jsonl"),
        }
    }

    fn start(&self) -> Finder {
        Finder::start(self.places())
    }
}

/// Asks until the answer is right, as more is found while the walk goes on.
async fn found(finder: &mut Finder, text: &str, expected: &[&str]) {
    let text = text.to_owned();
    finder.ask(Request::Find { id: 1, text });
    let mut last = Vec::new();
    let right = async {
        while last != expected {
            if let FinderAnswer::Found(found) = finder.next().await {
                last = found.paths;
            }
        }
    };
    let in_time = tokio::time::timeout(Duration::from_secs(20), right).await;
    assert!(in_time.is_ok(), "{last:?}");
}

#[tokio::test]
async fn files_and_directories_are_found_and_hidden_ones_by_their_own_path() {
    let place = Place::new(&[
        "src/a.rs",
        "src/net/b.rs",
        ".env",
        ".github/ci.yml",
        "target/x.rs",
        ".gitignore",
    ]);
    fs::write(place.dir.path().join("project/.gitignore"), "target\n").unwrap();
    let mut finder = place.start();
    found(&mut finder, "rs", &["src/a.rs", "src/net/b.rs"]).await;
    found(&mut finder, "net", &["src/net/", "src/net/b.rs"]).await;
    found(&mut finder, ".env", &[".env"]).await;
    found(&mut finder, ".github/", &[".github/ci.yml"]).await;
    found(&mut finder, "target/", &["target/x.rs"]).await;
}

#[tokio::test]
async fn what_was_picked_comes_first_also_for_the_next_process() {
    let place = Place::new(&["a.rs", "b.rs"]);
    let mut finder = place.start();
    found(&mut finder, "rs", &["a.rs", "b.rs"]).await;
    finder.ask(Request::Used {
        name: "b.rs".to_owned(),
        is_command: false,
    });
    found(&mut finder, "rs", &["b.rs", "a.rs"]).await;
    drop(finder);
    found(&mut place.start(), "rs", &["b.rs", "a.rs"]).await;
}

#[tokio::test]
async fn a_file_is_looked_at() {
    let place = Place::new(&["a.rs"]);
    let mut finder = place.start();
    finder.ask(Request::Look("a.rs".to_owned()));
    let FinderAnswer::Looked { path, text } = finder.next().await else {
        panic!("no look")
    };
    assert_eq!((&*path, &*text), ("a.rs", "this is a.rs\n"));
}

/// Performs jobs, but for those that ask a disk which does not answer.
fn but_dead(job: &FinderJob, places: &FinderPaths) -> FinderJobResult {
    let (FinderJob::List { text: path, .. } | FinderJob::Look(path) | FinderJob::Inspect(path)) = job;
    while path.starts_with("dead") {
        thread::park();
    }
    job.perform(places)
}

fn start_beside_dead(place: &Place) -> Finder {
    Finder::performing(place.places(), but_dead)
}

fn find(finder: &Finder, id: u64, text: &str) {
    let text = text.to_owned();
    finder.ask(Request::Find { id, text });
}

async fn next(finder: &mut Finder) -> FinderAnswer {
    let answer = tokio::time::timeout(Duration::from_secs(20), finder.next()).await;
    answer.expect("there is an answer")
}

#[tokio::test]
async fn a_directory_that_does_not_answer_holds_nothing_else_up() {
    let place = Place::new(&["deadline.rs", ".env", "a.rs"]);
    let mut finder = start_beside_dead(&place);
    for id in 10..20 {
        find(&finder, id, &format!("dead/{id}"));
    }
    finder.ask(Request::Look("dead/a.rs".to_owned()));
    finder.ask(Request::Inspect("dead/a.png".to_owned()));
    found(&mut finder, ".env", &[".env"]).await;
    finder.ask(Request::Look("a.rs".to_owned()));
    let looked = async { while !matches!(next(&mut finder).await, FinderAnswer::Looked { .. }) {} };
    looked.await;
    let pasted = "/no/where.png".to_owned();
    finder.ask(Request::Inspect(pasted.clone()));
    let looked_at = FinderAnswer::Inspected { pasted, media: None };
    while next(&mut finder).await != looked_at {}
}

#[tokio::test]
async fn what_is_known_is_told_without_a_directory_that_does_not_answer() {
    let place = Place::new(&["deadline.rs", "a.rs"]);
    let mut finder = start_beside_dead(&place);
    found(&mut finder, "deadl", &["deadline.rs"]).await;
}

/// The work on a question, to be done step by step, whose walk waits for these directories.
fn stuck(
    place: &Place,
    unread: &[&str],
) -> (FinderWorker, UnboundedReceiver<FinderAnswer>, Receiver<Message>) {
    let (messages, inbox) = channel();
    let (outbox, answers) = unbounded_channel();
    let mut work = FinderWorker::new(place.places(), FinderJob::perform, messages, outbox);
    work.walk = WalkStatus::Running {
        fresh: None,
        progress: Arc::new(WalkProgress::stuck(&work.places.directory, &["a.rs"], unread)),
    };
    work.find(1, String::new());
    (work, answers, inbox)
}

/// Walks anew, and returns what is found in the end.
fn walk_anew(
    work: &mut FinderWorker,
    inbox: &Receiver<Message>,
    answers: &mut UnboundedReceiver<FinderAnswer>,
) -> Vec<String> {
    let mut ended = Instant::now();
    ended -= FRESH;
    work.walk = WalkStatus::Ended(ended);
    work.find(2, String::new());
    while work.is_walking() {
        inbox.recv().unwrap();
        work.gather();
    }
    work.answer();
    let Ok(FinderAnswer::Found(mut found)) = answers.try_recv() else {
        panic!("nothing is found")
    };
    found.paths.sort_unstable();
    found.paths
}

#[test]
fn a_directory_that_blocks_a_walk_is_reported_once_and_skipped_by_the_next() {
    let place = Place::new(&["a.rs", "dead/b.rs"]);
    let (mut work, mut answers, inbox) = stuck(&place, &["dead"]);
    work.gather();
    work.answer();
    let words = "dead/ does not respond; its files are not listed";
    assert_eq!(answers.try_recv(), Ok(FinderAnswer::Trouble(words.to_owned())));
    let paths = vec!["a.rs".to_owned()];
    assert_eq!(
        answers.try_recv(),
        Ok(FinderAnswer::Found(FoundPaths { id: 1, paths }))
    );
    assert!(work.asked.is_none(), "there is no more to come");
    assert_eq!(walk_anew(&mut work, &inbox, &mut answers), ["a.rs"]);
    work.lost[0].answers_at_last();
    work.gather();
    let all = ["a.rs", "dead/", "dead/b.rs"];
    assert_eq!(walk_anew(&mut work, &inbox, &mut answers), all);
}

#[test]
fn nothing_is_walked_anew_while_it_is_not_known_what_does_not_answer() {
    let place = Place::new(&["a.rs"]);
    let (mut work, _answers, _inbox) = stuck(&place, &[""]);
    work.gather();
    assert!(work.silent().is_none());
    work.lost[0].answers_at_last();
    work.gather();
    assert_eq!(work.silent(), Some(HashSet::new()));
}
