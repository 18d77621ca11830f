//! Generated scripts with variables, directories, redirections and expansions that fail: none that runs unasked shows a
//! secret or writes a file. The shell itself says what a script does.
//!
//! `LATHE_VALUES_FUZZ='SEED COUNT' cargo test --lib values_fuzz` tries more of them, or the same again.

use std::process::{Command, Stdio};

use super::git_fuzz::Random;
use super::*;

const SCRIPTS: usize = 200;
/// In every file that asks before it is read.
const SECRET: &str = "Zk81";

const NAMES: &str = "x | x | y | z | _ | REPLY";
const VALUES: &str = "a.txt | a.txt | a.txt | .env | .env | sub | sub/a.txt | sub/.env | . | .. | a | .e | nv | $x | ${x} | \
    \"$x\" | \"$y\"nv | ${y:-.env} | ${x%.txt} | ${x/a.txt/.env} | '' | $(echo a.txt) | $((1 + 1)) | a\\.txt | 'a.txt' | \
    ${z-a.txt} | $'a.txt' | a.t[x]t | {a.txt,.env} | ~+/a.txt | new | /dev/null | /dev/nul";
const READS: &str = "cat $x | cat $x | cat \"$x\" | cat ${x} | cat \"${y}\" | cat $y | cat < $x | cat < \"$y\" | head -n 1 $x | \
    cat $x$y | cat $z | cat a.txt | cat k | cat .env | cat sub/../$x | tail -n 2 \"$x\" | wc -l $x | cat ${x#b} | \
    cat \"$x\" \"$y\" | grep -h . $x | cat $REPLY | cat $_ | cat ~+/$x | cat ./$x | cat $PWD/$x | cat \"$@\" | cat $1";
const FAILS: &str = "echo $((1/0)) | echo $((08)) | : $((1 % 0)) | echo ${y:0:-99} | a[-9]=1 | ((1/0)) | echo ${q:?no} | \
    echo ${q?no} | cat nofile | [ -f nofile ] | false | true | let 1/0 | echo ${x:9:1} | [[ -f $x ]] | echo $((2 ** -1)) | \
    printf '%d' z | cd nodir | UID=1 | set -e | set -u | set -f | set -- .env | exit | return | : > /dev/full | \
    echo $((x)) | echo {a,b} | wait | test a = b | read -r < a.txt | shift | local x=.env | readonly x | : ${1:=z} | y[0]=(a b) | a=(b)# | [[ x =~ (#) ]] | n=08 | : $((n + 1)) | c=read | $c x <<< .env | x=.env y=$(cat $x) | unset x | unset y";
const REDIRECTIONS: &str = " |  |  | < nofile | < a.txt | < .. | > /dev/null | 2> /dev/null | > /dev/null 2>&1 | < $x | > $y | \
    >> \"$x\" | < /dev/null | 3< nofile | <<< .env | < nodir/x | > $x";
const CONDITIONS: &str = "true | false | [ -f a.txt ] | [ -f nofile ] | [[ $x = a* ]] | [ -d \"$x\" ] | x=.env | cd sub | \
    x=.env false | ! true | x=a.txt && false";
const DIRECTORIES: &str = "sub | sub | .. | . | nodir | - | $x | \"$y\" | sub/.. | ../proj | ~+";

fn project() -> Harness {
    let project = Harness::new();
    for (file, text) in [
        ("a.txt", "plain\n"),
        ("sub/a.txt", "plain\n"),
        ("sub/k", "plain\n"),
        (".env", SECRET),
        ("sub/.env", SECRET),
    ] {
        project.write(file, text);
    }
    project
}

fn script(random: &mut Random, depth: usize) -> String {
    let mut text = String::new();
    for at in 0..=random.below(4) {
        if at > 0 {
            let join = random.of(&[";", ";", "\n", "\n", " &&", " ||", " |", " &"]);
            text.push_str(join);
            text.push(' ');
        }
        text.push_str(&statement(random, depth));
    }
    text
}

