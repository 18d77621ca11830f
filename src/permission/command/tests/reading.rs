//! Texts as they are read: their commands, the words of these, and what cannot be told.

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
        ("env -C x curl u", "env -C x curl u|curl u"),
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
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}

proptest::proptest! {
    #[test]
    fn any_text_is_analysed_without_panic(text in "\\PC{0,40}|[a-z $`'\"\\\\;|&<>(){}*?~=#\n-]{0,40}") {
        let analysis = analyse(&text);
        analysis.whole();
        analysis.possible_paths();
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
