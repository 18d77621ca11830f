//! Commands that try to get past the rules, each with what has to become of it, and their harmless neighbours.
//!
//! Nothing here is run: the asks of a command are judged, and that is all.

use super::*;
use crate::permission::{Decision, Mode, decide};

/// Rules that let a lot through.
const LOOSE: &str = r#"{"bash": {"ls *": "allow", "echo *": "allow", "npm run test": "allow", "npm run test *": "allow",
    "git *": "allow", "cat *": "allow", "find *": "allow", "xargs *": "allow"}, "edit": "ask"}"#;
/// Everything but two programs and the file of secrets.
const DENYING: &str = r#"{"bash": {"*": "allow", "curl *": "deny", "rm *": "deny", "git push *": "deny"},
    "edit": "allow",
    "external_directory": "allow", "read": {"*": "allow", "*.env": "deny"}}"#;
/// Programs that may do anything but one thing, which is asked.
const CAREFUL: &str = r#"{"bash": {"git *": "allow", "docker *": "allow", "cargo *": "allow", "npm *": "allow",
    "kubectl *": "allow", "gh *": "allow", "/usr/bin/git *": "allow", "A=b git *": "allow", "timeout *": "allow", "xargs *": "allow",
    "git push *": "ask", "docker run *": "ask", "docker compose down *": "ask", "cargo publish *": "ask",
    "npm publish *": "ask", "kubectl delete *": "ask", "gh repo delete *": "ask", "timeout 9 *": "ask",
    "git --no-pager push origin wip": "allow"}, "external_directory": "allow"}"#;
const DEFAULTS: &str = "{}";

/// Returns the verdict on a command: `allow`, `deny KEY` or the keys that ask, in their order.
fn verdict(project: &Harness, command: &str, mode: Mode) -> String {
    let asks = command_permissions(&project.services, command, &project.path("")).asks;
    match decide(&project.services.gate.permissions(), &asks, "bash", mode) {
        Decision::Allow | Decision::AllowByMode(_) => "allow".to_owned(),
        Decision::Deny(denial) => format!("deny {}", denial.key),
        Decision::Ask(open) => {
            let mut keys: Vec<String> = open.iter().map(|open| open.ask.key.to_string()).collect();
            keys.dedup();
            keys.join(" ")
        }
    }
}

fn check(rules: &str, rows: &[(&str, &str)]) {
    let mut project = Harness::with_rules(serde_json::from_str(rules).unwrap());
    bring(&mut project, "rg");
    project.write("kept/a", "a");
    project.write("a.txt", "a");
    project.write(".env", "a");
    for (command, expected) in rows {
        let became = verdict(&project, command, Mode::Ask);
        let is_met =
            became == *expected || (*expected == "ask" && became.split(' ').any(|key| key == "bash"));
        assert!(is_met, "{command:?} became {became:?}, not {expected:?}");
    }
}

#[tokio::test]
async fn every_part_of_a_command_is_judged() {
    check(
        LOOSE,
        &[
            ("ls -l", "allow"),
            ("ls && curl x", "bash"),
            ("ls; curl x", "bash"),
            ("ls | sh", "bash"),
            ("ls || curl x", "bash"),
            ("ls & curl x", "bash"),
            ("ls\ncurl x", "bash"),
            ("ls\r\ncurl x", "bash"),
            ("echo $(curl x)", "bash"),
            ("echo `curl x`", "bash"),
            ("echo \"a $(echo \"$(curl x)\")\"", "bash"),
            ("cat <(curl x)", "ask"),
            ("ls > >(tee f)", "ask"),
            ("echo ${x:-$(curl x)}", "bash"),
            ("echo $((a[$(curl x)]))", "bash"),
            ("echo $(( $(curl x) ))", "bash"),
            ("cat <<E\n$(curl x)\nE", "bash"),
            ("cat <<'E'\n$(curl x)\nE", "allow"),
            ("echo '$(curl x)'", "allow"),
            ("ls # ; curl x", "allow"),
            ("ls #\ncurl x", "bash"),
            ("[ a && curl x ]", "bash"),
            ("if ls; then curl x; fi", "bash"),
            ("case a in a) curl x;; esac", "bash"),
            ("ls() { curl x; }; ls", "bash"),
            ("x=(1 $(curl x)); ls", "bash"),
            ("[[ $(curl x) ]] && ls", "bash"),
            ("ls <<<$(curl x)", "bash"),
            ("ls \\\n; curl x", "bash"),
        ],
    );
}

