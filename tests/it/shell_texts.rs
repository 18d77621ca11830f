//! Generated shell texts that try to run a payload, judged by lathe and then run by bash where lathe would not ask.
//!
//! The payload is a program called `pwn`, which leaves a file behind; a file that a redirection or an option makes counts
//! too, and so does a line of `.env` that is printed. Bash runs the texts as they are, without any sandbox: what is proved
//! here is that they need none. The repository that git finds there sets nothing.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use lathe::permission::command::{
    Analysis, ReadOnlyFacts, Simple, analyse, files_read, possible_paths, read_only, search,
};

/// The content of `.env` behind a word that texts search for.
const SECRET: &str = "Qv93";

/// Programs with words that only read.
const PLAIN: &[&str] = &[
    "ls",
    "ls -la",
    "cat a.txt",
    "head -n 1 a.txt",
    "tail -n 1 a.txt",
    "wc -l a.txt",
    "echo a",
    "printf '%s\\n' a",
    "grep x a.txt",
    "grep -rn x .",
    "find . -name '*.txt'",
    "sort a.txt",
    "uniq a.txt",
    "cut -c 1 a.txt",
    "tr a b",
    "sed -n 1p a.txt",
    "awk '{print $1}' a.txt",
    "test -f a.txt",
    "[ -f a.txt ]",
    "date +%F",
    "basename a.txt",
    "seq 1 3",
    "expr 1 + 1",
    "diff a.txt a.txt",
    "stat a.txt",
    "du a.txt",
    "nl a.txt",
    "rev a.txt",
    "paste a.txt",
    "xargs -n 1 -- ls",
    "find . -exec ls {} +",
    "true",
    "false",
    "pwd",
    "id -u",
    "od -c a.txt",
    "fold a.txt",
    "git log",
    "git status",
    "git diff",
    "git branch",
    "git show",
    "jq . a.txt",
    "file a.txt",
    "comm a.txt a.txt",
    "for f in *.txt; do cat \"$f\"; done",
    "x=a.txt; cat $x",
    "if true; then ls; fi",
    "cd . && ls",
    "realpath a.txt",
    "readlink a.txt",
    "md5sum a.txt",
    "sha256sum a.txt",
    "xxd a.txt",
    "hexdump -C a.txt",
    "column a.txt",
    "cmp a.txt a.txt",
    "tree",
    "ps aux",
    "free",
    "df .",
    "nproc",
    "which ls",
    "whoami",
    "uname -a",
    "dirname a.txt",
    "rg x",
    "git rev-parse HEAD",
    "git ls-files",
    "git blame a.txt",
    "git grep x",
    "git cat-file -p HEAD:a.txt",
    "git describe --always",
    "git stash list",
    "git tag -l",
    "git worktree list",
    "git remote -v",
    "git config --get user.name",
    "case a in a) ls;; esac",
    "select x in a; do ls; done",
    "! ls",
    "time ls",
    "cat <<< a",
    "cat <<E\na\nE",
    "LC_ALL=C ls",
    "echo {a,b}.txt",
    "echo $((1 + 1))",
    "while false; do ls; done",
];

