//! The answer "always": patterns that become allow rules.

use std::path::Path;

use super::floor::{Floored, floor};
use super::reply::Scope;
use super::rule::{Action, Rule, Source};

/// Turns the ticked patterns of an answer into rules, all or none.
pub fn grants(
    patterns: &[(String, String)],
    scope: Scope,
    home: Option<&Path>,
) -> Result<Vec<Rule>, Floored> {
    patterns
        .iter()
        .map(|(key, pattern)| {
            floor(key, pattern)?;
            Ok(Rule::new(key, pattern, Action::Allow, Source::Grant(scope), home))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_allow_anything_is_not_stored() {
        for pattern in [
            "",
            "  ",
            "*",
            "**",
            "* *",
            "?*",
            "python",
            "python *",
            "python*",
            "/usr/bin/env *",
            "sudo *",
            "py*",
            "s* *",
            "curl *",
            "bash -c *",
            "perl -e *",
            "*sh -c *",
            "sh",
            "python3 -c *",
            "python3 -m *",
            "python3 -m py*",
            "npx *",
            "npx --yes *",
            "npx tsx *",
            "bunx *",
            "awk *",
            "sed *",
            "sed -n *",
            "find . *",
            "docker *",
            "docker run *",
            "docker compose run *",
            "podman exec *",
            "deno run *",
            "deno *",
            "kubectl exec *",
            "kubectl *",
            "uv run python *",
            "uv run *",
            "uv *",
            "poetry run *",
            "tsx *",
            "tar *",
            "vim *",
            "less *",
            "man *",
            "sqlite3 x.db *",
            "gdb -p 1 *",
            "nix *",
            "conda run *",
            "watch *",
            "parallel *",
            "make *",
            "make -f *",
            "make -C x *",
            "env A=b *",
            "A=b python3 *",
            "A=b python3",
            "git *",
            "sshpass *",
            "lftp *",
            "ftp *",
            "powershell *",
            "pwsh *",
            "ansible *",
            "ansible-playbook *",
            "gh alias *",
        ] {
            assert!(floor("bash", pattern).is_err(), "{pattern}");
        }
        for pattern in [
            "cargo test *",
            "ls *",
            "python manage.py *",
            "python -m pytest *",
            "git push",
            "node scripts/x.js",
            "shfmt *",
            "node --test *",
            "npx vitest *",
            "sh test.sh",
            "sed -n 1p a",
            "docker run x",
            "docker ps *",
            "kubectl get *",
            "uv run pytest *",
            "make",
            "make test *",
            "npm run *",
            "rm -rf target",
            "A=b make",
            "A=b cargo test",
        ] {
            assert_eq!(floor("bash", pattern), Ok(()), "{pattern}");
        }
        for pattern in [
            "*",
            "/*",
            "//*",
            "/**",
            "/etc/*",
            "/etc/",
            "/usr/*",
            "/var/*",
            "/h*",
            "/home/*",
            "/home/u/*",
            "/home/u/",
            "/home/u*",
            "/Users/u/*",
            "/root/*",
            "~/*",
            "~/**",
            "$HOME/*",
            "/*/*",
        ] {
            assert!(floor("external_directory", pattern).is_err(), "{pattern}");
        }
        for pattern in [
            "/tmp/*",
            "/home/u/src/*",
            "~/src/*",
            "/etc/nginx/*",
            "/usr/include/*",
            "/data/*",
            "/x",
        ] {
            assert_eq!(floor("external_directory", pattern), Ok(()), "{pattern}");
        }
        assert!(floor("read", "*").is_err());
        assert_eq!(floor("read", "config/.env"), Ok(()));
        assert_eq!(floor("edit", "*"), Ok(()));
        assert_eq!(floor("edit", ""), Err(Floored::Empty));
    }

    #[test]
    fn one_pattern_below_the_floor_keeps_all_from_being_stored() {
        let patterns = [
            ("bash".to_owned(), "ls *".to_owned()),
            ("bash".to_owned(), "*".to_owned()),
        ];
        assert!(grants(&patterns, Scope::Session, None).is_err());
        assert_eq!(grants(&patterns[..1], Scope::Session, None).unwrap().len(), 1);
    }
}
