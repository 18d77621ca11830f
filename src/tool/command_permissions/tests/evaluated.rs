//! Texts in which the shell runs, sets or reads something else than they seem to say. Each ran unasked, or was judged by
//! another file than it touched.

use super::*;

fn project() -> Harness {
    let project = Harness::new();
    for name in [".env", "a.txt", "sub/k", "secrets/k"] {
        project.write(name, "x\n");
    }
    project
}

#[tokio::test]
async fn what_runs_programs_inside_of_an_expansion_asks() {
    let project = project();
    for command in [
        "(\\\n(x='$(touch PWN)')); echo hi",
        "echo $(\\\n(echo '$(touch PWN)'))",
        "RANDOM='a[$(touch PWN)]'; echo hi",
        "for RANDOM in 'a[$(touch PWN)]'; do echo; done",
        "read RANDOM <<< 'a[$(touch PWN)]'",
        "HISTCMD='a[$(touch PWN)]'; echo",
        "SRANDOM+='a[$(touch PWN)]'; echo",
        "SECONDS='a[$(touch PWN)]'; echo",
        "[[ ${#a}'+b[$(touch PWN)]' -eq 0 ]]",
        "b='+c[$(touch PWN)]'; [[ ${#a}$b -eq 0 ]]",
        "x=$((1))'+b[`touch PWN`]+((1))'; echo $((x))",
        "[ -f {x,-a,-v,'a[$(touch PWN)]'} ]",
        "test {-v,'a[$(touch PWN)]'}",
        "echo & wait {-np,'a[$(touch PWN)]'}",
        "read -r x <<< '-npa[$(touch PWN)]'; echo & wait \"$x\"",
        "x=$(echo -npTMPDIR); echo & wait $x",
        "read -aTMPDIR <<< /elsewhere; echo x > $TMPDIR/PWN",
        "read -aPATH <<< x; ls",
        "read -aPS4 <<< '$(touch PWN)'; set -x; echo",
        "read -raPATH <<< x; ls",
        "mapfile -tO0PATH <<< x; ls",
        "printf 'abcd%n' PATH; ls",
        "printf 'abcd%5ln' PATH; ls",
        "f='%n'; printf \"$f\" PATH; ls",
        "GIT_CONFIG_COUNT=0; git status",
        "for GIT_CONFIG_COUNT in 0; do git status; done",
        "printf '%(%n)x' PATH; ls",
        "printf '%(%n' PATH; ls",
        "((GIT_CONFIG_COUNT=0)); git status",
        "echo $((GIT_CONFIG_COUNT=0)); git status",
        "for ((GIT_CONFIG_COUNT=0;;)); do break; done; git status",
        "((HOME=1)); ls",
        "a=(b)#; source ./evil.sh\necho ok",
        "a=( b )#; PATH=sub\nls",
        "true; ( [[ x =~ (#) || -v 'a[$(touch PWN)]' ]] ; ( [[ z ]]\n) && [[ y ]] ); cat a.txt",
        "{ [[ x =~ (#) ]]; PATH=sub; ( [[ z ]]\n) && [[ y ]]; }; ls",
        "REPLY=1; read <<< 'a[$(touch PWN)]'; (( REPLY )); cat a.txt",
        "((_=1)); : 'a[$(touch PWN)]'; [[ _ -eq 1 ]]; cat a.txt",
        "c=read; y=a.txt; $c y <<< .env; cat $y",
        "for c in read; do y=a.txt; $c y <<< .env; cat $y; done",
        "c=cd; cd sub && for i in 1 2 3 4; do cat k; $c ..; done",
    ] {
        let asked = open(&project, command).await;
        assert!(!asked.is_empty(), "{command}");
        assert!(!project.path("PWN").exists(), "{command}");
    }
}

