//! The search itself: which files, and what is kept of each.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use grep_matcher::{LineTerminator, Matcher};
use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkMatch};

use super::first_matches::{FileMatches, FirstByPath};
use super::line::{self, Line, LineKind, ShownLine, first_matches};
use super::{OutputMode, Plan, SearchTarget};
use crate::permission::ReadGate;
use crate::regular_file::{FileGate, OpenDirectory, ReadError, RegularFile};
use crate::text::encoding::{Encoding, Utf8Check};
use crate::tool::walk::{SearchLimit, SearchTree, ThreadedResults, VisitedFile as Entry, WalkEnd};

const MATCHES_PER_FILE: usize = 500;
const MAX_FILE_BYTES: u64 = 10 * 1024 * 1024;
/// Bytes of a file that tell UTF-16 from a binary file.
const BEGINNING: u64 = 4096;
/// Maximum bytes that a search holds of one file: a line, or with `multiline` all of it. A file that the call names has
/// any size.
const MAX_HELD_BYTES: usize = 64 * 1024 * 1024;
/// Lines of one file behind which those that only go on with a match are not kept: nobody is shown as many.
const MAX_LINES: usize = 20_000;

pub(super) struct GrepFindings {
    /// By path.
    pub(super) files: Vec<FileMatches>,
    pub(super) end: WalkEnd,
    /// Files that may not be read, by a rule or by their mode.
    pub(super) unreadable: usize,
    /// Files that were named and are binary.
    pub(super) binary: Vec<String>,
    /// Files that were named and were not searched to their end, because that takes too much memory.
    pub(super) too_large: Vec<String>,
    /// There are more matches than are counted in all.
    pub(super) counting_stopped: bool,
    /// Counting stopped before the end, for whatever reason.
    pub(super) stopped: bool,
}

pub(super) fn search(plan: &Plan, limit: &SearchLimit, readable: &ReadGate) -> GrepFindings {
    let search = GrepSearch {
        plan,
        limit,
        readable,
        first: FirstByPath::default(),
        unreadable: ThreadedResults::new(),
        failed: ThreadedResults::new(),
    };
    let mut end = WalkEnd::default();
    let (mut binary, mut too_large) = (Vec::new(), Vec::new());
    for target in &plan.targets {
        match target {
            SearchTarget::File(path) => {
                let Some(_thread) = limit.threads(1) else {
                    break;
                };
                let candidate = Candidate {
                    path: &path.real,
                    display: path.display.clone(),
                    is_linked: path.real != path.absolute,
                    is_named: true,
                };
                match search.file(&mut searcher(plan), &mut Opener::default(), candidate) {
                    FileOutcome::Searched => {}
                    FileOutcome::Binary => binary.push(path.display.clone()),
                    FileOutcome::TooLarge => too_large.push(path.display.clone()),
                }
            }
            SearchTarget::Directory(base, globs) => {
                let tree = SearchTree {
                    root: &base.real,
                    globs,
                    limit,
                    gate: readable,
                };
                let walked = tree.files(|| {
                    let mut searcher = searcher(plan);
                    let mut opener = Opener::default();
                    let search = &search;
                    move |entry: &Entry<'_>| {
                        let candidate = Candidate {
                            path: entry.entry.path(),
                            display: base.name(entry.relative),
                            is_linked: base.is_linked,
                            is_named: false,
                        };
                        search.file(&mut searcher, &mut opener, candidate);
                    }
                });
                end.add(walked);
            }
        }
    }
    end.stopped |= limit.is_over();
    let (files, last) = search.first.into_files(plan.after);
    // Those behind the last file are known by chance.
    let counts = |display: &String| last.as_ref().is_none_or(|last| display <= last);
    let count =
        |files: ThreadedResults<String>| files.into_vec().iter().filter(|display| counts(display)).count();
    end.unreadable += count(search.failed);
    let has_more = files.iter().any(|file| file.has_more);
    GrepFindings {
        files,
        unreadable: count(search.unreadable),
        stopped: has_more || end.stopped || last.is_some() || !too_large.is_empty(),
        binary,
        too_large,
        counting_stopped: last.is_some(),
        end,
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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileOutcome {
    Searched,
    Binary,
    /// It was not searched to its end.
    TooLarge,
}

struct GrepSearch<'a> {
    plan: &'a Plan,
    limit: &'a SearchLimit,
    readable: &'a ReadGate,
    first: FirstByPath,
    /// Files that may not be read, as they are shown.
    unreadable: ThreadedResults<String>,
    /// Files that could not be read to their end.
    failed: ThreadedResults<String>,
}