fn statement(random: &mut Random, depth: usize) -> String {
    let kinds = if depth == 0 { 9 } else { 20 };
    match random.below(kinds) {
        0..=2 => {
            let append = if random.below(6) == 0 { "+" } else { "" };
            format!("{}{append}={}", random.from(NAMES), random.from(VALUES))
        }
        3 | 4 => random.from(READS).to_owned(),
        5 | 6 => random.from(FAILS).to_owned(),
        7 => format!("cd {}", random.from(DIRECTORIES)),
        8 => format!(
            "{}={} {}",
            random.from(NAMES),
            random.from(VALUES),
            random.from(READS)
        ),
        9..=11 => {
            let body = script(random, depth - 1);
            format!("{{ {body}; }} {}", random.from(REDIRECTIONS))
        }
        12 => format!("({}) {}", script(random, depth - 1), random.from(REDIRECTIONS)),
        13 => format!(
            "if {}; then {}; else {}; fi",
            random.from(CONDITIONS),
            script(random, depth - 1),
            script(random, depth - 1)
        ),
        14 | 15 => format!(
            "for {} in {} {}; do {}; {} done {}",
            random.from(NAMES),
            random.from(VALUES),
            random.from(VALUES),
            script(random, depth - 1),
            random.of(&["", "", "break;", "continue;"]),
            random.from(REDIRECTIONS)
        ),
        16 => format!(
            "while {}; do {}; break; done {}",
            random.from(CONDITIONS),
            script(random, depth - 1),
            random.from(REDIRECTIONS)
        ),
        17 => format!(
            "case $x in a*) {}{} *) {};; esac",
            script(random, depth - 1),
            random.of(&[";;", ";;", ";&", ";;&"]),
            script(random, depth - 1)
        ),
        18 => format!(
            "f() {{ {}; }}; {}; f {}",
            script(random, depth - 1),
            statement(random, 0),
            random.from(VALUES)
        ),
        _ => format!("x=$({})", script(random, depth - 1)),
    }
}

fn count_files(project: &Harness) -> usize {
    let count = |directory: &str| fs::read_dir(project.path(directory)).unwrap().count();
    count("") + count("sub")
}

/// Returns the forbidden effect of a script, if it had one.
fn harm(project: &Harness, script: &str) -> Option<&'static str> {
    let before = count_files(project);
    let output = Command::new("timeout")
        .args(["20", "bash", "-c", script])
        .current_dir(project.path(""))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    if [output.stdout, output.stderr]
        .iter()
        .any(|bytes| String::from_utf8_lossy(bytes).contains(SECRET))
    {
        return Some("showed a secret");
    }
    let is_kept =
        |(file, text): &(&str, &str)| fs::read_to_string(project.path(file)).is_ok_and(|now| now == *text);
    let kept = [
        ("a.txt", "plain\n"),
        ("sub/a.txt", "plain\n"),
        (".env", SECRET),
        ("sub/.env", SECRET),
    ];
    (!kept.iter().all(is_kept) || count_files(project) != before).then_some("wrote a file")
}

#[tokio::test]
async fn no_generated_script_reads_or_writes_more_than_it_was_judged_by() {
    let given = std::env::var("LATHE_VALUES_FUZZ").unwrap_or_default();
    let mut given = given.split(' ').filter_map(|number| number.parse::<u64>().ok());
    let seed = given.next().unwrap_or(7);
    let scripts = given
        .next()
        .map_or(SCRIPTS, |count| usize::try_from(count).unwrap());
    eprintln!("seed {seed}");
    let mut random = Random(seed);
    let mut project = project();
    let (mut unasked, mut harmful) = (0, Vec::new());
    for _ in 0..scripts {
        let script = script(&mut random, 2);
        let asks = command_permissions(&project.services, &script, &project.path("")).asks;
        if !open_of(&project, &asks).is_empty() {
            continue;
        }
        unasked += 1;
        if let Some(harm) = harm(&project, &script) {
            harmful.push(format!("{harm}: {script:?}"));
            project = self::project();
        }
    }
    eprintln!("{unasked} of {scripts} ran unasked");
    assert!(
        harmful.is_empty(),
        "{} of {unasked}:\n{}",
        harmful.len(),
        harmful.join("\n")
    );
    assert!(unasked > scripts / 50, "only {unasked} ran unasked");
}

/// Checks that the generated scripts can do harm at all.
#[tokio::test]
async fn harm_is_seen_where_scripts_are_asked_about() {
    for script in [
        "x=.env; { x=a.txt; } < nofile; cat $x",
        "x=.env\necho $((1/0)); x=a.txt\ncat $x",
        "x=.env\ny=abc; echo ${y:0:-9}; x=a.txt\ncat $x",
        "y=new; { y=/dev/null; } < nofile; echo > $y",
        "cd sub\n((1/0)); cat .env",
        "x=.env; cd sub < nofile; cat $x",
    ] {
        let project = project();
        assert!(harm(&project, script).is_some(), "{script}");
        let asks = command_permissions(&project.services, script, &project.path("")).asks;
        assert!(!open_of(&project, &asks).is_empty(), "{script}");
    }
}
