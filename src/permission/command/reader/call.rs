//! Simple commands: assignments, words, redirections.

use super::super::hazards::check_variable;
use super::super::syntax::{Assignment, Call, Node, Redirection, RedirectionKind};
use super::super::word::{Word, is_computed, is_name, joined};
use super::{MAX_COMMANDS, Refusal, ShellReader, UNEXPECTED};

/// The subscript in `{a[x]}>file` is computed, and so may run commands.
const DESCRIPTOR: Refusal = "it names a descriptor by a variable";

impl ShellReader<'_> {
    /// A simple command, or a function that is defined.
    pub(super) fn call(&mut self) -> Result<Node, Refusal> {
        let mut call = Call::default();
        let start = self.at;
        let mut is_anything = false;
        loop {
            self.blanks();
            if self.redirection(&mut call)? {
                is_anything = true;
                continue;
            }
            let is_end = self.peek().is_none_or(|c| "\n;&|)".contains(c));
            if is_end {
                break;
            }
            if self.peek() == Some('(') {
                return self.function_here(&call);
            }
            is_anything = true;
            if call.words.is_empty() && self.assignment(&mut call)? {
                continue;
            }
            if call.words.is_empty() {
                self.facts.starts.insert(self.at);
            }
            let first = self.at;
            let is_declaration = call.words.first().is_some_and(|word| {
                ["declare", "typeset", "local", "export", "readonly"].contains(&word.text.as_str())
            });
            if is_declaration && self.declared_array(&mut call)? {
                continue;
            }
            let (mut words, mut inside) = self.word()?;
            call.inside.append(&mut inside);
            if let Some(program) = words.first_mut().filter(|_| call.words.is_empty()) {
                // Behind a redirection no word is one of the shell's own.
                program.quoted |= !call.redirections.is_empty();
            }
            let written = &self.text[first..self.at];
            let may_name_descriptor = written.len() > 2 && written.starts_with('{') && written.ends_with('}');
            if may_name_descriptor && matches!(self.peek(), Some('<' | '>')) {
                return Err(DESCRIPTOR);
            }
            if call.words.is_empty() && words.len() != 1 {
                self.facts.refuse("its program is not a plain word");
            }
            if call.words.is_empty() && words.is_empty() {
                self.facts.starts.remove(&first);
            }
            call.words.extend(words);
        }
        if !is_anything {
            self.at = start;
            return Err(UNEXPECTED);
        }
        self.count()?;
        self.found.push(joined(&call.words));
        Ok(Node::Call(call))
    }

    pub(super) fn count(&mut self) -> Result<(), Refusal> {
        self.commands += 1;
        if self.commands > MAX_COMMANDS {
            return Err("it has too many commands");
        }
        Ok(())
    }

    /// `name()` and a body.
    fn function_here(&mut self, call: &Call) -> Result<Node, Refusal> {
        let [name] = call.words.as_slice() else {
            return Err(UNEXPECTED);
        };
        let is_plain = call.assignments.is_empty() && call.redirections.is_empty() && !name.quoted;
        if !is_plain || !name.is_literal() {
            return Err(UNEXPECTED);
        }
        self.facts.starts.remove(&name.at.start);
        self.expect("(")?;
        self.blanks();
        self.expect(")")?;
        let name = name.text.clone();
        self.function_body(name)
    }

    /// `name=value`, `name+=value`, `name[0]=value`, `name=(a b)`.
    fn assignment(&mut self, call: &mut Call) -> Result<bool, Refusal> {
        let start = self.at;
        let name = self.name().to_owned();
        if !is_name(&name) {
            self.at = start;
            return Ok(false);
        }
        let mut is_indexed = false;
        if self.peek() == Some('[') {
            let text = self.plain_word();
            if !text.contains("]=") && !text.contains("]+=") {
                // A word with a wildcard, unless quotes hide the rest.
                let is_certain = !text.contains(['$', '`', '"', '\'', '\\'])
                    && !self.rest()[text.len()..].starts_with('(');
                self.at = start;
                return if is_certain {
                    Ok(false)
                } else {
                    Err("it may set a part of an array")
                };
            }
            self.at += 1;
            is_indexed = true;
            // There may be no such place.
            self.facts.may_fail = true;
            self.subscript()?;
        }
        let is_added = self.starts_with("+=");
        if !is_added && self.peek() != Some('=') {
            self.at = start;
            return Ok(false);
        }
        self.at += if is_added { 2 } else { 1 };
        let value = self.value_of_assignment(call)?;
        let is_number = !is_indexed && !is_added && value.as_ref().is_some_and(is_numeric);
        self.facts.assign(&name, is_number);
        let whole = value.clone().filter(|_| !is_indexed && !is_added);
        let value = value.map_or_else(|| "(…)".to_owned(), |word| word.text);
        let operator = if is_added { "+=" } else { "=" };
        let written = &self.text[start..self.at];
        let key = written.split(operator).next().unwrap_or(&name).to_owned();
        call.assignments.push(Assignment {
            name,
            text: format!("{key}{operator}{value}"),
            value: whole,
        });
        Ok(true)
    }

    /// `None` for an array.
    fn value_of_assignment(&mut self, call: &mut Call) -> Result<Option<Word>, Refusal> {
        if self.take("(") {
            self.array(call)?;
            return Ok(None);
        }
        let is_empty = self.peek().is_none_or(|c| " \t\n;&|)<>".contains(c));
        let is_substitution = self.starts_with("<(") || self.starts_with(">(");
        if is_empty && !is_substitution {
            return Ok(Some(Word::default()));
        }
        let (word, mut inside) = self.single_word()?;
        call.inside.append(&mut inside);
        Ok(Some(word))
    }

    fn array(&mut self, call: &mut Call) -> Result<(), Refusal> {
        loop {
            call.inside.extend(self.lines()?);
            if self.take(")") {
                // Bash goes on with the word: in `a=(b)#` there is no comment.
                let is_over = self.peek().is_none_or(|c| " \t\n;&|)<>".contains(c));
                return if is_over {
                    Ok(())
                } else {
                    Err("a word continues after an array")
                };
            }
            if self.peek() == Some('[') {
                return Err("it sets parts of an array by number");
            }
            let (_, mut inside) = self.word()?;
            call.inside.append(&mut inside);
        }
    }

    /// `declare name=(a b)`, which is no word.
    fn declared_array(&mut self, call: &mut Call) -> Result<bool, Refusal> {
        let start = self.at;
        let name = self.name().to_owned();
        let is_array = is_name(&name) && (self.take("=(") || self.take("+=("));
        if !is_array {
            self.at = start;
            return Ok(false);
        }
        check_variable(&name, &mut self.facts);
        self.facts.assign(&name, false);
        self.facts.lasting.insert(name);
        self.array(call)?;
        call.words.push(Word {
            text: self.text[start..self.at].to_owned(),
            dynamic_at: Some(0),
            ..Word::default()
        });
        Ok(true)
    }

    pub(super) fn redirections(&mut self) -> Result<Call, Refusal> {
        let mut call = Call::default();
        loop {
            self.blanks();
            if !self.redirection(&mut call)? {
                return Ok(call);
            }
        }
    }

    /// Reads a redirection, if one begins here.
    fn redirection(&mut self, call: &mut Call) -> Result<bool, Refusal> {
        use RedirectionKind::{Read, Text, Write};
        const OPERATORS: &[(&str, RedirectionKind)] = &[
            ("&>>", Write),
            ("&>", Write),
            ("<<<", Text),
            ("<<-", Text),
            ("<<", Text),
            ("<>", Write),
            ("<&", Read),
            (">>", Write),
            (">|", Write),
            (">&", Write),
            ("<", Read),
            (">", Write),
        ];
        let rest = self.rest();
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let after = &rest[digits..];
        if let Some(name) = rest.strip_prefix('{') {
            let is_descriptor = name
                .split_once('}')
                .is_some_and(|(name, after)| is_name(name) && after.starts_with(['<', '>']));
            if is_descriptor {
                return Err(DESCRIPTOR);
            }
        }
        let Some((operator, kind)) = OPERATORS.iter().find(|(operator, _)| after.starts_with(operator))
        else {
            return Ok(false);
        };
        let is_substitution = after.starts_with("<(") || after.starts_with(">(");
        if is_substitution || (digits > 0 && operator.starts_with('&')) {
            return Ok(false);
        }
        self.at += digits + operator.len();
        self.facts.only_bash |= operator.starts_with('&');
        if matches!(*operator, "<<" | "<<-") {
            self.here_document(*operator == "<<-")?;
            call.redirections.push(Redirection {
                kind: *kind,
                target: Word::default(),
            });
            return Ok(true);
        }
        self.blanks();
        let (target, mut inside) = self.single_word()?;
        call.inside.append(&mut inside);
        let copies = operator.ends_with('&') && is_descriptor(&target);
        if *operator == "<>" {
            call.redirections.push(Redirection {
                kind: Read,
                target: target.clone(),
            });
        }
        if !copies {
            call.redirections.push(Redirection { kind: *kind, target });
        }
        Ok(true)
    }
}

/// `2`, `-`, `2-`.
fn is_descriptor(word: &Word) -> bool {
    let digits = word.text.strip_suffix('-').unwrap_or(&word.text);
    word.is_literal() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns true if a value is a number whatever happens.
fn is_numeric(word: &Word) -> bool {
    let is_computed = word.dynamic_at == Some(0)
        && (is_computed(&word.text) || word.text == "$#" || word.text == "$?" || word.text == "$!");
    word.is_integer() || is_computed
}