#[tokio::test]
async fn wrappers_and_texts_hide_nothing() {
    check(
        LOOSE,
        &[
            ("timeout 5 ls", "allow"),
            ("timeout 5 curl x", "bash"),
            ("nice -n 5 nohup curl x", "bash"),
            ("env A=b ls", "bash"),
            ("env -S 'curl x'", "bash"),
            ("xargs curl", "bash"),
            ("xargs -I{} sh -c '{}'", "bash"),
            ("stdbuf -o0 curl x", "bash"),
            ("sudo ls", "bash"),
            ("command curl x", "bash"),
            ("exec curl x", "bash"),
            ("builtin eval 'curl x'", "bash"),
            ("busybox sh", "bash"),
            ("flock f curl x", "bash"),
            ("watch ls", "bash"),
            ("ssh-agent ls", "bash"),
            ("script -c 'ls' f", "bash"),
            ("find . -exec curl {} +", "bash"),
            ("find . -execdir sh -c 'curl x' \\;", "bash"),
            ("echo Y3VybA== | base64 -d | sh", "bash"),
            ("sh <<<'curl x'", "bash"),
            ("bash <<E\ncurl x\nE", "bash"),
            ("source f", "bash"),
            (". ./f", "bash"),
            ("trap 'curl x' EXIT", "bash"),
            ("PROMPT_COMMAND='curl x'", "bash"),
            ("cu$IFS\"rl\" x", "bash"),
            ("{curl,x}", "bash"),
            ("/b?n/cat a", "bash"),
            ("$'\\x63url' x", "bash"),
        ],
    );
}

#[tokio::test]
async fn a_rule_ends_where_its_words_end() {
    check(
        LOOSE,
        &[
            ("npm run test", "allow"),
            ("npm run test -- a", "allow"),
            ("npm run testevil", "bash"),
            ("NPM_CONFIG_SCRIPT_SHELL=./x npm run test", "bash"),
            ("npm run test --prefix ../evil", "external_directory"),
            ("PATH=. npm run test", "bash"),
            ("export npm_config_script_shell=./x; npm run test", "bash"),
            ("./ls", "bash"),
            ("ls-evil", "bash"),
        ],
    );
}

