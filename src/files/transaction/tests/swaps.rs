//! Directories and files that another process puts links in place of.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::*;
use crate::files::Roots;

/// `project` with a directory `d`, and `outside` beside it.
fn project() -> Scratch {
    let scratch = Scratch::new();
    fs::create_dir_all(scratch.at("project/d")).unwrap();
    fs::create_dir(scratch.at("outside")).unwrap();
    scratch
}

impl Scratch {
    fn in_project(&self, changes: &[(&str, &str)]) -> Transaction {
        let mut transaction = Transaction::new(&self.records(), &self.at("project"));
        for (name, content) in changes {
            transaction.replace(&self.at(name), content.as_bytes().to_vec(), ExpectedContent::Any);
        }
        transaction
    }

    /// Puts a link to `outside` in place of a directory, which waits as `aside`.
    fn swap(&self, name: &str) {
        fs::rename(self.at(name), self.at("project/aside")).unwrap();
        symlink(self.at("outside"), self.at(name)).unwrap();
    }

    #[track_caller]
    fn check_outside(&self, expected: &[&str]) {
        let names: Vec<_> = fs::read_dir(self.at("outside"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        assert_eq!(names, expected);
    }
}

#[test]
fn a_directory_that_became_a_link_before_the_commit_is_refused() {
    let scratch = project();
    scratch.swap("project/d");
    for name in ["project/d/f", "project/d/new/f"] {
        let error = scratch.in_project(&[(name, "x")]).commit().unwrap_err();
        assert!(matches!(error.problem(), FileProblem::Redirected), "{error}");
        assert_eq!(error.kind(), ErrorKind::Stale);
    }
    let mut transaction = scratch.in_project(&[]);
    fs::write(scratch.at("outside/f"), "theirs").unwrap();
    transaction.remove(&scratch.at("project/d/f"), ExpectedContent::Any);
    assert!(transaction.commit().is_err());
    scratch.check_outside(&["f"]);
}

#[test]
fn a_directory_that_becomes_a_link_in_the_middle_leads_nowhere_else() {
    let scratch = project();
    let mut commit =
        Commit::prepare(scratch.in_project(&[("project/d/f", "x"), ("project/d/n/f", "x")])).unwrap();
    scratch.swap("project/d");
    commit.place(0).unwrap();
    commit.place(1).unwrap();
    commit.finish();
    scratch.check_outside(&[]);
    assert_eq!(fs::read_to_string(scratch.at("project/aside/f")).unwrap(), "x");
    assert_eq!(fs::read_to_string(scratch.at("project/aside/n/f")).unwrap(), "x");
}

#[test]
fn what_was_begun_is_undone_where_it_was_begun() {
    let scratch = project();
    scratch.write("project/d/gone", "old");
    let mut transaction = scratch.in_project(&[("project/d/f", "x")]);
    transaction.remove(&scratch.at("project/d/gone"), ExpectedContent::Any);
    let mut commit = Commit::prepare(transaction).unwrap();
    commit.place(0).unwrap();
    commit.place(1).unwrap();
    scratch.swap("project/d");
    let error = FileError::new("x", FileProblem::DiskFull);
    assert_eq!(commit.roll_back(2, error).path(), Path::new("x"));
    scratch.check_outside(&[]);
    assert!(!scratch.at("project/aside/f").exists());
    assert_eq!(
        fs::read_to_string(scratch.at("project/aside/gone")).unwrap(),
        "old"
    );
}

#[test]
fn recovery_follows_no_link_either() {
    let scratch = project();
    let mut commit =
        Commit::prepare(scratch.in_project(&[("project/d/f", "x"), ("project/g", "x")])).unwrap();
    commit.place(0).unwrap();
    commit.die();
    scratch.swap("project/d");
    fs::write(scratch.at("outside/f"), "x").unwrap();
    let recovery = recover(&scratch.records());
    assert_eq!(recovery.problems.len(), 1, "{recovery:?}");
    scratch.check_outside(&["f"]);
    fs::remove_file(scratch.at("project/d")).unwrap();
    fs::rename(scratch.at("project/aside"), scratch.at("project/d")).unwrap();
    assert_eq!(recover(&scratch.records()).problems, Vec::<String>::new());
    assert!(!scratch.at("project/d/f").exists());
}

#[test]
fn a_file_that_becomes_a_link_is_not_followed() {
    let scratch = project();
    scratch.write("outside/f", "old");
    scratch.write("project/d/f", "old");
    let mut commit = Commit::prepare(scratch.in_project(&[("project/d/f", "new")])).unwrap();
    fs::remove_file(scratch.at("project/d/f")).unwrap();
    symlink(scratch.at("outside/f"), scratch.at("project/d/f")).unwrap();
    let error = commit.place(0).unwrap_err();
    assert!(matches!(error.problem(), FileProblem::Link), "{error}");
    commit.roll_back(0, error);
    assert_eq!(fs::read_to_string(scratch.at("outside/f")).unwrap(), "old");
}

#[test]
fn a_file_that_is_written_in_place_is_not_overwritten_through_a_link() {
    let scratch = project();
    scratch.write("outside/f", "old");
    scratch.write("project/d/f", "old");
    let mut commit = in_place(scratch.in_project(&[("project/d/f", "new")])).unwrap();
    fs::remove_file(scratch.at("project/d/f")).unwrap();
    symlink(scratch.at("outside/f"), scratch.at("project/d/f")).unwrap();
    assert!(commit.place(0).is_err());
    assert_eq!(fs::read_to_string(scratch.at("outside/f")).unwrap(), "old");
}

#[test]
fn a_project_directory_that_is_gone_is_not_made_anew() {
    let scratch = project();
    fs::remove_dir_all(scratch.at("project")).unwrap();
    for name in ["project/f", "project/new/f"] {
        let error = scratch.in_project(&[(name, "x")]).commit().unwrap_err();
        assert!(matches!(error.problem(), FileProblem::RootGone), "{error}");
        assert_eq!(error.path(), scratch.at("project"));
    }
    assert!(!scratch.at("project").exists());
}

/// Path at which the other process finds the project.
const SWAPPED: &str = "LATHE_TEST_SWAPPED_PROJECT";
const WRITES: usize = 10_000;
const AT_MOST: Duration = Duration::from_secs(20);

/// Exchanges `d` for a link to `outside`, and `d/f` for a link to a file there, until its standard input ends.
fn swap_until_told(project: &OsString) {
    let at = |name: &str| Path::new(project).join(name);
    symlink("../outside", at("link")).unwrap();
    symlink("../../outside/target", at("d/file-link")).unwrap();
    let ended = std::thread::spawn(|| std::io::stdin().read_to_end(&mut Vec::new()));
    println!("swapping");
    std::io::stdout().flush().unwrap();
    let exchange = |one: &str, two: &str| {
        // What is not there just now is exchanged the next time.
        let _ = renameat_with(CWD, at(one), CWD, at(two), RenameFlags::EXCHANGE);
    };
    while !ended.is_finished() {
        exchange("d", "link");
        exchange("d/f", "d/file-link");
        exchange("d", "link");
        std::thread::yield_now();
    }
}

/// The test is both processes: it starts itself again as the one that swaps.
#[test]
#[cfg(target_os = "linux")]
fn no_write_lands_outside_while_a_process_swaps_directories_and_links() {
    if let Some(project) = std::env::var_os(SWAPPED) {
        return swap_until_told(&project);
    }
    let scratch = project();
    fs::write(scratch.at("outside/target"), "theirs").unwrap();
    let project = scratch.at("project");
    let name = "files::transaction::tests::swaps::no_write_lands_outside_while_a_process_swaps_directories_and_links";
    let mut swapper = Command::new(std::env::current_exe().unwrap())
        .args([name, "--exact", "--nocapture"])
        .env(SWAPPED, &project)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = std::io::BufReader::new(swapper.stdout.take().unwrap());
    let mut line = String::new();
    while !line.contains("swapping") {
        line.clear();
        assert_ne!(std::io::BufRead::read_line(&mut said, &mut line).unwrap(), 0);
    }
    let roots = Roots::new(&project, None);
    let (begun, mut writes, mut landed) = (Instant::now(), 0, 0);
    while writes < WRITES && begun.elapsed() < AT_MOST {
        writes += 1;
        // The check that a tool makes, and right after it the write.
        let given = ["d/f", "d/made/g"][writes % 2];
        let Ok(path) = roots.resolve(given) else { continue };
        if !path.inside {
            continue;
        }
        let mut transaction = Transaction::new(&scratch.records(), roots.project_root());
        transaction.replace(&path.real, writes.to_string().into_bytes(), ExpectedContent::Any);
        landed += usize::from(transaction.commit().is_ok());
    }
    drop(swapper.stdin.take());
    swapper.wait().unwrap();
    scratch.check_outside(&["target"]);
    assert_eq!(
        fs::read_to_string(scratch.at("outside/target")).unwrap(),
        "theirs"
    );
    assert!(landed > 0, "none of {writes} writes was made");
    println!("{writes} writes in {:?}, {landed} made", begun.elapsed());
}
