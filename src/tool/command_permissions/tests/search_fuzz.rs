//! Generated trees with odd ignore files: no search by `rg` that runs unasked prints a secret. `rg` itself says what it
//! prints.
//!
//! `LATHE_RG_FUZZ='SEED COUNT' cargo test --lib search_fuzz` tries more of them, or the same again. The `rg` is the first on
//! the PATH, so that other versions can be tried.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::git::asked;
use super::git_fuzz::Random;
use super::*;

/// In every file that may not be read, and nowhere else.
const SECRET: &str = "Zk81";
const COMMANDS: usize = 150;
/// Commands for each tree.
const EACH: usize = 12;

const SECRETS: &[&str] = &[
    ".env",
    "prod.env",
    ".env.local",
    "key.pem",
    "sub/.env",
    "sub/prod.env",
    "sub/deep/.env",
    "sub/deep/key.pem",
    "sub/deep/er/a.env",
    ".hid/.env",
    ".hid/prod.env",
    "sub/.hid/key.pem",
    "s/.env",
    "s/s/.env",
    "s/s/prod.env",
    "x y/.env",
];
const DIRECTORIES: &[&str] = &[
    "..",
    ".",
    ".",
    "sub",
    "sub/deep",
    "sub/deep/er",
    ".hid",
    "s",
    "s/s",
];
const FILES: &[&str] = &[".gitignore", ".gitignore", ".ignore", ".rgignore"];
const RULES: &str = ".env | *.env | .env* | *.pem | key.pem | prod.env | sub | sub/ | /sub | /sub/ | /sub/deep | sub/deep/ | deep | deep/ \
    | **/deep | **/deep/ | .* | * | /* | */ | ** | s | s/ | /s | s/s | /s/.env | /s/s/prod.env | /sub/deep/key.pem | \
    sub/*.env | s/** | **/s/*.env | .hid | .hid/ | # comment | *.py[cod] | [Ss]ub/ | [ps]* | pro?.env | key.{pem,x} | {{a}} \
    | {x,{y,z}} | \\*.env | *.env\\  | prod.env  | *.e[n-n]v | *.e[!x]v | [z-a] | [ | é | *é* | er/ | /er | a.env | *.log | \
    target/ | /target | node_modules | \\!x | \\#x";
const BACK: &str = "!.env | !*.env | !.env* | !env | !*env | !nv | !prod.env | !key.pem | !*.pem | !sub | !sub/ | !/sub/.env | \
    !/s/.env | !s/s/.env | !.hid | !.hid/ | !hid | !.* | !* | !*/ | !** | !**/ | !/* | !/** | !sub/** | !.env.example | \
    !.env.local | !.vscode/settings.json | !*.rs | !/src | !.[e]nv | !.?nv | !.{env,x} | !\\.env | !.env  | !.env/ | \
    !.github/ | !*.[Ee]nv | !**/deep/*.pem | !deep/key.pem | !/er/a.env | !! | !/ | ! | !# | !é";
const OPERANDS: &[&str] = &[
    "",
    "",
    "",
    ".",
    "./",
    "sub",
    "sub/",
    "./sub",
    "sub//",
    "sub/.",
    "././sub",
    ".//sub",
    "./.",
    "./sub/deep",
    "sub/deep",
    "sub/../sub",
    "sub/..",
    "s",
    "./s",
    "./s/",
    "s//",
    "s/.",
    "s/s",
    "s/./s",
    "./s/s",
    "link",
    "link/",
    "./link",
    "link/deep",
    "$PWD",
    "$PWD/sub",
    "$PWD//sub",
    "$PWD/./s",
    "ROOT",
    "ROOT/sub/",
    "ROOT//s",
    "sub s",
    "s sub",
    ". sub",
    "sub .",
    "s/s s",
    "../project",
    "*",
    "s*",
    "./*",
    "*/",
    "'x y'",
    "hid .hid",
    ".hid",
];
const PLACES: &[&str] = &[
    "",
    "",
    "",
    "",
    "cd sub && ",
    "cd s && ",
    "cd ./sub/deep && ",
    "cd link && ",
    "cd .hid && ",
];
const OPTIONS: &[&str] = &[
    "",
    "",
    "",
    "",
    "-n ",
    "-l ",
    "-a ",
    "-j1 ",
    "--sort path ",
    "--no-config ",
    "-t json ",
    "-T rust ",
    "-c ",
    "-i ",
    "-tpy ",
    "--files-with-matches ",
    "--max-depth 3 ",
    "-e ",
];

