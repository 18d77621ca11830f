//! The `tools` switches of all files, kept apart by who wrote them.
//!
//! Within one list the last matching entry wins. A project can switch a tool off, and on where the user said nothing;
//! it cannot switch on what the user switched off, and nothing at all until it is trusted. Nobody switches on what the managed file switched off.

/// Tools switched on or off by name or wildcard.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolSwitches {
    user: Vec<(String, bool)>,
    project: Vec<(String, bool)>,
    managed: Vec<(String, bool)>,
    project_only_switches_off: bool,
}

impl ToolSwitches {
    /// Returns the switch of a tool; `None` where no file sets it.
    pub fn get(&self, tool: &str) -> Option<bool> {
        let of_project = last(&self.project, tool).filter(|on| !(*on && self.project_only_switches_off));
        let said = [last(&self.user, tool), of_project, last(&self.managed, tool)];
        let said = said.into_iter().flatten();
        said.reduce(|one, other| one && other)
    }

    /// The same with other names for what is switched.
    pub fn renamed(&self, rename: impl Fn(&str) -> String) -> Self {
        let list = |entries: &[(String, bool)]| {
            let renamed = entries.iter().map(|(name, on)| (rename(name), *on));
            renamed.collect()
        };
        Self {
            user: list(&self.user),
            project: list(&self.project),
            managed: list(&self.managed),
            project_only_switches_off: self.project_only_switches_off,
        }
    }

    /// Takes nothing as switched on that the project switches on: it is not trusted.
    pub fn restrict_project(&mut self) {
        self.project_only_switches_off = true;
    }

    pub fn push_user(&mut self, pattern: String, on: bool) {
        self.user.push((pattern, on));
    }

    pub fn push_managed(&mut self, pattern: String, on: bool) {
        self.managed.push((pattern, on));
    }

    pub fn push_project(&mut self, pattern: String, on: bool) {
        self.project.push((pattern, on));
    }
}

fn last(entries: &[(String, bool)], tool: &str) -> Option<bool> {
    let entry = entries.iter().rev().find(|(pattern, _)| matches(pattern, tool))?;
    Some(entry.1)
}

/// `*` stands for any run of characters, `?` for one.
fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.as_bytes(), name.as_bytes());
    let (mut p, mut n) = (0, 0);
    // Where the last star is, and how far into the name it reaches.
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(byte) if *byte == b'?' || *byte == name[n] => {
                p += 1;
                n += 1;
            }
            _ => {
                let Some((at, reached)) = star else { return false };
                star = Some((at, reached + 1));
                p = at + 1;
                n = reached + 1;
            }
        }
    }
    pattern[p..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_matching_entry_wins() {
        let mut switches = ToolSwitches::default();
        switches.push_user("lsp_*".into(), true);
        switches.push_user("lsp_rename".into(), false);
        assert_eq!(switches.get("lsp_hover"), Some(true));
        assert_eq!(switches.get("lsp_rename"), Some(false));
        assert_eq!(switches.get("bash"), None);
    }

    #[test]
    fn a_project_cannot_switch_on_what_the_user_switched_off() {
        let mut switches = ToolSwitches::default();
        switches.push_user("bash".into(), false);
        switches.push_project("*".into(), true);
        switches.push_project("webfetch".into(), false);
        assert_eq!(switches.get("bash"), Some(false));
        assert_eq!(switches.get("webfetch"), Some(false));
        assert_eq!(switches.get("list"), Some(true));
    }

    #[test]
    fn a_restricted_project_switches_nothing_on() {
        let mut switches = ToolSwitches::default();
        switches.push_project("*".into(), false);
        switches.push_project("l*".into(), true);
        switches.restrict_project();
        assert_eq!(switches.get("list"), None);
        assert_eq!(switches.get("bash"), Some(false));
    }

    #[test]
    fn nobody_switches_on_what_is_switched_off_for_the_machine() {
        let mut switches = ToolSwitches::default();
        switches.push_managed("web*".into(), false);
        switches.push_managed("list".into(), true);
        switches.push_user("webfetch".into(), true);
        switches.push_project("list".into(), false);
        assert_eq!(switches.get("webfetch"), Some(false));
        assert_eq!(switches.get("websearch"), Some(false));
        assert_eq!(switches.get("list"), Some(false));
    }

    #[test]
    fn wildcards_match_the_whole_name() {
        assert!(matches("*", "") && matches("a*c", "abbc") && matches("a?c", "abc"));
        assert!(!matches("a?c", "ac") && !matches("a", "ab") && !matches("*b", "abc"));
    }
}