/// The wider list beside the forms of it that do more than read.
pub(crate) const HOSTILE: &[&str] = &[
    "printf -v PATH .",
    "printf -v x %s a",
    "[ -v 'x[$(pwn)]' ]",
    "test -v 'x[$(pwn)]'",
    "[ -R 'x[$(pwn)]' ]",
    "[[ -v 'x[$(pwn)]' ]]",
    "[ 'x[$(pwn)]' -eq 1 ]",
    "[[ 'x[$(pwn)]' -eq 1 ]]",
    "date -f .env",
    "date -f .env +%F",
    "date --file=.env +%F",
    "date -r .env +%F",
    "wc --files0-from=list",
    "wc --files0-from list",
    "du --files0-from=list",
    "sort --files0-from=list",
    "echo .env | xargs cat",
    "echo .env | xargs -- cat",
    "echo .env | xargs -a .env -- ls",
    "xargs -a .env -- echo",
    "find . -exec cat {} +",
    "find . -name .env -exec cat {} \\;",
    "find . -fprintf out %p",
    "find . -fprint0 out",
    "find -files0-from list -exec ls {} +",
    "ps eww",
    "ps e",
    "ps auxe",
    "ps -o args,environ",
    "file -f .env",
    "file -f list",
    "file -m .env a.txt",
    "file -C",
    "file -z a.txt",
    "awk 'BEGIN{system(\"pwn\")}'",
    "awk 'BEGIN{\"pwn\" | getline}'",
    "awk 'BEGIN{while ((getline l < \".env\") > 0) print l}'",
    "awk '{print > \"out\"}' a.txt",
    "awk '{print | \"pwn\"}' a.txt",
    "awk -f list",
    "awk -v x=1 '{print}' .env",
    "awk '@load \"filefuncs\"' a.txt",
    "awk 'BEGIN{ARGV[1]=\".env\";ARGC=2}{print}' a.txt",
    "awk '{print}' FS=x .env",
    "sed '1e pwn' a.txt",
    "sed -n '1e pwn' a.txt",
    "sed -n '1w out' a.txt",
    "sed -n 's/x/pwn/e' a.txt",
    "sed -n 's/x/y/w out' a.txt",
    "sed -n '1r .env' a.txt",
    "sed -n '1R .env' a.txt",
    "sed -nf a.txt a.txt",
    "sed -i 1p a.txt",
    "sed -n --in-place 1p a.txt",
    "sort --compress-program=pwn -S 1 a.txt",
    "sort -o out a.txt",
    "sort -T. a.txt",
    "rg --pre pwn x",
    "rg --pre=pwn x",
    "rg --hostname-bin=pwn x",
    "rg -f .env x",
    "rg --hidden swordfish",
    "rg -uu swordfish",
    "rg --ignore-file=list x",
    "rg -z x",
    "grep -r swordfish .",
    "grep -f .env .env",
    "grep -f .env a.txt",
    "grep -rn sword",
    "uniq a.txt out",
    "xxd a.txt out",
    "xxd -r a.txt out",
    "tree -o out",
    "diff --to-file=.env a.txt",
    "diff a.txt .env",
    "comm a.txt .env",
    "paste .env",
    "jq -n 'input' .env",
    "jq -R . .env",
    "jq --rawfile x .env -n '$x'",
    "jq --slurpfile x list -n '$x'",
    "jq -f list a.txt",
    "jq -n 'env'",
    "jq -n '$ENV'",
    "hostname pwn",
    "date -s 2001-01-01",
    "tail -f --pid=1 a.txt",
    "LD_PRELOAD=./a.txt ls",
    "PATH=. ls",
    "IFS=x ls",
    "BASH_ENV=a.txt bash -c ls",
    "GIT_PAGER=pwn git log",
    "GIT_EXTERNAL_DIFF=pwn git diff",
    "PAGER=pwn git -p log",
    "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.fsmonitor GIT_CONFIG_VALUE_0=pwn git status",
    "LESSOPEN='|pwn' ls",
    "echo $((x[$(pwn)]))",
    "echo $(( $(pwn) ))",
    "x='a[$(pwn)]'; echo $((x))",
    "x='a[$(pwn)]'; echo ${y:x}",
    "x='a[$(pwn)]'; echo ${!x}",
    "x='a[$(pwn)]'; echo ${a[x]}",
    "echo ${x:=$(pwn)}",
    "echo ${x:=pwn}; $x",
    "echo ${x?$(pwn)}",
    "x=pwn; echo ${x@P}",
    "x='$(pwn)'; echo ${x@P}",
    "declare -n x='a[$(pwn)]'; echo $x",
    "declare -i x='a[$(pwn)]'",
    "declare 'x=1' -i; x='a[$(pwn)]'",
    "local -n x=y",
    "typeset -i x; x='a[$(pwn)]'",
    "readonly x=pwn; $x",
    "mapfile -C pwn -c 1 x < a.txt",
    "read -r x < a.txt; $x",
    "read 'x[$(pwn)]' < a.txt",
    "unset 'x[$(pwn)]'",
    "getopts a 'x[$(pwn)]'",
    "wait -p 'x[$(pwn)]'",
    "{pwn,-a}",
    "{p,}wn",
    "p{wn,}",
    "echo {.,}env | xargs -- cat",
    "cat .e{nv,x}",
    "cat .en[v]",
    "cat .e*",
    "cat .??v",
    "cat ./.env",
    "cat < .env",
    "echo $(< .env)",
    "echo \"$(<.env)\"",
    "mapfile x < .env; echo \"${x[@]}\"",
    "case $(pwn) in a) ls;; esac",
    "case a in $(pwn)) ls;; esac",
    "select x in $(pwn); do ls; done",
    "for x in $(pwn); do ls; done",
    "for ((x[$(pwn)]=0;0;)); do ls; done",
    "coproc pwn",
    "coproc x { pwn; }",
    "time -p pwn",
    "! pwn",
    "ls <(pwn)",
    "ls >(pwn)",
    "cat <<E\n$(pwn)\nE",
    "cat <<E\n${x:-$(pwn)}\nE",
    "cat <<E\n`pwn`\nE",
    "cat <<-E\n\t$(pwn)\nE",
    "cat <<< $(pwn)",
    "cat <<< \"$(pwn)\"",
    "echo 'a' > out",
    "echo a >| out",
    "echo a &> out",
    "echo a <> out",
    "echo a 1>out 2>&1",
    "ls {out}>out",
    "exec 3> out",
    "git -c core.fsmonitor=pwn status",
    "git -c alias.x='!pwn' x",
    "git --exec-path=. status",
    "git -p log",
    "git log --output=out",
    "git diff --outp=out",
    "git diff --no-index /dev/null .env",
    "git diff --ext-diff",
    "git grep -Opwn x",
    "git grep --open-files-in-pager=pwn x",
    "git grep --no-index swordfish",
    "git show --format=%G?",
    "git branch out",
    "git tag out",
    "git stash",
    "git remote add x y",
    "git config x.y z",
    "git config --get-urlmatch x y",
    "git worktree add out",
    "git ls-files -o",
    "git cat-file --textconv HEAD:a.txt",
    "git blame --contents .env a.txt",
    "git shortlog < .env",
    "git check-ignore --stdin < .env",
];

