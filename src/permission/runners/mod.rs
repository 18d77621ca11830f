//! Programs that run what their words say: interpreters, shells, wrappers, editors, pagers, package runners, containers.
//!
//! An answer "always" for such a program alone would be one for everything. The table says after which words nothing more
//! can be run than those words name; everything else is only stored as the exact text. Wrappers, which run the command in
//! their words, are listed in `wrappers` alone; they too are only stored as the exact text.

mod options;
mod stored_prefix;
mod table;

pub(super) use stored_prefix::covers;
use table::RequiredWords::{Command, Known, Nothing, Word};
use table::{RUNNERS, RequiredWords};

use super::wrappers::{is_wrapper, wrappers};

/// Options of package runners that change nothing about what runs.
const PASSED_OVER: &[&str] = &["-y", "--yes", "--no-install", "--"];

/// Degree to which a command's first words say what runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RunnerExtent {
    /// Its program is not in the table.
    Ordinary,
    /// So many words say it.
    Words(usize),
    /// So many words say it, and the last is the file of a script.
    Script(usize),
    /// Only all of them do.
    All,
}

/// Looks up the words of a command, or those before the open end of a pattern.
pub(super) fn extent(words: &[&str]) -> RunnerExtent {
    let Some((length, after)) = runner(words) else {
        return RunnerExtent::Ordinary;
    };
    let rest = &words[length..];
    match after {
        Nothing => RunnerExtent::All,
        Word => match rest.first() {
            Some(word) if !word.starts_with('-') && !word.contains('=') => RunnerExtent::Words(length + 1),
            _ => RunnerExtent::All,
        },
        Known(beginnings, endings) => {
            let begins = |beginning: &&&str| {
                let wanted: Vec<&str> = beginning.split(' ').collect();
                rest.starts_with(&wanted)
            };
            // The longest counts: `compose ps` and not `compose`.
            if let Some(found) = beginnings.iter().filter(begins).max_by_key(|found| found.len()) {
                return RunnerExtent::Words(length + found.split(' ').count());
            }
            let is_script = |word: &&&str| {
                !word.starts_with('-')
                    && !word.contains("://")
                    && endings
                        .iter()
                        .any(|ending| word.len() > ending.len() && word.ends_with(ending))
            };
            match rest.first().filter(is_script) {
                Some(_) => RunnerExtent::Script(length + 1),
                None => RunnerExtent::All,
            }
        }
        Command => {
            let skipped = rest.iter().take_while(|word| PASSED_OVER.contains(word)).count();
            match rest.get(skipped) {
                Some(word) if !word.starts_with('-') && !word.contains('=') => match extent(&rest[skipped..])
                {
                    RunnerExtent::Ordinary => RunnerExtent::Words(length + skipped + 1),
                    RunnerExtent::Words(count) => RunnerExtent::Words(length + skipped + count),
                    RunnerExtent::Script(count) => RunnerExtent::Script(length + skipped + count),
                    RunnerExtent::All => RunnerExtent::All,
                },
                _ => RunnerExtent::All,
            }
        }
    }
}

/// The word at which the program stands that a package runner would run; 0 where the first word is no such runner.
fn inner_start(words: &[&str]) -> usize {
    let Some((length, Command)) = runner(words) else {
        return 0;
    };
    let skipped = words[length..]
        .iter()
        .take_while(|word| PASSED_OVER.contains(word))
        .count();
    let start = length + skipped;
    start
        + words
            .get(start..)
            .map_or(0, |rest| if rest.is_empty() { 0 } else { inner_start(rest) })
}

/// Returns true if words are the beginning of a longer entry, so that an open end would reach it: `uv *` reaches `uv run`.
pub(super) fn reaches_a_runner(words: &[&str]) -> bool {
    let Some((program, rest)) = words.split_first() else {
        return true;
    };
    let program = plain_name(program);
    let mut names = RUNNERS.iter().flat_map(|(names, _)| *names);
    names.any(|name| {
        let mut parts = name.split(' ');
        let is_same = parts.next() == Some(program) && rest.iter().all(|word| parts.next() == Some(word));
        is_same && parts.next().is_some()
    })
}

/// Returns the wrappers, and the first words of every entry that is one word long.
pub(super) fn programs() -> impl Iterator<Item = &'static str> {
    let names = RUNNERS.iter().flat_map(|(names, _)| *names);
    wrappers().chain(names.copied().filter(|name| !name.contains(' ')))
}

