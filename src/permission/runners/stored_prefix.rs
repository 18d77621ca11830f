//! The reach of a stored prefix: which of the words behind it are understood.
//!
//! A prefix such as `git fetch *` is a yes to that action and not to whatever an option makes of it: `--upload-pack=CMD`
//! runs a program. So an option is covered only where the table says that it runs and overwrites nothing. One that the
//! table does not have is asked about, and so is a word that only the shell knows. A new option is an entry in
//! `options`; no option is listed for being dangerous.

use super::options::{OPTIONS, Operands, Options, WordsBehind};
use super::{RunnerExtent, extent, inner_start, longest, plain_name};
use crate::permission::subject::CommandWord;

/// Returns true if a prefix that names the first `named` words of a command covers the others. `are_whole` is false where
/// the words were cut at blanks, so that a `--` among them may be part of a text.
pub(in crate::permission) fn covers(words: &[CommandWord], named: usize, are_whole: bool) -> bool {
    let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    let (length, options) = match extent(&texts) {
        // What stands behind a script is read by the script.
        RunnerExtent::Script(count) => {
            return named >= count && words[..count].iter().all(|word| word.is_certain);
        }
        RunnerExtent::All => return named >= words.len(),
        RunnerExtent::Ordinary | RunnerExtent::Words(_) => {
            let start = inner_start(&texts);
            let (length, options) = options_of(&texts[start..]);
            (start + length, options)
        }
    };
    if words.iter().take(length).any(|word| !word.is_certain) {
        return false;
    }
    let Some(options) = options else {
        return named >= words.len();
    };
    // What was read so far says that the program takes everything else for operands.
    let mut only_operands = false;
    for (at, word) in words.iter().enumerate().skip(length) {
        let text = word.text.as_str();
        let is_option = text.len() > 1 && text.starts_with('-') && !only_operands;
        let is_understood = match is_option {
            _ if options.rest == WordsBehind::Anything => true,
            _ if !word.is_certain => false,
            true if text == "--" => true,
            true => options.has(text),
            false => options.takes(text),
        };
        if at >= named && !is_understood {
            return false;
        }
        match options.rest {
            WordsBehind::Free if text == "--" && are_whole => return true,
            WordsBehind::FreeBehindOperand if !is_option => return true,
            WordsBehind::Operands if text == "--" && are_whole => only_operands = true,
            _ => {}
        }
    }
    true
}

/// The longest entry that words begin with. `None` where nothing is understood.
fn options_of(words: &[&str]) -> (usize, Option<Options>) {
    let Some((program, rest)) = words.split_first() else {
        return (0, None);
    };
    let program = plain_name(program);
    match longest(OPTIONS.into_iter().flatten(), program, rest) {
        Some((length, options)) => (length, Some(options)),
        // Any word behind it may be a program of the person's or of the project's: `git remote-ext x CMD`.
        None if program == "git" => (1, None),
        None => (1, Some(Options::OF_ANY)),
    }
}

impl Options {
    /// Returns true if a word that begins with `-` is one of these options, alone or with its value.
    fn has(&self, word: &str) -> bool {
        let mut known = self.known.split_whitespace();
        let name = word.split_once('=').map_or(word, |(name, _)| name);
        // `--run` is `-run` where options are words with one hyphen.
        let single = name
            .strip_prefix('-')
            .filter(|single| single.starts_with('-') && single.len() > 2);
        let is_it = |option: &str| {
            let option = option.trim_end_matches(':');
            option == word || option == name || (option.len() > 2 && Some(option) == single)
        };
        known.any(is_it) || self.has_letters(word)
    }

