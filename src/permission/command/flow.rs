//! Follows a script through its constructs: which commands run, in which directories, and what they redirect.
//!
//! A `cd` may fail, so what follows it may run where it stood before; `&&` rules that out. Where nobody can say how often
//! or in which order directories change (loops, functions), the directory is unknown.

mod call;
mod place;
mod values;

use std::ops::Range;
use std::rc::Rc;

pub(super) use self::place::directory_operand;
use self::place::{DirectoriesAfter, changes_directory, functions_change_directory};
use self::values::VariableValues;
use super::Simple;
use super::directories::PossibleDirectories;
use super::facts::Facts;
use super::grammar;
use super::hazards;
use super::operand::PathOperand;
use super::reader::read;
use super::redefined::check_functions;
use super::syntax::{Each, Link, Node, Redirection, RedirectionKind};
use super::word::Word;
use super::work::{TOO_MUCH_WORK, WorkBudget};

/// A file that a redirection opens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedirectedFile {
    pub writes: bool,
    pub target: Word,
    pub place: PossibleDirectories,
    /// Commands of the analysis that begin when the file is open: those of a simple command for its own redirections.
    pub before: Range<usize>,
}

/// Shell that reads a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum ShellKind {
    /// The one that runs the whole command.
    #[default]
    First,
    Bash,
    /// `sh`, which may be any.
    Other,
    /// It has a grammar of its own.
    Foreign,
}

impl ShellKind {
    /// Returns the shell that reads the text given to a program.
    fn of(program: &str) -> Self {
        match program {
            "bash" => Self::Bash,
            "zsh" => Self::Foreign,
            _ => Self::Other,
        }
    }
}

/// The effects of a script.
#[derive(Default)]
pub(super) struct ScriptEffects {
    pub(super) commands: Vec<Simple>,
    pub(super) redirected: Vec<RedirectedFile>,
    /// Directories that any command may change to.
    pub(super) steps: Vec<PathOperand>,
    /// Commands that a wrapper may run which is not understood.
    pub(super) possible_commands: Vec<Simple>,
    /// Commands whose output is the input of what is at hand.
    feeding: Vec<usize>,
    /// Those of them whose output is its standard input.
    piped: Vec<usize>,
    pub(super) facts: Facts,
    /// Canonical texts of what was found in texts that could not be read.
    pub(super) found: Vec<String>,
    /// True if only the shell knows what words the braces of one make.
    pub(super) has_unknown_braces: bool,
    texts: usize,
    /// Shell that reads the current text.
    shell: ShellKind,
    /// True if a command can run before one that stands earlier in the text: in a loop, a function, at the same time.
    pub(super) is_unordered: bool,
    /// True if it changes directory anywhere.
    moves: bool,
    /// Variables whose values stand in the text.
    values: VariableValues,
    /// True if the text has tests and redirections alone.
    pub(super) only_tests: bool,
    /// The number of commands found so far that run git: only their order is asked for.
    git_commands: usize,
    work: Rc<WorkBudget>,
}

impl ScriptEffects {
    /// Reads a text and follows it as far as it can be read.
    pub(super) fn of(text: &str, work: &Rc<WorkBudget>) -> Self {
        let mut flow = Self {
            work: Rc::clone(work),
            ..Self::default()
        };
        flow.script(text, &PossibleDirectories::start());
        hazards::check_numbers(&mut flow.facts);
        check_functions(&mut flow.facts);
        flow
    }

    fn script(&mut self, text: &str, place: &PossibleDirectories) -> DirectoriesAfter {
        let (read, mut facts, found) = read(text);
        let starts = grammar::starts(text);
        let agrees = starts.is_some_and(|starts| starts == facts.starts);
        let is_foreign = match self.shell {
            ShellKind::First => false,
            ShellKind::Bash => {
                facts.only_bash = false;
                false
            }
            ShellKind::Other => facts.only_bash,
            ShellKind::Foreign => true,
        };
        let computed: Vec<String> = facts
            .computed
            .iter()
            .chain(&facts.computed_values)
            .cloned()
            .collect();
        let may_skip = facts.may_fail && text.contains('\n');
        self.facts.merge(facts);
        if is_foreign {
            self.facts.refuse("the shell that runs it has another syntax");
        }
        let node = match read {
            Ok(node) => node,
            Err(reason) => {
                self.facts.refuse(reason);
                self.found.extend(found);
                return DirectoriesAfter::same(&PossibleDirectories::Unknown);
            }
        };
        if !agrees {
            self.facts.refuse("it can be read in more than one way");
        }
        self.only_tests = self.texts == 0 && only_tests(&node);
        self.values.begin(&node, computed);
        if may_skip {
            self.values.end();
        }
        self.moves |= changes_directory(&node);
        let place = if functions_change_directory(&node) || may_skip && self.moves {
            &PossibleDirectories::Unknown
        } else {
            place
        };
        self.node(&node, place)
    }

