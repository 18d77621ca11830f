//! `todowrite` and `todoread`: the session's check list.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::conversation::{Todo, TodoStatus};
use crate::tool::builtin::with_lines;
use crate::tool::{
    Concurrency, DrawnArgs, Output, ParamAlias, Prepared, RenderCx, ResultView, SessionEffect, Tool, ToolCx,
    ToolError, ToolSet, plural,
};
use crate::view::card::{Card, Tone, ToneLine, ToneSpan};

pub(super) struct TodoWriteTool;
pub(super) struct TodoReadTool;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct WriteArgs {
    /// The whole list; it replaces the one before.
    todos: Vec<Todo>,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ReadArgs {}

#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Details {
    todos: Vec<Todo>,
    open: usize,
    completed: usize,
    /// The contents whose status is not what it was.
    #[serde(default)]
    changed: Vec<String>,
}

fn tone(status: TodoStatus) -> Tone {
    match status {
        TodoStatus::Pending => Tone::Normal,
        TodoStatus::InProgress => Tone::Accent,
        TodoStatus::Completed => Tone::Success,
        TodoStatus::Cancelled => Tone::Muted,
    }
}

impl Details {
    fn new(todos: Vec<Todo>, before: &[Todo]) -> Self {
        let open = todos.iter().filter(|todo| todo.status.is_open()).count();
        let completed = todos
            .iter()
            .filter(|todo| todo.status == TodoStatus::Completed)
            .count();
        let was = |todo: &Todo| {
            before
                .iter()
                .any(|old| old.content == todo.content && old.status == todo.status)
        };
        let changed = todos
            .iter()
            .filter(|todo| !was(todo))
            .map(|todo| todo.content.clone())
            .collect();
        Self {
            todos,
            open,
            completed,
            changed,
        }
    }

    fn text(&self) -> String {
        if self.todos.is_empty() {
            return "No todos".to_owned();
        }
        format!("{}\n{}", plural(self.open, "open todo"), Todo::lines(&self.todos))
    }

    fn output(self) -> Output<Self> {
        Output::new(plural(self.open, "open todo"), self.text(), self)
    }

    fn card(&self) -> Card {
        self.card_of(|_| true)
    }

    /// Those of the list that are not what they were.
    fn changes(&self) -> Card {
        self.card_of(|todo| self.changed.contains(&todo.content))
    }

    fn card_of(&self, is_shown: impl Fn(&Todo) -> bool) -> Card {
        let card = Card::new("Todo", format!("{} of {}", self.completed, self.todos.len()));
        let shown = self.todos.iter().filter(|todo| is_shown(todo));
        with_lines(card, shown.map(|todo| self.line(todo)).collect())
    }

    /// The list while it is written: how many there will be is not known.
    fn growing(&self) -> Card {
        Card {
            argument: String::new(),
            ..self.card()
        }
    }

    fn line(&self, todo: &Todo) -> ToneLine {
        let (sign, spoken) = match todo.status {
            TodoStatus::Pending => ("○ ", "open: "),
            TodoStatus::InProgress => ("▸ ", "in progress: "),
            TodoStatus::Completed => ("✓ ", "done: "),
            TodoStatus::Cancelled => ("⊘ ", "dropped: "),
        };
        let is_changed = self.changed.contains(&todo.content);
        let text_tone = match todo.status {
            TodoStatus::InProgress => Tone::Strong,
            TodoStatus::Completed | TodoStatus::Cancelled if !is_changed => Tone::Muted,
            _ => Tone::Normal,
        };
        let mut line = vec![
            ToneSpan::sign(tone(todo.status), sign, spoken),
            ToneSpan::new(text_tone, todo.content.as_str()),
        ];
        // Of a list that is new as a whole nothing has changed.
        if is_changed && self.changed.len() < self.todos.len() {
            let word = match todo.status {
                TodoStatus::Pending => "new",
                TodoStatus::InProgress => "begun",
                TodoStatus::Completed => "done",
                TodoStatus::Cancelled => "dropped",
            };
            line.push(ToneSpan::aside(Tone::Muted, format!(" ({word})")));
        }
        line.into()
    }
}