impl GrepSearch<'_> {
    fn file(&self, searcher: &mut Searcher, opener: &mut Opener, candidate: Candidate<'_>) -> FileOutcome {
        if !self.first.counts(&candidate.display) {
            return FileOutcome::Searched;
        }
        let file = match self.open(opener, &candidate) {
            Ok(file) => file,
            Err(error) => {
                let is_denied = |error: &io::Error| error.kind() == io::ErrorKind::PermissionDenied;
                if matches!(&error, ReadError::Withheld { .. } | ReadError::Redirected)
                    || matches!(&error, ReadError::Io(error) if is_denied(error))
                {
                    self.unreadable.thread_results().push(candidate.display);
                }
                return FileOutcome::Searched;
            }
        };
        if !candidate.is_named && file.metadata().len() > MAX_FILE_BYTES {
            return FileOutcome::Searched;
        }
        let modified = file.metadata().modified().unwrap_or(UNIX_EPOCH);
        let mut sink = Collect::new(self.plan);
        let ended = self.search(searcher, &file.into_file(), &mut sink);
        // The searcher's own errors are about memory; all others are of the operating system.
        let is_too_large = matches!(&ended, Err(error) if error.raw_os_error().is_none());
        if let Err(error) = ended {
            tracing::debug!(path = %candidate.path.display(), %error, "a file could not be searched");
            if !(is_too_large && candidate.is_named) {
                self.failed.thread_results().push(candidate.display.clone());
            }
        }
        if sink.is_binary {
            return FileOutcome::Binary;
        }
        if sink.count > 0 {
            let matches = FileMatches {
                display: candidate.display,
                modified,
                count: sink.count,
                has_more: sink.has_more,
                lines: sink.into_lines(),
            };
            self.first.add(candidate.path, matches);
        }
        if is_too_large {
            return FileOutcome::TooLarge;
        }
        FileOutcome::Searched
    }

    /// Searches an open file. One that turns out to be in another encoding than UTF-8 is searched again, decoded.
    fn search<'p>(
        &'p self,
        searcher: &mut Searcher,
        file: &File,
        sink: &mut Collect<'p>,
    ) -> Result<(), io::Error> {
        let mut reader = Stoppable {
            file,
            limit: self.limit,
            reads: 0,
            utf8: Utf8Check::default(),
        };
        searcher.search_reader(&self.plan.matcher, &mut reader, &mut *sink)?;
        let is_decoded = if sink.is_binary {
            begins_with_utf16(file)?
        } else {
            !reader.utf8.is_valid()
        };
        if !is_decoded || self.limit.is_over() {
            return Ok(());
        }
        let Some(text) = text_in_other_encoding(file)? else {
            return Ok(());
        };
        *sink = Collect::new(self.plan);
        searcher.search_slice(&self.plan.matcher, text.as_bytes(), sink)
    }

    /// Opens a file that may be read by the name under which it is shown and by the path that it really has.
    fn open(&self, opener: &mut Opener, candidate: &Candidate<'_>) -> Result<RegularFile, ReadError> {
        let path = candidate.path;
        let withheld = |real: &Path| ReadError::Withheld {
            real: real.to_owned(),
        };
        if !self.readable.allows(&candidate.display, path) {
            return Err(withheld(path));
        }
        let file = if candidate.is_named {
            RegularFile::open_real(path)
        } else {
            opener.open(path)
        };
        if candidate.is_linked && !self.readable.lets_read(path) {
            return Err(withheld(path));
        }
        file
    }
}

/// Opens the files that a walk meets, through the directory of the last one: a walk meets those of one directory together.
#[derive(Default)]
struct Opener {
    last: Option<(PathBuf, OpenDirectory)>,
}

impl Opener {
    fn open(&mut self, path: &Path) -> Result<RegularFile, ReadError> {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(ReadError::NotRegular);
        };
        if let Some((known, directory)) = &self.last
            && known.as_os_str() == parent.as_os_str()
        {
            return directory.file(name);
        }
        let (_, directory) = self
            .last
            .insert((parent.to_owned(), OpenDirectory::open_real(parent)?));
        directory.file(name)
    }
}

