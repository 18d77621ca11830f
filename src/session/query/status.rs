//! Status of the session, in rows to be read. No key and no password is among them.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// Rows that belong together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusGroup {
    pub title: Cow<'static, str>,
    /// Names and values.
    pub rows: Vec<(Cow<'static, str>, String)>,
}

impl StatusGroup {
    pub(crate) fn new(title: &'static str, rows: Vec<(&'static str, String)>) -> Self {
        let rows = rows.into_iter().map(|(name, value)| (name.into(), value));
        Self {
            title: title.into(),
            rows: rows.collect(),
        }
    }
}

/// Returns facts from the system about this process. Reads `/proc`, and says nothing where there is none.
pub(in crate::session) fn process_group() -> StatusGroup {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let field = |name: &str| {
        let row = status.lines().find_map(|line| line.strip_prefix(name));
        row.map(|value| value.trim().to_owned())
    };
    let mut rows = vec![("process", std::process::id().to_string())];
    if let Some(memory) = field("VmRSS:").and_then(|value| megabytes(&value)) {
        let peak = field("VmHWM:").and_then(|value| megabytes(&value));
        let peak = peak.map_or_else(String::new, |peak| format!(" (at most {peak})"));
        rows.push(("memory", memory + &peak));
    }
    if let Some(threads) = field("Threads:") {
        rows.push(("threads", threads));
    }
    StatusGroup::new("Process", rows)
}

/// Reads `52224 kB`.
fn megabytes(value: &str) -> Option<String> {
    let kilobytes: u64 = value.strip_suffix(" kB")?.trim().parse().ok()?;
    Some(format!("{:.1} MB", kilobytes as f64 / 1024.0))
}

/// Returns an address without what may be secret in it: a name and password before the host, and what follows a `?`.
pub(in crate::session) fn bare_url(url: &str) -> String {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    format!("{scheme}://{host}{path}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_its_secrets() {
        assert_eq!(bare_url("https://api.x.com/v1?key=sk-1"), "https://api.x.com/v1");
        assert_eq!(bare_url("http://me:sk-1@host:80/v1@2"), "http://host:80/v1@2");
        assert_eq!(bare_url("odd"), "odd");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn memory_and_threads_are_known() {
        let group = process_group();
        let names: Vec<_> = group.rows.iter().map(|(name, _)| name.as_ref()).collect();
        assert_eq!(names, ["process", "memory", "threads"]);
        assert!(group.rows[1].1.contains(" MB"), "{group:?}");
    }
}
