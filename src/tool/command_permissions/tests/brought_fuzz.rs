//! Generated calls that move, copy and link files: none that runs unasked shows a secret, brings it to another name or
//! writes what is protected. The shell itself says what a call does.
//!
//! `LATHE_BROUGHT_FUZZ='SEED COUNT' cargo test --lib brought_fuzz` tries more of them, or the same again.

use std::process::{Command, Stdio};

use super::git_fuzz::Random;
use super::*;
use crate::permission::{Decision, Mode, decide};

const CALLS: usize = 125;
const RULES: &str =
    r#"{"bash": {"*": "allow"}, "edit": "allow", "read": {"secrets/*": "ask", "denied/*": "deny"}}"#;
/// In every file that asks before it is read.
const SECRET: &str = "Zk81";
/// In every file that must not be read.
const DENIED: &str = "Qj72";

const LINKS: &[(&str, &str)] = &[
    ("../../.git/hooks", "d/e/g"),
    ("../.git/hooks", "d/n/g"),
    ("../../outside/data", "sub/q"),
    ("../outside/data", "sub/q2"),
    ("deep/er", "linkdir"),
    ("../docs", "many/one/l"),
    ("../secrets", "hold/s"),
    ("../../secrets/a.txt", "hold/s2"),
    ("../denied", "hold/r"),
    ("../a.txt", "hold/text"),
    (".git/hooks", "hook"),
    ("../e/g", "plain/chain"),
    ("er/..", "deep/loop"),
    ("missing/..", "deep/later"),
];
const FILES: &[&str] = &[
    "a.txt",
    "b",
    "lathe",
    "docs/x",
    "docs/a.txt",
    "plain/x",
    "sub/x",
    "deep/er/x",
    "it/hooks/x",
    "named/secrets/a.txt",
    "secret/x",
    "many/one/x",
    "d/e/x",
    "hold/x",
];
const PATHS: &str = "a.txt | b | lathe | docs | plain | sub | deep | deep/er | it | named | many | many/one | d | d/e | \
    d/n | hold | secrets | secrets/a.txt | denied | hook | linkdir | d/e/g | d/n/g | sub/q | sub/q2 | hold/s | hold/s2 | \
    hold/r | hold/text | plain/chain | deep/loop | deep/later | named/secrets | it/hooks/x | .git/hooks";
const BROUGHT: &str = "d/e | d/n | d/e/g | d/n/g | sub | sub/q | sub/q2 | hold | hold/s | hold/s2 | hold/r | hold/text | \
    linkdir | plain/chain | deep | deep/loop | deep/later | many | a.txt | b | docs | plain | plain/x | named/secrets | \
    secrets | hook | sub/* | hold/* | d/* | deep/.. | hold/. | d/e/. | sub/";
const NEW: &str = "e | n | o | . | ./ | docs | plain | docs/n | plain/n | sub | linkdir | lathe | hold | d | deep/er | q | g | \
    secrets | secret | missing | deep/missing | it | hook";
const BELOW: &str = " |  |  | /x | /a.txt | /g/pre-commit | /pre-commit | /q/new | /q | /g | /s/a.txt | /.. | /../secrets/a.txt \
    | /../x | /secrets/a.txt | /r/a.txt | ~ | ~/a.txt | .jsonc | /text | /chain/new | /l/x";
const BRINGING: &str = "mv | mv | mv -T | mv -b | mv -bT | mv -f | mv -S .jsonc | mv -n | mv --backup=t | cp | cp -r | cp -r | \
    cp -a | cp -P | cp -d | cp -L | cp -rL | cp -rH | cp -rs | cp -l | cp -b | cp -rb | cp -S .jsonc | cp -rS MINE | \
    cp --parents | cp -rT | cp --no-deref | cp -r --backup --suf=.jsonc | ln | ln -s | ln -s | ln -sf | ln -sfn | \
    ln -sT | ln -f | ln -sr | ln -bs | install | install -b | install -D | install -S .jsonc -b";
const OTHERS: &str = "cat | cat | head -n 1 | grep -r . | touch | touch | cp a.txt | cp -r it/. | mkdir -p | rm -f | rm -r | \
    echo Wx > | echo Wx >> | cat < | cd | cd | cd -P | sed -i s/x/Wx/ | sed -i.jsonc s/x/y/ | sed -i'.g*' s/x/y/ | \
    sed -i'.git/*' s/x/y/ | sed -i'docs/*' s/x/y/ | ls | tee | sort | find | rmdir";
