//! Work that one text may cause.

use crate::permission::Mode;
use crate::tool::harness::HarnessOptions;

use super::*;

fn texts(size: usize) -> Vec<(&'static str, String)> {
    let repeat = |part: &dyn Fn(usize) -> String| {
        let mut text = String::new();
        let mut number = 0;
        while text.len() < size {
            text.push_str(&part(number));
            number += 1;
        }
        text
    };
    let fill = |text: &str| repeat(&|_| text.to_owned());
    vec![
        ("cd or cd", repeat(&|n| format!("cd d{n} || cd e{n} ; "))),
        ("cd and", repeat(&|n| format!("cd d{n} && ")) + "ls"),
        ("cd or", repeat(&|n| format!("cd d{n} || ")) + "ls"),
        ("cd or ls", repeat(&|n| format!("cd d{n} || ls ; "))),
        ("commands", fill("ls; ")),
        ("commands of files", repeat(&|n| format!("cat a{n}; "))),
        ("writers", repeat(&|n| format!("rm a{n}; "))),
        ("pipes", fill("cat | ") + "cat"),
        ("and", fill("ls && ") + "ls"),
        ("globs", fill("ls * && ") + "ls"),
        ("globs in one", "ls ".to_owned() + &fill("* ")),
        ("braces", "ls ".to_owned() + &fill("{a,b}{c,d}{e,f}{g,h} ")),
        ("braces in commands", fill("ls {a,b}{c,d}{e,f}{g,h}; ")),
        (
            "loops",
            repeat(&|n| format!("for x{n} in a b c; do ")) + "ls" + &repeat(&|_| "; done".into()),
        ),
        (
            "loop of values",
            "for x in a b c d e f g h; do for y in a b c d e f g h; do ".to_owned()
                + &fill("cat $x$y; ")
                + "done; done",
        ),
        ("values", repeat(&|n| format!("x{n}=a; ")) + "ls $x1"),
        (
            "values used",
            repeat(&|n| format!("x{n}=a$x{}; ", n.wrapping_sub(1))),
        ),
        ("values grow", "x=aa; ".to_owned() + &fill("x=$x$x; ")),
        ("substitutions", fill("echo $(") + "ls" + &fill(")")),
        ("substitutions aside", fill("echo $(ls) ")),
        ("nested ifs", fill("if ls; then ") + "ls" + &fill("; fi")),
        ("ifs", fill("if ls; then cd a; else cd b; fi; ")),
        (
            "case",
            "case x in ".to_owned() + &repeat(&|n| format!("a{n}) cd a{n};; ")) + "esac",
        ),
        ("here", repeat(&|n| format!("cat <<E{n}\na\nE{n}\n"))),
        ("subshells", fill("(cd a; ") + "ls" + &fill(")")),
        ("subshells aside", fill("(cd a; ls); ")),
        ("groups", fill("{ cd a; ") + "ls" + &fill("; }")),
        ("git -C", repeat(&|n| format!("git -C d{n} status; "))),
        ("git", fill("git status; ")),
        ("git show", fill("git show HEAD; ")),
        ("redirections", repeat(&|n| format!("echo x > f{n}; "))),
        (
            "redirections of one",
            "echo".to_owned() + &repeat(&|n| format!(" > f{n}")),
        ),
        ("redirection reads", repeat(&|n| format!("cat < f{n}; "))),
        ("words", "cat ".to_owned() + &repeat(&|n| format!("f{n} "))),
        ("words of git", "git ".to_owned() + &repeat(&|n| format!("f{n} "))),
        (
            "options of git",
            "git ".to_owned() + &repeat(&|n| format!("-{n} ")),
        ),
        (
            "options of x",
            "docker ".to_owned() + &repeat(&|n| format!("-{n} x ")),
        ),
        ("copies", repeat(&|n| format!("cp a{n} b{n}; "))),
        (
            "copies of one",
            "cp -r ".to_owned() + &repeat(&|n| format!("a{n} ")) + "b",
        ),
        ("env", fill("env ") + "ls"),
        ("timeout", fill("timeout 9 ") + "ls"),
        ("xargs", fill("xargs ") + "ls"),
        ("find", "find . ".to_owned() + &fill("-name x ")),
        ("finds in finds", fill("find . -exec ") + "ls"),
        ("finds of finds", fill("find . -exec ls {} + -exec ") + "ls"),
        ("shells", fill("sh -c ") + "ls"),
        ("sudo", fill("sudo ") + "ls"),
        ("parallel", fill("parallel ") + "ls"),
        ("evals", fill("eval ") + "ls"),
        ("settings of git", fill("git -c a=b ") + "status"),
        ("awk", "awk '".to_owned() + &fill("{print} ") + "'"),
        ("sed", "sed '".to_owned() + &fill("s/a/b/;") + "'"),
        ("rg", "rg x ".to_owned() + &fill("-g '*.rs' ")),
        ("tests", fill("[ -f x ] && ") + "ls"),
        (
            "xargs of names",
            "echo a b | ".to_owned() + &fill("xargs rm | ") + "xargs rm",
        ),
        ("searches", fill("grep -r x d1 f1; ")),
        (
            "values of git",
            "for x in a b c d e f g h; do ".to_owned() + &fill("git show $x:f1; ") + "done",
        ),
        ("finds", fill("find . -name x -exec ls {} + ; ")),
        ("sh -c", fill("sh -c 'ls'; ")),
        ("functions", repeat(&|n| format!("f{n}() {{ cd a; }}; "))),
        ("quotes", fill("'a' \"b\" ")),
        ("unclosed", fill("ls \"a; ")),
        ("not understood", fill("$X y; ")),
        ("parens", fill("(")),
        ("brackets", fill("[[ -f x ]] && ") + "ls"),
        ("arithmetic", fill("echo $((1+(2*(3)))) ; ")),
        ("dots", "cat ".to_owned() + &fill("../")),
        (
            "backups",
            "mv -b ".to_owned() + &repeat(&|n| format!("a{n} ")) + "b",
        ),
        ("seds", repeat(&|n| format!("sed -i.b{n} s/a/b/ f{n}; "))),
        ("patch", fill("patch < x; ")),
        ("blanks", fill(" \n")),
        ("dollars", fill("$")),
        ("letters", fill("a")),
        ("assignments before", fill("a=b ") + "ls"),
        ("and assignments", fill("a=b && ") + "ls"),
        ("tar", fill("tar -xf a; ")),
        ("ln", repeat(&|n| format!("ln -s a{n} b{n}; "))),
        ("mvs", repeat(&|n| format!("mv a{n} b{n}; cat b{n}/x; "))),
    ]
}

