//! What is made of a text: its commands, their words, and what cannot be told.

use super::*;

#[test]
fn plain_commands_are_taken_apart_as_the_shell_does() {
    for (command, canonical) in [
        ("ls", "ls"),
        ("  ls\t-la  \n", "ls -la"),
        ("\"cu\"rl u", "curl u"),
        ("c\\url 'a b' \"c\\\"d\"", "curl a b c\"d"),
        ("git commit -m 'first\nsecond'", "git commit -m first\nsecond"),
        ("echo 'it'\\''s' \"\" x", "echo it's  x"),
        ("ls *.rs src/[a-z]?", "ls *.rs src/[a-z]?"),
        ("cat ~/x", "cat ~/x"),
        ("git show HEAD@{1}", "git show HEAD@{1}"),
        ("echo a#b 50% a=b", "echo a#b 50% a=b"),
        ("echo \"a\\nb\"", "echo a\\nb"),
        ("[ -f x ]", "[ -f x ]"),
        ("grep '$HOME; rm -rf /' x", "grep $HOME; rm -rf / x"),
        ("echo ü", "echo ü"),
        ("./x=y", "./x=y"),
    ] {
        assert_eq!(simple(command).canonical, canonical, "{command:?}");
    }
}

#[test]
fn every_command_is_found_wherever_it_stands() {
    for (command, expected) in [
        ("a && b || c; d & e", "a|b|c|d|e"),
        ("a | b |& c", "a|b|c"),
        ("(a; b) && { c; }", "a|b|c"),
        ("if a; then b; elif c; then d; else e; fi", "a|b|c|d|e"),
        ("while a; do b; done; until c; do d; done", "a|b|c|d"),
        (
            "for x in 1 2; do a; done; for ((i=0; i<3; i++)); do b; done",
            "a|b",
        ),
        ("case x in a|b) c;; (d) e;& *) f; esac", "c|e|f"),
        ("f() { a; }; function g { b; }; f", "a|b|f"),
        ("a $(b $(c)) `d` \"$(e)\"", "c|b $(c)|d|e|a $(b $(c)) `d` $(e)"),
        ("a <(b) >(c)", "b|c|a <(b) >(c)"),
        ("x=$(a) y=`b`", "a|b"),
        ("x=(1 $(a)); b", "a|b"),
        ("a ${x:-$(b)} ${y/$(c)/d}", "b|c|a ${x:-$(b)} ${y/$(c)/d}"),
        ("[[ -n $(a) ]] && ((1 + 1))", "a"),
        ("a <<E\n$(b)\nE\nc", "b|c|a"),
        ("a <<'E'\n$(b)\nE\nc", "c|a"),
        ("a <<-E | b\n\tx\n\tE", "a|b"),
        ("a <<<\"$(b)\"", "b|a"),
        ("a > $(b)", "b|a"),
        ("! a", "a"),
        ("a # ; b\nc", "a|c"),
        ("a \\\n  b", "a b"),
        ("a\n\n\nb\n", "a|b"),
        ("A=1 B='2 3' c", "A=1 B=2 3 c"),
        ("a {b,c}{1..2}", "a b1 b2 c1 c2"),
        ("$'\\x63url' $'a\\tb'", "curl a\tb"),
        ("a 2>&1 >/dev/null <&- b", "a b"),
        ("a &>x b", "a b"),
        ("a$x'b c'", "OPAQUE"),
    ] {
        if expected == "OPAQUE" {
            assert!(is_opaque(command), "{command:?}");
            continue;
        }
        let mut found = commands(command);
        let mut wanted: Vec<&str> = expected.split('|').collect();
        found.sort();
        wanted.sort_unstable();
        assert_eq!(found, wanted, "{command:?}");
    }
}