    /// `-am x`, `-j4`: letters that are known, up to one whose value is the rest of the word.
    fn has_letters(&self, word: &str) -> bool {
        let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.starts_with('-')) else {
            return false;
        };
        if self.known.split_whitespace().any(|option| option == "-#")
            && letters.bytes().all(|byte| byte.is_ascii_digit())
        {
            return true;
        }
        for letter in letters.chars() {
            let is_letter = |option: &str| {
                let rest = option
                    .strip_prefix('-')
                    .and_then(|option| option.strip_prefix(letter));
                matches!(rest, Some("" | ":")).then_some(rest == Some(":"))
            };
            match self.known.split_whitespace().find_map(is_letter) {
                Some(true) => return true,
                Some(false) => {}
                None => return false,
            }
        }
        true
    }

    /// Returns true if a word that is no option can be nothing but what the program works on.
    fn takes(&self, word: &str) -> bool {
        match self.operands {
            Operands::Any => true,
            Operands::NoOptionFile => !word.starts_with('@'),
            Operands::NoTransport => !word.contains("::") && !word.contains(['$', '`']),
            Operands::Plain => is_plain(word) || is_plain_setting(word),
        }
    }
}

fn is_plain(word: &str) -> bool {
    let is_known = |c: char| c.is_ascii_alphanumeric() || "_./%:@+-*".contains(c);
    !word.starts_with('@') && word.chars().all(is_known)
}

