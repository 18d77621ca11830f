//! The tree-sitter grammar as a second opinion.
//!
//! Two readers that were written apart have to find the same simple commands in a text, or it is not believed. The
//! grammar is made on first use and its time is limited: a text that takes it too long is not believed either.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use tree_sitter::{Node, ParseOptions, Parser};

use super::syntax::MAX_DEPTH;

const MAX_TIME: Duration = Duration::from_millis(500);

/// Returns the offsets of the first words of the simple commands; `None` when the grammar cannot read the text.
pub(super) fn starts(text: &str) -> Option<BTreeSet<usize>> {
    if is_beyond_its_scanner(text) {
        return None;
    }
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).ok()?;
    let began = Instant::now();
    let mut progress = |_: &_| {
        if began.elapsed() < MAX_TIME {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let mut read = |at: usize, _| &text.as_bytes()[at..];
    let tree = parser.parse_with_options(&mut read, None, Some(options))?;
    let root = tree.root_node();
    if root.has_error() {
        return None;
    }
    collect(root)
}

/// Returns true for a character beyond ASCII behind `{`, `{1` or `{1..2`. There the grammar's scanner (`tree-sitter-bash`
/// 0.25) asks C's `isdigit`, which takes no such number: unless a compiler makes more of it, it reads outside its table.
fn is_beyond_its_scanner(text: &str) -> bool {
    let is_in_range = |c: char| c.is_ascii_digit() || c == '.';
    let mut behind = text.split('{').skip(1);
    behind.any(|rest| {
        let next = rest.trim_start_matches(is_in_range).chars().next();
        next.is_some_and(|next| !next.is_ascii())
    })
}

fn collect(root: Node<'_>) -> Option<BTreeSet<usize>> {
    let mut starts = BTreeSet::new();
    let mut cursor = root.walk();
    let mut depth = 0;
    loop {
        let node = cursor.node();
        match node.kind() {
            "command_name" | "declaration_command" | "unset_command" => {
                starts.insert(node.start_byte());
            }
            // A command for bash; `[[` is grammar.
            "test_command" if node.child(0).is_some_and(|open| open.kind() == "[") => {
                starts.insert(node.start_byte());
            }
            _ => {}
        }
        if cursor.goto_first_child() {
            depth += 1;
            // The grammar has more layers than constructs.
            if depth > MAX_DEPTH * 8 {
                return None;
            }
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return Some(starts);
            }
            depth -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_brace_before_a_character_beyond_ascii_is_not_read() {
        for text in [
            "echo {\u{10ffff}",
            "echo {é}",
            "echo {1😀",
            "echo {1..\u{10ffff}}",
            "echo {1..2\u{10fffe}}",
            "{ {{\u{10ffff}; }",
        ] {
            assert_eq!(starts(text), None, "{text}");
        }
        for text in ["echo é{a,b}", "echo {a,é}", "echo {1..3}é", "{ echo é; }"] {
            assert!(starts(text).is_some(), "{text}");
        }
    }
}