#[tokio::test]
async fn a_value_that_may_be_another_one_is_not_relied_upon() {
    let project = project();
    for command in [
        "x=a.txt; xy=.env; cat \"$x\\\ny\"",
        "x=/dev/nul; xl=PWN; echo > \"$x\\\nl\"",
        "x=.env; { x=a.txt; } < nofile; cat $x",
        "x=PWN; { x=/dev/null; } < nofile; echo > $x",
        "x=.env; while :; do x=a.txt; break; done < nofile; cat $x",
        "x=.env\necho $((1/0)); x=a.txt\ncat $x",
        "x=.env\necho $((08)); x=a.txt\ncat $x",
        "x=.env\nn=-5; a[n]=1 x=a.txt\ncat $x",
        "y=abc; x=.env\necho ${y:0:-9}; x=a.txt\ncat $x",
        "x=.env\nUID=1; x=a.txt\ncat $x",
        "cd secrets\necho $((1/0)); cd ..\ncat .env",
        "a=(b)#; cat .env\ncat a.txt",
        "x=a.txt; a=(b)#; x=.env\ncat $x",
        "{ [[ x =~ (#) ]]; x=.env; ( [[ z ]]\n) && [[ y ]]; }; cat $x",
        "x=.env; cat {a.txt,$x}",
        "x=-opwn; sort {a.txt,$x}",
        "for f in .e*; do x=$f; cat \"$x\"; done",
        "for f in .e*; do x=$f; sort -- \"./$x\"; done",
        "x=a.txt; x=.env y=$(cat $x); echo \"$y\"",
        "x=a.txt; x=.env y=($(cat $x)); echo \"$y\"",
        "x=/dev/null\nx=pwn8 >$x",
        "x=.env\n: ${1:=z}; x=a.txt\ncat $x",
        "x=.env\n: ${@:=z}; x=a.txt\ncat $x",
        "x=.env\n: ${q[@]:=z}; x=a.txt\ncat $x",
        "x=.env\n: ${1a}; x=a.txt\ncat $x",
        "x=.env\n: $((1=2)); x=a.txt\ncat $x",
        "n=5\nx=.env\n: $(($n++)); x=a.txt\ncat $x",
        "n=08\nx=.env\n: $((n+1)); x=a.txt\ncat $x",
        "x=.env\ny[0]=(a b); x=a.txt\ncat $x",
        "x=.env\ny[9223372036854775808]=1; x=a.txt\ncat $x",
        "grep -hnHnHnHnHnHnf.env a.txt",
        "cat ~+/.env",
        "cat < ~+/.env",
        "cat <> .env",
        "exec 3<> .env; cat <&3",
    ] {
        let asked = open(&project, command).await;
        assert!(!asked.is_empty(), "{command}");
    }
}

#[tokio::test]
async fn what_does_the_same_and_cannot_fail_asks_nothing() {
    let project = project();
    for command in [
        "echo a \\\n  b",
        "x=a.txt; cat \"$x\"",
        "[ -f a.txt ] && echo yes",
        "[[ -n a ]] && (echo a; ls) | head -1",
        "printf '%s\\n' a b",
        "for f in a.txt sub/k; do cat \"$f\"; done",
    ] {
        assert_eq!(open(&project, command).await, [], "{command}");
    }
}