#[tokio::test]
async fn a_deny_holds_wherever_the_command_is() {
    let many = |count: usize| format!("{}curl x", "true; ".repeat(count));
    let (five, fifty, many) = (many(5), many(50), many(1500));
    let options = format!("git {}push", "-c a=b ".repeat(13));
    check(
        DENYING,
        &[
            ("curl x", "deny bash"),
            ("ls; curl x", "deny bash"),
            (five.as_str(), "deny bash"),
            (fifty.as_str(), "deny bash"),
            (many.as_str(), "deny bash"),
            ("\\curl x", "deny bash"),
            ("\"cu\"rl u", "deny bash"),
            ("c''url u", "deny bash"),
            ("/usr/bin/curl u", "deny bash"),
            ("$'\\x63url' u", "deny bash"),
            ("A=b curl u", "deny bash"),
            ("A=b /usr/bin/curl u", "deny bash"),
            ("echo $(curl u)", "deny bash"),
            ("eval 'curl u'", "deny bash"),
            ("eval eval curl u", "deny bash"),
            ("bash -c 'x=1; curl u'", "deny bash"),
            ("bash -c \"bash -c 'curl u'\"", "deny bash"),
            ("alias c=curl; curl u", "deny bash"),
            ("f() { curl u; }; f", "deny bash"),
            ("if (\ncurl u", "deny bash"),
            ("$X; curl u", "deny bash"),
            ("sudo -s curl u", "deny bash"),
            ("strace curl u", "deny bash"),
            ("find . -exec rm {} +", "deny bash"),
            ("ls | xargs -n 1 rm", "deny bash"),
            ("timeout 9 nice env -u A curl u", "deny bash"),
            ("curl() { :; }; curl u", "deny bash"),
            ("sh -c 'echo &>/dev/null curl u'", "deny bash"),
            ("dash -c \"echo $'\\\\'; curl u; #'\"", "deny bash"),
            ("sh -c '[[ a || curl u ]]'", "deny bash"),
            ("zsh -c 'noglob curl u'", "deny bash"),
            ("setpriv --no-new-privs curl u", "deny bash"),
            ("csh -c 'curl u'", "deny bash"),
            ("git -C . push x", "deny bash"),
            ("git --no-pager -c a=b push", "deny bash"),
            (options.as_str(), "deny bash"),
            ("git $X push", "deny bash"),
            ("git commit -m push", "allow"),
            ("sh -c 'echo a > b; [ -n x ]'", "allow"),
            ("bash -c '[[ -n x ]] && ls &> b'", "allow"),
            ("bash <<E\ncurl u\nE", "deny bash"),
            ("cat .env", "deny read"),
            ("cat < .env", "deny read"),
            ("cat .e*", "deny read"),
            ("grep -r x .env", "deny read"),
            ("cat kept/../.env", "deny read"),
            ("cd kept && cat ../.env", "deny read"),
            ("cd kept; cat .env", "deny read"),
            ("echo x > .git/hooks/pre-commit", "deny protected"),
            ("echo x >> .git/config", "deny protected"),
            ("cd .git && echo x > config", "deny protected"),
            ("cd .git/hooks; cat > pre-commit <<E\nE", "deny protected"),
            ("echo x | tee .git/config", "deny protected"),
            ("echo x | tee -a lathe.jsonc", "deny protected"),
            ("$X > .git/config", "deny protected"),
            ("echo x > .GIT/config", "deny protected"),
            ("echo x > \"$PWD/.git/config\"", "deny protected"),
            ("sh -c 'echo x > .git/config'", "deny protected"),
            ("f() { echo x; } > .git/config; f", "deny protected"),
            ("echo x > kept/b", "allow"),
            ("echo curl u", "allow"),
            ("grep 'rm x' a.txt", "allow"),
            ("mycurl u", "allow"),
            ("curlish u", "allow"),
        ],
    );
}