/// Words that would make something of a command that reads.
const WORDS: &[&str] = &[
    "$(pwn)",
    "`pwn`",
    "\"$(pwn)\"",
    "<(pwn)",
    "${x:-$(pwn)}",
    "$((a[$(pwn)]))",
    "'x[$(pwn)]'",
    "-v 'x[$(pwn)]'",
    "-exec pwn {} +",
    "-exec pwn \\;",
    "-execdir pwn {} +",
    "-ok pwn {} \\;",
    "-fprint out",
    "-fls out",
    "-delete",
    "--pre=pwn",
    "--compress-program=pwn",
    "-o out",
    "--output=out",
    "--outp out",
    "-oout",
    "'1e pwn'",
    "-e '1e pwn'",
    "'1w out'",
    "-i",
    "'BEGIN{system(\"pwn\")}'",
    "'{print | \"pwn\"}'",
    "'{print > \"out\"}'",
    "'BEGIN{\"pwn\" | getline}'",
    "-f a.txt",
    "-c core.pager=pwn",
    "--ext-diff",
    "--textconv",
    "-Opwn",
    "--exec-path=.",
    "-v PATH",
    "-vPATH",
    "-t",
    "--",
    "-",
    "*",
    "a.txt",
    "$x",
    "\"$x\"",
    "$HOME",
    "{a,b}",
    "'",
    "\"",
    "\\",
    "~",
    "!",
    "-n",
    "-p",
    "-1",
    "#",
    "$'\\x70wn'",
    "sh -c pwn",
    "pwn",
    "-s 99 -S 2 -- pwn",
    "out",
    "+%F",
    "-I{} pwn",
    "--hostname-bin=pwn",
    "env pwn",
];

