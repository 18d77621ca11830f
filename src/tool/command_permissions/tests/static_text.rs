//! Commands whose text alone says that they change a protected name: in mode yolo, where nothing else is asked, too. Each
//! attack stands beside commands of the same form that change nothing protected.

use super::*;
use crate::permission::{Decision, Mode, decide};

/// A project with a repository of its own.
fn project() -> Harness {
    let project = Harness::new();
    for path in [
        ".git/HEAD",
        ".git/config",
        ".git/hooks/pre-commit.sample",
        ".git/refs/heads/main",
        "lathe.jsonc",
        "a.txt",
        "src/a.rs",
        "src/b.tmp",
        "src/deep/c.tmp",
        "build/x.o",
    ] {
        project.write(path, "x\n");
    }
    project.write(
        "plain.patch",
        "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1 +1 @@\n-x\n+y\n",
    );
    project.write(
        "hook.patch",
        "--- /dev/null\n+++ b/.git/hooks/pre-commit\n@@ -0,0 +1 @@\n+x\n",
    );
    project.write(
        "renames.patch",
        "diff --git a/a.txt b/lathe.jsonc\nrename from a.txt\nrename to lathe.jsonc\n",
    );
    project
}

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

#[track_caller]
fn check(attacks: &[&str], harmless: &[&str]) {
    let project = project();
    let mut wrong = Vec::new();
    for (commands, expected) in [(attacks, "deny protected"), (harmless, "allow")] {
        for command in commands {
            let became = verdict(&project, command, Mode::Yolo);
            if became != expected {
                wrong.push(format!("{command:?} became {became:?}, not {expected:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn a_directory_that_a_wrapper_changes_to_is_known() {
    check(
        &[
            "env -C .git/hooks touch x",
            "env -C.git/hooks touch x",
            "env --chdir=.git/hooks touch x",
            "env --chdir .git/hooks touch x",
            "env -iC .git/hooks touch x",
            "env -C .git env -C hooks touch x",
            "nice env -C .git/hooks cp ../../a.txt x",
            "env -C .g* touch config",
            "sudo -D .git/hooks touch x",
            "sudo --chdir=.git touch config",
            "cd .git && env -C hooks touch x",
            "env -C .git bash -c 'echo x > config'",
            "env -C .git bash -c 'cd hooks; touch x'",
            "make -C .git/hooks x",
            "tar -xf a.tar -C .git/hooks",
            "tar xf a.tar --directory=.git",
            "unzip a.zip -d .git/hooks",
            "git --work-tree=.git/hooks checkout HEAD -- x",
            "git -C src apply ../hook.patch",
        ],
        &[
            "env -C src touch x",
            "env --chdir=src/deep touch x",
            "sudo -D src touch x",
            "make -C src x",
            "tar -xf a.tar -C src",
            "tar -cf a.tar -C src .",
            "unzip a.zip -d src",
            "env -C \"$x\" touch x",
            "git -C src add a.rs",
        ],
    );
}

#[tokio::test]
async fn wildcards_on_the_way_are_replaced() {
    check(
        &[
            "cd .g*/hooks; touch x",
            "cd .g*/hooks && echo x > y",
            "cd .g*; cd hooks; touch x",
            "pushd .gi?/ho*; touch x",
            "cd -- .[g]it && rm config",
            "cd ./.g*//hooks && touch x",
            "cd \"$PWD\"/.g* && touch config",
            "for i in .g*; do touch $i/hooks/x; done",
            "for i in .g*; do touch \"$i/hooks/x\"; done",
            "for i in .g*; do echo x > $i/hooks/x; done",
            "for i in .g*; do echo x > \"$i\"/hooks/x; done",
            "for i in .g*; do cp a.txt $i/hooks/x; done",
            "for i in .g*; do (cd $i/hooks; touch x); done",
            "for i in .g*/ho*; do cd $i; touch x; done",
            "for d in .git/hooks; do cd $d; touch x; done",
            "for i in src .g*; do for j in hooks; do touch $i/$j/x; done; done",
            "while cd .git/hooks; do touch x; done",
            "f() { touch x; }; cd .git/hooks; f",
            "f() { cd .git/hooks; }; f; touch x",
            "cp a.txt .g*/hooks/",
            "rm -r .g*",
            "mkdir t; rm -r t/../.g*",
            "mkdir t; rm -rf t/..",
            "rm -rf ..",
            "cd src && rm -rf ..",
            "touch .g{it,x}/hooks/x",
            "touch .g{it,\"x\"}/hooks/x",
            "touch \".git\"/{hooks,x}/y",
            "touch {.git/hooks,src}/x",
            "rm -rf {a,.g}it",
            "cd .g{it,}/hooks; touch x",
            "shopt -s dotglob; rm -rf *",
            "for f in *; do mv \"$f\" \"x-$f\"; done",
            "for i in .g* src; do sh -c \"touch $i/config\"; done",
            "sh -c \"touch .git/hooks/$x\"",
            "sh -c \"echo $x > .git/config\"",
        ],
        &[
            "cd s*/deep; touch x",
            "for i in s*; do touch $i/deep/x; done",
            "for i in *; do touch $i/config; done",
            "for d in */; do touch \"$d/.keep\"; done",
            "for f in *.txt; do mv \"$f\" \"x-$f\"; done",
            "for f in src/*; do mv \"$f\" \"$f.old\"; done",
            "rm -rf */",
            "cd src && cd .. && touch b.txt",
            "cd \"$(git rev-parse --show-toplevel)\" && touch b.txt",
            "cd \"$x\" && rm -rf build",
            "rm -rf build/*",
            "touch src/{a,b}.txt",
            "touch \"src\"/{a,b}.txt",
            "while cd src; do touch x; done",
            "sh -c \"touch $x\"",
        ],
    );
}

#[tokio::test]
async fn what_find_would_change_is_looked_up() {
    check(
        &[
            "find . -delete",
            "find -delete",
            "find .git -delete",
            "find . -type f -delete",
            "find . -name config -delete",
            "find . -name 'conf*' -print -delete",
            "find . -path '*hooks*' -delete",
            "find . -mtime +3 -delete",
            "find . \\( -name config -o -name x \\) -delete",
            "find . -not -name '*.rs' -delete",
            "find .. -delete",
            "find \"$PWD\" -name HEAD -delete",
            "find .g* -name HEAD -delete",
            "cd src && find .. -name HEAD -delete",
            "find .git -name '*' -exec rm {} +",
            "find . -name HEAD -exec rm -f {} \\;",
            "find . -name HEAD -exec cp a.txt {} \\;",
            "find . -name hooks -exec touch {}/x \\;",
            "find . -name hooks -exec cp a.txt {} \\;",
            "find . -name hooks -execdir touch x \\;",
            "find . -name HEAD -execdir rm {} \\;",
            "find . -name HEAD -exec sed -i s/a/b/ {} +",
            "find . -name config -exec env rm {} +",
            "find . -name HEAD -exec sh -c 'rm \"$1\"' _ {} \\;",
            "find . -name HEAD -exec sh -c 'echo > \"$0\"' {} \\;",
            "find . -name HEAD | xargs rm",
            "find . -name HEAD -print0 | xargs -0 rm -f",
            "find . -name HEAD | sort | xargs -I{} cp a.txt {}",
            "find . -path ./.git -prune -o -name config -delete",
            "find . -name '*.tmp' -fprint .git/hooks/x",
            "find . -iname head -delete",
            "find . -maxdepth 2 -name HEAD -delete",
            "find . -path ./.git -prune -o -type f -exec sed -i s/a/b/ {} +",
            "find . -not -path './.git/*' -name .git -exec rm -r {} +",
        ],
        &[
            "find . -name '*.tmp' -delete",
            "find . -type f -name '*.o' -delete",
            "find src -delete",
            "find . -not -path './.git/*' -name '*g' -delete",
            "find . -path ./.git -prune -o -type f -name '*.rs' -exec sed -i s/a/b/ {} +",
            "find . -path '*/.git/*' -prune -o -type f -name HEAD -exec rm {} +",
            "find . -type f -not -path '*/.git/*' -not -name lathe.jsonc -exec chmod 644 {} +",
            "find . -maxdepth 1 -type f -name '*.txt' -delete",
            "find . -type f -exec grep -l x {} +",
            "find . -name '*.tmp' -exec rm {} +",
            "find . -name '*.tmp' -execdir rm {} \\;",
            "find . -name '*.tmp' | xargs rm",
            "find . -name \"$x\" -delete",
            "find . -type f | xargs grep x",
            "find . -name HEAD -exec sh -c 'cat \"$1\"' _ {} \\;",
            "find . -name __pycache__ -type d -exec rm -rf {} +",
        ],
    );
}

#[tokio::test]
async fn files_that_scripts_and_patches_name_are_known() {
    check(
        &[
            "sed -n 'w .git/hooks/x' a.txt",
            "sed -n 'w.git/hooks/x' a.txt",
            "sed 's/x/y/w .git/hooks/x' a.txt",
            "sed -e p -e '1,3w lathe.jsonc' a.txt",
            "sed --expression='$W .git/config' a.txt",
            "cd .git && sed -n 'w config' ../a.txt",
            "awk '{print > \".git/hooks/x\"}' a.txt",
            "awk 'BEGIN { printf \"x\" >> \"lathe.jsonc\" }'",
            "patch -p1 < hook.patch",
            "patch -p1 -i hook.patch",
            "patch -p1 --input=hook.patch",
            "cat hook.patch | patch -p1",
            "patch -p1 <<'E'\n--- a/x\n+++ b/.git/hooks/x\n@@ -0,0 +1 @@\n+x\nE",
            "patch -p0 < renames.patch",
            "git apply hook.patch",
            "git apply --unsafe-paths -p2 < hook.patch",
            "git apply *.patch",
            "git apply <<'E'\n--- /dev/null\n+++ b/lathe.jsonc\n@@ -0,0 +1 @@\n+x\nE",
            "git am renames.patch",
            "cd .git && patch -p1 < ../plain.patch",
            "patch .git/config plain.patch",
            "patch -d .git -p1 < plain.patch",
            "patch -d .git -p1 -i ../plain.patch",
            "cat > t.patch <<'E'\n--- a/x\n+++ b/.git/hooks/x\n@@ -0,0 +1 @@\n+x\nE\npatch -p1 -i t.patch",
        ],
        &[
            "sed -n 'w out.txt' a.txt",
            "sed 's/w/x/' a.txt",
            "awk '{print > \"out.txt\"}' a.txt",
            "awk '$1 > 3' a.txt",
            "patch -p1 < plain.patch",
            "git apply plain.patch",
            "cat plain.patch | patch -p1",
            "curl u | patch -p1",
            "patch -p1 < missing.patch",
            "patch -p1 <<'E'\n--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1 +1 @@\n-x\n+y\nE",
        ],
    );
}

#[tokio::test]
async fn names_that_are_passed_on_are_known() {
    check(
        &[
            "echo .git/hooks/x | xargs touch",
            "printf '%s\\n' .git/config | xargs -n 1 rm -f",
            "printf '.git/config\\n' | xargs rm",
            "echo .git | xargs -I{} touch {}/config",
            "xargs touch <<< .git/hooks/x",
            "xargs rm <<E\n.git/config\nE",
            "cat <<E | xargs rm\na.txt .git/config\nE",
            "cd .git && echo config | xargs rm",
            "touch .git/hooks/\"$x\"",
            "touch \"$(pwd)/.git/hooks/x\"",
            "cd \"$(git rev-parse --show-toplevel)/.git\" && touch config",
            "cd \"$(pwd)\" && touch .git/config",
            "echo x > \"$x/.git/config\"",
            "echo x > .git/\"$x\"",
            "touch $nothing.git/config",
        ],
        &[
            "echo a.txt | xargs touch",
            "echo .git/config | xargs cat",
            "touch \"$f\"",
            "touch \"$d/src/x\"",
            "rm -f \"$f\" src/\"$x\"",
            "ls .git; rm -f \"$f\"",
            "echo x > \"$f\"",
            "git ls-files | xargs sed -i s/a/b/",
            "grep -rl x --exclude-dir=.git . | xargs sed -i s/a/b/",
        ],
    );
}

#[tokio::test]
async fn files_that_programs_write_by_an_option_or_a_place_are_known() {
    check(
        &[
            "curl -o .git/hooks/x http://u",
            "curl --output lathe.jsonc http://u",
            "wget -O.git/hooks/x http://u",
            "wget --output-document=.git/config http://u",
            "gcc -o .git/hooks/x a.c",
            "rsync a.txt .git/hooks/",
            "scp host:x .git/hooks/x",
            "zip .git/hooks/x a.txt",
            "tar -cf .git/hooks/x a.txt",
            "tar cf .git/hooks/x a.txt",
            "gzip .git/config",
            "git archive -o .git/hooks/x HEAD",
            "git diff --output=.git/hooks/x",
            "git mv a.txt lathe.jsonc",
            "git rm -f lathe.jsonc",
            "git checkout HEAD~1 -- lathe.jsonc",
            "git restore --source=HEAD~1 lathe.jsonc",
            "git format-patch -o .git/hooks HEAD~1",
            "flock .git/hooks/x true",
            "script -qc ls .git/hooks/x",
            "perl -i -pe s/a/b/ .git/config",
            "ed .git/config",
            "openssl rand -out .git/hooks/x 10",
            "xxd -r a.txt .git/hooks/x",
            "uniq a.txt .git/hooks/x",
            "rename s/a/b/ .git/config",
        ],
        &[
            "curl -o out http://u",
            "gcc -o out a.c",
            "rsync -a .git/ /dev/null",
            "tar -cf a.tar .git",
            "tar -tf .git/x.tar",
            "zip -r a.zip .git",
            "git add lathe.jsonc",
            "git diff lathe.jsonc",
            "git log -- lathe.jsonc",
            "grep -o x .git/config",
            "gzip -c .git/config",
            "xxd .git/config",
        ],
    );
}