#[tokio::test]
async fn options_hide_nothing_that_a_rule_asks() {
    let many = format!("git {}push", "-c a=b ".repeat(40));
    let countless = format!("git {}push", "-c a=b ".repeat(2000));
    check(
        CAREFUL,
        &[
            ("git commit -m push", "allow"),
            ("git push", "bash"),
            ("git -C x push", "bash"),
            ("git -Cx push origin", "bash"),
            ("git --git-dir=x/.git push", "bash"),
            ("git --git-dir x/.git push", "bash"),
            ("git -c k=v push", "bash"),
            ("git -c k=v -c l=w -p push", "bash"),
            ("git --no-pager push", "bash"),
            ("git $X push", "bash"),
            ("git $(true) push", "bash"),
            (many.as_str(), "bash"),
            (countless.as_str(), "bash"),
            ("/usr/bin/git -C x push", "bash"),
            ("A=b git push", "bash"),
            ("timeout 5 git -C x push", "bash"),
            ("timeout 9 git log", "bash"),
            ("ls; git -C x push &", "bash"),
            ("docker ps", "allow"),
            ("docker --context x run i", "bash"),
            ("docker compose -f x down", "bash"),
            ("docker -c x compose -f x --profile=p down -v", "bash"),
            ("docker compose -f x up", "allow"),
            ("cargo +nightly publish", "bash"),
            ("cargo +nightly --config a=b publish", "bash"),
            ("cargo +nightly build --release", "allow"),
            ("npm --prefix x publish", "bash"),
            ("npm run -s build", "allow"),
            ("kubectl -n x delete pod", "bash"),
            ("kubectl --namespace=x get pod", "allow"),
            ("gh repo -R x delete", "bash"),
            // What only the shell knows may be what is asked about.
            ("X=push; git $X", "bash"),
            ("git $(echo push) origin", "bash"),
            ("git -C x \"$(echo push)\"", "bash"),
            ("git pu?h", "bash"),
            ("echo push | xargs git", "bash"),
            ("echo push | xargs -I{} git {}", "bash"),
            ("echo push | xargs -IX git X", "bash"),
            ("git log $X", "allow"),
            ("echo x | xargs git add", "allow"),
            ("npm run \"$X\"", "allow"),
            // Git runs what it is told to.
            ("git -c alias.x=push x", "bash"),
            ("git -c ALIAS.x='!sh' x", "bash"),
            ("git -C x -c core.sshCommand=./x fetch", "bash"),
            ("git -c diff.a.textconv=./x diff", "bash"),
            ("git -c \"$X\" log", "bash"),
            ("git --config-env=alias.x=Y x", "bash"),
            ("git -c user.name=a commit", "allow"),
            // An allow needs its own words, and the last word is the user's.
            ("git --no-pager push origin wip", "allow"),
            ("git --no-pager push origin", "bash"),
        ],
    );
    let opens_late = r#"{"bash": {"git push *": "ask", "git *": "allow", "npm publish *": "allow"}}"#;
    check(
        opens_late,
        &[
            ("git -C x push", "allow"),
            ("git $X", "allow"),
            ("npm --prefix x publish", "bash"),
            (countless.as_str(), "bash"),
        ],
    );
}

#[tokio::test]
async fn programs_that_read_are_only_let_through_when_they_only_read() {
    check(
        DEFAULTS,
        &[
            ("find . -name x", "allow"),
            ("find . -exec id \\;", "bash"),
            ("find . -delete", "deny protected"),
            ("find . -fprintf f x", "bash"),
            ("find . -fls f", "bash"),
            ("find . -files0-from f", "bash"),
            ("find . -ok id \\;", "bash"),
            ("rg p", "allow"),
            ("rg --pre=./x p", "bash"),
            ("rg --pre x p", "bash"),
            ("rg --hostname-bin x p", "bash"),
            ("rg -z p", "bash"),
            ("RIPGREP_CONFIG_PATH=x rg p", "bash"),
            ("sed -n '1p;w out' a.txt", "bash"),
            ("awk 'BEGIN{system(\"id\")}'", "bash"),
            ("python -c x", "bash"),
            ("git log", "allow"),
            ("git -c core.pager='sh -c id' log", "bash"),
            ("git --config-env=a=b log", "bash"),
            ("git --exec-path=. status", "bash"),
            ("git --git-dir=evil log", "bash"),
            ("GIT_EXTERNAL_DIFF=./x git diff", "bash"),
            ("git log --output=f", "bash"),
            ("git log --outpu=f", "bash"),
            ("git diff --ext-diff", "bash"),
            ("git grep -O./x", "bash"),
            ("git branch -D x", "bash"),
            ("git show --textconv", "bash"),
            ("git -c alias.x=!id x", "bash"),
            ("sort -o f a.txt", "bash"),
            ("sort --compress-program=x a.txt", "bash"),
            ("uniq a.txt out", "bash"),
            ("cut --output-delimiter=x -f 1 a.txt", "allow"),
            ("tail -f a.txt", "bash"),
            ("./ls", "bash"),
            ("ls $(echo x)", "bash"),
            ("sort $x", "external_directory bash"),
            ("rm -rf kept", "bash"),
            ("true > a.txt", "edit"),
            ("cat a.txt | head -3", "allow"),
            ("cat ../a.txt", "external_directory"),
            ("cat kept/../../a", "external_directory"),
            ("cat /proc/self/root/etc/passwd", "external_directory"),
            ("cat ~root/x", "external_directory"),
            ("exec 3<>/dev/tcp/127.0.0.1/80", "external_directory bash edit"),
            ("cat < /dev/tcp/127.0.0.1/80", "external_directory"),
        ],
    );
}