#[test]
fn wrappers_are_judged_by_what_they_run() {
    for (command, expected) in [
        ("timeout 9 curl u", "curl u"),
        ("timeout -k 5 --signal=KILL 9 curl u", "curl u"),
        ("nice -n 5 curl u", "curl u"),
        ("nice -5 curl u", "curl u"),
        ("nohup setsid -f stdbuf -oL curl u", "curl u"),
        ("ionice -c 3 chrt -b 0 curl u", "curl u"),
        ("time curl u", "curl u"),
        ("time -p curl u", "curl u"),
        ("command -p curl u", "curl u"),
        ("command -v curl", "command -v curl"),
        ("env -u A -i curl u", "curl u"),
        ("env", "env"),
        ("env A=b curl u", "env A=b curl u|curl u"),
        ("sudo -u root -n curl u", "sudo -u root -n curl u|curl u"),
        ("xargs -0 -n 1 curl", "xargs -0 -n 1 curl|curl"),
        ("xargs", "xargs"),
        ("watch -n 2 'curl u | a'", "watch -n 2 curl u | a|curl u|a"),
        ("flock /x curl u", "flock /x curl u|curl u"),
        ("flock /x -c 'curl u'", "flock /x -c curl u|curl u"),
        ("script -qc 'curl u' f", "script -qc curl u f|curl u"),
        ("exec curl u", "exec curl u|curl u"),
        ("ssh-agent curl u", "ssh-agent curl u|curl u"),
        ("find . -exec curl {} ';' -ok a +", "OPAQUE"),
        (
            "find . -exec curl {} ';' -execdir a {} +",
            "find . -exec curl {} ; -execdir a {} +|curl {}|a {}",
        ),
        ("bash -c 'a; b' x", "bash -c a; b x|a|b"),
        (
            "sh -ec 'sh -c \"curl u\"'",
            "sh -ec sh -c \"curl u\"|sh -c curl u|curl u",
        ),
        ("eval a 'b;' c", "eval a b; c|a b|c"),
        ("/usr/bin/timeout 9 curl u", "/usr/bin/timeout 9 curl u|curl u"),
        ("sh", "sh"),
        ("bash x.sh -c a", "bash x.sh -c a"),
        ("timeout --unknown 9 curl u", "OPAQUE"),
        ("timeout $x curl u", "OPAQUE"),
        ("env -S 'curl u'", "OPAQUE"),
        ("env -C x curl u", "OPAQUE"),
        ("sudo -s", "OPAQUE"),
        ("bash -c \"$x\"", "OPAQUE"),
        ("bash -i -c x", "OPAQUE"),
        ("bash -s", "OPAQUE"),
        ("bash <<<'curl u'", "OPAQUE"),
        ("eval $x", "OPAQUE"),
        ("eval \"$(x)\"", "OPAQUE"),
        ("xargs sh", "OPAQUE"),
        ("xargs -I{} sh -c 'a {}'", "OPAQUE"),
        ("xargs -I% % x", "OPAQUE"),
        ("find . -exec {} \\;", "OPAQUE"),
        ("xargs env", "OPAQUE"),
        ("strace curl u", "OPAQUE"),
        ("busybox sh", "OPAQUE"),
        ("time A=b curl u", "OPAQUE"),
    ] {
        if expected == "OPAQUE" {
            assert!(is_opaque(command), "{command:?}");
            continue;
        }
        assert_eq!(commands(command).join("|"), expected, "{command:?}");
    }
}

