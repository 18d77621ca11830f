//! Frecency: scores of entries by how often and how lately they were picked.
//!
//! Kept as lines of JSON in the state directory, which are only ever added to, so several processes may write. A use
//! counts half after two weeks.

use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

const HALF_LIFE_DAYS: f64 = 14.0;
/// A file that is longer is cut to its newer half.
const MOST_BYTES: usize = 256 * 1024;
/// How much a first use raises a score, and how much any number of them: a few letters that fit well.
const BONUS: (f64, f64) = (24.0, 120.0);

/// Scores of the entries that were used in one project, and everywhere.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Frecency(HashMap<String, f64>);

#[derive(Serialize)]
struct Line<'a> {
    /// Seconds since the Unix epoch.
    time: u64,
    /// Empty for what belongs to no project.
    project: &'a str,
    name: &'a str,
}

impl Frecency {
    pub(crate) fn add(&mut self, name: &str) {
        *self.0.entry(name.to_owned()).or_default() += 1.0;
    }

    /// How much a score is raised by them.
    pub(crate) fn bonus(&self, name: &str) -> u32 {
        let weight = self.0.get(name).copied().unwrap_or_default();
        ((1.0 + weight).log2() * BONUS.0).min(BONUS.1) as u32
    }

    /// Returns what was used, the most used first.
    #[cfg(test)]
    fn names(&self) -> Vec<&str> {
        let mut names: Vec<(&str, f64)> = self.0.iter().map(|(name, weight)| (&**name, *weight)).collect();
        names.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(other.0)));
        names.into_iter().map(|(name, _)| name).collect()
    }

    /// Reads what the file says of a project. Lines that cannot be read are left out.
    pub(crate) fn load(file: &Path, project: &str) -> Self {
        let text = fs::read_to_string(file).unwrap_or_default();
        Self::parse(&text, project, seconds())
    }

    fn parse(text: &str, project: &str, now: u64) -> Self {
        let mut uses = Self::default();
        for line in text.lines() {
            let Ok(line) = serde_json::from_str::<OwnedUseRecord>(line) else {
                continue;
            };
            if line.project.is_empty() || line.project == project {
                let days = now.saturating_sub(line.time) as f64 / 86_400.0;
                *uses.0.entry(line.name).or_default() += 0.5_f64.powf(days / HALF_LIFE_DAYS);
            }
        }
        uses
    }

    /// Adds a use to the file.
    pub(crate) fn note(file: &Path, project: &str, name: &str) -> io::Result<()> {
        if let Some(directory) = file.parent() {
            fs::create_dir_all(directory)?;
        }
        cut(file)?;
        let time = seconds();
        let line = serde_json::to_string(&Line { time, project, name })?;
        let mut file = OpenOptions::new().append(true).create(true).open(file)?;
        file.write_all(format!("{line}\n").as_bytes())
    }
}

/// The same, as it is read.
#[derive(Deserialize)]
struct OwnedUseRecord {
    time: u64,
    project: String,
    name: String,
}

/// Forgets the older half of a file that has grown long.
fn cut(file: &Path) -> io::Result<()> {
    let Ok(text) = fs::read_to_string(file) else {
        return Ok(());
    };
    if text.len() <= MOST_BYTES {
        return Ok(());
    }
    let half = text.floor_char_boundary(text.len() / 2);
    let from = text[half..].find('\n').map_or(text.len(), |end| half + end + 1);
    let directory = file.parent().unwrap_or_else(|| Path::new("."));
    let mut kept = tempfile::NamedTempFile::new_in(directory)?;
    kept.write_all(&text.as_bytes()[from..])?;
    kept.persist(file)?;
    Ok(())
}

fn seconds() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_more_and_later_counts_more() {
        let day = 86_400;
        let line = |time: u64, project: &str, name: &str| {
            format!("{{\"time\":{time},\"project\":\"{project}\",\"name\":\"{name}\"}}\n")
        };
        let text = [
            line(0, "/p", "old"),
            line(100 * day, "/p", "new"),
            line(100 * day, "/q", "elsewhere"),
            "broken\n".to_owned(),
            line(99 * day, "", "/model"),
        ];
        let uses = Frecency::parse(&text.concat(), "/p", 100 * day);
        assert_eq!(uses.names(), ["new", "/model", "old"]);
        assert!(uses.bonus("new") > uses.bonus("old"));
        assert_eq!(uses.bonus("elsewhere"), 0);
    }

    #[test]
    fn what_is_noted_is_read_again_and_a_long_file_is_cut() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("state/uses.jsonl");
        Frecency::note(&file, "/p", "a").unwrap();
        Frecency::note(&file, "/p", "a").unwrap();
        Frecency::note(&file, "", "/b").unwrap();
        assert_eq!(Frecency::load(&file, "/p").names(), ["a", "/b"]);
        let line = fs::read_to_string(&file).unwrap();
        fs::write(&file, line.repeat(MOST_BYTES / line.len() + 1)).unwrap();
        Frecency::note(&file, "/p", "last").unwrap();
        assert!(fs::metadata(&file).unwrap().len() < MOST_BYTES as u64);
        assert!(Frecency::load(&file, "/p").names().contains(&"last"));
    }
}
