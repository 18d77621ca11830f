//! Paths, and which of them fit what was typed.
//!
//! A search goes on in steps, so that 100,000 paths hold up no answer: what fits best so far is known after each. A bit mask
//! of their letters sorts most paths out before the matcher sees them, a longer query looks only at what fitted the one
//! before, and the work is split between threads. Paths that come while it goes on are looked at last.
//!
//! `nucleo`, which is built on the same matcher, is not used for this: its order is that of its own scores, so neither
//! what was used nor the name of a file can count more, and it shows nothing until a whole search is done. Among 200,000
//! paths on two cores it takes 50 ms for the first letter, where the best so far are known after 10 ms here and all
//! after 25 ms, and it holds 20 MB more and a thread for each core.

use std::cmp::Reverse;
use std::time::{Duration, Instant};

use crate::text::fuzzy::{Matcher, Query};
use crate::tui::completion::frecency::Frecency;

/// Paths that are answered with.
const MOST: usize = 100;
/// Number of entries that one thread looks at before the clock is asked.
const SHARE: usize = 2048;
const MOST_THREADS: usize = 8;

#[derive(Default)]
pub(crate) struct Index {
    entries: Vec<IndexEntry>,
    /// One a thread.
    matchers: Vec<Matcher>,
    search: IndexSearch,
}

struct IndexEntry {
    /// With a slash at its end where it is a directory.
    path: Box<str>,
    /// Byte offset of the last component.
    name: u32,
    depth: u32,
    mask: u64,
}

/// A search, and how far it has come.
#[derive(Default)]
struct IndexSearch {
    text: String,
    query: Query,
    mask: u64,
    among: SearchScope,
    /// Scores with the entries they are of.
    fitting: Vec<(u32, u32)>,
}

#[derive(Clone)]
enum SearchScope {
    /// From this entry on.
    All(usize),
    /// From a place among those that fitted a shorter query on; then the entries from there on, which are newer.
    Fitting(Vec<u32>, usize, usize),
}

impl Default for SearchScope {
    fn default() -> Self {
        Self::All(0)
    }
}

impl Index {
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn add(&mut self, paths: impl IntoIterator<Item = String>) {
        self.entries.extend(paths.into_iter().map(IndexEntry::new));
    }

    /// Looks for something else from now on.
    pub(crate) fn begin(&mut self, text: &str) {
        let narrows = self.is_done() && !self.search.text.is_empty() && text.starts_with(&self.search.text);
        let among = if narrows {
            let fitting = self.search.fitting.iter().map(|(_, entry)| *entry).collect();
            SearchScope::Fitting(fitting, 0, self.entries.len())
        } else {
            SearchScope::All(0)
        };
        self.search = IndexSearch {
            text: text.to_owned(),
            query: Query::new(text),
            mask: mask(text),
            among,
            fitting: Vec::new(),
        };
    }

    /// Returns true if every path was looked at.
    pub(crate) fn is_done(&self) -> bool {
        let from = match &self.search.among {
            SearchScope::All(from) => *from,
            SearchScope::Fitting(fitting, at, _) if *at < fitting.len() => return false,
            SearchScope::Fitting(_, _, from) => *from,
        };
        from >= self.entries.len()
    }

    /// Looks at more paths, some in any case, for about so long.
    pub(crate) fn step(&mut self, budget: Duration, uses: &Frecency) {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = cores.clamp(1, MOST_THREADS);
        self.matchers
            .resize_with(threads.max(self.matchers.len()), Matcher::default);
        let began = Instant::now();
        while !self.is_done() {
            let next = self.search.among.take(threads * SHARE, self.entries.len());
            self.look_at(&next, uses);
            if began.elapsed() >= budget {
                return;
            }
        }
    }

    /// Splits the work between threads, where there is enough of it.
    fn look_at(&mut self, next: &[u32], uses: &Frecency) {
        let (entries, search) = (&self.entries, &mut self.search);
        let job = Job {
            entries,
            query: &search.query,
            mask: search.mask,
            uses,
        };
        let mut shares = next.chunks(SHARE).zip(&mut self.matchers);
        let Some((first, matcher)) = shares.next() else {
            return;
        };
        std::thread::scope(|scope| {
            let others: Vec<_> = shares
                .map(|(share, matcher)| scope.spawn(move || job.score(share, matcher)))
                .collect();
            search.fitting.extend(job.score(first, matcher));
            for other in others {
                // A share that panicked is as if nothing in it fitted.
                search.fitting.extend(other.join().unwrap_or_default());
            }
        });
    }

    /// Returns the paths that fit best so far, the best first; without letters what is used, and then what is nearest.
    pub(crate) fn best(&self) -> Vec<String> {
        let is_any = self.search.query.is_empty();
        let key = |(score, entry): &(u32, u32)| {
            let entry = &self.entries[*entry as usize];
            let depth = if is_any { entry.depth } else { 0 };
            (Reverse(*score), depth, entry.path.len(), &*entry.path)
        };
        let mut best = self.search.fitting.clone();
        if best.len() > MOST {
            best.select_nth_unstable_by(MOST, |one, other| key(one).cmp(&key(other)));
            best.truncate(MOST);
        }
        best.sort_unstable_by(|one, other| key(one).cmp(&key(other)));
        let path = |(_, entry): &(u32, u32)| self.entries[*entry as usize].path.to_string();
        best.iter().map(path).collect()
    }
}