/// The entries as far as they have come: one shows from its first word, and counts as pending until its status is there.
fn streamed(args: DrawnArgs<'_>) -> Vec<Todo> {
    let todos = args.items("todos").map(|entry| Todo {
        content: entry.text("content").to_owned(),
        // No status begins like another, so that one is none until it is whole.
        status: serde_json::from_value(entry.text("status").into()).unwrap_or_default(),
        ..Todo::default()
    });
    todos.filter(|todo| !todo.content.is_empty()).collect()
}

fn stored(cx: &ToolCx) -> Result<Vec<Todo>, ToolError> {
    Ok(Todo::list(&cx.services.tree.store.todos(cx.session())?))
}

impl Tool for TodoWriteTool {
    type Args = WriteArgs;
    type Plan = Vec<Todo>;
    type Details = Details;

    const NAME: &'static str = "todowrite";
    const ALIASES: &'static [&'static str] = &["todo_write"];
    const DESCRIPTION: &'static str = "\
        Keep the list of what is to be done, for work of three or more steps. Give the whole list each time; at most \
        one item in progress; mark an item completed only when it is.";
    const PARAM_ALIASES: &'static [ParamAlias] = &[ParamAlias::name("items", "todos")];

    async fn prepare(&self, args: WriteArgs, _: &ToolCx) -> Result<Prepared<Vec<Todo>>, ToolError> {
        Ok(Prepared::of_tool(Self::NAME, args.todos))
    }

    async fn execute(&self, todos: Vec<Todo>, cx: &ToolCx) -> Result<Output<Details>, ToolError> {
        let before = stored(cx)?;
        let rows = Todo::rows(&todos);
        cx.services.tree.store.set_todos(cx.session(), &rows)?;
        let details = Details::new(todos, &before);
        cx.change_session(SessionEffect::Todos(rows));
        cx.show_details(&details);
        Ok(details.output())
    }

    fn render_call(&self, args: DrawnArgs<'_>, cx: RenderCx) -> Card {
        match args.typed::<WriteArgs>() {
            // What changes is known when it has.
            _ if cx.shows_todos && !cx.expanded => Card::new("Todo", ""),
            Some(args) => Details::new(args.todos, &[]).card(),
            None => Details::new(streamed(args), &[]).growing(),
        }
    }

    fn render_result(&self, result: ResultView<'_, Details>, cx: RenderCx) -> Card {
        if cx.shows_todos && !cx.expanded {
            result.details.changes()
        } else {
            result.details.card()
        }
    }
}

impl Tool for TodoReadTool {
    type Args = ReadArgs;
    type Plan = ();
    type Details = Details;

