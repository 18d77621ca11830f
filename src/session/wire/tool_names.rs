//! The names of tools as configuration and agents write them.

use crate::tool::{Registry, Resolution};

/// `Read` and `read_file` are `read`, as they are in a model's call; patterns stay as they are.
pub(super) fn own_name(given: &str, registry: &Registry) -> String {
    match registry.resolve(given) {
        Resolution::Tool(tool) if !given.contains(['*', '?']) => tool.name().to_owned(),
        _ => given.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_s_words_for_tools_are_those_of_a_model() {
        let registry = Registry::builtin();
        for (given, own) in [
            ("Read", "read"),
            ("Bash", "bash"),
            ("l*", "l*"),
            ("unknown", "unknown"),
        ] {
            assert_eq!(own_name(given, &registry), own);
        }
    }
}