    fn node(&mut self, node: &Node, place: &PossibleDirectories) -> DirectoriesAfter {
        // Most nodes make a copy of what is known of variables.
        if !self.spend(2 + self.values.len() / 2) {
            return DirectoriesAfter::same(&PossibleDirectories::Unknown);
        }
        match node {
            Node::Call(call) => self.call(call, place),
            Node::Sequence(nodes) => {
                let mut after = DirectoriesAfter::same(place);
                for node in nodes {
                    after = self.node(node, &after.either());
                }
                after
            }
            Node::Chain(first, rest) => self.chain(first, rest, place),
            Node::Not(node) => {
                let DirectoriesAfter { success, failure } = self.node(node, place);
                DirectoriesAfter {
                    success: failure,
                    failure: success,
                }
            }
            Node::Pipeline(nodes) => self.side_by_side(nodes, true, place),
            Node::Inside(nodes) => self.side_by_side(nodes, false, place),
            Node::Subshell(node) => {
                // It may be in the background.
                let before = self.git_commands;
                self.apart(node, place);
                self.is_unordered |= self.git_commands > before;
                DirectoriesAfter::same(place)
            }
            Node::Redirected(redirections, node) => self.redirected(redirections, node, place),
            Node::If(branches, otherwise) => self.branches(node, branches, otherwise.as_deref(), place),
            Node::Case(branches) => self.cases(node, branches, place),
            Node::Loop(condition, body) => self.rounds(node, condition, body, place),
            Node::Each(each) => self.each(node, each, place),
            Node::Function(body) => self.function(body, place),
        }
    }

    /// Nodes each in a shell of its own: as a pipeline, where the output of one is the input of those behind it, or not.
    fn side_by_side(
        &mut self,
        nodes: &[Node],
        is_pipeline: bool,
        place: &PossibleDirectories,
    ) -> DirectoriesAfter {
        let before = self.git_commands;
        let (feeding, piped) = (self.feeding.clone(), self.piped.clone());
        for node in nodes {
            let first = self.commands.len();
            self.apart(node, place);
            if is_pipeline {
                self.feeding.extend(first..self.commands.len());
                self.piped.extend(first..self.commands.len());
            }
        }
        (self.feeding, self.piped) = (feeding, piped);
        self.is_unordered |= self.git_commands - before > 1;
        DirectoriesAfter::same(place)
    }

    fn redirected(
        &mut self,
        redirections: &[Redirection],
        node: &Node,
        place: &PossibleDirectories,
    ) -> DirectoriesAfter {
        self.redirections(redirections, place);
        // Where a file cannot be opened nothing of it runs.
        let values = self.values.clone().without([node]);
        let after = self.node(node, place);
        self.values = values;
        DirectoriesAfter {
            success: after.success,
            failure: after.failure.or(place.clone()),
        }
    }

    /// The branches of a `case`, which is `node` as a whole.
    fn cases(&mut self, node: &Node, branches: &[Node], place: &PossibleDirectories) -> DirectoriesAfter {
        let values = self.values.clone().without([node]);
        let mut end = place.clone();
        for branch in branches {
            // One branch may fall through to the next.
            end = self.node(branch, &end.clone()).either().or(end);
            self.values = values.clone();
        }
        DirectoriesAfter::same(&end)
    }

    /// A loop over words, which is `node` as a whole.
    fn each(&mut self, node: &Node, each: &Each, place: &PossibleDirectories) -> DirectoriesAfter {
        let place = if changes_directory(&each.inside) || changes_directory(&each.body) {
            &PossibleDirectories::Unknown
        } else {
            place
        };
        self.is_unordered = true;
        let feeding = self.feeding.clone();
        let first = self.commands.len();
        self.node(&each.inside, place);
        self.feeding.extend(first..self.commands.len());
        let values = self.values.clone().without([node]);
        self.values = values.clone().with_each(each, &self.values);
        self.node(&each.body, place);
        self.values = values;
        self.feeding = feeding;
        DirectoriesAfter::same(place)
    }

    /// The body of a function, which runs wherever it is called from.
    fn function(&mut self, body: &Node, place: &PossibleDirectories) -> DirectoriesAfter {
        self.is_unordered = true;
        let called_from = if self.moves {
            PossibleDirectories::Unknown
        } else {
            place.clone()
        };
        let values = std::mem::take(&mut self.values);
        self.values = values.forgotten();
        self.node(body, &called_from);
        self.values = values;
        DirectoriesAfter::same(place)
    }