#[tokio::test]
async fn what_bash_takes_apart_in_another_way_asks() {
    let project = project();
    for name in ["$PWD/k", "d x/x/a.txt", "z[q]/a.txt"] {
        project.write(name, "x\n");
    }
    project.write("$PWD/.env", "x\n");
    for command in [
        // Braces whose end depends on what stands behind them.
        "cat {a},.env}",
        "cat {a}b,.env,x}",
        "sort {a}b,-o,a.txt}",
        "test {a},-o,-v} 'a[$(touch PWN)]'",
        "read {-p},-aPATH} <<< x; ls",
        "cat x{-01..1}",
        "cat {a,{.env}}",
        // A home directory behind a `=`.
        "cat x=~/k",
        "cat x=a:~/k",
        "cat < x=~/k",
        "cd x=~ && cat k",
        "for f in x=~/k; do cat $f; done",
        "cat ~'/a.txt'",
        "cat ~\\/a.txt",
        "cat ~''/a.txt",
        // A directory with a blank or a wildcard in its name is several words.
        "cd 'd x' && cat $PWD/a.txt",
        "cd 'z[q]' && cat $PWD/a.txt",
        "cd 'z[q]' && cat < $PWD/a.txt",
        "cd 'd x' && [ $PWD ]",
        "test $PWD",
        // A program, and no word of the shell.
        "</dev/null time ls",
        "2>/dev/null time ls",
        // The answer says what is in a file.
        "git diff --stat -G'SECRET=s'",
        "git log --oneline -SSECRET",
        "git diff --stat --anchored=SECRET",
        // A name, and what is put behind it.
        "a=1; x=1; a1='c[$(touch PWN)]'; y=abc; echo ${y:(a$x)}",
        "a=1; x=1; a1='c[$(touch PWN)]'; y=abc; echo ${y:a$x}",
        "a=1; x=1; a1='c[$(touch PWN)]'; y=abc; echo ${y:1:a$x}",
        "a=1; a1='c[$(touch PWN)]'; echo $((a$((1))))",
        "a=1; x=1; a1='c[$(touch PWN)]'; cat <<E\n$((b=a$x))\nE",
        "x=1; a1='c[$(touch PWN)]'; echo $((a${x}))",
        "x=1; echo $((16#$x))",
        // A locale in which a byte of a character is a letter or a backslash.
        "export LC_ALL=en_US\nx=a\nread -r xú <<< .env\ncat $xú",
        "export LC_ALL=zh_CN.GBK\necho 中\\' '; touch PWN; #'",
        "LANG=zh_TW.BIG5 ls",
        "env LC_ALL=zh_CN.GBK sed -n 1p a.txt",
        "read LC_ALL <<< zh_CN.GBK; echo 中",
        "for LC_CTYPE in zh_CN.GBK; do echo 中; done",
        "x=.env; xü=a.txt; cat $xü",
        // What disarms git is taken away.
        "env -u GIT_CONFIG_COUNT git status",
        "env --unset=GIT_CONFIG_COUNT git status",
        "env -i git status",
        "env - git status",
        // A wrapper is a program, whatever it runs.
        "timeout 5 test -f a.txt",
        "nohup read x",
        "env time test -f a.txt",
        "env [ -f a.txt ]",
        // Values that look like the end of the options.
        "grep --label -- -f.env a.txt",
        "rg -r -- -f.env a.txt",
        "head -n -- a.txt",
        // The shell goes to another directory than the word says.
        "grep -r --exclude-dir $PWD x .",
        "grep -r --exclude-dir=$PWD x .",
        "git -C $PWD grep x",
        "git -C $PWD log -p -- .",
        "git log -p -- $PWD/k",
        // Syntax that no text that runs unasked has, whatever is known of it.
        "i=1\nwhile [ $i -lt 3 ]; do echo $i; i=$((i + 1)); done",
        "{ cat a.txt; } < a.txt",
        "[[ ${#x} -eq 0 ]] && echo empty",
        "read -r x < a.txt; echo \"$x\"",
        "echo $((2 * 3))",
        "cat ~+/a.txt",
        "cat a.txt x:~",
        "y=abc; echo ${y:1}",
    ] {
        assert!(!open(&project, command).await.is_empty(), "{command}");
    }
    for command in [
        "echo {a,b}{1..3} HEAD@{1} {}",
        "cat {a.txt,{a.txt,a.txt}}",
        "cat $PWD/a.txt",
        "cat a.txt 2>/dev/null",
        "time ls 2>/dev/null",
        "LC_ALL=C sort a.txt; LANG=en_US.UTF-8 ls",
        "grep ü a.txt",
        "head -n -2 a.txt",
        "timeout 5 cat a.txt",
        "time cat a.txt",
        "env CI=1 cat a.txt",
    ] {
        assert_eq!(open(&project, command).await, [], "{command}");
    }
}

#[tokio::test]
async fn a_text_of_another_encoding_asks() {
    let mut project = project();
    let path = std::env::var_os("PATH").unwrap();
    let environment = |locale: &str| vec![("PATH".into(), path.clone()), ("LANG".into(), locale.into())];
    for (locale, asks) in [
        ("zh_CN.GBK", true),
        ("en_US", true),
        ("en_US.UTF-8", false),
        ("C", false),
    ] {
        project.session().environment = environment(locale);
        assert_eq!(open(&project, "grep ü a.txt").await.is_empty(), !asks, "{locale}");
        assert_eq!(open(&project, "grep u a.txt").await, [], "{locale}");
    }
}
