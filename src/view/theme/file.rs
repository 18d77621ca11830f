//! A theme file: what it says, on top of what it extends.

use std::collections::HashMap;

use ratatui::style::{Color, Modifier, Style};
use serde_json::{Map, Value};

use super::{Meaning, ThemeEntry, ThemeError, ThemeKind, builtin_text, colour};

/// Longer chains of `extends` are taken for a cycle.
const DEEPEST: usize = 8;

#[derive(Default)]
pub(super) struct ThemeFile {
    pub(super) name: String,
    pub(super) kind: ThemeKind,
    pub(super) background: Color,
    pub(super) pair: Option<String>,
    palette: HashMap<String, Color>,
    entries: HashMap<String, ThemeEntry>,
}

impl ThemeFile {
    /// Returns the entry of the meaning or of its nearest parent.
    pub(super) fn entry(&self, meaning: Meaning) -> ThemeEntry {
        let mut key = meaning.name();
        loop {
            if let Some(entry) = self.entries.get(key) {
                return *entry;
            }
            match key.rsplit_once('.') {
                Some((parent, _)) => key = parent,
                None => return ThemeEntry::default(),
            }
        }
    }
}

/// Reads a theme and all it extends, the furthest first.
pub(super) fn read(
    text: &str,
    find: &dyn Fn(&str) -> Option<String>,
    problems: &mut Vec<String>,
) -> Result<ThemeFile, ThemeError> {
    let mut chain = vec![object(text)?];
    while let Some(parent) = chain.last().and_then(|map| map.get("extends")?.as_str()) {
        let parent = parent.to_owned();
        if chain.len() == DEEPEST {
            return Err(ThemeError::Cycle(parent));
        }
        let text = find(&parent).or_else(|| builtin_text(&parent).map(str::to_owned));
        let text = text.ok_or(ThemeError::UnknownParent(parent))?;
        chain.push(object(&text)?);
    }
    let mut file = ThemeFile::default();
    // Palettes come first: styles use their names wherever those stand.
    for map in chain.iter().rev() {
        file.lay_over_palette(map, problems);
    }
    while let Some(map) = chain.pop() {
        file.lay_over(&map, problems);
    }
    Ok(file)
}

fn object(text: &str) -> Result<Map<String, Value>, ThemeError> {
    match serde_json::from_str(text) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(_) => Err(ThemeError::NotAnObject),
        Err(error) => Err(ThemeError::Json(error.to_string())),
    }
}

impl ThemeFile {
    fn lay_over_palette(&mut self, map: &Map<String, Value>, problems: &mut Vec<String>) {
        let Some(Value::Object(palette)) = map.get("palette") else {
            return;
        };
        for (name, value) in palette {
            match value.as_str().and_then(colour::parse) {
                Some(color) => drop(self.palette.insert(name.clone(), color)),
                None => problems.push(format!("`palette.{name}` is not a colour: {value}")),
            }
        }
    }

    fn lay_over(&mut self, map: &Map<String, Value>, problems: &mut Vec<String>) {
        // The pair of what is extended is not this theme's.
        self.pair = None;
        for (key, value) in map {
            match (key.as_str(), value) {
                ("palette", Value::Object(_)) | ("extends", Value::String(_)) | ("$schema", _) => {}
                ("name", Value::String(name)) => self.name.clone_from(name),
                ("kind", Value::String(kind)) if kind == "dark" => self.kind = ThemeKind::Dark,
                ("kind", Value::String(kind)) if kind == "light" => self.kind = ThemeKind::Light,
                ("pair", Value::String(pair)) => self.pair = Some(pair.clone()),
                ("background", Value::String(text)) => match self.color(text) {
                    Some(color) => self.background = color,
                    None => problems.push(format!("`background` is not a colour: {value}")),
                },
                ("styles", Value::Object(styles)) => self.lay_over_styles(styles, problems),
                ("name" | "kind" | "pair" | "background" | "palette" | "extends" | "styles", _) => {
                    problems.push(format!("`{key}` cannot be {value}"));
                }
                _ => problems.push(format!("`{key}` is not a key of a theme")),
            }
        }
    }

    fn lay_over_styles(&mut self, styles: &Map<String, Value>, problems: &mut Vec<String>) {
        for (key, value) in styles {
            if !Meaning::is_key(key) {
                problems.push(unknown_key(key));
                continue;
            }
            match self.read_entry(value) {
                Ok(entry) => drop(self.entries.insert(key.clone(), entry)),
                Err(message) => problems.push(format!("`styles.{key}` {message}")),
            }
        }
    }

    fn read_entry(&self, value: &Value) -> Result<ThemeEntry, String> {
        let at = |name: &str| value.get(name).map(|value| self.read_style(value)).transpose();
        Ok(ThemeEntry {
            full: self.read_style(value)?,
            indexed: at("256")?,
            ansi: at("ansi")?,
        })
    }

    fn read_style(&self, value: &Value) -> Result<Style, String> {
        let map = match value {
            Value::String(text) => return Ok(Style::new().fg(self.known_color(text)?)),
            Value::Object(map) => map,
            other => return Err(format!("is neither a colour nor an object: {other}")),
        };
        let mut style = Style::new();
        for (key, value) in map {
            match (key.as_str(), value) {
                ("fg", Value::String(text)) => style = style.fg(self.known_color(text)?),
                ("bg", Value::String(text)) => style = style.bg(self.known_color(text)?),
                ("mods", Value::Array(names)) => {
                    for name in names {
                        style = style.add_modifier(modifier(name)?);
                    }
                }
                ("256" | "ansi", _) => {}
                _ => return Err(format!("has `{key}`, which cannot be read: {value}")),
            }
        }
        Ok(style)
    }

    fn color(&self, text: &str) -> Option<Color> {
        self.palette.get(text).copied().or_else(|| colour::parse(text))
    }

    fn known_color(&self, text: &str) -> Result<Color, String> {
        self.color(text)
            .ok_or_else(|| format!("names `{text}`, which is neither a colour nor in `palette`"))
    }
}

fn modifier(name: &Value) -> Result<Modifier, String> {
    match name.as_str() {
        Some("bold") => Ok(Modifier::BOLD),
        Some("dim") => Ok(Modifier::DIM),
        Some("italic") => Ok(Modifier::ITALIC),
        Some("underline") => Ok(Modifier::UNDERLINED),
        Some("reverse") => Ok(Modifier::REVERSED),
        Some("strike") => Ok(Modifier::CROSSED_OUT),
        _ => Err(format!(
            "has {name} in `mods`; known are bold, dim, italic, underline, reverse, strike"
        )),
    }
}

fn unknown_key(key: &str) -> String {
    let near = Meaning::ALL
        .iter()
        .map(|meaning| (strsim::damerau_levenshtein(key, meaning.name()), meaning.name()))
        .min();
    match near {
        Some((steps, name)) if steps <= 3 => format!("`styles.{key}` is not known; did you mean `{name}`?"),
        _ => format!("`styles.{key}` is not known"),
    }
}
