//! Random sequences of tools, commands, other people's changes, undo and redo, in one process.
//!
//! After each step the files are held against what really happened ([`Truth`]): what an undo takes back is what it was before
//! the first change of whatever kind, what it refuses by name is untouched, and nothing that a command made or somebody else
//! wrote is lost.

mod truth;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use tempfile::TempDir;

use super::{SessionUndo, UndoRequest, UndoScope};
use crate::conversation::{Message, MessageId, Part, PartBody, Role, SessionId};
use crate::files::{ChangeLog, ExpectedContent, FileMoment, Transaction};
use crate::journal::{CommandWatch, Journal, SessionLog};
use crate::store::{MessageChange, NewSession, Store};

use truth::{Author, Files, Truth};

const SEQUENCES: usize = 500;
/// Steps of one sequence.
const STEPS: usize = 12;
/// The directory is there from the beginning and stays.
const PATHS: [&str; 5] = ["a", "b", "c", "part/d", "part/e"];

/// Counts of what the sequences did.
#[derive(Debug, Default)]
struct Counts {
    undone: usize,
    /// Undos that named a file which they left alone.
    named: usize,
    redone: usize,
}

/// Numbers that look random and depend on a seed alone (xorshift64).
struct Random(u64);

struct Sequence {
    random: Random,
    _directory: TempDir,
    data: PathBuf,
    undo: SessionUndo,
    log: Arc<SessionLog>,
    truth: Truth,
    /// The person's messages in the conversation, each with its first part.
    messages: Vec<(MessageId, u64)>,
    /// The messages that undos took out, the last undo at the end.
    undone: Vec<Vec<(MessageId, u64)>>,
    /// Of the longest text so far.
    length: usize,
    /// When somebody else changed a file.
    outside: FileMoment,
    counts: Counts,
    story: Vec<String>,
}

#[test]
fn no_sequence_of_undos_loses_what_a_command_or_somebody_else_wrote() {
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let counts = thread::scope(|scope| {
        let share = |first: usize| move || (first..SEQUENCES).step_by(workers).map(run).collect::<Vec<_>>();
        let running: Vec<_> = (0..workers).map(|worker| scope.spawn(share(worker))).collect();
        let counts = running.into_iter().flat_map(|worker| worker.join().unwrap());
        counts.fold(Counts::default(), |all, one| Counts {
            undone: all.undone + one.undone,
            named: all.named + one.named,
            redone: all.redone + one.redone,
        })
    });
    // Sequences in which nothing happens would prove nothing.
    assert!(
        counts.undone > 300 && counts.named > 100 && counts.redone > 30,
        "{counts:?}"
    );
}

fn run(seed: usize) -> Counts {
    let mut sequence = Sequence::new(seed);
    for _ in 0..STEPS {
        sequence.step();
    }
    sequence.counts
}

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).unwrap()
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }
}

impl Sequence {
    fn new(seed: usize) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(directory.path()).unwrap();
        let (project, data, records) = (root.join("project"), root.join("data"), root.join("records"));
        for made in [&project.join("part"), &data, &records] {
            fs::create_dir_all(made).unwrap();
        }
        fs::write(project.join("part/stays"), "").unwrap();
        let store = Store::in_memory().unwrap();
        let session = SessionId::new();
        store
            .create(&NewSession {
                id: session.clone(),
                parent: None,
                project: project.clone(),
                directory: project.clone(),
                agent: "build".into(),
                model: None,
                title: String::new(),
            })
            .unwrap();
        let journal = Journal::new(&data, store.clone(), session.clone());
        let mut sequence = Self {
            random: Random((seed as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1),
            _directory: directory,
            data,
            log: Arc::new(SessionLog::new(journal.clone(), session.clone())),
            undo: SessionUndo {
                store,
                journal,
                session,
                records,
                directory: project.clone(),
                project,
            },
            truth: Truth::default(),
            messages: Vec::new(),
            undone: Vec::new(),
            length: 0,
            outside: FileMoment::now(),
            counts: Counts::default(),
            story: vec![format!("seed {seed}")],
        };
        for path in ["a", "b", "part/d"] {
            let text = sequence.text();
            fs::write(sequence.path(path), &text).unwrap();
            sequence.truth.files.insert(path.to_owned(), text);
        }
        sequence
    }