/// Targets of the generated links that a command could misuse.
const TAILS: &[(&str, &[&str])] = &[
    ("d/e", &["/g/pre-commit", "/g/new"]),
    ("d/n", &["/g/pre-commit", "/g/new"]),
    ("sub", &["/q/new", "/q2/new"]),
    ("hold", &["/s/a.txt", "/s2", "/r/a.txt", "/text"]),
    ("many", &["/one/l/a.txt"]),
    ("linkdir", &["/../../secrets/a.txt", "/.."]),
    ("plain/chain", &["/pre-commit"]),
    ("hook", &["/pre-commit"]),
    ("docs", &["/a.txt", "~/a.txt"]),
    ("secrets", &["/a.txt", "~/a.txt"]),
];
const BETWEEN: &str = " && | && | ; | ; | | | || ";

fn project() -> Harness {
    let project = Harness::with_rules(serde_json::from_str(RULES).unwrap());
    fs::create_dir_all(project.outside("data")).unwrap();
    project
}

/// Makes all files anew.
fn fill(project: &Harness) {
    for directory in [project.path(""), project.outside("")] {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.is_symlink() {
                fs::remove_dir_all(path).unwrap();
            } else {
                fs::remove_file(path).unwrap();
            }
        }
    }
    let write = |path: &Path, text: &str| {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    for file in FILES {
        write(&project.path(file), "x\n");
    }
    write(&project.path("secrets/a.txt"), SECRET);
    write(&project.path("denied/a.txt"), DENIED);
    write(&project.path(".git/hooks/pre-commit"), "kept");
    write(&project.path(".git/config"), "kept");
    write(&project.outside("data/new"), "kept");
    for (target, link) in LINKS {
        let link = project.path(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(target, link).unwrap();
    }
}

fn call(random: &mut Random) -> String {
    let mut parts = Vec::new();
    // The names that its files may have got.
    let mut names: Vec<String> = vec!["n".to_owned()];
    let count = 2 + random.below(3);
    for at in 0..count {
        let brings = at == 0 || random.below(3) == 0;
        let part = if brings {
            let (program, new) = (random.from(BRINGING), random.from(NEW));
            let brought = match random.below(4) {
                0 => names[random.below(names.len())].clone(),
                _ => random.from(BROUGHT).to_owned(),
            };
            let source = brought.trim_end_matches("/.").trim_end_matches('/');
            let last = source.rsplit('/').next().unwrap_or_default();
            let is_about = |about: &&(&str, &[&str])| source.starts_with(about.0);
            let tails = TAILS
                .iter()
                .find(is_about)
                .map_or(&["", "/a.txt", "/new"][..], |about| about.1);
            let tail = random.of(tails);
            names.extend([
                format!("{new}{tail}"),
                format!("{new}/{last}{tail}"),
                new.to_owned(),
            ]);
            format!("{program} {brought} {new}")
        } else {
            let path = match random.below(6) {
                0 => format!("{}{}", random.from(NEW), random.from(BELOW)),
                1 => format!("{}{}", random.from(PATHS), random.from(BELOW)),
                2 => format!("{}{}", names[random.below(names.len())], random.from(BELOW)),
                _ => names[random.below(names.len())].clone(),
            };
            format!("{} {path}", random.from(OTHERS))
        };
        parts.push(match random.below(14) {
            0 => format!("env A=b {part}"),
            1 => format!("bash -c \"{part}\""),
            2 => format!("({part})"),
            _ => part,
        });
    }
    for at in (1..parts.len()).rev() {
        let second = parts.remove(at);
        let between = random.from(BETWEEN);
        parts[at - 1] = format!("{}{between} {second}", parts[at - 1]);
    }
    let call = parts.remove(0);
    match random.below(8) {
        // Where a loop changes directory, nobody knows where it is.
        0 if !call.contains("cd ") => format!("for i in 1 2; do {call}; done"),
        1 => format!("{{ {call}; }} & wait"),
        _ => call,
    }
}

/// Every file below a directory with what is in it, links not followed.
fn files(directory: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut waiting = vec![directory.to_owned()];
    while let Some(next) = waiting.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            let name = path
                .strip_prefix(directory)
                .unwrap()
                .to_string_lossy()
                .into_owned();
            if path.is_symlink() {
                found.push((name, format!("link to {}", path.read_link().unwrap().display())));
            } else if path.is_dir() {
                waiting.push(path);
            } else {
                let text = fs::read_to_string(&path).unwrap_or_default();
                found.push((name, text));
            }
        }
    }
    found.sort();
    found
}