/// Separators of commands.
const BETWEEN: &[&str] = &[
    "; ",
    " && ",
    " || ",
    " | ",
    " & ",
    "\n",
    " | xargs ",
    " | sh",
    "; pwn",
    " && pwn",
    " | pwn",
    "; eval pwn",
    "; eval 'p'wn",
    " <<E\n$(pwn)\nE\n",
    " <<'E'\n$(pwn)\nE\n",
    " <<< $(pwn) ",
    " > out",
    " >> out",
    " 2> out",
    " >&2 ",
    " 2>/dev/null ",
    " > /dev/null; ",
    " \\\n",
    "; (",
    " ) ",
    "; { ",
    "; } ",
    "; f() { pwn; }; f; ",
    "; ls() { pwn; }; ls; ",
    "; PATH=.; pwn",
    "; x=pwn; $x; ",
    "; x=pwn; \"$x\" ",
    "; for i in pwn; do $i; done; ",
    "; for i in a; do ",
    "; done; ",
    "; alias ls=pwn; ls; ",
    "; trap pwn EXIT; ",
    "; while read x; do ",
    "; case a in a) ",
    ";; esac; ",
    "; [[ -v x[$(pwn)] ]]; ",
    "; (( a[$(pwn)] )); ",
    "; printf -v x[$(pwn)] a; ",
    "; read x[$(pwn)]; ",
    "; export A=$(pwn); ",
    "; source a.txt; ",
    "; exec pwn; ",
    "; command pwn; ",
    "; builtin eval pwn; ",
    "; time pwn; ",
    "; timeout 1 pwn; ",
    "; nohup pwn; ",
    "; unset -f ls; ",
    "; set -- pwn; \"$@\"; ",
    "; x='$(pwn)'; echo $x; ",
    "; x='a[$(pwn)]'; echo $((x)); ",
    "; declare -n x=y; ",
    "; let 'a[$(pwn)]=1'; ",
];

/// Numbers from a seed; the same ones each time.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap_or(usize::MAX) % end
    }

    fn of<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.below(texts.len())]
    }

    /// One text.
    pub(crate) fn text(&mut self) -> String {
        let first = [PLAIN, PLAIN, HOSTILE][self.below(3)];
        let mut text = self.of(first).to_owned();
        for _ in 0..self.below(5) {
            match self.below(5) {
                0 | 1 => {
                    text.push(' ');
                    text.push_str(self.of(WORDS));
                }
                2 => text.push_str(self.of(BETWEEN)),
                3 => {
                    text.push_str(self.of(&["; ", " && ", " | ", "\n", " | xargs -- ", "; time ", "; ! "]));
                    let next = [PLAIN, HOSTILE][self.below(2)];
                    text.push_str(self.of(next));
                }
                // A piece of anything, cut anywhere.
                _ => {
                    let pieces = [WORDS, BETWEEN, PLAIN, HOSTILE][self.below(4)];
                    let piece = self.of(pieces);
                    let at = self.below(piece.len() + 1);
                    text.push_str(piece.get(at..).unwrap_or(piece));
                }
            }
        }
        text
    }
}

/// Returns true if lathe would run it without a question, whatever the machine can confine.
pub(crate) fn runs_unasked(text: &str) -> bool {
    let analysis = analyse(text);
    let facts = ReadOnlyFacts {
        is_system_program: &|name| name != "pwn" && !name.contains('/'),
        is_no_shim: &|_| true,
        is_in_project: &|path| !path.starts_with('/') && !path.contains(".."),
    };
    analysis.refusal.is_none()
        && !analysis.exports
        && analysis.redirected.iter().all(|redirected| {
            !redirected.writes || ["/dev/null", "/dev/stderr"].contains(&redirected.target.text.as_str())
        })
        && analysis
            .commands
            .iter()
            .all(|command| read_only(command, &facts).is_some())
        && !asks_to_read(&analysis)
}

