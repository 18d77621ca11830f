//! Commands that change what a name stands for while the same call uses names: links that get to another place, files that
//! get a backup's name. Each attack stands beside calls of the same form that ask nothing.

use super::super::transferred::MAX_NAMES;
use super::*;
use crate::permission::{Decision, Mode, decide};

/// Everything may run and be written; one directory asks before it is read, another must not be written.
const RULES: &str = r#"{"bash": {"*": "allow"}, "edit": {"*": "allow", "generated/*": "deny"},
    "read": {"secrets/*": "ask", "denied/*": "deny"}}"#;

/// In `d`, `n`, `sub`, `many`, `libs` and `hold` are links, in `assets`, `docs`, `plain` and `other` are none.
fn project(rules: &str) -> Harness {
    let project = Harness::with_rules(serde_json::from_str(rules).unwrap());
    for path in [
        "a.txt",
        "b",
        "lathe",
        "secrets/a.txt",
        "denied/a.txt",
        "generated/a.txt",
        "assets/css/a.css",
        "docs/x",
        "plain/x",
        "other/x",
        "sub/x",
        "hold/dir/x",
        "deep/er/x",
        "m/lathe.jsonc",
        "m/.envrc",
        "named/secrets",
    ] {
        project.write(path, "x\n");
    }
    project.write(project.outside("data/a"), "x\n");
    for (target, link) in [
        // From its place, and from where it gets to.
        ("../../.git/hooks", "d/e/g"),
        ("../.git/hooks", "d/n/g"),
        ("../../outside/data", "sub/q"),
        ("deep/er", "linkdir"),
        ("../docs", "many/one/two/l"),
        ("libx.so.1", "libs/libx.so"),
        ("../denied", "hold/denied"),
        ("../a.txt", "hold/text"),
        ("../generated", "hold/gen"),
    ] {
        let link = project.path(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(target, link).unwrap();
    }
    project
}

fn verdict(project: &Harness, command: &str, mode: Mode) -> String {
    let asks = command_permissions(&project.services, command, &project.path("")).asks;
    decided(project, &asks, mode)
}

fn decided(project: &Harness, asks: &[Ask], mode: Mode) -> String {
    match decide(&project.services.gate.permissions(), asks, "bash", mode) {
        Decision::Allow | Decision::AllowByMode(_) => "allow".to_owned(),
        Decision::Deny(denial) => format!("deny {}", denial.key),
        Decision::Ask(open) => {
            let mut keys: Vec<String> = open.iter().map(|open| open.ask.key.to_string()).collect();
            keys.sort();
            keys.dedup();
            keys.join(" ")
        }
    }
}

#[track_caller]
fn check(rules: &str, mode: Mode, rows: &[(&str, &str)]) {
    let project = project(rules);
    let mut wrong = Vec::new();
    for (command, expected) in rows {
        let became = verdict(&project, command, mode);
        let is_met = match *expected {
            "allow" => became == "allow",
            _ if expected.starts_with("deny ") => became == *expected,
            // What is denied is not let through either.
            _ => became.starts_with("deny ") || became.split(' ').any(|key| key == *expected),
        };
        if !is_met {
            wrong.push(format!("{command} became {became}, not {expected}"));
        }
    }
    assert_eq!(wrong, [""; 0]);
}

#[tokio::test]
async fn a_call_that_brings_a_link_and_names_another_path_asks() {
    check(
        RULES,
        Mode::Ask,
        &[
            ("mv d/e e && cp a.txt e/g/pre-commit", "edit"),
            ("mv d/n e && cp a.txt e/g/pre-commit", "edit"),
            ("mv sub/q . && touch q", "edit"),
            ("cp -P sub/q . && cp a.txt q/x", "edit"),
            ("cp -a sub s && cat s/q/a", "read"),
            ("cp -r sub s && cat s/q/a", "read"),
            ("cp -d sub/q . ; echo x > q", "edit"),
            ("cp -RL -P sub s && cat s/q/a", "read"),
            ("cp -rH sub s && cat s/q/a", "read"),
            ("cp -rs \"$PWD/sub\" s && cat s/x", "read"),
            ("cp -l sub/q . && cat q", "read"),
            ("cp --no-deref sub/q . && cat q", "read"),
            ("ln -P sub/q . && cat q", "read"),
            ("ln -s a.txt l && cat l", "read"),
            ("ln -s a.txt l; cat < l", "read"),
            ("ln -s a.txt l; echo x >> l", "edit"),
            ("cat l & ln -s a.txt l", "read"),
            ("ln -s a.txt l | cat l", "read"),
            ("while true; do cat l; ln -s a.txt l; done", "read"),
            ("ln -s docs l && cd l", "read"),
            ("ln -s docs l && ls l", "read"),
            ("ln -s docs l && git commit -F l/x", "read"),
            ("ln -s docs l && git push l main", "read"),
            ("ln -s docs l && git mv b l", "edit"),
            ("ln -s docs l && git add --pathspec-from-file=l/x", "read"),
            ("ln -s docs l && git -C l add .", "read"),
            ("ln -s docs l && python3 l", "read"),
            ("ln -s docs l && make --directory=l", "read"),
            ("ln -s docs l && find . -name x", "read"),
            ("ln -s docs l && tee l/x", "edit"),
            ("ln -s docs l && sed -i s/a/b/ l/x", "edit"),
            ("ln -s docs l && rm -r plain", "edit"),
            ("f() { ln -s docs l; }; f; f", "edit"),
            ("for i in 1 2; do ln -s docs l; done", "edit"),
            ("sudo mv sub/q . && touch q", "edit"),
            ("nice mv sub/q . && touch q", "edit"),
            ("env A=b mv sub/q . && touch q", "edit"),
            ("bash -c 'mv sub/q .' && touch q", "edit"),
            ("find sub -name q -exec mv {} . \\; ; touch q", "edit"),
            ("echo sub/q | xargs mv -t . ; touch q", "edit"),
            ("mv -t . sub/q ; touch q", "edit"),
            ("mv s*b/q . ; touch q", "edit"),
            ("mv sub/q/ . ; touch q", "edit"),
            ("mv \"$x\" . ; touch q", "edit"),
            ("mv many/one o && cat o/two/l/x", "read"),
            ("mv libs l && cat l/libx.so", "read"),
            ("mv sub/q q2; mv q2 q; touch q", "edit"),
            ("install -d o && mv linkdir o && touch o/linkdir/x", "edit"),
            ("mv b sub -t plain && touch plain/sub/q", "edit"),
            ("mv -Z sub/q . && touch q", "edit"),
            ("mv --unknown sub/q . && touch q", "edit"),
            ("mv -- sub/q . && touch q", "edit"),
            ("mv {sub/q,.} && touch q", "edit"),
            ("x=sub/q; mv $x . && touch q", "edit"),
            ("for x in sub/*; do mv $x .; done; touch q", "edit"),
            ("/bin/mv sub/q . && touch q", "edit"),
            ("\\mv sub/q . && 't'ouch q", "edit"),
            ("command mv sub/q . && touch q", "edit"),
            ("timeout 5 mv sub/q . && touch q", "edit"),
            ("eval 'mv sub/q .' && touch q", "edit"),
            ("touch q $(mv sub/q .)", "edit"),
            ("cat <(mv sub/q .) q", "read"),
            ("if mv sub/q .; then touch q; fi", "edit"),
            ("case x in x) mv sub/q . ;; esac; touch q", "edit"),
            ("{ mv sub/q .; } 2>&1 > q", "edit"),
            ("mv sub/q . || : > q", "edit"),
            ("ln -s docs l; > l", "edit"),
            ("ln -s docs l\n> l", "edit"),
            ("ln -s docs l & > l", "edit"),
            ("ln -s docs l | > l", "edit"),
            ("> l | ln -s docs l", "edit"),
            ("ln -s docs l && 2> l", "edit"),
            ("(ln -s docs l); > l/x", "edit"),
            ("ln -s docs l 2> $(> l)", "edit"),
            ("bash -c 'ln -s docs l; > l/x'", "edit"),
            ("xargs -n 1 sh -c 'ln -s docs l 2> l'", "read"),
            ("cp -r -- sub/. . ; touch q", "edit"),
            ("cp -Rp sub/. . ; touch q", "edit"),
            ("cp --archive sub/. . ; touch q", "edit"),
            ("cp --arch sub/. . ; touch q", "edit"),
            ("cp -rt . sub ; touch sub/q", "edit"),
            ("cp -at. sub/q ; touch q", "edit"),
            ("cp --target-directory . -a sub/q ; touch q", "edit"),
            ("cp -sf \"$PWD/a.txt\" l ; dd of=l", "edit"),
            ("ln -s a.txt l ; dd if=l", "read"),
            ("ln -s docs l ; make -Cl", "read"),
            ("ln -s docs l ; echo l/*", "read"),
            ("ln -s docs l ; . l/x", "read"),
            ("ln -s docs l ; echo $(<l/x)", "read"),
            ("mv sub/q . ; trap 'touch q' EXIT", "bash"),
            ("mv sub/q . ; awk 'BEGIN{print 1 > \"q/new\"}'", "edit"),
            ("mv sub/q . ; yes | sed 'w q/new'", "edit"),
            ("ln -s docs l ; pushd l", "read"),
            ("ln -s docs l ; (cd l; pwd)", "read"),
            ("ln -s docs l ; wc -l l/x", "read"),
            ("ln -s docs l ; tar cf - l/", "read"),
            ("ln -s docs l ; diff l docs", "read"),
            ("ln -s docs l ; rg x", "read"),
            ("ln -s docs l ; grep -r x", "read"),
            ("ln -s docs l ; bash l/x", "read"),
            ("ln -s docs l ; prog --file=l", "read"),
            ("ln -s docs l ; prog \"$y\"", "read"),
            ("ln -s docs l ; cargo run -- l/x", "read"),
            ("ln -s docs l ; git -C l status", "read"),
            ("ln -s docs l ; mkdir l/x", "edit"),
            ("ln -s docs l ; chmod +x l/x", "edit"),
            ("ln -s docs l ; sort -o l/x a.txt", "edit"),
            ("sed -i'plain/*' s/a/b/ hold/text && cp b plain/hold/text", "edit"),
        ],
    );
}

#[tokio::test]
async fn directories_swapped_within_a_call_ask() {
    check(
        RULES,
        Mode::Ask,
        &[
            ("mv sub o; mv linkdir sub; cat sub/../x", "read"),
            ("mv linkdir plain/l; mv plain docs/p; cat docs/p/l/x", "read"),
            (
                "mv deep o; mv docs deep; cp -P linkdir plain/l; cat linkdir/x",
                "read",
            ),
            // The directory that the shell is in gets to another place.
            ("cd deep/er && mv ../er ../../e && cat ../secrets/a.txt", "read"),
            ("cd deep/er; mv ../../deep ../../docs; cat ../x", "read"),
        ],
    );
}

#[tokio::test]
async fn calls_without_links_or_other_paths_run_as_before() {
    check(
        RULES,
        Mode::Ask,
        &[
            ("cp -r assets dist && ls dist", "allow"),
            ("cp -a assets dist; cat dist/css/a.css", "allow"),
            ("mv a.txt c.txt && git status", "allow"),
            ("mv assets dist && git status && ls dist", "allow"),
            ("mv assets dist && cat dist/css/a.css > out", "allow"),
            ("for f in a.txt b; do cp $f docs; done", "allow"),
            ("mv plain/* docs/ && ls docs", "allow"),
            ("mkdir -p out && cp a.txt out/ && cat out/a.txt", "allow"),
            ("touch c && mv c docs/c && cat docs/c", "allow"),
            // Nothing but the file that a link leads to gets another name.
            ("cp linkdir/x y && cat y", "allow"),
            ("cp hold/text y && cat y", "allow"),
            ("cp -L hold/text y && cat y", "allow"),
            ("cp -rL many/one o && cat o/two/l/x", "allow"),
            ("install hold/text y && cat y", "allow"),
            ("ln a.txt hard && cat hard", "allow"),
            // The link is all that the call is about.
            ("ln -s docs l", "allow"),
            ("ln -s docs l && echo done", "allow"),
            ("ln -sfn docs l && pwd", "allow"),
            ("ln -s docs l 2>/dev/null || true", "allow"),
            ("ln -s docs l || exit 1", "allow"),
            // The shell opens its files before the link is there.
            ("ln -s docs l 2> log", "allow"),
            ("mv -v linkdir l > log 2>&1", "allow"),
            ("cp -rv many all >> log", "allow"),
            ("mv linkdir l", "allow"),
            ("mv libs/libx.so libs/x", "allow"),
            ("mv linkdir l && git status", "allow"),
            // Git follows no link in the work tree.
            ("ln -s docs l && git add l && git commit -m l", "allow"),
            ("git checkout main && git add . && git commit -am x", "allow"),
            ("git stash && git checkout main && git stash pop", "allow"),
            ("git checkout -b new && cat b", "allow"),
            ("git switch -c new && cp b c", "allow"),
            ("git stash list && cat b", "allow"),
            ("git reset HEAD b && cat b", "allow"),
            ("git pull && cargo build", "allow"),
            ("git checkout main && make", "allow"),
            ("for x in main new; do git checkout $x; done", "allow"),
            ("git branch | xargs -I{} git checkout {}", "allow"),
            ("git mv a.txt c && git commit -m x && cat c", "allow"),
            ("git mv docs other && ls other", "allow"),
            ("tar cf x.tar docs && ls x.tar", "allow"),
            ("tar xf x.tar", "allow"),
            ("tar xf x.tar && cargo build", "allow"),
            ("ln -s docs l && cargo test", "allow"),
            ("ln -s docs l && npm run build", "allow"),
            ("sudo ln -s docs l", "allow"),
            ("bash -c 'ln -s docs l'", "allow"),
            ("env A=b ln -s docs l", "allow"),
            ("cp -r many all", "allow"),
            ("ln -s docs l && sleep 1; kill %1", "allow"),
            ("ln -s docs l && make", "allow"),
            ("ln -s docs l && make -j4", "allow"),
            ("mv a.txt c.txt; cp c.txt d.txt; rm d.txt", "allow"),
            ("install -m 755 a.txt docs/tool && docs/tool", "allow"),
            ("install -Dm644 a.txt docs/new/a && cat docs/new/a", "allow"),
            ("cp -p a.txt c && sed -i s/a/b/ c && cat c", "allow"),
            ("mv -n a.txt c && grep -r x docs", "allow"),
            ("cd docs && mv x y && cat y", "allow"),
        ],
    );
}

#[tokio::test]
async fn what_an_archive_or_a_repository_brings_counts_as_links() {
    check(
        RULES,
        Mode::Ask,
        &[
            ("git checkout other && cp b l/x", "edit"),
            ("git switch other; cat l/x", "read"),
            ("git checkout other -- l; cat l/x", "read"),
            ("git restore -s other l; cat l/x", "read"),
            ("git stash pop && echo x > l/x", "edit"),
            ("git worktree add w other && cat w/l/x", "read"),
            ("git merge other && cat l/x", "read"),
            ("git pull && head l/x", "read"),
            ("git co other && cat l/x", "read"),
            ("git reset --hard other; cat l/x", "read"),
            ("git apply p && cat l/x", "read"),
            ("git clone ../r c; cat c/l/x", "read"),
            ("git -C . checkout other; cat l/x", "read"),
            ("cat l/x & git checkout other", "read"),
            ("tar xf a.tar && cp b l/x", "edit"),
            ("tar -C docs -xf a.tar; cat docs/l/x", "read"),
            ("unzip a.zip && cat l/x", "read"),
            ("patch -p1 < p && cat l/x", "read"),
            ("rsync -a ../r/ . && cat l/x", "read"),
            ("link sub/q q && touch q", "edit"),
            ("for i in *.tar; do tar xf $i; done", "edit"),
            // What git moves is looked through as what `mv` moves.
            ("git mv sub/q . && touch q", "edit"),
            ("git mv d/n e && cp a.txt e/g/pre-commit", "deny protected"),
            ("git mv secrets s", "read"),
            ("cd deep/er && git mv ../er ../../e && cat ../x", "read"),
            ("git -C sub mv q .. && touch q", "edit"),
        ],
    );
}

#[tokio::test]
async fn accepted_edits_bring_no_link_beside_another_path() {
    let rules = r#"{"bash": {"cat *": "allow"}}"#;
    check(
        rules,
        Mode::AcceptEdits,
        &[
            ("mv d/e e && cp a.txt e/g/pre-commit", "edit"),
            ("mv sub/q . && touch q", "edit"),
            ("cp -P sub/q . && cp a.txt q/x", "edit"),
            ("mv linkdir l && mkdir l/x", "edit"),
            ("cp -S \"$x\" a.txt b", "edit"),
            ("mv a.txt c && cp b d.txt && mkdir e", "allow"),
            ("mv linkdir l", "allow"),
            ("cp -r assets dist && touch dist/x", "allow"),
            ("cp -b a.txt b", "allow"),
        ],
    );
}

#[tokio::test]
async fn yolo_keeps_what_is_denied_behind_links_that_a_call_brings() {
    check(
        RULES,
        Mode::Yolo,
        &[
            ("mv d/e e && cp a.txt e/g/pre-commit", "deny protected"),
            ("mv d/n e && cp a.txt e/g/pre-commit", "deny protected"),
            ("cp -r d/n e; touch e/g/x", "deny protected"),
            ("cp -r d/n/. . ; touch g/x", "deny protected"),
            ("ln -s ../.git docs/l && touch docs/l/x", "deny protected"),
            ("ln -s ../linkdir docs/l && touch docs/l/x", "allow"),
            ("mv hold/gen plain/g && touch plain/g/new", "deny edit"),
            ("mv hold/gen plain/g && cp b plain/g/new", "deny edit"),
            ("mv hold/denied plain/l && cat plain/l/a.txt", "deny read"),
            ("cp -r hold h && cat h/denied/a.txt", "deny read"),
            ("mv sub/q . && touch q", "allow"),
        ],
    );
}

#[tokio::test]
async fn backups_are_judged_by_both_names() {
    check(
        RULES,
        Mode::Yolo,
        &[
            ("cp -b -S .jsonc b lathe", "deny protected"),
            ("mv -b -S .jsonc b lathe", "deny protected"),
            ("install -b -S .jsonc b lathe", "deny protected"),
            ("ln -bf -S .jsonc b lathe", "deny protected"),
            ("cp -S.jsonc b lathe", "deny protected"),
            ("cp -fbS.jsonc b lathe", "deny protected"),
            ("cp -fbS .jsonc b lathe", "deny protected"),
            ("cp --suffix=.jsonc b lathe", "deny protected"),
            ("cp --suffix .jsonc b lathe", "deny protected"),
            ("cp --suf=.jsonc b lathe", "deny protected"),
            ("cp --backup=simple --suffix=.jsonc b lathe", "deny protected"),
            ("mv -S .jsonc -t . sub/lathe", "deny protected"),
            ("touch new && mv -S .JSONC b lathe", "deny protected"),
            ("cp -r -S .jsonc plain/. . ; cp -rS .jsonc named/. .", "allow"),
            (
                "cp a.txt m/lathe; cp -rS .jsonc m/../sub/. m; cp -S .jsonc b m/lathe",
                "deny protected",
            ),
            ("SIMPLE_BACKUP_SUFFIX=.jsonc cp -b b lathe", "deny protected"),
            (
                "export SIMPLE_BACKUP_SUFFIX=.jsonc; cp -b b lathe",
                "deny protected",
            ),
            (
                "SIMPLE_BACKUP_SUFFIX='.jsonc'; export SIMPLE_BACKUP_SUFFIX; cp -b b lathe",
                "deny protected",
            ),
            ("env SIMPLE_BACKUP_SUFFIX=.jsonc cp -b b lathe", "deny protected"),
            ("sed -i.jsonc s/a/b/ lathe", "deny protected"),
            ("sed -ni.jsonc p lathe", "deny protected"),
            ("sed -Ei.jsonc -e p lathe", "deny protected"),
            ("sed --in-place=.jsonc s/a/b/ lathe", "deny protected"),
            ("sed --i=.jsonc s/a/b/ lathe", "deny protected"),
            ("sed --i s/a/b/ .git/config", "deny protected"),
            ("sed -i'.git/*' s/a/b/ lathe", "deny protected"),
            ("sed -i'.git/hooks/*' s/a/b/ lathe", "deny protected"),
            ("cd docs && sed -i'../.git/*' s/a/b/ x", "deny protected"),
            ("sed -i'*.jsonc' s/a/b/ lathe", "deny protected"),
            // The star is the whole operand.
            ("sed -i'.g*' s/a/b/ it/hooks/x", "deny protected"),
            ("sed -i'.g*' s/a/b/ ./it/hooks/x", "allow"),
            ("cd docs && sed -i'../.g*' s/a/b/ it/hooks/x", "deny protected"),
            ("sed -i'.gi*' s/a/b/ t/hooks/../config", "deny protected"),
            ("sed -i.jsonc s/a/b/ lath*", "deny protected"),
            ("sed -n -i.jsonc -f a.txt -- lathe", "deny protected"),
            ("patch -z .jsonc lathe p", "deny protected"),
            ("patch -b --suffix=.jsonc lathe p", "deny protected"),
            ("echo b lathe | xargs cp -S .jsonc", "deny protected"),
            ("echo lathe | xargs cp -S .jsonc b", "deny protected"),
            ("echo lathe | xargs sed -i.jsonc s/a/b/", "deny protected"),
            (
                "find . -name lathe -exec sed -i.jsonc s/a/b/ {} +",
                "deny protected",
            ),
            (
                "read SIMPLE_BACKUP_SUFFIX <<< .jsonc; export SIMPLE_BACKUP_SUFFIX; cp -b b lathe",
                "deny protected",
            ),
            ("echo a.txt b | xargs cp -S .jsonc", "allow"),
            ("echo lathe | xargs sed -i.bak s/a/b/", "allow"),
            ("sed -i.bak s/a/b/ lathe", "allow"),
            ("sed -i s/a/b/ lathe", "allow"),
            ("cp -b b lathe", "allow"),
            ("mv --backup=numbered b lathe", "allow"),
            ("cp --parents m/lathe.jsonc docs", "deny protected"),
            ("cd m && cp --parents .envrc ../docs", "allow"),
        ],
    );
}

#[tokio::test]
async fn what_a_backup_keeps_is_judged_as_read() {
    check(
        RULES,
        Mode::Ask,
        &[
            ("mv -bT docs secrets", "read"),
            ("mv --backup -T docs secrets", "read"),
            ("mv -b --no-target-directory docs secrets", "read"),
            ("mv -b plain/x secrets/a.txt", "read"),
            ("cp -b b secrets/a.txt", "read"),
            ("cp --backup=numbered b secrets/a.txt", "read"),
            ("cp --backup=t b secrets/a.txt", "read"),
            ("cp -rb plain/. secrets/../secrets", "allow"),
            ("cp a.txt docs/a.txt; cp -rb -S MINE docs/. secrets", "read"),
            ("mv -b named/secrets .", "read"),
            ("ln -sfb docs secrets/a.txt", "read"),
            ("install -b b secrets/a.txt", "read"),
            ("mv --exchange docs secrets", "read"),
            ("mv --exchange secrets docs", "read"),
            ("mv --exchange named/secrets .", "read"),
            ("mv -b b a.txt && cat a.txt~", "allow"),
            ("mv -b b docs", "allow"),
            ("cp -rb assets docs", "allow"),
            // A name that is a link gets another one.
            ("cp -b a.txt linkdir && cat linkdir~/x", "read"),
            ("mv -bT docs linkdir && cat linkdir~/x", "read"),
            ("sed -i.bak s/a/b/ hold/text && cat hold/text.bak", "read"),
            ("sed -i s/a/b/ hold/text && cat hold/text", "allow"),
            ("mv --exchange linkdir docs && cat docs/x", "read"),
        ],
    );
}

#[tokio::test]
async fn suffixes_that_are_not_plain_ask() {
    check(
        RULES,
        Mode::Ask,
        &[
            ("cp -b -S \"$x\" b lathe", "edit"),
            ("cp -b -S 'a b' b lathe", "edit"),
            ("cp -b -S /../x b lathe", "edit"),
            ("cp -b -S* b lathe", "edit"),
            ("cp -b --suffix=\"$(id)\" b lathe", "edit"),
            ("cp --backup --unknown b lathe", "edit"),
            ("mv -bq b lathe", "edit"),
            ("SIMPLE_BACKUP_SUFFIX=$x cp -b b lathe", "edit"),
            ("export SIMPLE_BACKUP_SUFFIX=\"$x\"; cp -b b lathe", "edit"),
            (
                "read SIMPLE_BACKUP_SUFFIX; export SIMPLE_BACKUP_SUFFIX; cp -b b lathe",
                "edit",
            ),
            ("cp -S rc b .env", "protected"),
            // Nothing protected has a name like that.
            ("VERSION_CONTROL=numbered cp -b b lathe", "allow"),
            ("sed -i\"$x\" s/a/b/ lathe", "edit"),
            ("sed -i'a b' s/a/b/ lathe", "edit"),
            ("sed --in-place=\"$(id)\" s/a/b/ lathe", "edit"),
            ("sed -qi.bak s/a/b/ lathe", "edit"),
            ("cp -S .old b lathe", "allow"),
            ("cp -p -S ~ b lathe", "edit"),
            ("sed -i.orig -e s/a/b/ -- lathe", "allow"),
            ("VERSION_CONTROL=none cp b lathe", "allow"),
        ],
    );
}

#[tokio::test]
async fn a_directory_that_is_too_large_to_look_through_counts_as_one_with_a_link() {
    let project = project(RULES);
    // The directory itself is one of the names.
    for (max_names, expected) in [(MAX_NAMES, "allow"), (3, "allow"), (2, "read"), (0, "read")] {
        let workdir = project.path("");
        let setting = CommandContext {
            max_names,
            ..CommandContext::new(&project.services, &workdir)
        };
        let asks = asks_of(&setting, "mv assets l && cat l/css/a.css").asks;
        assert_eq!(decided(&project, &asks, Mode::Ask), expected, "{max_names}");
    }
}
