//! Compound commands: groups, conditions, loops, functions, tests.

use super::super::syntax::{Call, Each, Node};
use super::super::word::{Word, is_name, without_braces};
use super::{Refusal, ShellReader, UNEXPECTED};

impl ShellReader<'_> {
    pub(super) fn command(&mut self) -> Result<Node, Refusal> {
        self.nested(|reader| {
            reader.blanks();
            match reader.compound()? {
                None => reader.call(),
                Some(node) => {
                    let call = reader.redirections()?;
                    let is_over = reader.peek().is_none_or(|c| "\n;&|)".contains(c)) || reader.is_closed();
                    if is_over {
                        Ok(redirected(node, call))
                    } else {
                        Err(UNEXPECTED)
                    }
                }
            }
        })
    }

    fn compound(&mut self) -> Result<Option<Node>, Refusal> {
        if self.take("((") {
            let mut inside = Vec::new();
            self.facts.only_bash = true;
            self.arithmetic(&mut inside, "))")?;
            return Ok(Some(Node::Inside(inside)));
        }
        if self.take("(") {
            let list = self.list()?;
            self.expect(")")?;
            return Ok(Some(Node::Subshell(Box::new(list))));
        }
        let word = self.plain_word().to_owned();
        let keyword = match word.as_str() {
            "{" | "if" | "while" | "until" | "for" | "select" | "case" | "function" | "[[" => word.as_str(),
            "time" if self.times_a_construct() => return Err("it times more than one command"),
            "coproc" => return Err("it starts a coprocess"),
            "then" | "do" | "done" | "fi" | "else" | "elif" | "esac" | "}" | "!" | "]]" => {
                return Err(UNEXPECTED);
            }
            _ => return Ok(None),
        };
        self.at += keyword.len();
        self.facts.only_bash |= keyword == "[[";
        Ok(Some(match keyword {
            "{" => {
                let list = self.list()?;
                self.keyword("}")?;
                list
            }
            "if" => self.condition()?,
            "while" | "until" => {
                let condition = self.list()?;
                self.keyword("do")?;
                let body = self.list()?;
                self.keyword("done")?;
                Node::Loop(Box::new(condition), Box::new(body))
            }
            "for" | "select" => self.each(keyword)?,
            "case" => self.case()?,
            "function" => {
                self.blanks();
                let name = self.plain_word().to_owned();
                self.at += name.len();
                self.blanks();
                if self.take("(") {
                    self.blanks();
                    self.expect(")")?;
                }
                self.function_body(name)?
            }
            _ => self.test()?,
        }))
    }

    /// Returns true if what follows `time` is no simple command.
    fn times_a_construct(&mut self) -> bool {
        const BEGIN: &[&str] = &[
            "{", "if", "while", "until", "for", "select", "case", "function", "[[", "!", "time", "coproc",
            "then", "do", "done", "fi", "else", "elif", "esac", "}", "]]",
        ];
        let start = self.at;
        self.at += "time".len();
        self.blanks();
        while matches!(self.plain_word(), "-p" | "--") {
            self.at += 2;
            self.blanks();
        }
        let begins = self.peek() == Some('(') || BEGIN.contains(&self.plain_word());
        self.at = start;
        begins
    }

    fn keyword(&mut self, word: &str) -> Result<(), Refusal> {
        if self.plain_word() == word {
            self.at += word.len();
            Ok(())
        } else {
            Err(UNEXPECTED)
        }
    }

    fn condition(&mut self) -> Result<Node, Refusal> {
        let mut branches = Vec::new();
        let mut otherwise = None;
        loop {
            let condition = self.list()?;
            self.keyword("then")?;
            branches.push((condition, self.list()?));
            if self.plain_word() == "elif" {
                self.keyword("elif")?;
                continue;
            }
            if self.plain_word() == "else" {
                self.keyword("else")?;
                otherwise = Some(Box::new(self.list()?));
            }
            self.keyword("fi")?;
            return Ok(Node::If(branches, otherwise));
        }
    }

    fn each(&mut self, keyword: &str) -> Result<Node, Refusal> {
        self.blanks();
        let mut inside = Vec::new();
        let mut listed = None;
        if keyword == "for" && self.take("((") {
            self.arithmetic(&mut inside, "))")?;
            self.blanks();
            self.take(";");
        } else {
            let name = self.plain_word().to_owned();
            if !is_name(&name) {
                return Err(UNEXPECTED);
            }
            self.at += name.len();
            super::super::hazards::check_variable(&name, &mut self.facts);
            inside.extend(self.lines()?);
            let mut is_number = false;
            if self.plain_word() == "in" {
                self.at += 2;
                let words = self.words_of_line(&mut inside)?;
                is_number = words.iter().all(Word::is_integer);
                if keyword == "for" {
                    listed = Some((name.clone(), words));
                }
            }
            if listed.is_none() {
                self.facts.computed_values.insert(name.clone());
            }
            self.facts.assign(&name, is_number && keyword == "for");
            self.facts.lasting.insert(name);
            self.blanks();
            self.take(";");
        }
        inside.extend(self.lines()?);
        self.keyword("do")?;
        let body = self.list()?;
        self.keyword("done")?;
        let (inside, body) = (Box::new(Node::Inside(inside)), Box::new(body));
        Ok(match listed {
            Some((name, words)) => Node::Each(Each {
                name,
                words,
                inside,
                body,
            }),
            None => Node::Loop(inside, body),
        })
    }

    fn words_of_line(&mut self, inside: &mut Vec<Node>) -> Result<Vec<Word>, Refusal> {
        let mut words = Vec::new();
        loop {
            self.blanks();
            if self.peek().is_none_or(|c| c == ';' || c == '\n') {
                return Ok(words);
            }
            let (more, mut nodes) = self.word()?;
            inside.append(&mut nodes);
            words.extend(more);
        }
    }

    fn case(&mut self) -> Result<Node, Refusal> {
        self.blanks();
        let (_, mut inside) = self.word()?;
        inside.extend(self.lines()?);
        self.keyword("in")?;
        let mut branches = Vec::new();
        loop {
            inside.extend(self.lines()?);
            if self.plain_word() == "esac" {
                self.at += 4;
                inside.push(Node::Case(branches));
                return Ok(Node::Sequence(inside));
            }
            self.take("(");
            loop {
                self.blanks();
                let (_, mut nodes) = self.word()?;
                inside.append(&mut nodes);
                self.blanks();
                if !self.take("|") {
                    break;
                }
            }
            self.expect(")")?;
            branches.push(self.list()?);
            let is_more = self.take(";;&") || self.take(";;") || self.take(";&");
            if !is_more && self.plain_word() != "esac" {
                return Err(UNEXPECTED);
            }
        }
    }

    pub(super) fn function_body(&mut self, name: String) -> Result<Node, Refusal> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.:".contains(c);
        if name.is_empty() || !name.chars().all(is_plain) {
            return Err("it defines a function with an unusual name");
        }
        self.facts.functions.insert(name);
        let mut inside = self.lines()?;
        let body = self.nested(|reader| reader.compound()?.ok_or(UNEXPECTED))?;
        let call = self.redirections()?;
        inside.push(redirected(body, call));
        Ok(Node::Function(Box::new(Node::Sequence(inside))))
    }

    /// After `[[`, up to and with `]]`.
    fn test(&mut self) -> Result<Node, Refusal> {
        const EVALUATES: Refusal = "a test does arithmetic with something that may not be a number";
        const NUMERIC: &[&str] = &["-eq", "-ne", "-lt", "-le", "-gt", "-ge"];
        let mut inside = Vec::new();
        let mut words: Vec<Word> = Vec::new();
        let mut depth = 0_usize;
        loop {
            inside.extend(self.lines()?);
            let Some(c) = self.peek() else {
                return Err(UNEXPECTED);
            };
            if words.last().is_some_and(|word| word.text == "=~" && !word.quoted) {
                self.check_regex()?;
            }
            match c {
                '(' => depth += 1,
                ')' => depth = depth.checked_sub(1).ok_or(UNEXPECTED)?,
                '<' | '>' if !self.rest()[1..].starts_with('(') => {}
                '&' | '|' => {
                    self.at += 1;
                    if self.peek() != Some(c) {
                        return Err(UNEXPECTED);
                    }
                }
                ';' => return Err(UNEXPECTED),
                _ => {
                    let (word, mut nodes) = self.single_word()?;
                    inside.append(&mut nodes);
                    if word.text == "]]" && !word.quoted {
                        break;
                    }
                    // Patterns may hold parentheses here.
                    if self.peek() == Some('(') {
                        return Err("a test has an unusual pattern");
                    }
                    words.push(word);
                    continue;
                }
            }
            self.at += 1;
        }
        if depth != 0 {
            return Err(UNEXPECTED);
        }
        for (index, word) in words.iter().enumerate() {
            if word.text == "-v" || word.text == "-R" {
                return Err(EVALUATES);
            }
            if NUMERIC.contains(&word.text.as_str()) {
                let before = index.checked_sub(1).and_then(|before| words.get(before));
                for operand in [before, words.get(index + 1)] {
                    self.computed_in_test(operand.ok_or(UNEXPECTED)?)
                        .ok_or(EVALUATES)?;
                }
            }
        }
        Ok(Node::Inside(inside))
    }

    /// Bash reads what follows `=~` by rules of its own: signs that end a word elsewhere may stand in it.
    fn check_regex(&self) -> Result<(), Refusal> {
        let end = self.rest().find([' ', '\t', '\n']).unwrap_or(self.rest().len());
        if self.rest()[..end].contains(['(', ')', '|', '&', ';', '<', '>', '#', '\'', '"', '\\', '`']) {
            return Err("a regular expression has characters special to the shell");
        }
        Ok(())
    }

    fn computed_in_test(&mut self, operand: &Word) -> Option<()> {
        let text = operand.text.as_str();
        let name = without_braces(text.strip_prefix('$').unwrap_or(text));
        let length = text.strip_prefix("${#").and_then(|rest| rest.strip_suffix('}'));
        let is_length =
            !operand.quoted && length.is_some_and(|name| is_name(name) || matches!(name, "@" | "*"));
        if operand.is_integer() || matches!(text, "$#" | "$?") || is_length {
            return Some(());
        }
        is_name(name).then(|| {
            self.facts.computed.insert(name.to_owned());
        })
    }
}

fn redirected(node: Node, call: Call) -> Node {
    if call.redirections.is_empty() && call.inside.is_empty() {
        return node;
    }
    let mut sequence = call.inside;
    sequence.push(Node::Redirected(call.redirections, Box::new(node)));
    Node::Sequence(sequence)
}
