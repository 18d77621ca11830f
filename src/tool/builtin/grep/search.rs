//! The search itself: which files, and what is kept of each.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use grep_matcher::{LineTerminator, Matcher};
use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkMatch};

use super::line::{self, Line, LineKind, first_matches};
use super::{OutputMode, Plan, Target};
use crate::files::Roots;
use crate::permission::ReadGate;
use crate::tool::walk::{Found as Entry, Harvest, Limit, Tree, WalkEnd};

const MATCHES_PER_FILE: usize = 500;
const MAX_FILE_BYTES: u64 = 10 * 1024 * 1024;
/// Lines kept in memory. Where they are shown, the search stops here; where files are, it goes on without them.
const MAX_KEPT: usize = 50_000;

/// What was found in one file.
pub(super) struct FileMatches {
    pub(super) display: String,
    pub(super) modified: SystemTime,
    pub(super) count: usize,
    pub(super) lines: Vec<Line>,
    /// It has more than were counted.
    pub(super) has_more: bool,
}

pub(super) struct Found {
    /// By path.
    pub(super) files: Vec<FileMatches>,
    pub(super) end: WalkEnd,
    /// Files that may not be read, by a rule or by their mode.
    pub(super) unreadable: usize,
    /// Files that were named and are binary.
    pub(super) binary: Vec<String>,
    /// Counting stopped before the end.
    pub(super) stopped: bool,
}

pub(super) fn search(plan: &Plan, limit: &Limit, roots: &Roots, readable: &ReadGate) -> Found {
    let search = Search {
        plan,
        limit,
        roots,
        readable,
        unreadable: AtomicUsize::new(0),
        failed: AtomicUsize::new(0),
        kept: AtomicUsize::new(0),
    };
    let harvest = Harvest::new();
    let mut end = WalkEnd::default();
    let mut binary = Vec::new();
    for target in &plan.targets {
        match target {
            Target::File(path) => {
                let Some(_thread) = limit.threads(1) else {
                    break;
                };
                let candidate = Candidate {
                    path: &path.real,
                    display: path.display.clone(),
                    is_linked: path.real != path.absolute,
                    is_named: true,
                };
                match search.file(&mut searcher(plan), candidate) {
                    Outcome::Matches(matches) => harvest.sheaf().push(matches),
                    Outcome::Binary => binary.push(path.display.clone()),
                    Outcome::Nothing => {}
                }
            }
            Target::Directory(base) => {
                let tree = Tree {
                    root: &base.real,
                    globs: &plan.globs,
                    limit,
                    gate: readable,
                };
                let walked = tree.files(|| {
                    let mut sheaf = harvest.sheaf();
                    let mut searcher = searcher(plan);
                    let search = &search;
                    move |entry: &Entry<'_>| {
                        let candidate = Candidate {
                            path: entry.entry.path(),
                            display: base.name(entry.relative),
                            is_linked: base.is_linked,
                            is_named: false,
                        };
                        if let Outcome::Matches(matches) = search.file(&mut searcher, candidate) {
                            sheaf.push(matches);
                        }
                    }
                });
                end.add(walked);
            }
        }
    }
    end.stopped |= limit.is_over();
    end.unreadable += search.failed.into_inner();
    let mut files = harvest.into_vec();
    files.sort_by(|a, b| a.display.cmp(&b.display));
    files.dedup_by(|a, b| a.display == b.display);
    let is_full = search.kept.into_inner() >= MAX_KEPT;
    let has_more = files.iter().any(|file| file.has_more);
    let stopped = has_more || end.stopped || (is_full && plan.mode == OutputMode::Content);
    Found {
        files,
        end,
        unreadable: search.unreadable.into_inner(),
        binary,
        stopped,
    }
}

/// A file that may be searched.
struct Candidate<'a> {
    path: &'a Path,
    display: String,
    /// It is shown under a name that leads through a link.
    is_linked: bool,
    /// By the call itself: searched whatever its size.
    is_named: bool,
}

enum Outcome {
    Matches(FileMatches),
    Binary,
    Nothing,
}

struct Search<'a> {
    plan: &'a Plan,
    limit: &'a Limit,
    roots: &'a Roots,
    readable: &'a ReadGate,
    unreadable: AtomicUsize,
    failed: AtomicUsize,
    kept: AtomicUsize,
}