/// The longest entry of a table that words begin with, and how many words it has. `program` is the plain name of the first.
fn longest<'t, T: Copy + 't>(
    table: impl IntoIterator<Item = &'t (&'t [&'t str], T)>,
    program: &str,
    rest: &[&str],
) -> Option<(usize, T)> {
    let mut best: Option<(usize, T)> = None;
    for (names, entry) in table {
        for name in *names {
            let mut parts = name.split(' ');
            if parts.next() != Some(program) {
                continue;
            }
            let parts: Vec<&str> = parts.collect();
            if rest.starts_with(&parts) && best.is_none_or(|(length, _)| parts.len() + 1 > length) {
                best = Some((parts.len() + 1, *entry));
            }
        }
    }
    best
}

/// The longest entry that words begin with.
fn runner(words: &[&str]) -> Option<(usize, RequiredWords)> {
    let (program, rest) = words.split_first()?;
    let program = plain_name(program);
    if program == "cargo" && rest.first().is_some_and(|word| word.starts_with('+')) {
        // A toolchain stands before the subcommand.
        return Some((1, Nothing));
    }
    let wrapper = is_wrapper(program).then_some((1, Nothing));
    // A wrapper is no more than its name, which an entry of one word does not replace.
    longest(RUNNERS, program, rest)
        .filter(|(length, _)| wrapper.is_none() || *length > 1)
        .or(wrapper)
}

/// `/usr/bin/python3.11` is `python`.
fn plain_name(program: &str) -> &str {
    let name = program.rsplit('/').next().unwrap_or(program);
    if matches!(name, "sqlite3" | "proxychains4" | "linux32" | "linux64" | "m4") {
        return name;
    }
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    if plain.is_empty() { name } else { plain }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_name_what_runs_are_told_from_those_that_do_not() {
        for (command, expected) in [
            ("cargo test", RunnerExtent::Ordinary),
            ("python3 -m pytest -q", RunnerExtent::Words(3)),
            ("python3.11 -m pytest", RunnerExtent::Words(3)),
            ("python3 manage.py migrate", RunnerExtent::Script(2)),
            ("python3 -c x", RunnerExtent::All),
            ("python3 -m timeit x", RunnerExtent::All),
            ("python3", RunnerExtent::All),
            ("sudo make", RunnerExtent::All),
            ("/usr/bin/setuidgid u make", RunnerExtent::All),
            ("node --test a", RunnerExtent::Words(2)),
            ("node scripts/x.mjs", RunnerExtent::Script(2)),
            ("node -e x", RunnerExtent::All),
            ("npx vitest run", RunnerExtent::Words(2)),
            ("npx --yes vitest run", RunnerExtent::Words(3)),
            ("npx tsx a.ts", RunnerExtent::Script(3)),
            ("npx tsx -e x", RunnerExtent::All),
            ("npx -c x", RunnerExtent::All),
            ("uv run pytest", RunnerExtent::Words(3)),
            ("uv run python -c x", RunnerExtent::All),
            ("uv run python -m pytest", RunnerExtent::Words(5)),
            ("uv sync", RunnerExtent::Ordinary),
            ("bundle exec rspec", RunnerExtent::Words(3)),
            ("docker run x", RunnerExtent::All),
            ("docker compose ps", RunnerExtent::Words(3)),
            ("docker compose run x", RunnerExtent::All),
            ("kubectl exec x", RunnerExtent::All),
            ("kubectl get pods", RunnerExtent::Words(2)),
            ("deno run x", RunnerExtent::All),
            ("deno test x", RunnerExtent::Words(2)),
            ("make test", RunnerExtent::Words(2)),
            ("make -f x", RunnerExtent::All),
            ("go run .", RunnerExtent::Words(3)),
            ("go test ./...", RunnerExtent::Ordinary),
            ("cargo +nightly test", RunnerExtent::All),
            ("rustup run stable x", RunnerExtent::All),
            ("dotnet test x", RunnerExtent::Words(2)),
            ("dotnet script x", RunnerExtent::All),
            ("php artisan tinker", RunnerExtent::All),
            ("npm x vitest", RunnerExtent::Words(3)),
            ("psql db", RunnerExtent::All),
            ("sed -n p", RunnerExtent::All),
            ("sh test.sh", RunnerExtent::All),
            ("/usr/bin/env x", RunnerExtent::All),
            ("sqlite3 x", RunnerExtent::All),
        ] {
            let words: Vec<&str> = command.split(' ').collect();
            assert_eq!(extent(&words), expected, "{command}");
        }
    }
}
