//! Generated git commands: none that runs unasked prints a secret. Git itself says what it prints.
//!
//! `LATHE_GIT_FUZZ='SEED COUNT' cargo test --lib git_fuzz` tries more of them, or the same again.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::git::{asked, git, repository_in};
use super::*;
use crate::process::git::{Drivers, Submodules, disarmed};

/// In every version of every file that may not be read, and nowhere else.
const SECRET: &str = "Zk81";
const COMMANDS: usize = 125;

/// Numbers of a fixed sequence (`SplitMix64`).
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let end = u64::try_from(end).unwrap();
        usize::try_from((mixed ^ (mixed >> 31)) % end).unwrap()
    }

    pub(super) fn of<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.below(texts.len())]
    }

    /// One of a table of texts.
    pub(super) fn from<'t>(&mut self, table: &'t str) -> &'t str {
        let texts: Vec<&str> = table.split(" | ").collect();
        self.of(&texts)
    }
}

const SUBCOMMANDS: &str = "diff | diff | log | log -p | log -p | show | show | show | grep | grep | cat-file | blame | \
    stash show | stash list | reflog | reflog show | shortlog | ls-tree | tag | branch";
const SIDES: &str = "--cached | --staged | --merge-base | -1 | -3 | --no-index";
const PATTERNS: &str = ". | Zk81 | common | '^'";
const DIFFERENCES: &str = "-a -GZk | --pickaxe-all -Gpublic | --diff-filter='M*' | -p | -u | -s | --stat | --numstat | --raw | --name-only | --name-status | --summary | --patch | \
    --no-patch | -U1 | -U0 | --unified=1 | --unified | -W | --function-context | --check | --binary | --text \
    | -a | -w | -b | -z | -R | -r | -t | -m | -c | --cc | -M | -M90% | -C | -C -C | -B | -D | --find-renames \
    | --find-copies | --find-copies-harder | --no-renames | --diff-filter=R | --diff-filter=A | \
    --diff-filter=ad | --diff-filter=C | --diff-filter M | -S public | -Spublic | -G public | -Gcommon | \
    --pickaxe-all | -l1 | --relative | --relative=sub | --no-relative | --word-diff | --color-words | \
    --color-words=. | --word-diff-regex=. | --patch-with-stat | --patch-with-raw | --quiet | -q | \
    --exit-code | --minimal | --full-index | --color | --no-color | --no-ext-diff | --no-prefix | \
    --inter-hunk-context=9 | --output-indicator-new=x | --diff-merges=on | --diff-merges=m | --diff-merges=1 \
    | --diff-merges=cc | --diff-merges on | --combined-all-paths | --remerge-diff | --skip-to=plain.txt | \
    --rotate-to=plain.txt | --irreversible-delete | --root | --dirstat | -X | --cumulative | \
    --compact-summary | --no-textconv | --line-prefix=x | --ita-invisible-in-index | --submodule=diff | \
    --find-object=HEAD:.env | --anchored=x | --histogram | --ws-error-highlight=all";
const COMMITS: &str = "--until=2026-11-02 | --author=J.rg | -1 | -2 | -n 1 | -n1 | -n3 | --max-count=1 | --skip=1 | --all | --branches | --tags | --glob=refs/tags/* \
    | --exclude=old --all | --reflog | -g | --walk-reflogs | --reverse | --merges | --no-merges | \
    --first-parent | --follow | -L1,3:plain.txt | -L 1,3:plain.txt | --oneline | --graph | --format=%h | \
    --format= | --pretty=raw | --format %h | --pretty | --since=2000-01-01 | --author=a | --grep=one | \
    --grep one | -i | --no-walk | --do-walk | --full-diff | --full-history | --boundary | --decorate | \
    --source | --topo-order | --date-order | --not | --simplify-by-decoration | --left-right | --cherry-pick \
    | --parents | --notes | --encoding=UTF-8 | --merge | --ancestry-path | --remove-empty | --min-parents=2 \
    | --abbrev-commit | --date=iso | --log-size | --stdin";
