//! The directories that a `cd` leads to.

use super::super::directories::PossibleDirectories;
use super::super::operand::{PathOperand, operand};
use super::super::syntax::Node;
use super::super::word::Word;

const CHANGES_DIRECTORY: &[&str] = &["cd", "chdir", "pushd", "popd"];

/// The places after a command, by how it ended.
#[derive(Clone)]
pub(super) struct DirectoriesAfter {
    pub(super) success: PossibleDirectories,
    pub(super) failure: PossibleDirectories,
}

impl DirectoriesAfter {
    pub(super) fn same(place: &PossibleDirectories) -> Self {
        Self {
            success: place.clone(),
            failure: place.clone(),
        }
    }

    pub(super) fn either(self) -> PossibleDirectories {
        self.success.or(self.failure)
    }
}

/// Returns the directories after a command, by its words.
pub(super) fn directory_after(words: &[Word], place: &PossibleDirectories) -> DirectoriesAfter {
    let program = words[0].text.as_str();
    if !CHANGES_DIRECTORY.contains(&program) {
        return DirectoriesAfter::same(place);
    }
    DirectoriesAfter {
        success: match directory_operand(words) {
            Some(step) => place.step(&step),
            None => PossibleDirectories::Unknown,
        },
        failure: place.clone(),
    }
}

/// Returns the target of `cd`, if that can be told.
pub(in super::super) fn directory_operand(words: &[Word]) -> Option<PathOperand> {
    let found = match named_directories(words).as_slice() {
        [found] => found.clone(),
        _ => return None,
    };
    (!found.dynamic && found.wildcards.is_empty()).then_some(found)
}

/// Returns the possible targets of `cd`, including parts that only the shell can resolve. Of several operands some
/// shells take the first.
pub(super) fn named_directories(words: &[Word]) -> Vec<PathOperand> {
    let program = words[0].text.as_str();
    let is_option =
        |word: &&Word| matches!(word.text.as_str(), "-L" | "-P" | "-e" | "--") && word.is_literal();
    let operands: Vec<&Word> = words[1..].iter().skip_while(is_option).collect();
    let is_special = operands.iter().any(|word| word.text.starts_with(['-', '+']));
    match (program, operands.as_slice()) {
        ("cd" | "chdir", []) => vec![PathOperand::home()],
        ("cd" | "chdir" | "pushd", _) if !is_special => operands.into_iter().map(operand).collect(),
        _ => Vec::new(),
    }
}

pub(super) fn functions_change_directory(node: &Node) -> bool {
    any(
        node,
        &mut |node| matches!(node, Node::Function(body) if changes_directory(body)),
    )
}

pub(super) fn changes_directory(node: &Node) -> bool {
    any(node, &mut |node| {
        matches!(node, Node::Call(call) if call.words.iter().any(|word| {
            CHANGES_DIRECTORY.contains(&word.text.as_str()) || word.text == "eval"
        }))
    })
}

/// Returns true if `holds` is true of a node or of any node in it.
pub(super) fn any(node: &Node, holds: &mut impl FnMut(&Node) -> bool) -> bool {
    if holds(node) {
        return true;
    }
    let of = |nodes: &[Node], holds: &mut _| nodes.iter().any(|node| any(node, holds));
    match node {
        Node::Call(call) => of(&call.inside, holds),
        Node::Sequence(nodes) | Node::Pipeline(nodes) | Node::Inside(nodes) | Node::Case(nodes) => {
            of(nodes, holds)
        }
        Node::Chain(first, rest) => any(first, holds) || rest.iter().any(|(_, node)| any(node, holds)),
        Node::Not(node) | Node::Subshell(node) | Node::Redirected(_, node) | Node::Function(node) => {
            any(node, holds)
        }
        Node::If(branches, otherwise) => {
            branches
                .iter()
                .any(|(condition, body)| any(condition, holds) || any(body, holds))
                || otherwise.as_deref().is_some_and(|node| any(node, holds))
        }
        Node::Loop(condition, body) => any(condition, holds) || any(body, holds),
        Node::Each(each) => any(&each.inside, holds) || any(&each.body, holds),
    }
}