#[test]
fn what_cannot_be_told_is_opaque() {
    for command in [
        "",
        " ",
        "# only words",
        "x=1",
        "ls\r\nrm x",
        "if (",
        "if x",
        "a;;",
        "a && ",
        "(a",
        "a)",
        "ls 'x",
        "ls \"x",
        "ls \\",
        "a <<E\nb",
        "a <<\"E\"x\nb\nEx",
        "$CMD x",
        "$(echo rm) x",
        "`echo rm` x",
        "\"$X\" y",
        "r* x",
        "/bin/r? x",
        "{rm,-rf,x}",
        "r{m,x} y",
        "'' x",
        "~root/x",
        "%1",
        "source x",
        ". x",
        "trap 'rm x' EXIT",
        "alias ls=rm",
        "ls() { rm x; }; ls",
        "cd() { :; }; cd x",
        "PATH=. ls",
        "export PATH=.:$PATH",
        "IFS=x; ls",
        "LD_PRELOAD=./x ls",
        "BASH_ENV=x bash y",
        "env PATH=. ls",
        "for PATH in a; do b; done",
        "read PATH",
        "printf -v PATH x",
        "printf -v \"$x\" y",
        "mapfile -C 'rm x' a",
        "declare -n x=PATH",
        "declare \"$x\"",
        "declare 'a[$(rm x)]=1'",
        "unset 'a[$(rm x)]'",
        "read 'a[$(rm x)]'",
        "test -v 'a[$(rm x)]'",
        "[ -v 'a[$(rm x)]' ]",
        "[[ -v x ]]",
        "[ $op 'a[$(rm x)]' ]",
        "[ \"$op\" \"$b\" ]",
        "[ ! \"$op\" \"$b\" ]",
        "[ -n x -a \"$op\" \"$b\" ]",
        "[ $c ]",
        "[ -f $f ]",
        "test \"$@\"",
        "[ * ]",
        "c='-v a[$(rm x)]'; [ $c = x ]",
        "wait $x",
        "wait \"$op\" \"$x\"",
        "a {b[x]}>f",
        "a {b[${x}]}<f",
        "[[ $x -eq 1 ]]",
        "echo $((x))",
        "x='a[$(rm y)]'; echo $((x))",
        "x=$(cat f); echo $((x + 1))",
        "echo $(( $(cat f) ))",
        "echo ${a[$x]}",
        "echo ${x:$y}",
        "((x++))",
        "let x=1",
        "echo ${x@P}",
        "echo ${!x}",
        "echo $[1+1]",
        "((rm x) && (y))",
        "echo $((rm x) )",
        "set -a",
        "set -o posix",
        "shopt -s extglob",
        "enable -f x y",
        "hash -p ./x ls",
        "coproc rm x",
        "{v}>file ls",
        "ls\u{a0}-l",
        "ls\u{2003}x",
        "ls 'a\u{202e}b'",
        "ls\0x",
        "ls 'a\u{1}b'",
        "l\\\ns x",
        "[[ a == !(b) ]]",
        "rm !(b)",
        "echo $'\\c[x'",
        "echo `echo \\`rm x\\``",
        "a <<E; b $(c\nx\nE\n)",
    ] {
        assert!(is_opaque(command), "{command:?}");
    }
    for command in [
        "i=0; while [ $i -lt 3 ]; do i=$((i + 1)); done",
        "for i in {1..3}; do echo $((i * 2)); done",
        "x=1; [[ $x -eq 1 ]] && a",
        "IFS= read -r line",
        "set -euo pipefail",
        "[ -n \"$x\" ] && [ \"$x\" = y -o -f \"$d/$f\" ]",
        "[ \"$x\" ] && [ ! -d \"$x\" ]",
        "test $# -gt 0 && [ $? -eq 0 ]",
        "a & pid=$!; wait $pid",
        "a {} >f",
        "f() { echo $1; }; f x",
        "export A=b",
        "read -r -p 'Name: ' name",
    ] {
        assert!(!is_opaque(command), "{command:?}: {:?}", analyse(command).refusal);
    }
}

#[test]
fn what_is_too_much_is_opaque() {
    assert!(is_opaque(&format!("echo {}", "x".repeat(100_000))));
    assert!(is_opaque(&"a;".repeat(1001)));
    assert!(!is_opaque(&"a;".repeat(1000)));
    assert!(is_opaque(&format!("{}a{}", "( ".repeat(201), " )".repeat(201))));
    assert!(!is_opaque(&format!("{}a{}", "( ".repeat(60), " )".repeat(60))));
    let mut text = "rm x".to_owned();
    for _ in 0..12 {
        text = format!("eval {}", text.replace('\\', "\\\\").replace(' ', "\\ "));
    }
    assert!(is_opaque(&text));
}

#[test]
fn an_opaque_command_offers_no_always_and_is_asked() {
    let ask = analyse("$X && cat x").whole();
    assert_eq!((ask.always.len(), ask.floor), (0, Floor::Ask));
    assert_eq!(ask.subject.text, "$X && cat x");
}

