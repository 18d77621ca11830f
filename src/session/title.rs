//! Names for sessions: the first line of the first prompt at once, and what a small model makes of it, where one is set.

use std::sync::Arc;

use futures::StreamExt;
use tokio::task::JoinHandle;

use crate::conversation::{Message, ModelRef, SessionId, StreamEvent};
use crate::provider::{Provider, Purpose, Request};
use crate::text::sanitize::sanitize;
use crate::text::width::truncate;

/// Columns of a title.
const COLUMNS: usize = 60;

/// Asks a small model for titles.
pub(super) struct TitleGenerator {
    pub(super) provider: Arc<dyn Provider>,
    pub(super) model: ModelRef,
}

/// Returns the first line that says something, cut to a title's width.
pub(super) fn first_line(text: &str) -> String {
    let line = text
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .unwrap_or("untitled");
    truncate(&sanitize(line), COLUMNS).into_owned()
}

impl TitleGenerator {
    /// Asks in the background. Whatever fails leaves the title as it is.
    pub(super) fn ask(&self, session: &SessionId, prompt: &str) -> JoinHandle<Option<String>> {
        let provider = Arc::clone(&self.provider);
        // Enough to name it by.
        let beginning = prompt.chars().take(2000).collect();
        let request = Request {
            session: session.clone(),
            agent: "title".to_owned(),
            purpose: Purpose::Title,
            model: self.model.clone(),
            system: include_str!("../../assets/prompts/title.md").trim().to_owned(),
            tools: Arc::from([]),
            messages: vec![Arc::new(Message::prompt(beginning))],
            temperature: None,
            prompt: 0,
        };
        tokio::spawn(async move {
            let mut stream = provider.stream(request).await.ok()?;
            let mut title = String::new();
            let mut text_block = None;
            while let Some(event) = stream.next().await {
                match event.ok()? {
                    StreamEvent::TextStart { block } => text_block = Some(block),
                    StreamEvent::Delta { block, delta } if text_block == Some(block) => {
                        title.push_str(&delta);
                    }
                    StreamEvent::Stop(_) => break,
                    _ => {}
                }
            }
            let title = title.trim().trim_matches(['"', '\'', '`', '.']).trim();
            (!title.is_empty()).then(|| first_line(title))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_the_first_line_that_says_something() {
        assert_eq!(first_line("\n  fix the \u{1b}[31mtest\nand more"), "fix the test");
        assert_eq!(first_line(" \n"), "untitled");
        assert!(first_line(&"long ".repeat(100)).ends_with('…'));
    }
}
