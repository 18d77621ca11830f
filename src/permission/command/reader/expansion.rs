//! `$`: substitutions, parameters and arithmetic in words.

use super::super::syntax::Node;
use super::super::word::{Variable, is_name};
use super::here::text_of_cat;
use super::words::{QuoteState, WordBuilder};
use super::{Refusal, ShellReader, UNEXPECTED};

const EVALUATES: Refusal = "it evaluates a variable's value";
const UNUSUAL: Refusal = "it has an unusual expansion";

impl ShellReader<'_> {
    /// Reads what follows a `$`.
    pub(super) fn dollar(&mut self, building: &mut WordBuilder, quoting: QuoteState) -> Result<(), Refusal> {
        let start = self.at - 1;
        let variable = match self.peek() {
            Some('\'') if quoting == QuoteState::Unquoted => {
                self.at += 1;
                return self.ansi_quoted(building);
            }
            Some('"') if quoting == QuoteState::Unquoted => {
                // A translation could put anything there.
                self.at += 1;
                let mut translated = WordBuilder::default();
                self.double_quoted(&mut translated)?;
                building.inside.append(&mut translated.inside);
                None
            }
            Some('(') if self.starts_with("((") => {
                self.at += 2;
                self.arithmetic(&mut building.inside, "))")?;
                None
            }
            Some('(') => {
                self.at += 1;
                let inner = self.at;
                let node = self.substitution(")")?;
                building.inside.push(node);
                if quoting == QuoteState::Quoted
                    && let Some(text) = text_of_cat(&self.text[inner..self.at - 1])
                {
                    // In double quotes it is what it would be in single quotes; `cat` is judged as a command of its own.
                    building.word.text.push_str(&text);
                    return Ok(());
                }
                None
            }
            Some('{') => {
                self.at += 1;
                self.nested(|reader| reader.parameter(&mut building.inside, quoting))?
            }
            Some('[') => return Err(UNUSUAL),
            Some('\\') if self.starts_with("\\\n") => return Err("a line is continued inside a word"),
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                let name = self.name().to_owned();
                if self.peek().is_some_and(|c| !c.is_ascii()) {
                    // Some versions of bash, and some locales, take it for a part of the name.
                    return Err("a variable's name may continue in non-ASCII letters");
                }
                Variable::named(&name).filter(|_| !self.facts.variables.contains_key(&name))
            }
            Some(c) if c.is_ascii_digit() || "@*#?-$!".contains(c) => {
                self.at += 1;
                None
            }
            _ => {
                building.literal('$');
                return Ok(());
            }
        };
        building.dynamic(&self.text[start..self.at], variable, quoting);
        Ok(())
    }

    /// Commands up to `close`, in a shell of their own.
    pub(super) fn substitution(&mut self, close: &str) -> Result<Node, Refusal> {
        let waiting = std::mem::take(&mut self.pending);
        let outer_waited = self.outer_waits;
        self.outer_waits |= !waiting.is_empty();
        let node = self.list()?;
        self.expect(close)?;
        if !self.pending.is_empty() {
            return Err("a here-document has no end");
        }
        self.pending = waiting;
        self.outer_waits = outer_waited;
        Ok(Node::Subshell(Box::new(node)))
    }

    /// `` `…` ``, after the first.
    pub(super) fn backquoted(&mut self, building: &mut WordBuilder) -> Result<(), Refusal> {
        let start = self.at - 1;
        let length = self.rest().find('`').ok_or("a quote is not closed")?;
        let inner = &self.text[self.at..self.at + length];
        if inner.contains('\\') {
            return Err("it has escapes in backquotes");
        }
        let outer_end = self.end;
        self.end = self.at + length;
        let node = self.nested(|reader| reader.substitution(""))?;
        if self.at != self.end {
            return Err(UNEXPECTED);
        }
        self.end = outer_end;
        self.at += 1;
        building.inside.push(node);
        building.dynamic(&self.text[start..self.at], None, QuoteState::Unquoted);
        Ok(())
    }

    /// Takes the name that begins here.
    pub(super) fn name(&mut self) -> &str {
        let rest = self.rest();
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let start = self.at;
        self.at += length;
        &self.text[start..self.at]
    }

    /// Reads what follows `${`, up to and with its `}`.
    fn parameter(
        &mut self,
        inside: &mut Vec<Node>,
        quoting: QuoteState,
    ) -> Result<Option<Variable>, Refusal> {
        let is_length = self.peek() == Some('#') && !self.starts_with("#}");
        let is_indirect = self.peek() == Some('!') && !self.starts_with("!}");
        if is_length || is_indirect {
            self.at += 1;
        }
        let name = match self.peek() {
            Some(c) if "@*#?-$!".contains(c) => {
                self.at += 1;
                String::new()
            }
            Some(c) if c.is_ascii_alphanumeric() || c == '_' => self.name().to_owned(),
            _ => return Err(UNUSUAL),
        };
        let is_all = self.starts_with("[@]") || self.starts_with("[*]");
        // No such place, no such name.
        let is_plain_name =
            is_name(&name) || name.is_empty() || name.bytes().all(|byte| byte.is_ascii_digit());
        self.facts.may_fail |= self.peek() == Some('[') || !is_plain_name;
        if is_all {
            self.at += 3;
        } else if self.take("[") {
            self.subscript()?;
        }
        if is_indirect && !is_all {
            return Err(EVALUATES);
        }
        if self.take("}") {
            let is_plain = !is_length && !is_indirect && !self.facts.variables.contains_key(&name);
            return Ok(Variable::named(&name).filter(|_| is_plain));
        }
        if is_length || is_indirect {
            return Err(UNUSUAL);
        }
        self.operation(&name, inside, quoting)?;
        Ok(None)
    }

    /// An index that is a number or a variable, up to and with its `]`.
    pub(super) fn subscript(&mut self) -> Result<(), Refusal> {
        self.take("$");
        let index = self.name().to_owned();
        self.expect("]").map_err(|_| EVALUATES)?;
        if is_name(&index) {
            self.facts.computed.insert(index);
        } else if index.is_empty() || !index.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(EVALUATES);
        }
        Ok(())
    }

    fn operation(&mut self, name: &str, inside: &mut Vec<Node>, quoting: QuoteState) -> Result<(), Refusal> {
        if self.take("@") {
            // `@P` runs what is in the value.
            let is_harmless = self.peek().is_some_and(|c| "QULu".contains(c));
            self.at += usize::from(is_harmless);
            return if is_harmless && self.take("}") {
                Ok(())
            } else {
                Err(EVALUATES)
            };
        }
        let is_conditional = [":-", ":=", ":?", ":+"]
            .iter()
            .any(|operator| self.starts_with(operator));
        if self.peek() == Some(':') && !is_conditional {
            self.at += 1;
            return self.offsets();
        }
        if self.starts_with(":=") || self.starts_with("=") {
            self.facts.may_fail = true;
            super::super::hazards::check_variable(name, &mut self.facts);
            self.facts.assign(name, false);
            self.facts.lasting.insert(name.to_owned());
            self.facts.computed_values.insert(name.to_owned());
        }
        let is_known = self.peek().is_some_and(|c| ":-=?+#%/^,".contains(c));
        if !is_known {
            return Err(UNUSUAL);
        }
        self.operand(inside, quoting)
    }

    /// Anything up to and with the `}` that closes the expansion.
    fn operand(&mut self, inside: &mut Vec<Node>, quoting: QuoteState) -> Result<(), Refusal> {
        let mut building = WordBuilder::default();
        loop {
            match self.next() {
                Some('}') => break,
                Some('\\') => {
                    if matches!(self.next(), None | Some('\n')) {
                        return Err(UNUSUAL);
                    }
                }
                Some('$') => self.dollar(&mut building, quoting)?,
                Some('`') => self.backquoted(&mut building)?,
                Some('"') => self.double_quoted(&mut building)?,
                // Quotes mean different things inside and outside of quotes.
                None | Some('\'' | '\n') => return Err(UNUSUAL),
                Some('<' | '>') if self.peek() == Some('(') => return Err(UNUSUAL),
                Some(_) => {}
            }
        }
        inside.append(&mut building.inside);
        Ok(())
    }
}