#[test]
fn deny_rules_find_their_command_in_whatever_surrounds_it() {
    let rules = r#"{"bash": {"*": "allow", "rm *": "deny", "curl *": "deny"}}"#;
    for command in [
        "rm -rf x",
        "/bin/rm -rf x",
        "ls && rm -rf x",
        "ls;rm -rf x",
        "ls\nrm -rf x",
        "ls & rm x",
        "ls | xargs rm",
        "echo $(rm x)",
        "echo \"$(rm x)\"",
        "echo `rm x`",
        "(rm x)",
        "{ rm x; }",
        "{rm,-rf,x}",
        "if true; then rm x; fi",
        "A=b rm x",
        "A=b /bin/rm x",
        "bash -c 'rm x'",
        "bash -c \"cd y; rm x\"",
        "sudo -u root rm x",
        "env A=b rm x",
        "timeout 9 curl u",
        "find . -exec rm {} +",
        "find . -name x -execdir /bin/rm x",
        "eval rm x",
        ">log rm x",
        "rm x >log 2>&1",
        "\"r\"m $X",
        "r\\m $X",
        "$'rm' x",
        "r\\\nm x",
        "cat <(rm x)",
        "! rm x",
        "while true; do rm x; done",
        "echo \"$(echo \"a\")\"; rm x",
        "x() { rm y; }",
        "\"cu\"rl u",
        "/usr/bin/curl u",
    ] {
        assert_eq!(verdict(rules, command), Action::Deny, "{command:?}");
    }
    let long = format!("{}rm x", ":;".repeat(60_000));
    assert_eq!(verdict(rules, &long), Action::Deny);
    for command in [
        "ls && cat rm",
        "echo 'a; rm x' && ls",
        "echo rm | cat",
        "rmdir x; ls",
        "git rm-like && ls",
    ] {
        assert_ne!(verdict(rules, command), Action::Deny, "{command:?}");
    }
}

#[test]
fn a_megabyte_is_judged_soon() {
    let rules = r#"{"bash": {"*": "ask", "rm *": "deny", "*a*b*c*d": "deny"}}"#;
    let started = std::time::Instant::now();
    for command in [
        "a;".repeat(1 << 19),
        "sudo ".repeat(1 << 17),
        "sudo x;".repeat(20_000),
        "\"".repeat(1 << 20),
        "$(".repeat(40_000),
        "((".repeat(40_000),
        "<<a ".repeat(20_000),
        "`".repeat(90_000),
        "{a,".repeat(30_000),
        "x=$((".repeat(18_000),
        "if ".repeat(30_000),
        "[[ ".repeat(30_000),
        "case a in ".repeat(9_000),
    ] {
        verdict(rules, &command);
    }
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}

#[test]
fn always_proposes_the_words_that_name_the_action() {
    for (command, expected) in [
        ("npm run dev --port 3", Some("npm run dev *")),
        ("git checkout main", Some("git checkout *")),
        ("git stash pop", Some("git stash pop *")),
        ("git", Some("git")),
        ("git push origin main", Some("git push origin main")),
        ("rm -rf target/tmp", Some("rm -rf target/tmp")),
        ("python3 -m pytest -q tests", Some("python3 -m pytest *")),
        ("node --test test/", Some("node --test *")),
        ("npx vitest run", Some("npx vitest *")),
        ("sh test.sh", Some("sh test.sh")),
        ("docker run -it x", Some("docker run -it x")),
        ("uv run pytest -q", Some("uv run pytest *")),
        ("make test", Some("make test *")),
        ("make", Some("make")),
        ("RUST_BACKTRACE=1 cargo test x", Some("cargo test *")),
        ("ls -la", Some("ls *")),
        ("cargo test -p x", Some("cargo test *")),
        ("cargo run --bin x", Some("cargo run --bin x")),
        ("aws s3 ls", Some("aws s3 ls *")),
        ("docker compose up -d", Some("docker compose up *")),
        ("git -C /x push", Some("git -C /x push")),
        ("git '*'", None),
        ("\"git push\" x", None),
        ("curl u", Some("curl u")),
        ("/usr/bin/curl u", Some("/usr/bin/curl u")),
        ("python x.py", Some("python x.py *")),
        ("python3 x.py", Some("python3 x.py *")),
        ("python -c x", Some("python -c x")),
        ("node x", Some("node x")),
        ("sh", None),
        ("A=b npm run test", None),
        ("ls $x", Some("ls *")),
        ("npm run $x", None),
        ("export A=b", None),
        ("set -e", None),
    ] {
        assert_eq!(
            arity::proposal(&simple(command)).as_deref(),
            expected,
            "{command:?}"
        );
    }
}