/// `V=1`: of other variables nobody knows what a makefile runs of them, and a value may run commands itself.
fn is_plain_setting(word: &str) -> bool {
    const SETTINGS: &[&str] = &["V", "VERBOSE", "Q", "DEBUG", "CI", "RELEASE", "NDEBUG"];
    word.split_once('=').is_some_and(|(name, value)| {
        SETTINGS.contains(&name) && value.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(command: &str) -> Vec<CommandWord> {
        let word = |text: &str| CommandWord {
            text: text.to_owned(),
            is_certain: !text.starts_with('$'),
        };
        command.split(' ').map(word).collect()
    }

    #[test]
    fn options_that_are_not_known_are_not_covered() {
        for (named, commands) in [
            (
                2,
                &[
                    "git fetch --upload-pack=x",
                    "git fetch --upload-p=x origin",
                    "git fetch origin --upload-pack x",
                    "git fetch ext::x",
                    "git fetch -q$x",
                    "git fetch $x",
                    "git pull --upload-pack=x",
                    "git clone -u x y",
                    "git clone -ux y",
                    "git clone -qux y",
                    "git clone -c a=b y",
                    "git clone --config=a=b y",
                    "git clone --template=x y",
                    "git clone ext::x",
                    "git ls-remote --upload-pack=x .",
                    "git ls-remote --exec=x .",
                    "git grep -Ox y",
                    "git grep -nOx y",
                    "git grep --open-files-in-pager=x y",
                    "git grep --open=x y",
                    "git archive --exec=x --remote=. HEAD",
                    "git archive --remote=. HEAD",
                    "git archive -o x HEAD",
                    "git diff --ext-diff",
                    "git diff --output=x",
                    "git log --textconv",
                    "git commit --template=x",
                    "git add -e",
                    "git submodule add ext::x",
                    "git remote add x ext::x",
                    "git remote-ext x y",
                    "git own-alias x",
                    "git merge -s x",
                    "git send-email --sendmail-cmd=x",
                    "make test --eval=x",
                    "make test --eval x",
                    "make test -f Evil",
                    "make test -fEvil",
                    "make test --file=Evil",
                    "make test --makefile Evil",
                    "make test -C evil",
                    "make test SHELL=x",
                    "make test CC=x",
                    "make test V:=$(x)",
                    "make test V=$(x)",
                    "make test V!=x",
                    "make test MAKEFLAGS=--eval=x",
                    "cargo test --config x",
                    "cargo test --config=x",
                    "cargo build -Zx",
                    "cargo clippy -- -Clinker=x",
                    "cargo test $x",
                    "go test -exec x",
                    "go test --exec=x",
                    "go test -vexec x",
                    "go build -toolexec=x",
                    "go vet -vettool=x",
                    "go build -ldflags=-extld=x",
                    "node --test --import=data:x",
                    "node --test -r x",
                    "node --test --test-reporter=data:x",
                    "npm test --script-shell=x",
                    "npx vitest --poolOptions.forks.execArgv=x",
                    "npx mocha --node-option=x",
                    "npx eslint --rulesdir x",
                    "kubectl get --kubeconfig=x pods",
                    "dotnet test @x",
                ][..],
            ),
            (
                1,
                &[
                    "rg --pre x y",
                    "rg --pre=x y",
                    "rg -z x",
                    "sort --compress-program=x y",
                    "sort --compress=x y",
                    "sort -o x",
                    "sort -T x",
                    "pytest -p x",
                    "pytest --basetemp=src",
                    "pytest -c x",
                    "mypy --python-executable=x a",
                    "pylint --init-hook=x a",
                    "gcc -wrapper x a.c",
                    "gcc @x",
                    "unknown --hook=x",
                    "unknown -x",
                    "unknown -- -x",
                    "unknown $x",
                    "jq -L x .",
                    "printf -v a[$(x)] y",
                    "[ -v a[$(x)] ]",
                ],
            ),
            (3, &["npm run build --script-shell=x", "python -m pytest -p x"]),
            (2, &["pnpm run --script-shell=x build", "uv run --with x pytest"]),
        ] {
            for command in commands {
                assert!(!covers(&words(command), named, true), "{command}");
                assert!(covers(&words(command), words(command).len(), true), "{command}");
            }
        }
    }

    #[test]
    fn ordinary_forms_are_covered() {
        for (named, commands) in [
            (
                2,
                &[
                    "git fetch",
                    "git fetch --all --prune -q",
                    "git fetch origin main:main",
                    "git pull --rebase origin main",
                    "git clone --depth 1 https://a.b/c.git",
                    "git clone git@a.b:c/d.git e",
                    "git ls-remote --heads origin",
                    "git grep -n -C3 x -- src",
                    "git commit -m x",
                    "git commit -am a::b",
                    "git commit -q -s --allow-empty -m x",
                    "git add -A",
                    "git log -5 --oneline",
                    "git checkout -b x",
                    "git stash -u",
                    "make test -j8",
                    "make test -j 8 V=1",
                    "make a b/c.o -k",
                    "cargo test --lib a::b -- --nocapture --test-threads=1",
                    "cargo test -p x --features a,b",
                    "cargo test -q -- -Zx",
                    "cargo clippy --all-targets -- -D warnings",
                    "cargo clippy -- -Dwarnings",
                    "cargo fmt --all -- --check",
                    "go test -run TestA -count=1 ./...",
                    "go test --race -v ./a",
                    "node --test --test-reporter=spec a",
                    "npm test -- --anything=x",
                    "npx vitest run src/a.test.ts -t x",
                    "npx jest --coverage",
                    "npx eslint --fix src",
                    "npx tsc --noEmit",
                    "kubectl get pods -n x -o yaml",
                ][..],
            ),
            (
                1,
                &[
                    "rg -n x src",
                    "sort -k2 -rn a",
                    "pytest -xvs -k x tests/test_a.py::test_b",
                    "pytest --maxfail=1 --lf -n auto",
                    "ruff check --fix src",
                    "mypy --strict src",
                    "unknown a b c",
                    "unknown --help",
                    "jq -r .x a.json",
                    "tr -d $x",
                    "[ -f a ]",
                    "mkdir -p a/b",
                ],
            ),
            (
                3,
                &[
                    "npm run build -- --watch",
                    "npm run dev --silent",
                    "python3 -m pytest -q tests",
                    "yarn run build --watch",
                    "uv run pytest -q",
                    "bundle exec rspec --fail-fast",
                    "go run . --anything",
                ],
            ),
            (2, &["python manage.py migrate --anything"]),
        ] {
            for command in commands {
                assert!(covers(&words(command), named, true), "{command}");
            }
        }
    }

    #[test]
    fn a_double_hyphen_in_a_text_ends_nothing() {
        let cut = words("cargo test a -- b --config x");
        assert!(covers(&cut, 2, true));
        assert!(!covers(&cut, 2, false));
        let mut one_word = words("cargo test x --config x");
        one_word[2].text = "a -- b".to_owned();
        assert!(!covers(&one_word, 2, true));
    }
}
