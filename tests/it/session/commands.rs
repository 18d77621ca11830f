//! Commands of the user's own and of the project, and the files that they name.

use lathe::permission::Mode;
use lathe::session::wire::SessionChoice;
use lathe::session::{CalledCommand, Event, Input, Op};
use serde_json::json;

use super::{Live, input, over_both};
use crate::support::{Project, Protocol, Server, Turn};

over_both! {
    what_a_command_of_the_project_names_outside_of_it_goes_along_only_with_the_persons_word_for_this_call,
    what_an_own_command_names_outside_of_the_project_is_the_persons_word_and_what_it_names_inside_is_not,
    a_command_goes_without_files_that_cannot_be_read_when_it_is_sent_again,
}

fn called(name: &str) -> Input {
    Input {
        command: Some(CalledCommand::ByName {
            name: name.to_owned(),
            arguments: String::new(),
        }),
        ..input(&format!("/{name}"))
    }
}

impl Live {
    /// Sends something that comes back, and returns it with the sentence that says why.
    async fn comes_back(&mut self, sent: Input) -> (Input, String) {
        self.handle.send(Op::Submit(sent)).expect("it takes operations");
        let seen = self
            .until("message that comes back", |event| {
                matches!(event, Event::Unread { .. })
            })
            .await;
        let Some(Event::Unread { input, report, .. }) = seen.last() else {
            unreachable!()
        };
        (Input::clone(input), report.sentence())
    }

    async fn goes(&mut self, sent: Input) {
        self.handle.send(Op::Submit(sent)).expect("it takes operations");
        let (_, events) = self.until_turn_ended().await;
        let came_back = events.iter().any(|event| matches!(event, Event::Unread { .. }));
        assert!(!came_back, "{events:#?}");
    }
}

async fn what_a_command_of_the_project_names_outside_of_it_goes_along_only_with_the_persons_word_for_this_call()
 {
    let server = Server::with([Turn::text("With it.")]);
    let outside = tempfile::tempdir().unwrap();
    let key = outside.path().join("key");
    std::fs::write(&key, "outer-secret").unwrap();
    let outer = key.display().to_string();
    let project = Project::new()
        .model(&server, Protocol::OpenAiChat)
        .file(
            ".lathe/commands/look.md",
            &format!("Look at @{outer} and @a.rs.\n"),
        )
        .file("a.rs", "fn plain() {}\n");
    let mut live = Live::open(&project, SessionChoice::New, Mode::Ask).await;
    let (back, words) = live.comes_back(called("look")).await;
    let why = format!("`/look` names `{outer}`, which is read only if you say so");
    assert!(words.contains(&why), "{words}");
    live.goes(Input {
        meant: back.meant,
        ..called("look")
    })
    .await;
    assert!(server.requests()[0].mentions("outer-secret"));
    live.comes_back(called("look")).await;
    assert_eq!(server.requests().len(), 1);
    live.close().await;
}

async fn what_an_own_command_names_outside_of_the_project_is_the_persons_word_and_what_it_names_inside_is_not()
 {
    let server = Server::with([Turn::text("With it.")]);
    let outside = tempfile::tempdir().unwrap();
    let style = outside.path().join("style.md");
    std::fs::write(&style, "own-style").unwrap();
    let project = Project::new().model(&server, Protocol::OpenAiChat);
    let own = |name: &str, text: &str| {
        let file = project.config_dir().join("commands").join(name);
        project.write(file, text.as_bytes());
    };
    own("style.md", &format!("Mind @{}.\n", style.display()));
    own("notes.md", "Mind @notes.md.\n");
    // The project gives the name another file.
    std::os::unix::fs::symlink(&style, project.path("notes.md")).unwrap();
    let mut live = Live::open(&project, SessionChoice::New, Mode::Ask).await;
    live.goes(called("style")).await;
    assert!(server.requests()[0].mentions("own-style"));
    let (back, _) = live.comes_back(called("notes")).await;
    assert_eq!(back.meant, ["notes.md"]);
    live.close().await;
}

async fn a_command_goes_without_files_that_cannot_be_read_when_it_is_sent_again() {
    let server = Server::with([Turn::text("Without them.")]);
    let project = Project::new()
        .model(&server, Protocol::OpenAiChat)
        .file(".lathe/commands/look.md", "Look at @.env, @b.env and @a.rs.\n")
        .file(".env", "KEY=hidden-one\n")
        .file("b.env", "KEY=hidden-two\n")
        .file("a.rs", "fn plain() {}\n")
        .config(json!({"permission": {"read": {"*": "allow", "*.env": "deny"}}}));
    let mut live = Live::open(&project, SessionChoice::New, Mode::Ask).await;
    let (back, words) = live.comes_back(called("look")).await;
    assert!(
        words.contains("`/look` names a file that cannot be attached: "),
        "{words}"
    );
    assert_eq!(back.without, [".env", "b.env"]);
    live.goes(Input {
        without: back.without,
        ..called("look")
    })
    .await;
    let request = &server.requests()[0];
    assert!(request.mentions("fn plain()") && !request.mentions("hidden-"));
    live.close().await;
}