    fn step(&mut self) {
        match self.random.below(12) {
            0..=5 => self.turn(),
            6 => self.change_outside(),
            7 => self.reopen(),
            8..=10 if !self.messages.is_empty() => self.undo(),
            _ if self.truth.has_undone() => self.redo(),
            _ => self.turn(),
        }
        self.check(self.files() == self.truth.files, "the files are others");
    }

    fn path(&self, path: &str) -> PathBuf {
        self.undo.project.join(path)
    }

    fn any_path(&mut self) -> &'static str {
        PATHS[self.random.below(PATHS.len())]
    }

    /// A text that is used once. No other has its length, so that sizes alone tell them apart.
    fn text(&mut self) -> String {
        self.longer("")
    }

    /// The same with another text as its beginning.
    fn longer(&mut self, text: &str) -> String {
        self.length = self.length.max(text.len()) + 1;
        format!("{text:.<length$}", length = self.length)
    }

    fn files(&self) -> Files {
        let read = |path: &&str| {
            let text = fs::read_to_string(self.path(path)).ok()?;
            Some(((*path).to_owned(), text))
        };
        PATHS.iter().filter_map(read).collect()
    }

    fn check(&self, holds: bool, what: &str) {
        assert!(holds, "{what}\n  {}", self.story.join("\n  "));
    }

    fn tell(&mut self, what: String) {
        self.story.push(what);
    }

    /// Another process goes on with the session.
    fn reopen(&mut self) {
        let journal = Journal::new(&self.data, self.undo.store.clone(), self.undo.session.clone());
        self.log = Arc::new(SessionLog::new(journal.clone(), self.undo.session.clone()));
        self.undo.journal = journal;
    }

    fn change_outside(&mut self) {
        let path = self.any_path();
        let text = (!self.random.one_in(4)).then(|| self.text());
        let bytes = text.as_ref().map(String::len);
        self.tell(format!("outside: {path}: {bytes:?} bytes"));
        self.put(path, text.as_deref());
        self.truth.change((Author::Outside, 0), path, text, None);
        self.outside = FileMoment::now();
    }

    /// Writes or removes a file as anybody does.
    fn put(&self, path: &str, text: Option<&str>) {
        match text {
            Some(text) => fs::write(self.path(path), text).unwrap(),
            None => drop(fs::remove_file(self.path(path))),
        }
    }

    /// A message, and some calls of tools and commands.
    fn turn(&mut self) {
        let seq = self.undo.store.next_seq(&self.undo.session).unwrap();
        let part = Part {
            seq,
            body: PartBody::text(format!("prompt {seq}")),
        };
        let message = Message::new(Role::User, 1, Vec::new());
        let id = message.id.clone();
        let changes = [
            MessageChange::ForgetUndone,
            MessageChange::Message(message),
            MessageChange::Part {
                message: id.clone(),
                part,
            },
        ];
        self.undo.store.write(&self.undo.session, &changes).unwrap();
        self.messages.push((id, seq));
        self.undone.clear();
        self.truth.forget_undone();
        self.tell(format!("message {seq}"));
        for _ in 0..=self.random.below(4) {
            if self.random.one_in(2) {
                self.call_tool(seq);
            } else {
                self.run_command(seq);
            }
            if self.random.one_in(8) {
                self.change_outside();
            }
        }
    }

    fn call_tool(&mut self, seq: u64) {
        let path = self.any_path();
        let is_there = self.truth.files.contains_key(path);
        let mut transaction = Transaction::new(&self.undo.records, &self.undo.project)
            .logged(Some(self.log.clone() as Arc<dyn ChangeLog>));
        let by = (Author::Tool, seq);
        match self.random.below(4) {
            0 if is_there => {
                self.tell(format!("tool removes {path}"));
                transaction.remove(&self.path(path), ExpectedContent::Any);
                self.truth.change(by, path, None, None);
            }
            1 if is_there => {
                let to = self.any_path();
                if to == path {
                    return;
                }
                let text = self.text();
                self.tell(format!("tool moves {path} to {to}: {} bytes", text.len()));
                transaction.remove(&self.path(path), ExpectedContent::Any);
                transaction.replace(&self.path(to), text.clone().into_bytes(), ExpectedContent::Any);
                self.truth.change(by, path, None, None);
                self.truth.change(by, to, Some(text), Some(path));
            }
            _ => {
                let text = self.text();
                self.tell(format!("tool writes {path}: {} bytes", text.len()));
                transaction.replace(&self.path(path), text.clone().into_bytes(), ExpectedContent::Any);
                self.truth.change(by, path, Some(text), None);
            }
        }
        transaction.commit().unwrap();
    }

    fn run_command(&mut self, seq: u64) {
        // A change of the same tick is the command's for whoever looks at times.
        while FileMoment::now() <= self.outside {
            thread::yield_now();
        }
        self.truth.note_command(seq);
        let gate = |_: &Path| true;
        let project = self.undo.project.clone();
        let watch = CommandWatch::begin(&self.log, &project, &gate).unwrap();
        let mut files = self.truth.files.clone();
        for _ in 0..=self.random.below(2) {
            self.change_by_command(&mut files);
        }
        for path in PATHS {
            let after = files.get(path).cloned();
            self.truth.change((Author::Command, seq), path, after, None);
        }
        watch.end(&self.log, &project, &gate).unwrap();
    }

    /// Does one thing that a command may do to the project with these files.
    fn change_by_command(&mut self, files: &mut Files) {
        let path = self.any_path();
        match (self.random.below(4), files.get(path).cloned()) {
            (0, Some(_)) => {
                self.tell(format!("rm {path}"));
                self.put(path, None);
                files.remove(path);
            }
            (1, Some(text)) => {
                let to = self.any_path();
                self.tell(format!("mv {path} {to}"));
                fs::rename(self.path(path), self.path(to)).unwrap();
                files.remove(path);
                files.insert(to.to_owned(), text);
            }
            (2, Some(old)) => {
                let text = self.longer(&old);
                self.tell(format!("printf >> {path}: {} bytes", text.len()));
                self.put(path, Some(&text));
                files.insert(path.to_owned(), text);
            }
            _ => {
                let text = self.text();
                self.tell(format!("printf > {path}: {} bytes", text.len()));
                self.put(path, Some(&text));
                files.insert(path.to_owned(), text);
            }
        }
    }

    fn undo(&mut self) {
        let index = self.random.below(self.messages.len());
        let (id, seq) = self.messages[index].clone();
        let scope = match self.random.below(6) {
            0 => UndoScope::Files,
            1 => UndoScope::Conversation,
            _ => UndoScope::Both,
        };
        let skips_changed = self.random.one_in(2);
        let list = self.undo.list(Some(&id)).ok().unwrap();
        let refused: BTreeSet<String> = list.refused().map(|file| file.path.clone()).collect();
        self.tell(format!(
            "undo from {seq}: {scope:?}, skips {skips_changed}, refuses {refused:?}"
        ));
        let request = UndoRequest {
            to: Some(id),
            scope,
            skips_changed,
        };
        let done = self.undo.undo(&request);
        let now = self.files();
        if done.is_err() {
            self.check(now == self.truth.files, "nothing was undone, and files changed");
            let may_fail = !skips_changed || list.changing().next().is_none();
            self.check(may_fail, "what can be undone has to be");
            return self.truth.note_refused(seq, &refused);
        }
        if scope.has_files() {
            self.counts.undone += 1;
            self.counts.named += usize::from(!refused.is_empty());
            let objections = self.truth.undo(seq, &refused, &now);
            self.check(objections.is_empty(), &objections.join("\n"));
        } else {
            self.check(now == self.truth.files, "only the conversation was to be undone");
            self.truth.undo_nothing();
        }
        let end = if scope.has_conversation() {
            index
        } else {
            self.messages.len()
        };
        let out = self.messages.split_off(end);
        self.undone.push(out);
    }

    fn redo(&mut self) {
        let skips_changed = self.random.one_in(2);
        self.tell(format!("redo, skips {skips_changed}"));
        let done = self.undo.redo(skips_changed);
        let now = self.files();
        if done.is_err() {
            self.check(!skips_changed, "what can be redone has to be");
            return self.check(now == self.truth.files, "nothing was redone, and files changed");
        }
        self.counts.redone += 1;
        let objections = self.truth.redo(&now);
        self.check(objections.is_empty(), &objections.join("\n"));
        self.messages.extend(self.undone.pop().unwrap());
    }
}
