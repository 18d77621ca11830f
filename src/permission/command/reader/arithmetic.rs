//! Arithmetic: `$(( ))`, `(( ))`, `for (( ))` and offsets.
//!
//! Bash evaluates the values of variables here, and a value like `a[$(rm x)]` runs a command. So every variable is noted
//! as one whose value must be a number, and what else could bring in a text is refused.

use super::super::syntax::Node;
use super::super::word::is_name;
use super::words::{QuoteState, WordBuilder};
use super::{Refusal, ShellReader, UNEXPECTED};

const EVALUATES: Refusal = "it does arithmetic with something that may not be a number";

impl ShellReader<'_> {
    /// Reads up to and with `close`.
    pub(super) fn arithmetic(&mut self, inside: &mut Vec<Node>, close: &str) -> Result<(), Refusal> {
        // A division by zero, a number that is none: bash goes on with the next line.
        self.facts.may_fail = true;
        self.nested(|reader| reader.arithmetic_inside(inside, close))
    }

    fn arithmetic_inside(&mut self, inside: &mut Vec<Node>, close: &str) -> Result<(), Refusal> {
        let mut depth = 0_usize;
        // Two operands without an operator between them are one name or number for bash: `a$x`.
        let mut follows_operand = false;
        loop {
            if depth == 0 && self.take(close) {
                return Ok(());
            }
            let Some(c) = self.peek() else {
                return Err(UNEXPECTED);
            };
            let is_operand = c == '$' || c == '_' || c.is_ascii_alphanumeric();
            if follows_operand && (is_operand || c == '(') {
                return Err(EVALUATES);
            }
            if is_operand {
                self.arithmetic_operand(c, inside)?;
                follows_operand = true;
                continue;
            }
            match c {
                '(' => depth += 1,
                // `$((a) )` is a substitution with a subshell.
                ')' => depth = depth.checked_sub(1).ok_or("it may be arithmetic or a subshell")?,
                ';' if close == "))" => {}
                c if " \t+-*/%<>=!&|^~?:,".contains(c) => {}
                _ => return Err(EVALUATES),
            }
            follows_operand = c == ')' || follows_operand && matches!(c, ' ' | '\t');
            self.at += 1;
        }
    }

    /// Reads a number, a variable's name or an expansion, of which `c` is the first character.
    fn arithmetic_operand(&mut self, c: char, inside: &mut Vec<Node>) -> Result<(), Refusal> {
        if c == '$' {
            self.at += 1;
            return self.value(inside);
        }
        if c.is_ascii_digit() {
            // `16#ff` and `0x1f` are numbers.
            let is_part = |c: char| c.is_ascii_alphanumeric() || c == '#';
            let length = self.rest().find(|c| !is_part(c)).unwrap_or(self.rest().len());
            self.at += length;
            return Ok(());
        }
        let name = self.name().to_owned();
        self.blanks_only();
        self.changed(&name);
        self.facts.computed.insert(name);
        Ok(())
    }

    /// Reads the numbers behind `${x:`, up to and with the `}`: `${x:3}`, `${x:0:$n}`, `${x: -1}`.
    pub(super) fn offsets(&mut self) -> Result<(), Refusal> {
        self.facts.may_fail = true;
        self.offset()?;
        if self.take(":") {
            self.offset()?;
        }
        self.expect("}").map_err(|_| EVALUATES)
    }

    fn offset(&mut self) -> Result<(), Refusal> {
        self.blanks_only();
        let is_negative = self.take("-");
        let is_variable = self.take("$");
        let operand = self.name().to_owned();
        let is_number = !operand.is_empty() && operand.bytes().all(|byte| byte.is_ascii_digit());
        if is_name(&operand) && !is_negative {
            self.facts.computed.insert(operand);
        } else if !is_number || is_variable {
            return Err(EVALUATES);
        }
        Ok(())
    }

    fn blanks_only(&mut self) {
        while matches!(self.peek(), Some(' ' | '\t')) {
            self.at += 1;
        }
    }

    /// Notes that a variable gets a number.
    fn changed(&mut self, name: &str) {
        super::super::hazards::check_variable(name, &mut self.facts);
        self.facts.lasting.insert(name.to_owned());
        let is_assigned = self.starts_with("=") && !self.starts_with("==");
        if is_assigned {
            self.facts.assign(name, true);
        }
    }

    /// After a `$`: a variable, or something whose value is certainly a number.
    fn value(&mut self, inside: &mut Vec<Node>) -> Result<(), Refusal> {
        if self.take("#") || self.take("?") {
            return Ok(());
        }
        if self.starts_with("{#") || self.starts_with("((") {
            let mut building = WordBuilder::default();
            self.dollar(&mut building, QuoteState::Quoted)?;
            inside.append(&mut building.inside);
            return Ok(());
        }
        let is_braced = self.take("{");
        let name = self.name().to_owned();
        if is_braced {
            self.expect("}").map_err(|_| EVALUATES)?;
        }
        if !is_name(&name) {
            // What a command prints would be evaluated too; the command is still found.
            if !is_braced && self.take("(") {
                let node = self.substitution(")")?;
                inside.push(node);
            }
            self.facts.refuse(EVALUATES);
            return Ok(());
        }
        self.facts.computed.insert(name);
        Ok(())
    }
}
