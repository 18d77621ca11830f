//! Generated shell texts that try to run a payload, judged by lathe and then run by bash where lathe would not ask.
//!
//! The payload is a program called `pwn`, which leaves a file behind; a file that a redirection or an option makes counts
//! too. Bash runs the texts as they are, without any sandbox: what is proved here is that they need none.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use lathe::permission::command::{ReadOnlyFacts, analyse, read_only};

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

/// What may stand between commands.
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
        let mut text = self.of(PLAIN).to_owned();
        for _ in 0..self.below(5) {
            match self.below(5) {
                0 | 1 => {
                    text.push(' ');
                    text.push_str(self.of(WORDS));
                }
                2 => text.push_str(self.of(BETWEEN)),
                3 => {
                    text.push_str(self.of(&["; ", " && ", " | ", "\n"]));
                    text.push_str(self.of(PLAIN));
                }
                // A piece of anything, cut anywhere.
                _ => {
                    let pieces = [WORDS, BETWEEN, PLAIN][self.below(3)];
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
fn runs_unasked(text: &str) -> bool {
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
}

/// Runs `count` texts of a seed. Returns how many ran unasked; panics at the first that does more than read.
pub(crate) fn try_texts(seed: u64, count: usize) -> usize {
    let dir = tempfile::tempdir().unwrap();
    let project = dir.path().join("project");
    let programs = dir.path().join("bin");
    fs::create_dir_all(&project).unwrap();
    fs::create_dir_all(&programs).unwrap();
    let marker = dir.path().join("pwned");
    let pwn = programs.join("pwn");
    fs::write(&pwn, format!("#!/bin/sh\n: > '{}'\n", marker.display())).unwrap();
    fs::set_permissions(&pwn, fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(project.join("a.txt"), "pwn\nx\n").unwrap();
    let mut random = Random::new(seed);
    let mut ran = 0;
    for _ in 0..count {
        let text = random.text();
        if !runs_unasked(&text) {
            continue;
        }
        ran += 1;
        run(&text, &project, &programs);
        let names: Vec<_> = fs::read_dir(&project)
            .unwrap()
            .flatten()
            .map(|entry| entry.file_name())
            .collect();
        assert!(!marker.exists(), "seed {seed}: {text:?} ran the payload");
        assert!(names.len() == 1, "seed {seed}: {text:?} made {names:?}");
    }
    ran
}

fn run(text: &str, project: &Path, programs: &Path) {
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin", programs.display());
    let mut command = Command::new("timeout");
    command
        .args(["5", "bash", "-c", text])
        .current_dir(project)
        .env_clear()
        .env("PATH", path)
        .env("HOME", project)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CEILING_DIRECTORIES", project)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().unwrap();
}