#[test]
fn always_starts_unticked_for_what_destroys() {
    for (command, expected) in [
        ("rm x", true),
        ("/bin/rm x", true),
        ("git push", true),
        ("git -C x reset --hard", true),
        ("chmod +x a", true),
        ("kill 1", true),
        ("find . -delete", true),
        ("docker volume rm x", true),
        ("cargo test", false),
        ("git log", false),
        ("ls rm", false),
        ("mkdir x", false),
    ] {
        assert_eq!(arity::is_destructive(&simple(command)), expected, "{command:?}");
    }
}

#[test]
fn commands_that_only_read_are_known() {
    for command in [
        "pwd",
        "ls -la src",
        "ls *.rs",
        "cat a b",
        "head -n 5 a",
        "grep -rn x src",
        "rg -n foo src",
        "rg foo src/*.rs",
        "find . -name '*.rs' -type f",
        "sort -k 2 a",
        "sort --reverse a",
        "uniq -c a",
        "date +%s",
        "date -u +%F",
        "tail -n 5 a",
        "git status",
        "git --no-pager log --oneline",
        "git -C sub diff HEAD~1 -- a",
        "git show --text HEAD",
        "git branch -a",
        "git branch --show-current",
        "git blame a",
        "git rev-parse HEAD",
        "ls | head -5 && echo $x $(pwd)",
        "timeout 5 ls",
        "if [ -f a ]; then cat a; fi",
        "command -v rg",
        "echo a; exit 1",
    ] {
        assert_eq!(list_of(command), Some(List::First), "{command:?}");
    }
}

#[test]
fn commands_that_could_do_more_than_read_are_not() {
    for command in [
        "/bin/ls",
        "cat $x",
        "sort \"$x\"",
        "git log $(x)",
        "ls | sh",
        "find . | xargs cat",
        "find . -exec cat {} +",
        "cd $x && ls",
        "export A=b; ls",
        "./ls",
        "LS",
        "touch a",
        "cat a > b",
        "A=b ls",
        "ls -*",
        "rg --pre x y",
        "rg --pre=x y",
        "rg --hostname-bin x y",
        "rg -z x",
        "rg -nz x",
        "rg --search-zip x",
        "rg foo *",
        "rg foo *",
        "find . -delete",
        "find . -fprint x",
        "find . -fprintf x y",
        "find . -fls x",
        "find -files0-from x",
        "find -ex*",
        "sort -o x a",
        "sort -no x a",
        "sort --output=x a",
        "sort --outp x a",
        "sort --comp x a",
        "sort *",
        "sort -T -- -o x a",
        "sort --files0-from=a",
        "wc --files0=a",
        "du --files0-from a",
        "uniq a b",
        "uniq a*",
        "uniq -f 1 a b",
        "date",
        "date -s x +%s",
        "date 01011200",
        "tail -f a",
        "tail -5F a",
        "tail --follow=name a",
        "tail --fol a",
        "tail --retry a",
        "git",
        "git push",
        "git -c core.pager=x log",
        "git --exec-path=x log",
        "git -p log",
        "git -C / status",
        "git -C ../x status",
        "git --git-dir=x status",
        "git log --output=x",
        "git log --outp=x",
        "git log --o x",
        "git diff --ext-diff",
        "git diff --ext",
        "git show --textconv x",
        "git grep -Ox y",
        "git diff -Ox",
        "git branch x",
        "git branch -D x",
        "git branch --delete x",
        "git branch -u x",
        "git branch --edit-description",
        "git stash",
        "git log *",
        "git diff --no-index a b",
        "git diff --no-in a b",
        "git diff -S -- --output=x a b",
    ] {
        assert!(!is_read_only(command), "{command:?}");
    }
}