const SEARCHES: &str = "-n | -i | -l | -c | -h | -H | -o | -w | -v | -F | -E | -P | -A 2 | -A2 | -C1 | -3 | -e . | -e Zk81 | -e \
    a --and -e b | --cached | --full-name | --max-depth=0 | --max-depth 1 | -r | --recursive | \
    --no-recursive | --untracked | --no-index | -W | -p | --heading | --and | --not | --all-match | -f .env \
    | --threads=1 | --no-exclude-standard | --recurse-submodules";
const OTHERS: &str = "-p | -t | -s | -e | blob | tree | commit | tag | --batch | --textconv | -w | -C | -M | -l | -L1,3 | \
    --porcelain | --root | --reverse | -S .env | --contents .env | --incremental | --line-porcelain";
const REVISIONS: &str = "'HEAD@{2026-11-02 13:00}' | '@{13:00}' | ^HEAD | HEAD..old | HEAD | HEAD~1 | HEAD~2 | HEAD~3 | HEAD~4 | HEAD~5 | HEAD^ | HEAD^2 | @ | old | side | blobtag | treetag \
    | committag | BLOB | TREE | SUBTREE | COMMIT | HEAD~2..HEAD | HEAD~3...HEAD~1 | side..HEAD | HEAD...side \
    | ^side | HEAD^! | HEAD~1^! | HEAD^@ | HEAD^- | HEAD~2^{tree} | HEAD^{} | blobtag^{} | treetag^{tree} | \
    :/one | HEAD^{/one} | stash | stash@{0} | stash^2 | stash@{0}^3 | HEAD@{0} | HEAD@{1} | HEAD@{2} | @{-1} \
    | main@{1} | refs/heads/side | heads/main | refs/tags/old | tags/blobtag | ORIG_HEAD | --all | \
    --branches | --tags | main | 0 | o?d | s*e | 'o?d' | HEAD~5.. | ..side | main..side | HEAD~3^{commit}";
const OBJECTS: &str = "HEAD:.env | HEAD~3:.env | HEAD~5:config/.env | HEAD:./.env | HEAD:plain.txt | HEAD:sub/a.txt | HEAD:sub \
    | HEAD:h/.aws | HEAD~1:h/.aws | HEAD:h/.aws/credentials | TREE:.env | SUBTREE:credentials | treetag:.env \
    | treetag:plain.txt | :.env | :0:.env | :./.env | :/.env | :plain.txt | side:.env | old:.env | \
    HEAD:../.env | HEAD:./credentials | HEAD:./sub/../.env | 'HEAD:id_rsa (1)' | HEAD:x.env.b:1 | BLOB | \
    HEAD: | HEAD:. | HEAD:h | HEAD:h/.aws/ | stash:.env | stash@{0}:.env | HEAD@{1}:.env | HEAD^{tree}:.env \
    | HEAD:h//.aws/credentials | HEAD:plain.tx? | HEAD:.en?";
const PATHS: &str = ". | plain.txt | sub | sub/a.txt | .env | config | config/ | h | aw | aw/credentials | '*.txt' | *.txt | \
    p* | ':!.env' | ':(exclude)sub' | ':/' | ':(top)' | ':(top).env' | ':(icase).ENV' | ':(glob)**/*v' | .. \
    | ../.env | ../sub | copy.txt | moved.txt | -p | --cached | HEAD | old | 'x.env.b:1' | sub/../.env | \
    ./plain.txt | o?d | '?env' | ':^sub' | OUTSIDE | sub/* | renamed.txt | a.txt";
const PLACES: &[&str] = &[
    "",
    "",
    "",
    "cd sub && ",
    "cd h && ",
    "cd aw && ",
    "cd h/.aws && ",
    "LC_ALL=C.UTF-8 ",
    "TZ=AAA+23 ",
];
const DIRECTORIES: &[&str] = &[
    "",
    "",
    "",
    "",
    "-C sub ",
    "-C aw ",
    "-C h ",
    "-C cur ",
    "--no-pager ",
];

/// A repository with a long history of secrets that are made, renamed, copied, merged, stashed and removed.
struct Place {
    project: Harness,
    blob: String,
    tree: String,
    subtree: String,
    commit: String,
    outside: PathBuf,
}