/// Steps for a text in the tests.
const FEW_STEPS: usize = 20_000;

fn project() -> Harness {
    let project = Harness::new();
    git::git(&project.path(""), &["init", "-q"]);
    for number in 0..20 {
        project.write(format!("f{number}"), "x");
        fs::create_dir(project.path(format!("d{number}"))).unwrap();
    }
    project
}

/// Whatever a text asks for: the work for it ends, and then it is asked about as a whole.
#[test]
fn no_text_takes_more_work_than_its_budget() {
    let project = project();
    let directory = project.path("");
    let mut spent = 0;
    for (name, text) in texts(2000) {
        let mut context = CommandContext::new(&project.services, &directory);
        context.work = Rc::new(WorkBudget::of(FEW_STEPS));
        let found = asks_of(&context, &text);
        let is_given_up = found
            .why
            .as_deref()
            .is_some_and(|why| why.contains(TOO_MUCH_WORK));
        if is_given_up {
            spent += 1;
            let whole = found.asks.iter().find(|ask| ask.subject.text == text);
            assert_eq!(whole.map(|ask| ask.floor), Some(Floor::Ask), "{name}");
            assert_eq!(found.reads_only, None, "{name}");
        }
    }
    assert!(spent > 10, "{spent}: the budget is never used up");
}

/// Four times the text is at most some twenty times the work: what grows faster than by the square would be.
#[test]
fn work_grows_with_the_length_of_a_text() {
    let project = project();
    let directory = project.path("");
    let steps = |text: &str| {
        let context = CommandContext::new(&project.services, &directory);
        asks_of(&context, text);
        context.work.taken()
    };
    let (short, long) = (texts(150), texts(600));
    for ((name, short), (_, long)) in short.iter().zip(&long) {
        let (few, many) = (steps(short), steps(long));
        assert!(many < 20 * few.max(5000), "{name}: {few} {many}");
    }
}

#[tokio::test]
async fn ordinary_texts_take_few_steps_and_ask_nothing_new() {
    let project = project();
    let directory = project.path("");
    for text in [
        "ls && cat f1 f2 | head -5 && git status && git diff --stat",
        "for f in f*; do cat $f; done",
        "cd d1 && ls && cd ../d2 && ls",
        "cat f{0..9} | sort | uniq -c",
    ] {
        let context = CommandContext::new(&project.services, &directory);
        asks_of(&context, text);
        assert!(context.work.taken() < 20_000, "{text}: {}", context.work.taken());
        assert_eq!(open(&project, text).await, [], "{text}");
    }
    // As long as they come, and plainly written.
    let long = "cat f1 f2 f3; ls -l d1 d2; ".repeat(150);
    let context = CommandContext::new(&project.services, &directory);
    assert_eq!(asks_of(&context, &long).why, None, "{}", context.work.taken());
    assert_eq!(open(&project, &long).await, []);
}

/// What was found before the budget was used up is denied all the same, also where nobody looks.
#[tokio::test]
async fn a_denied_command_is_denied_beside_any_amount_of_others() {
    let rules = json!({"bash": {"rm *": "deny"}});
    for mode in [Mode::Ask, Mode::Yolo] {
        let project = Harness::with(HarnessOptions {
            rules: rules.clone(),
            mode,
            ..HarnessOptions::default()
        });
        let padding = "cd d0 || cd e0; for x in a b c d e f g h; do cat $x*; done; ".repeat(60);
        for text in [format!("rm -rf x; {padding}"), format!("{padding} rm -rf x")] {
            let (kind, why) = project.error("bash", json!({ "command": text })).await;
            assert_eq!(kind, ErrorKind::Denied, "{mode:?}: {why}");
            assert!(why.contains("rm *"), "{mode:?}: {why}");
        }
        let (kind, _) = project
            .error(
                "bash",
                json!({ "command": format!("{padding} cp f1 .git/hooks/x") }),
            )
            .await;
        assert_eq!(kind, ErrorKind::Denied, "{mode:?}");
    }
}