    /// Commands that are joined by `&&` and `||`.
    fn chain(
        &mut self,
        first: &Node,
        rest: &[(Link, Node)],
        place: &PossibleDirectories,
    ) -> DirectoriesAfter {
        let mut after = self.node(first, place);
        let values = self.values.clone().without(rest.iter().map(|(_, node)| node));
        let is_straight = rest.iter().all(|(link, _)| *link == Link::And);
        for (link, node) in rest {
            // What is behind `||` may have been skipped.
            if !is_straight {
                self.values = values.clone();
            }
            let (run, skipped) = match link {
                Link::And => (&after.success, &after.failure),
                Link::Or => (&after.failure, &after.success),
            };
            let then = self.node(node, run);
            after = match link {
                Link::And => DirectoriesAfter {
                    success: then.success,
                    failure: then.failure.or(skipped.clone()),
                },
                Link::Or => DirectoriesAfter {
                    success: then.success.or(skipped.clone()),
                    failure: then.failure,
                },
            };
        }
        self.values = values;
        after
    }

    /// The conditions and bodies of an `if`, which is `node` as a whole.
    fn branches(
        &mut self,
        node: &Node,
        branches: &[(Node, Node)],
        otherwise: Option<&Node>,
        place: &PossibleDirectories,
    ) -> DirectoriesAfter {
        let values = self.values.clone().without([node]);
        let mut before = place.clone();
        let mut end: Option<PossibleDirectories> = None;
        let mut join = |place: PossibleDirectories| {
            end = Some(match end.take() {
                Some(end) => end.or(place),
                None => place,
            });
        };
        for (condition, body) in branches {
            let after = self.node(condition, &before);
            let between = self.values.clone();
            join(self.node(body, &after.success).either());
            self.values = between;
            before = after.failure;
        }
        join(match otherwise {
            Some(node) => self.node(node, &before).either(),
            None => before,
        });
        self.values = values;
        DirectoriesAfter::same(&end.unwrap_or(PossibleDirectories::Unknown))
    }

    /// A condition and a body, again and again; `node` is the loop as a whole.
    fn rounds(
        &mut self,
        node: &Node,
        condition: &Node,
        body: &Node,
        place: &PossibleDirectories,
    ) -> DirectoriesAfter {
        let place = if changes_directory(condition) || changes_directory(body) {
            &PossibleDirectories::Unknown
        } else {
            place
        };
        // What one round sets the next one finds.
        let values = self.values.clone().without([node]);
        self.is_unordered = true;
        self.values = values.clone();
        self.node(condition, place);
        self.values = values.clone();
        self.node(body, place);
        self.values = values;
        DirectoriesAfter::same(place)
    }

    /// Takes steps for what follows. Returns false if there are too few left: then it is not followed.
    fn spend(&mut self, steps: usize) -> bool {
        let has_some = self.work.spend(steps);
        if !has_some {
            self.facts.refuse(TOO_MUCH_WORK);
        }
        has_some
    }

    /// A node in a shell of its own: what it sets ends with it.
    fn apart(&mut self, node: &Node, place: &PossibleDirectories) {
        let values = self.values.clone();
        self.node(node, place);
        self.values = values;
    }

    fn redirections(&mut self, redirections: &[Redirection], place: &PossibleDirectories) {
        for redirection in redirections {
            if redirection.kind == RedirectionKind::Text {
                continue;
            }
            let target = std::slice::from_ref(&redirection.target);
            for target in self.values.resolve(target).into_iter().flatten() {
                self.redirected.push(RedirectedFile {
                    writes: redirection.kind == RedirectionKind::Write,
                    target,
                    place: place.clone(),
                    before: 0..0,
                });
            }
        }
    }
}

/// Returns true if nothing runs and nothing is set: `[[ -f x ]]`, `> out`.
fn only_tests(node: &Node) -> bool {
    match node {
        Node::Call(call) => {
            let is_empty = call.words.is_empty() && call.assignments.is_empty() && call.inside.is_empty();
            is_empty && !call.redirections.is_empty()
        }
        Node::Inside(nodes) => nodes.iter().all(only_tests),
        Node::Sequence(nodes) => !nodes.is_empty() && nodes.iter().all(only_tests),
        Node::Chain(first, rest) => only_tests(first) && rest.iter().all(|(_, node)| only_tests(node)),
        Node::Not(node) | Node::Redirected(_, node) => only_tests(node),
        _ => false,
    }
}