#[test]
fn programs_from_the_project_are_not_trusted() {
    let facts = ReadOnlyFacts {
        is_system_program: &|program| program != "ls",
        ..FACTS
    };
    assert_eq!(read_only(&simple("ls"), &facts), None);
    assert!(read_only(&simple("cat a"), &facts).is_some());
    let facts = ReadOnlyFacts {
        is_no_shim: &|program| program != "node",
        ..FACTS
    };
    assert_eq!(read_only(&simple("node --version"), &facts), None);
    assert!(read_only(&simple("gcc --version"), &facts).is_some());
}

#[test]
fn paths_are_found_in_operands_and_options() {
    let found = |command: &str| {
        let list = paths(&simple(command));
        list.iter()
            .map(|operand| operand.text.clone())
            .collect::<Vec<_>>()
            .join(" ")
    };
    for (command, expected) in [
        ("rm -rf a /b", "a /b"),
        ("rm -- -x", "-x"),
        ("cp --target-directory=/etc a", "/etc a"),
        ("cat ~/x /etc/*.conf", "~/x /etc/"),
        ("sed -n 1p a", "a"),
        ("sed -e s/a/b/ x", "s/a/b/ x"),
        ("chmod +x a", "a"),
        ("chmod -R 755 a", "a"),
        ("chmod -w /etc/a", "/etc/a"),
        ("tar -xf/etc/a -C../b", "/etc/a ../b"),
        ("gcc -I/usr/include a.c", ""),
        ("dd if=/dev/zero of=/etc/x", "/dev/zero /etc/x"),
        ("cd ..", ".."),
        ("cat \"$PWD\"2/a ${HOME}3 $HOME/b", "2/a 3 /b"),
        ("gcc -o x ../a.c --sysroot=/y", "../a.c /y"),
        ("gcc a.c b/../../c", "b/../../c"),
        ("ls ..", ".."),
        ("curl https://x/../y", ""),
        ("echo /etc/passwd", ""),
        ("cargo test", ""),
    ] {
        assert_eq!(found(command), expected, "{command:?}");
    }
    let home = paths(&simple("cat ~/x '~/y' ~root/z"));
    let kinds: Vec<(bool, bool)> = home
        .iter()
        .map(|operand| (operand.tilde, operand.dynamic))
        .collect();
    assert_eq!(kinds, [(true, false), (false, false), (false, true)]);
}

#[test]
fn files_that_readers_show_are_found() {
    let found = |command: &str| {
        let list = files_read(&simple(command));
        list.iter()
            .map(|operand| operand.text.clone())
            .collect::<Vec<_>>()
            .join(" ")
    };
    for (command, expected) in [
        ("cat .env b", ".env b"),
        ("grep -n key .env", ".env"),
        ("grep -e key .env", "key .env"),
        ("grep -nekey .env", ".env"),
        ("grep -nf/p .env", "/p .env"),
        ("sed -nep .env", ".env"),
        ("grep key -- -f", "-f"),
        ("rg key", ""),
        ("sed -n p .env", ".env"),
        ("ls .env", ""),
    ] {
        assert_eq!(found(command), expected, "{command:?}");
    }
}

proptest::proptest! {
    #[test]
    fn any_text_is_analysed_without_panic(text in "\\PC{0,40}|[a-z $`'\"\\\\;|&<>(){}*?~=#\n-]{0,40}") {
        let analysis = analyse(&text);
        analysis.whole();
        analysis.possible_targets();
        for simple in &analysis.commands {
            paths(simple);
            files_read(simple);
            simple.ask(false);
        }
        is_read_only(&text);
    }

    /// Quoting a word in any way gives the word back.
    #[test]
    fn quoted_words_come_back_as_they_were(words in proptest::collection::vec("[ -&(-~]{1,12}", 1..5)) {
        let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
        let command = format!("x {}", quoted.join(" "));
        let given: Vec<String> = simple(&command).words[1..].iter().map(|word| word.text.clone()).collect();
        proptest::prop_assert_eq!(given, words);
    }
}