impl Place {
    fn new(settings: &[&str]) -> Self {
        let rules = json!({"read": {"*": "allow", "*.env": "ask", "*.env.*": "ask", "*id_rsa*": "ask",
            "*/.aws/credentials": "ask", "sub/secrets/*": "deny"}});
        let project = repository_in(Harness::with_rules(rules));
        let root = project.path("");
        let lines = |last: &str| {
            let common = "common\n".repeat(30);
            format!("{common}{last}\n")
        };
        let secret = lines(SECRET);
        let commit = |message: &str| {
            git(&root, &["add", "-A"]);
            git(&root, &["commit", "-qm", message]);
        };
        for name in [
            ".env",
            "config/.env",
            "h/.aws/credentials",
            "id_rsa (1)",
            "x.env.b:1",
            "sub/.env",
            "sub/secrets/db",
        ] {
            project.write(name, &secret);
        }
        for name in ["plain.txt", "sub/a.txt", "h/b.txt", "old"] {
            project.write(name, lines(name));
        }
        symlink("h/.aws", project.path("aw")).unwrap();
        symlink("sub", project.path("cur")).unwrap();
        commit("secrets");
        git(&root, &["tag", "old"]);
        git(&root, &["tag", "-a", "-m", "tag", "blobtag", "HEAD:.env"]);
        git(&root, &["tag", "-a", "-m", "tag", "treetag", "HEAD^{tree}"]);
        git(&root, &["tag", "-a", "-m", "tag", "committag", "HEAD"]);
        // Moved away from its name, without the secret.
        git(&root, &["mv", "config/.env", "moved.txt"]);
        project.write("moved.txt", lines("public"));
        commit("moved");
        project.write("copy.txt", lines("public copy"));
        commit("copied");
        git(&root, &["checkout", "-q", "-b", "side"]);
        git(&root, &["mv", "sub/.env", "sub/renamed.txt"]);
        project.write("sub/renamed.txt", lines("public on the side"));
        commit("side");
        git(&root, &["checkout", "-q", "main"]);
        project.write(".env", format!("{secret}second\n"));
        git(&root, &["mv", "sub/.env", "sub/renamed.txt"]);
        project.write("sub/renamed.txt", lines("public on main"));
        commit("changed");
        let merged = Command::new("git")
            .current_dir(&root)
            .args(["-c", "user.name=a", "-c", "user.email=a@b", "merge", "-q", "side"])
            .output()
            .unwrap();
        assert!(!merged.status.success(), "{merged:?}");
        project.write("sub/renamed.txt", lines("public of both"));
        commit("merged");
        project.write("plain.txt", lines("plain, again"));
        commit("plain");
        project.write(".env", format!("{secret}third\n"));
        project.write("new.env", &secret);
        git(&root, &["mv", "x.env.b:1", "stashed.txt"]);
        project.write("stashed.txt", lines("public in the stash"));
        git(&root, &["add", "stashed.txt"]);
        git(&root, &["stash", "-q", "-u"]);
        project.write("plain.txt", lines("plain in the work tree"));
        project.write("h/.aws/credentials", format!("{secret}changed\n"));
        for setting in settings {
            let (name, value) = setting.split_once('=').unwrap();
            git(&root, &["config", name, value]);
        }
        let outside = project.outside("elsewhere");
        fs::create_dir_all(&outside).unwrap();
        fs::write(outside.join(".env"), &secret).unwrap();
        let name_of = |revision: &str| {
            let output = Command::new("git")
                .current_dir(&root)
                .args(["rev-parse", revision])
                .output()
                .unwrap();
            String::from_utf8(output.stdout).unwrap().trim().to_owned()
        };
        Self {
            blob: name_of("HEAD:.env"),
            tree: name_of("HEAD^{tree}"),
            subtree: name_of("HEAD:h/.aws"),
            commit: name_of("HEAD~1"),
            outside,
            project,
        }
    }