/// A project with secrets, ignore files of every kind and excludes of a user.
struct Place {
    project: Harness,
    history: Vec<String>,
}

impl Place {
    fn new(random: &mut Random) -> Self {
        let mut project = Harness::new();
        // Of few secrets more trees show none.
        let one_in = 1 + random.below(5);
        for secret in SECRETS {
            if random.below(one_in) == 0 {
                project.write(secret, format!("{SECRET}\n"));
            }
        }
        for name in ["a.txt", "sub/a.json", "sub/deep/env", "s/nv", "sub/deep/er/b.py"] {
            project.write(name, "common\n");
        }
        symlink("sub", project.path("link")).unwrap();
        let environment = vec![
            ("PATH".into(), std::env::var_os("PATH").unwrap()),
            ("HOME".into(), project.home().into()),
        ];
        set_environment(&mut project, environment);
        let mut place = Self {
            project,
            history: Vec::new(),
        };
        for _ in 0..=random.below(4) {
            place.add_rules(random);
        }
        if random.below(3) == 0 {
            place.add_excludes(random);
        }
        if random.below(3) == 0 {
            place.add_repository(random);
        }
        place
    }

    fn write(&mut self, path: impl Into<PathBuf>, content: &[u8]) {
        let path = path.into();
        let shown = String::from_utf8_lossy(&content[..content.len().min(200)]).into_owned();
        self.history.push(format!("{}: {shown:?}", path.display()));
        let path = self.project.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        // Where a directory or a dead link is in its place, that stays.
        let _ = fs::write(path, content);
    }

    fn link(&mut self, target: &str, path: &str) {
        self.history.push(format!("{path} -> {target}"));
        let path = self.project.path(path);
        let _ = fs::create_dir_all(path.parent().unwrap());
        let _ = symlink(target, path);
    }

    fn add_rules(&mut self, random: &mut Random) {
        let path = format!("{}/{}", random.of(DIRECTORIES), random.of(FILES));
        let mut text = rules(random).into_bytes();
        match random.below(16) {
            0 => text.splice(0..0, *b"\xef\xbb\xbf").for_each(drop),
            1 => text.extend(b"\xff\n!.env\n!*.env\n"),
            2 => text.splice(0..0, *b"\xe9tes\n").for_each(drop),
            3 => text.extend(b"a\0b\n"),
            4 => {
                let lines = String::from_utf8(text).unwrap();
                text = lines.replace('\n', "\r\n").into_bytes();
            }
            5 => text.extend(b"!.env\x0c\n!\x0b*.env\n"),
            6 => text.extend("# long\n".repeat(20_000).bytes()),
            7 => text.extend("!.env\u{a0}\n*.env\u{2003}\n".bytes()),
            8 => {
                self.write("rules", &text);
                return self.link(&self.project.path("rules").to_string_lossy(), &path);
            }
            9 => {
                self.history.push(format!("{path}/"));
                let _ = fs::create_dir_all(self.project.path(&path));
                return;
            }
            10 => return self.link("nowhere", &path),
            11 => return self.link("/proc/self/cmdline", &path),
            _ => {}
        }
        self.write(path, &text);
    }

    /// The user's, wherever git or `rg` may look for them.
    fn add_excludes(&mut self, random: &mut Random) {
        let home = self.project.home();
        let text = rules(random);
        let (config, value, file) = match random.below(6) {
            0 => (".gitconfig", "~/mine".to_owned(), home.join("mine")),
            1 => (".gitconfig", "\"~/mine\"".to_owned(), home.join("mine")),
            2 => (
                ".config/git/config",
                home.join("mine").display().to_string(),
                home.join("mine"),
            ),
            3 => (".gitconfig", "mine".to_owned(), "mine".into()),
            4 => (".gitconfig", "sub/mine".to_owned(), "sub/mine".into()),
            _ => ("unused", String::new(), home.join(".config/git/ignore")),
        };
        let config = home.join(config);
        self.write(config, format!("[core]\n\texcludesFile = {value}\n").as_bytes());
        self.write(file, text.as_bytes());
    }