/// Returns true if it names a hidden file, or looks through a directory that has one: then it is asked under `read`.
fn asks_to_read(analysis: &Analysis) -> bool {
    let is_hidden = |text: &str| {
        text.split('/')
            .any(|part| part.starts_with('.') && part.len() > 1)
    };
    let shows = |command: &Simple| {
        let named = files_read(command).into_iter().chain(possible_paths(command));
        let is_glob = command
            .words
            .iter()
            .any(|word| word.glob_at.is_some() && is_hidden(&word.text));
        let looks_through = search(command).is_some_and(|search| !search.filtered);
        is_glob
            || looks_through
            || named
                .into_iter()
                .any(|operand| operand.dynamic || is_hidden(&operand.text))
    };
    let mut redirected = analysis.redirected.iter();
    redirected.any(|redirected| is_hidden(&redirected.target.text)) || analysis.commands.iter().any(shows)
}

/// A project with a secret, and a payload on the PATH.
pub(crate) struct Place {
    project: PathBuf,
    programs: PathBuf,
    marker: PathBuf,
    names: Vec<OsString>,
    _directory: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let project = directory.path().join("project");
        let programs = directory.path().join("bin");
        fs::create_dir_all(&project).unwrap();
        fs::create_dir_all(&programs).unwrap();
        let marker = directory.path().join("pwned");
        let pwn = programs.join("pwn");
        fs::write(&pwn, format!("#!/bin/sh\n: > '{}'\n", marker.display())).unwrap();
        fs::set_permissions(&pwn, fs::Permissions::from_mode(0o755)).unwrap();
        fs::write(project.join("a.txt"), "pwn\nx\n").unwrap();
        fs::write(project.join(".env"), format!("TOKEN=swordfish-{SECRET}\n")).unwrap();
        fs::write(project.join("list"), ".env\0").unwrap();
        let mut place = Self {
            project,
            programs,
            marker,
            names: Vec::new(),
            _directory: directory,
        };
        place.run("git init -q && git add a.txt list && git -c user.name=a -c user.email=a@b commit -qm one");
        place.names = place.names();
        place
    }

    /// Runs a text in bash. Returns what it did besides reading what may be read.
    pub(crate) fn harm(&self, text: &str) -> Option<String> {
        let printed = self.run(text);
        if self.marker.exists() {
            return Some("it ran the payload".to_owned());
        }
        let names = self.names();
        if names != self.names {
            return Some(format!("it made or removed a file: {names:?}"));
        }
        if fs::read(self.project.join("a.txt")).unwrap() != b"pwn\nx\n" {
            return Some("it changed a file".to_owned());
        }
        printed.contains(SECRET).then(|| "it printed a secret".to_owned())
    }

    fn names(&self) -> Vec<OsString> {
        let entries = fs::read_dir(&self.project).unwrap().flatten();
        let mut names: Vec<_> = entries.map(|entry| entry.file_name()).collect();
        names.sort();
        names
    }

    fn run(&self, text: &str) -> String {
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", self.programs.display());
        let mut command = Command::new("timeout");
        command
            .args(["5", "bash", "-c", text])
            .current_dir(&self.project)
            .env_clear()
            .env("PATH", path)
            .env("HOME", &self.programs)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CEILING_DIRECTORIES", &self.project)
            .stdin(Stdio::null());
        let output = command.output().unwrap();
        let printed = [output.stdout, output.stderr].concat();
        String::from_utf8_lossy(&printed).into_owned()
    }
}

/// Runs `count` texts of a seed. Returns how many ran unasked; panics at the first that does more than read.
pub(crate) fn try_texts(seed: u64, count: usize) -> usize {
    let place = Place::new();
    let mut random = Random::new(seed);
    let mut ran = 0;
    for _ in 0..count {
        let text = random.text();
        if runs_unasked(&text) {
            ran += 1;
            let harm = place.harm(&text);
            assert_eq!(harm, None, "seed {seed}: {text:?}");
        }
    }
    ran
}