impl Search<'_> {
    fn file(&self, searcher: &mut Searcher, candidate: Candidate<'_>) -> Outcome {
        let is_full = self.kept.load(Ordering::Relaxed) >= MAX_KEPT;
        if is_full && self.plan.mode == OutputMode::Content {
            return Outcome::Nothing;
        }
        if !self.may_read(&candidate) {
            self.unreadable.fetch_add(1, Ordering::Relaxed);
            return Outcome::Nothing;
        }
        let file = match File::open(candidate.path) {
            Ok(file) => file,
            Err(error) => {
                if error.kind() == io::ErrorKind::PermissionDenied {
                    self.unreadable.fetch_add(1, Ordering::Relaxed);
                }
                return Outcome::Nothing;
            }
        };
        let Ok(meta) = file.metadata() else {
            return Outcome::Nothing;
        };
        if !candidate.is_named && meta.len() > MAX_FILE_BYTES {
            return Outcome::Nothing;
        }
        let mut sink = Collect::new(self.plan);
        let reader = Stoppable {
            file,
            limit: self.limit,
            reads: 0,
        };
        let ended = searcher.search_reader(&self.plan.matcher, reader, &mut sink);
        if let Err(error) = ended {
            tracing::debug!(path = %candidate.path.display(), %error, "a file could not be searched");
            self.failed.fetch_add(1, Ordering::Relaxed);
        }
        if sink.is_binary {
            return Outcome::Binary;
        }
        if sink.count == 0 {
            return Outcome::Nothing;
        }
        if is_full {
            sink.lines.clear();
        }
        self.kept.fetch_add(sink.lines.len(), Ordering::Relaxed);
        Outcome::Matches(FileMatches {
            display: candidate.display,
            modified: meta.modified().unwrap_or(UNIX_EPOCH),
            count: sink.count,
            has_more: sink.has_more,
            lines: sink.into_lines(),
        })
    }

    /// Judged by the name under which it is shown, and by its own when a link led there.
    fn may_read(&self, candidate: &Candidate<'_>) -> bool {
        let path = candidate.path;
        self.readable.allows(&candidate.display, path)
            && (!candidate.is_linked || self.readable.allows(&self.roots.display(path), path))
    }
}

/// A file that ends early when the time is over, so that one large file cannot outlast it.
struct Stoppable<'a> {
    file: File,
    limit: &'a Limit,
    reads: usize,
}

impl Read for Stoppable<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // Most files are read at once and found to end there; the walk looks at the time between them.
        self.reads += 1;
        if self.reads > 2 && self.limit.is_over() {
            return Ok(0);
        }
        self.file.read(buffer)
    }
}

fn searcher(plan: &Plan) -> Searcher {
    let terminator = plan.matcher.line_terminator();
    SearcherBuilder::new()
        .binary_detection(BinaryDetection::quit(0))
        .line_terminator(terminator.unwrap_or(LineTerminator::byte(b'\n')))
        .line_number(true)
        .multi_line(plan.multiline)
        .before_context(plan.context)
        .after_context(plan.context)
        .build()
}

struct Collect<'a> {
    matcher: &'a RegexMatcher,
    context: usize,
    /// Only the lines that go into the details are needed.
    mode: OutputMode,
    multiline: bool,
    count: usize,
    has_more: bool,
    lines: Vec<Line>,
    gap: bool,
    is_binary: bool,
}

impl<'a> Collect<'a> {
    fn new(plan: &'a Plan) -> Self {
        Self {
            matcher: &plan.matcher,
            context: plan.context,
            mode: plan.mode,
            multiline: plan.multiline,
            count: 0,
            has_more: false,
            lines: Vec::new(),
            gap: false,
            is_binary: false,
        }
    }

    fn into_lines(mut self) -> Vec<Line> {
        if self.has_more {
            let kept = first_matches(&self.lines, MATCHES_PER_FILE, self.context).len();
            self.lines.truncate(kept);
        }
        self.lines
    }

    fn push(&mut self, number: u64, bytes: &[u8], at: usize, is_match: bool, kind: LineKind) {
        let (text, column) = line::show(bytes, at);
        let kind = if is_match {
            LineKind::Match { column }
        } else {
            kind
        };
        self.lines.push(Line {
            number,
            text,
            kind,
            gap: std::mem::take(&mut self.gap),
        });
    }

    /// Returns where matches begin, in order; at least one.
    fn starts(&self, bytes: &[u8]) -> Vec<usize> {
        let mut starts = Vec::new();
        if self.multiline {
            // The closure never fails, and the matcher has none to report.
            let _ = self.matcher.find_iter(bytes, |found| {
                starts.push(found.start());
                starts.len() <= MATCHES_PER_FILE
            });
        } else if let Ok(Some(found)) = self.matcher.find(bytes) {
            starts.push(found.start());
        }
        if starts.is_empty() {
            starts.push(0);
        }
        starts
    }
}

impl Sink for Collect<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, Self::Error> {
        let starts = self.starts(found.bytes());
        let mut starts = starts.into_iter().peekable();
        let mut offset = 0;
        for (index, bytes) in found.lines().enumerate() {
            let end = offset + bytes.len().max(1);
            let start = starts.next_if(|start| *start < end);
            while starts.next_if(|start| *start < end).is_some() {}
            if start.is_some() {
                if self.count == MATCHES_PER_FILE {
                    self.has_more = true;
                    return Ok(false);
                }
                self.count += 1;
            }
            let number = found.line_number().unwrap_or(0) + index as u64;
            let at = start.map_or(0, |start| start - offset);
            self.push(number, bytes, at, start.is_some(), LineKind::Continued);
            offset += bytes.len();
        }
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> Result<bool, Self::Error> {
        if self.mode == OutputMode::Content {
            let number = context.line_number().unwrap_or(0);
            self.push(number, context.bytes(), 0, false, LineKind::Context);
        }
        Ok(true)
    }

    fn context_break(&mut self, _: &Searcher) -> Result<bool, Self::Error> {
        self.gap = true;
        Ok(true)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> Result<bool, Self::Error> {
        self.is_binary = true;
        Ok(false)
    }
}