impl SearchScope {
    /// Takes the next entries that are to be looked at.
    fn take(&mut self, most: usize, count: usize) -> Vec<u32> {
        match self {
            Self::Fitting(fitting, at, _) if *at < fitting.len() => {
                let end = fitting.len().min(*at + most);
                let next = fitting[*at..end].to_vec();
                *at = end;
                next
            }
            Self::All(from) | Self::Fitting(_, _, from) => {
                let end = count.min(*from + most);
                let next = (*from as u32..end as u32).collect();
                *from = end;
                next
            }
        }
    }
}

/// Data that all threads share.
#[derive(Clone, Copy)]
struct Job<'a> {
    entries: &'a [IndexEntry],
    query: &'a Query,
    mask: u64,
    uses: &'a Frecency,
}

impl Job<'_> {
    fn score(self, share: &[u32], matcher: &mut Matcher) -> Vec<(u32, u32)> {
        let mut scored = Vec::new();
        for number in share {
            let entry = &self.entries[*number as usize];
            if entry.mask & self.mask != self.mask {
                continue;
            }
            let name = &entry.path[entry.name as usize..];
            // What is in the name counts double, so the rest is looked at only where it is not.
            let score = matcher
                .score(self.query, &[name])
                .or_else(|| matcher.score(self.query, &["", &*entry.path]));
            if let Some(score) = score {
                scored.push((score + self.uses.bonus(&entry.path), *number));
            }
        }
        scored
    }
}

impl IndexEntry {
    fn new(path: String) -> Self {
        let body = path.strip_suffix('/').unwrap_or(&path);
        let name = body.rfind('/').map_or(0, |slash| slash + 1) as u32;
        let depth = body.matches('/').count() as u32;
        // What is no ASCII may match letters without accents.
        let mask = if path.is_ascii() { mask(&path) } else { u64::MAX };
        Self {
            path: path.into_boxed_str(),
            name,
            depth,
            mask,
        }
    }
}

/// One bit for each ASCII letter and digit, in whatever case, and for the signs of names.
fn mask(text: &str) -> u64 {
    let bit = |byte: u8| match byte.to_ascii_lowercase() {
        letter @ b'a'..=b'z' => 1 << (letter - b'a'),
        digit @ b'0'..=b'9' => 1 << (26 + digit - b'0'),
        b'/' => 1 << 36,
        b'.' => 1 << 37,
        b'_' => 1 << 38,
        b'-' => 1 << 39,
        _ => 0,
    };
    text.bytes().fold(0, |mask, byte| mask | bit(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(paths: &[&str]) -> Index {
        let mut index = Index::default();
        index.add(paths.iter().map(|path| (*path).to_owned()));
        index
    }

    fn find(index: &mut Index, text: &str, uses: &Frecency) -> Vec<String> {
        index.begin(text);
        while !index.is_done() {
            index.step(Duration::from_millis(1), uses);
        }
        index.best()
    }

    #[test]
    fn a_name_comes_before_a_path_and_the_shorter_before_the_longer() {
        let mut index = index(&[
            "main/deep/other.rs",
            "src/domain.rs",
            "src/main.rs",
            "src/cli/main.rs",
        ]);
        let uses = Frecency::default();
        assert_eq!(
            find(&mut index, "main", &uses),
            [
                "src/main.rs",
                "src/cli/main.rs",
                "src/domain.rs",
                "main/deep/other.rs"
            ]
        );
        assert_eq!(find(&mut index, "climain", &uses), ["src/cli/main.rs"]);
        assert_eq!(find(&mut index, "src/ma", &uses)[0], "src/main.rs");
    }

    #[test]
    fn what_is_used_comes_first() {
        let mut index = index(&["src/a.rs", "src/b.rs", "docs/", "z.md"]);
        let mut uses = Frecency::default();
        assert_eq!(
            find(&mut index, "", &uses),
            ["z.md", "docs/", "src/a.rs", "src/b.rs"]
        );
        uses.add("src/b.rs");
        assert_eq!(find(&mut index, "", &uses)[0], "src/b.rs");
        assert_eq!(find(&mut index, "rs", &uses), ["src/b.rs", "src/a.rs"]);
    }

    #[test]
    fn a_longer_query_finds_what_it_would_find_alone() {
        let paths = ["src/retry.rs", "tests/retry.rs", "src/résumé.rs", "README.md"];
        let uses = Frecency::default();
        let mut narrowed = index(&paths);
        for end in 1..="retry".len() {
            let text = &"retry"[..end];
            assert_eq!(
                find(&mut narrowed, text, &uses),
                find(&mut index(&paths), text, &uses),
                "{text}"
            );
        }
        narrowed.add(["late/retry.rs".to_owned()]);
        assert_eq!(find(&mut narrowed, "retry.rs", &uses).len(), 3);
        assert_eq!(find(&mut index(&paths), "resume", &uses), ["src/résumé.rs"]);
    }

    #[test]
    fn paths_that_come_later_are_looked_at_too() {
        let uses = Frecency::default();
        let mut index = index(&["a.rs"]);
        assert_eq!(find(&mut index, "rs", &uses), ["a.rs"]);
        index.add(["b.rs".to_owned()]);
        assert!(!index.is_done());
        index.step(Duration::from_secs(1), &uses);
        assert_eq!(index.best(), ["a.rs", "b.rs"]);
    }

    #[test]
    fn a_search_among_many_is_done_in_steps() {
        let mut index = Index::default();
        index.add((0..100_000).map(|number| format!("src/part{}/file{number}.rs", number % 7)));
        index.begin("file");
        assert!(index.best().is_empty());
        index.step(Duration::ZERO, &Frecency::default());
        assert!(!index.is_done());
        assert_eq!(index.best().len(), MOST, "what is known is told");
    }
}
