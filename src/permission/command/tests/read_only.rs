//! Commands that only read, and those that could do more.

use super::*;

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
        "date",
        "date -u",
        "date -R",
        "date -Iseconds",
        "date -d yesterday",
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
        "date -s 12:00",
        "date --set=12:00",
        "date --set 12:00",
        "date 12001200",
        "date -u 12001200",
        "date -r a",
        "date --reference=a",
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