/// Decodes a file of at most [`MAX_FILE_BYTES`]; `None` where its encoding is UTF-8 after all.
fn text_in_other_encoding(mut file: &File) -> io::Result<Option<String>> {
    file.rewind()?;
    let mut bytes = Vec::new();
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
    let encoding = Encoding::of(&bytes);
    if bytes.len() as u64 > MAX_FILE_BYTES || encoding == Encoding::Utf8 {
        return Ok(None);
    }
    let text = bytes.strip_prefix(encoding.mark()).unwrap_or(&bytes);
    Ok(Some(encoding.decode(text).text))
}

/// Returns true for a file in UTF-16, with or without a byte order mark.
fn begins_with_utf16(mut file: &File) -> io::Result<bool> {
    file.rewind()?;
    let mut bytes = Vec::new();
    file.take(BEGINNING).read_to_end(&mut bytes)?;
    let even = bytes.len() & !1;
    Ok(Encoding::utf16_of(&bytes[..even]).is_some())
}

/// A file that ends early when the time is over, so that one large file cannot outlast it. Notes whether it is UTF-8.
struct Stoppable<'a> {
    file: &'a File,
    limit: &'a SearchLimit,
    reads: usize,
    utf8: Utf8Check,
}

impl Read for Stoppable<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // Most files are read at once and found to end there; the walk looks at the time between them.
        self.reads += 1;
        if self.reads > 2 && self.limit.is_over() {
            return Ok(0);
        }
        let read = self.file.read(buffer)?;
        self.utf8.push(&buffer[..read]);
        Ok(read)
    }
}

fn searcher(plan: &Plan) -> Searcher {
    let terminator = plan.matcher.line_terminator();
    SearcherBuilder::new()
        .binary_detection(BinaryDetection::quit(0))
        .line_terminator(terminator.unwrap_or(LineTerminator::byte(b'\n')))
        .line_number(true)
        .multi_line(plan.multiline)
        .heap_limit(Some(MAX_HELD_BYTES))
        .before_context(plan.before)
        .after_context(plan.after)
        .build()
}

struct Collect<'a> {
    matcher: &'a RegexMatcher,
    /// Lines kept after a match.
    after: usize,
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
            after: plan.after,
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
            let kept = first_matches(&self.lines, MATCHES_PER_FILE, self.after).len();
            self.lines.truncate(kept);
        }
        self.lines
    }

    /// Keeps a line with the first match that begins on it, or of another kind.
    fn push(&mut self, number: u64, bytes: &[u8], found: Option<Range<usize>>, other: LineKind) {
        let is_match = found.is_some();
        let ShownLine { text, column, span } = line::show(bytes, found.unwrap_or(0..0));
        let kind = if is_match {
            LineKind::Match { column, span }
        } else {
            other
        };
        self.lines.push(Line {
            number,
            text,
            kind,
            gap: std::mem::take(&mut self.gap),
        });
    }

    /// Returns the matches in order; at least one.
    fn found(&self, bytes: &[u8]) -> Vec<Range<usize>> {
        let mut all = Vec::new();
        if self.multiline {
            // The closure never fails, and the matcher has none to report.
            let _ = self.matcher.find_iter(bytes, |found| {
                all.push(found.start()..found.end());
                all.len() <= MATCHES_PER_FILE
            });
        } else if let Ok(Some(found)) = self.matcher.find(bytes) {
            all.push(found.start()..found.end());
        }
        if all.is_empty() {
            all.push(0..0);
        }
        all
    }
}

impl Sink for Collect<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, Self::Error> {
        let mut matches = self.found(found.bytes()).into_iter().peekable();
        let mut offset = 0;
        for (index, bytes) in found.lines().enumerate() {
            let end = offset + bytes.len().max(1);
            let first = matches.next_if(|found| found.start < end);
            while matches.next_if(|found| found.start < end).is_some() {}
            if first.is_some() {
                if self.count == MATCHES_PER_FILE {
                    self.has_more = true;
                    return Ok(false);
                }
                self.count += 1;
            }
            let number = found.line_number().unwrap_or(0) + index as u64;
            if first.is_none() && self.lines.len() >= MAX_LINES {
                self.gap = true;
                offset += bytes.len();
                continue;
            }
            let first = first.map(|found| found.start - offset..found.end - offset);
            self.push(number, bytes, first, LineKind::Continued);
            offset += bytes.len();
        }
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> Result<bool, Self::Error> {
        if self.mode == OutputMode::Content {
            let number = context.line_number().unwrap_or(0);
            self.push(number, context.bytes(), None, LineKind::Context);
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