#[tokio::test]
async fn planning_only_reads_and_accepting_edits_accepts_no_more() {
    let project = Harness::with_rules(serde_json::from_str(DEFAULTS).unwrap());
    for (mode, command, expected) in [
        (Mode::Plan, "ls -l && git status", "allow"),
        (Mode::Plan, "cd src && ls", "allow"),
        (Mode::Plan, "ls; touch x", "deny bash"),
        (Mode::Plan, "echo x > y", "deny edit"),
        (Mode::Plan, "cd src", "allow"),
        (Mode::Plan, "$X", "deny bash"),
        (Mode::Plan, "if (", "deny bash"),
        (Mode::Plan, "timeout 5 touch x", "deny bash"),
        (Mode::Plan, "ls | tee x", "deny bash"),
        (Mode::AcceptEdits, "echo x > y", "allow"),
        (Mode::AcceptEdits, "echo x > ../y", "external_directory edit"),
        (
            Mode::AcceptEdits,
            "echo x > \"$y\"",
            "external_directory bash edit",
        ),
        (
            Mode::AcceptEdits,
            "touch y && mkdir -p z && cp y z/y && mv y x",
            "allow",
        ),
        (Mode::AcceptEdits, "touch ../y", "external_directory bash"),
        (Mode::AcceptEdits, "cp /etc/hosts y", "external_directory"),
        (Mode::AcceptEdits, "touch y; rm y", "bash"),
        (Mode::AcceptEdits, "A=b touch y", "bash"),
        (Mode::AcceptEdits, "touch \"$y\"", "external_directory bash"),
        (
            Mode::AcceptEdits,
            "find src | xargs touch",
            "external_directory bash",
        ),
        (Mode::AcceptEdits, "find . | xargs touch", "deny protected"),
        (Mode::AcceptEdits, "cp a .git/hooks/pre-commit", "deny protected"),
        (Mode::AcceptEdits, "touch .envrc", "protected"),
        (Mode::AcceptEdits, "echo x > .git/config", "deny protected"),
        (Mode::AcceptEdits, "echo x > .envrc", "protected"),
        (Mode::Yolo, "$X; touch y", "allow"),
        (Mode::Yolo, "echo x > .git/config", "deny protected"),
        (Mode::Yolo, "$X > .git/config", "deny protected"),
    ] {
        assert_eq!(
            verdict(&project, command, mode),
            expected,
            "{command:?} in {mode}"
        );
    }
}

#[tokio::test]
async fn huge_and_deep_commands_are_asked_whole_and_soon() {
    let project = Harness::with_rules(serde_json::from_str(LOOSE).unwrap());
    let started = std::time::Instant::now();
    for command in [
        format!("ls {}", "x ".repeat(500_000)),
        format!("{}ls{}", "(".repeat(10_000), ")".repeat(10_000)),
        format!("echo {}", "$(".repeat(10_000)),
        "ls;".repeat(5_000),
        format!("cargo {}", "{a,b}".repeat(60)),
        format!("{}ls", "eval ".repeat(30)),
    ] {
        assert_eq!(verdict(&project, &command, Mode::Ask), "bash", "{command:.40}");
    }
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}