    const NAME: &'static str = "todoread";
    const ALIASES: &'static [&'static str] = &["todo_read"];
    const DESCRIPTION: &'static str = "Read the list of what is to be done.";
    const CONCURRENCY: Concurrency = Concurrency::Shared;
    const SET: ToolSet = ToolSet::Extended;
    const LOOP_CHECKED: bool = false;

    async fn prepare(&self, _: ReadArgs, _: &ToolCx) -> Result<Prepared<()>, ToolError> {
        Ok(Prepared::of_tool(Self::NAME, ()))
    }

    async fn execute(&self, (): (), cx: &ToolCx) -> Result<Output<Details>, ToolError> {
        let todos = stored(cx)?;
        let details = Details::new(todos.clone(), &todos);
        Ok(details.output())
    }

    fn render_call(&self, _: DrawnArgs<'_>, _: RenderCx) -> Card {
        Card::new("Todo", "")
    }

    fn render_result(&self, result: ResultView<'_, Details>, _: RenderCx) -> Card {
        result.details.card()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::tool::Update;
    use crate::tool::harness::{Harness, HarnessOptions};
    use crate::view::card::CardPart;
    use crate::view::card::plain;

    fn list() -> Value {
        json!({"todos": [
            {"content": "find it", "status": "completed"},
            {"content": "fix it", "status": "in_progress", "activeForm": "Fixing it", "priority": "high"},
            {"content": "test\nit"},
            {"content": "ship it", "status": "cancelled", "id": 7},
        ]})
    }

    #[tokio::test]
    async fn the_list_is_written_and_read_back_in_the_same_words() {
        let project = Harness::new();
        let wanted = "2 open todos\n[x] find it\n[~] fix it\n[ ] test it\n[-] ship it";
        assert_eq!(project.ok("todowrite", list()).await, wanted);
        let result = project.run("todoread", json!({})).await;
        assert_eq!(result.output, wanted);
        assert_eq!(result.title, "2 open todos");
        assert_eq!(
            (&result.details["open"], &result.details["completed"]),
            (&json!(2), &json!(1))
        );
        assert_eq!(
            result.details["todos"][1],
            json!({"content": "fix it", "status": "in_progress", "priority": "high", "active_form": "Fixing it"})
        );
        assert_eq!(result.details["todos"][3]["id"], "7");
        assert_eq!(project.asked(), []);
    }

    #[tokio::test]
    async fn the_list_is_replaced_and_may_be_empty() {
        let project = Harness::new();
        assert_eq!(project.ok("todoread", json!({})).await, "No todos");
        project.ok("todowrite", list()).await;
        let one = json!({"items": [{"content": "one"}]});
        assert_eq!(project.ok("todowrite", one).await, "1 open todo\n[ ] one");
        assert_eq!(project.ok("todowrite", json!({"todos": []})).await, "No todos");
        assert_eq!(project.ok("todoread", json!({})).await, "No todos");
    }

    #[tokio::test]
    async fn each_session_has_its_own() {
        let project = Harness::new();
        project.ok("todowrite", list()).await;
        let other = project.beside(HarnessOptions::default());
        assert_eq!(other.ok("todoread", json!({})).await, "No todos");
    }

    #[tokio::test]
    async fn writing_todos_notifies_the_session() {
        let project = Harness::new();
        project.ok("todowrite", list()).await;
        let updates = project.updates();
        let todos = updates.into_iter().find_map(|update| match update {
            Update::Session(SessionEffect::Todos(todos)) => Some(todos),
            _ => None,
        });
        let todos = todos.unwrap();
        assert_eq!(todos.len(), 4);
        let services = &project.services;
        assert_eq!(todos, services.tree.store.todos(&services.session).unwrap());
    }

    #[tokio::test]
    async fn a_list_that_is_none_names_what_does_not_fit() {
        let project = Harness::new();
        let (_, text) = project
            .error(
                "todowrite",
                json!({"todos": [{"status": "pending"}, {"content": "x", "status": "later"}]}),
            )
            .await;
        assert!(text.contains("`todos[0].content` is missing"), "{text}");
        assert!(text.contains("pending|in_progress|completed|cancelled"), "{text}");
    }

    #[tokio::test]
    async fn the_card_is_a_check_list_that_marks_what_changed() {
        let project = Harness::new();
        project.ok("todowrite", list()).await;
        let mut next = list();
        next["todos"][1]["status"] = json!("completed");
        let result = project.run("todowrite", next.clone()).await;
        assert_eq!(result.details["changed"], json!(["fix it"]));
        let card = project.draw_result("todowrite", &next, &result, false);
        assert_eq!((card.title.as_str(), card.argument.as_str()), ("Todo", "2 of 4"));
        let text = plain(&card);
        for line in ["✓ find it\n", "✓ fix it (done)\n", "○ test it\n", "⊘ ship it\n"] {
            assert!(text.contains(line), "{line}\n{text}");
        }
        let CardPart::Lines(lines) = &card.body[0] else {
            panic!("no list")
        };
        assert_eq!((lines[0][1].tone, lines[1][1].tone), (Tone::Muted, Tone::Normal));
    }

    #[test]
    fn the_list_is_shown_as_it_is_written() {
        let project = Harness::new();
        let whole = list().to_string();
        let mut rows = 0;
        for end in (0..=whole.len()).filter(|end| whole.is_char_boundary(*end)) {
            let text = plain(&project.draw_call("todowrite", &whole[..end]));
            let drawn = text.lines().count();
            assert!(
                drawn >= rows,
                "a card never gets shorter: {}\n{text}",
                &whole[..end]
            );
            rows = drawn;
        }
        assert_eq!(rows, 5);
        for (partial, drawn) in [
            (r#"{"todos": ["#, "Todo\n"),
            (r#"{"todos": [{"content": "fi"#, "Todo\n   ○ fi\n"),
            (
                r#"{"items": [{"status": "completed", "content": "find it"}, {"status": "in_pro"#,
                "Todo\n   ✓ find it\n",
            ),
        ] {
            assert_eq!(plain(&project.draw_call("todowrite", partial)), drawn);
        }
    }
}