/// Returns the forbidden effect of a call, if it had one.
fn harm(project: &Harness, call: &str, mode: Mode) -> Option<String> {
    let before = (files(&project.outside("")), files(&project.path(".git")));
    let output = Command::new("timeout")
        .args(["20", "bash", "-c"])
        // Some would read what they write.
        .arg(format!("ulimit -f 1000\n{call}"))
        .current_dir(project.path(""))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    if !project.path(".git").is_dir() || files(&project.path(".git")) != before.1 {
        return Some("changed the repository".to_owned());
    }
    let after = files(&project.path(""));
    if let Some((name, _)) = after.iter().find(|(name, _)| name.ends_with("lathe.jsonc")) {
        return Some(format!("made {name}"));
    }
    if shown.contains(DENIED) {
        return Some("showed what is denied".to_owned());
    }
    if mode == Mode::Yolo {
        return None;
    }
    if files(&project.outside("")) != before.0 {
        return Some("wrote outside".to_owned());
    }
    if shown.contains(SECRET) {
        return Some("showed a secret".to_owned());
    }
    let is_open = |name: &str| !name.starts_with("secrets/") && !name.starts_with("denied/");
    let brought = after
        .iter()
        .find(|(name, text)| is_open(name) && (text.contains(SECRET) || text.contains(DENIED)));
    brought.map(|(name, _)| format!("brought a secret to {name}"))
}

#[tokio::test]
async fn no_generated_call_brings_a_path_to_what_is_closed() {
    let given = std::env::var("LATHE_BROUGHT_FUZZ").unwrap_or_default();
    let mut given = given.split(' ').filter_map(|number| number.parse::<u64>().ok());
    let seed = given.next().unwrap_or(5);
    let calls = given
        .next()
        .map_or(CALLS, |count| usize::try_from(count).unwrap());
    eprintln!("seed {seed}");
    let mut random = Random(seed);
    let project = project();
    let (mut unasked, mut harmful) = (0, Vec::new());
    fill(&project);
    for number in 0..calls {
        let call = call(&mut random);
        let mode = if number % 3 == 0 { Mode::Yolo } else { Mode::Ask };
        let asks = command_permissions(&project.services, &call, &project.path("")).asks;
        let decision = decide(&project.services.gate.permissions(), &asks, "bash", mode);
        if !matches!(decision, Decision::Allow | Decision::AllowByMode(_)) {
            continue;
        }
        unasked += 1;
        if let Some(harm) = harm(&project, &call, mode) {
            harmful.push(format!("{mode} {harm}: {call}"));
        }
        fill(&project);
    }
    eprintln!("{unasked} of {calls} ran unasked");
    assert!(
        harmful.is_empty(),
        "{} of {unasked}:\n{}",
        harmful.len(),
        harmful.join("\n")
    );
    assert!(unasked > calls / 20, "only {unasked} ran unasked");
}

/// Checks that the generated calls can do harm at all.
#[tokio::test]
async fn harm_is_seen_where_calls_are_asked_about() {
    let project = project();
    for call in [
        "mv d/n e && cp a.txt e/g/pre-commit",
        "mv sub/q2 . && echo x > q2/new",
        "cp -P hold/s . ; ln -sfn secrets s; cat s/a.txt",
        "mv hold n && cat n/r/a.txt",
        "cp -S .jsonc b lathe",
        "sed -i'.g*' s/x/y/ it/hooks/x",
        "mv -bT docs secrets",
        "mv sub o; mv linkdir sub; cat sub/../../secrets/a.txt",
        "tar c -C d n | tar x && cp b n/g/pre-commit",
        "tar c hold | (cd docs; tar x); cat docs/hold/s2",
        "cd d && tar c n | tar x -C .. && echo x > ../n/g/new",
        "echo b lathe | xargs cp -S .jsonc",
        "export SIMPLE_BACKUP_SUFFIX=.jsonc; mv -b b lathe",
        "printf -v SIMPLE_BACKUP_SUFFIX .jsonc; export SIMPLE_BACKUP_SUFFIX; mv -b b lathe",
        "find b -exec cp -S .jsonc {} lathe \\;",
        "cp -P d/n/g d/e; mv d/n n; cp b n/g/new",
    ] {
        fill(&project);
        assert!(harm(&project, call, Mode::Ask).is_some(), "{call}");
        fill(&project);
        let asks = command_permissions(&project.services, call, &project.path("")).asks;
        let decision = decide(&project.services.gate.permissions(), &asks, "bash", Mode::Ask);
        let runs = matches!(decision, Decision::Allow | Decision::AllowByMode(_));
        assert!(!runs, "{call}");
    }
}