    /// A repository's own excludes, and directories in which another one begins or seems to.
    fn add_repository(&mut self, random: &mut Random) {
        let text = rules(random);
        let directory = random.of(&["sub", "s", "sub/deep"]);
        match random.below(9) {
            0 | 1 => self.write(".git/info/exclude", text.as_bytes()),
            2 => self.write(format!("{directory}/.git/info/exclude"), text.as_bytes()),
            3 => self.write(format!("{directory}/.git"), b"nothing\n"),
            4 => {
                self.write("other/info/exclude", text.as_bytes());
                self.write("other/commondir", b".\n");
                self.write(format!("{directory}/.git"), b"gitdir: other\n");
            }
            5 => {
                self.write("common/info/exclude", text.as_bytes());
                self.write("other/commondir", b"../common\n");
                let other = self.project.path("other").display().to_string();
                self.write(
                    format!("{directory}/.git"),
                    format!("gitdir: {other}\n").as_bytes(),
                );
            }
            6 => {
                self.write("other/info/exclude", text.as_bytes());
                self.link(
                    &self.project.path("other").to_string_lossy(),
                    &format!("{directory}/.git"),
                );
            }
            7 => {
                let _ = fs::create_dir_all(self.project.path(directory).join(".jj"));
                self.history.push(format!("{directory}/.jj"));
            }
            _ => {
                fs::remove_dir_all(self.project.path(".git")).unwrap();
                self.history.push("no .git".to_owned());
            }
        }
    }

    fn command(&self, random: &mut Random) -> String {
        let place = random.of(PLACES);
        let operands = match place {
            "" => random.of(OPERANDS),
            _ => random.of(&[
                "", "", ".", "./", "s", "./deep", "deep", "..", "../s", "ROOT/sub", "$PWD",
            ]),
        };
        let root = self.project.path("").display().to_string();
        let command = format!("{place}rg {}{SECRET} {operands}", random.of(OPTIONS));
        command.replace("ROOT", root.trim_end_matches('/'))
    }

    fn prints_a_secret(&self, command: &str) -> bool {
        let output = Command::new("bash")
            .args(["-c", command])
            .current_dir(self.project.path(""))
            .env_clear()
            .envs(self.project.services.environment.clone())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        // A list of names or counts says as much as a line.
        !output.stdout.is_empty()
    }
}

fn rules(random: &mut Random) -> String {
    let count = 1 + random.below(5);
    let lines: Vec<&str> = (0..count)
        .map(|_| {
            let table = if random.below(4) == 0 { BACK } else { RULES };
            random.from(table)
        })
        .collect();
    lines.join("\n") + random.of(&["\n", "\n", ""])
}

fn is_there() -> bool {
    let version = Command::new("rg").arg("--version").output();
    let is_there = version.is_ok_and(|output| output.status.success());
    if !is_there {
        eprintln!("skipped: there is no rg");
    }
    is_there
}

#[tokio::test]
async fn no_generated_search_prints_a_secret_unasked() {
    if !is_there() {
        return;
    }
    let given = std::env::var("LATHE_RG_FUZZ").unwrap_or_default();
    let mut given = given.split(' ').filter_map(|number| number.parse::<u64>().ok());
    let seed = given.next().unwrap_or(13);
    let commands = given
        .next()
        .map_or(COMMANDS, |count| usize::try_from(count).unwrap());
    eprintln!("seed {seed}");
    let mut random = Random(seed);
    let (mut unasked, mut for_nothing, mut leaks) = (0, 0, Vec::new());
    for _ in 0..commands.div_ceil(EACH) {
        let place = Place::new(&mut random);
        for _ in 0..EACH {
            let command = place.command(&mut random);
            let is_unasked = asked(&place.project, &command).is_empty();
            unasked += usize::from(is_unasked);
            match (is_unasked, place.prints_a_secret(&command)) {
                (true, true) => leaks.push(format!("{command}\n  {}", place.history.join("\n  "))),
                (false, false) => for_nothing += 1,
                _ => {}
            }
        }
    }
    eprintln!("{unasked} of {commands} unasked, {for_nothing} asked for nothing");
    assert!(
        leaks.is_empty(),
        "{} of {unasked}:\n{}",
        leaks.len(),
        leaks.join("\n")
    );
    assert!(unasked > commands / 8, "only {unasked} ran unasked");
}
