//! Work on files: as an agent's command, as a change of the files that are expected, and by a person.

use super::{Command, Files, Path};

/// Something that is done to files.
#[derive(Debug, Clone)]
pub(super) enum Work {
    Create(String, String),
    Delete(String),
    Change { name: String, line: usize, to: String },
}

impl Work {
    pub(super) fn command(&self) -> String {
        match self {
            Self::Create(name, text) => {
                let text = text.trim_end();
                let directory = Path::new(name).parent().unwrap().display().to_string();
                let made = if directory.is_empty() {
                    String::new()
                } else {
                    format!("mkdir -p {directory} && ")
                };
                format!("{made}echo '{text}' > {name}")
            }
            Self::Delete(name) => format!("rm -f {name}"),
            Self::Change { name, line, to } => {
                // What is not there is not made.
                format!(
                    "if [ -f {name} ]; then sed -i '{}s/.*/{to}/' {name}; fi",
                    line + 1
                )
            }
        }
    }

    pub(super) fn apply(&self, files: &mut Files) {
        match self {
            Self::Create(name, text) => {
                files.insert(name.clone(), text.clone().into_bytes());
            }
            Self::Delete(name) => {
                files.remove(name);
            }
            Self::Change { name, line, to } => {
                let Some(bytes) = files.get_mut(name) else { return };
                let text = String::from_utf8(bytes.clone()).unwrap();
                let mut lines: Vec<&str> = text.lines().collect();
                if let Some(place) = lines.get_mut(*line) {
                    *place = to;
                }
                let lines: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
                *bytes = lines.concat().into_bytes();
            }
        }
    }

    pub(super) fn perform(&self, directory: &Path) {
        let done = Command::new("sh")
            .args(["-c", &self.command()])
            .current_dir(directory)
            .status()
            .unwrap();
        assert!(done.success(), "{self:?}");
    }
}