    fn command(&self, random: &mut Random) -> String {
        let mut words = Vec::new();
        let subcommand = random.from(SUBCOMMANDS);
        let options: &[&str] = match subcommand {
            "diff" => &[DIFFERENCES, SIDES],
            "stash show" => &[DIFFERENCES, "-u | --include-untracked | --only-untracked"],
            "log" | "log -p" | "show" => &[DIFFERENCES, DIFFERENCES, COMMITS],
            "stash list" | "reflog" | "reflog show" | "shortlog" => &[COMMITS, COMMITS, DIFFERENCES],
            "grep" => &[SEARCHES],
            _ => &[OTHERS],
        };
        for _ in 0..random.below(4) {
            let table = random.of(options);
            words.push(random.from(table));
        }
        if subcommand == "grep" && random.below(5) > 0 {
            words.push(random.from(PATTERNS));
        }
        for _ in 0..random.below(3) {
            let table = random.of(&[OBJECTS, REVISIONS, REVISIONS]);
            words.push(random.from(table));
        }
        // Git takes options behind operands, too.
        let turn = random.below(words.len() + 1);
        words.rotate_left(if subcommand == "grep" { 0 } else { turn });
        if random.below(3) == 0 {
            words.push("--");
        }
        for _ in 0..random.below(3) {
            words.push(random.from(PATHS));
        }
        let place = random.of(PLACES);
        let directory = random.of(DIRECTORIES);
        let text = format!("{place}git {directory}{subcommand} {}", words.join(" "));
        text.replace("BLOB", &self.blob)
            .replace("SUBTREE", &self.subtree)
            .replace("TREE", &self.tree)
            .replace("COMMIT", &self.commit)
            .replace("OUTSIDE", &self.outside.to_string_lossy())
    }

    fn prints_a_secret(&self, command: &str) -> bool {
        let output = Command::new("bash")
            .args(["-c", command])
            .current_dir(self.project.path(""))
            .env_clear()
            .envs(disarmed(
                self.project.services.environment.clone(),
                &Drivers::default(),
                Submodules::Skip,
            ))
            .stdin(Stdio::null())
            .output()
            .unwrap();
        String::from_utf8_lossy(&output.stdout).contains(SECRET)
    }
}

#[tokio::test]
async fn no_generated_git_command_prints_a_secret_unasked() {
    let given = std::env::var("LATHE_GIT_FUZZ").unwrap_or_default();
    let mut given = given.split(' ').filter_map(|number| number.parse::<u64>().ok());
    let seed = given.next().unwrap_or(12);
    let commands = given
        .next()
        .map_or(COMMANDS, |count| usize::try_from(count).unwrap());
    eprintln!("seed {seed}");
    let mut random = Random(seed);
    let (mut unasked, mut leaks) = (0, Vec::new());
    let places = [
        Place::new(&[]),
        Place::new(&["diff.renames=copies", "log.follow=true"]),
        Place::new(&[
            "diff.relative=true",
            "stash.showPatch=true",
            "stash.showIncludeUntracked=true",
        ]),
    ];
    for number in 0..commands {
        let place = &places[number % places.len()];
        let command = place.command(&mut random);
        if asked(&place.project, &command).is_empty() {
            unasked += 1;
            if place.prints_a_secret(&command) {
                leaks.push(format!("{} {command}", number % places.len()));
            }
        }
    }
    assert!(
        leaks.is_empty(),
        "{} of {unasked}:\n{}",
        leaks.len(),
        leaks.join("\n")
    );
    assert!(unasked > commands / 20, "only {unasked} ran unasked");
}

/// Checks that the generated commands can print secrets at all.
#[tokio::test]
async fn the_commands_print_secrets_where_they_are_asked_about() {
    let place = Place::new(&[]);
    for command in [
        "git show blobtag",
        "git log -p",
        "git diff old HEAD",
        "git stash show -p",
        "git grep Zk81",
        "cd aw && git show HEAD:./credentials",
        "git -C h show HEAD:h/.aws/credentials",
        "git log -p --follow -- moved.txt",
        "git show --diff-filter=R HEAD~4",
        "git cat-file -p HEAD:'id_rsa (1)'",
    ] {
        let open = asked(&place.project, command);
        assert_ne!(open, [], "{command}");
    }
    let shown = [
        "git show blobtag",
        "git log -p",
        "git grep Zk81",
        "git stash show -p",
    ];
    assert!(shown.iter().all(|command| place.prints_a_secret(command)));
}
