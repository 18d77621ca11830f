//! Why a message goes back to whoever wrote it, in words.

use crate::session::{ErrorReport, MOST_FILES_BYTES, ReportKind};
use crate::tool::ToolError;

#[derive(Debug)]
pub(super) enum UnreadFiles {
    /// Files that cannot go along. Sent again, the message goes without them.
    Faults(Vec<UnreadFile>),
    /// A file that stands in the text by a label of its own.
    Labelled(String, ToolError),
    /// Files that nobody but the person can allow.
    Asked(Vec<UnapprovedFile>),
    TooMuch {
        bytes: usize,
    },
    Lost,
}

/// A file that cannot go along.
#[derive(Debug)]
pub(super) struct UnreadFile {
    pub(super) path: String,
    /// The command whose text names it; `None` where the message does.
    pub(super) command: Option<String>,
    pub(super) why: String,
}

/// A file that is read only if the person says so.
#[derive(Debug)]
pub(super) struct UnapprovedFile {
    pub(super) path: String,
    /// As of an [`UnreadFile`].
    pub(super) command: Option<String>,
}

impl UnreadFiles {
    pub(super) fn report(&self) -> ErrorReport {
        ErrorReport {
            kind: ReportKind::BadRequest,
            message: format!("Your message was not sent: {}.", self.why()),
            hint: self.hint().map(str::to_owned),
        }
    }

    /// Paths of files that go along if the message is sent again.
    pub(super) fn approved_if_resent(&self) -> Vec<String> {
        match self {
            Self::Asked(asked) => asked.iter().map(|asked| asked.path.clone()).collect(),
            Self::Faults(_) | Self::Labelled(..) | Self::TooMuch { .. } | Self::Lost => Vec::new(),
        }
    }

    /// Paths of those that do not.
    pub(super) fn left_out_if_resent(&self) -> Vec<String> {
        match self {
            Self::Faults(faults) => faults.iter().map(|fault| fault.path.clone()).collect(),
            Self::Asked(_) | Self::Labelled(..) | Self::TooMuch { .. } | Self::Lost => Vec::new(),
        }
    }

    /// Returns the reason as a part of a sentence.
    pub(super) fn why(&self) -> String {
        match self {
            Self::Faults(faults) => {
                let whys: Vec<_> = faults.iter().map(UnreadFile::sentence).collect();
                whys.join("; ")
            }
            Self::Labelled(label, error) => format!("{label}: {error}"),
            Self::Asked(asked) => {
                let are = if asked.len() == 1 { "is" } else { "are" };
                format!("{}, which {are} read only if you say so", naming(asked))
            }
            Self::TooMuch { bytes } => {
                let mebibytes = |bytes: usize| bytes.div_ceil(1 << 20);
                let (bytes, most) = (mebibytes(*bytes), mebibytes(MOST_FILES_BYTES));
                format!("its files have {bytes} MiB together, and providers take no more than {most}")
            }
            Self::Lost => "its files could not be read; please report this".to_owned(),
        }
    }

    fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Faults(faults) if faults.len() == 1 => {
                Some("Send it again unchanged to leave the file out.")
            }
            Self::Faults(_) => Some("Send it again unchanged to leave these files out."),
            Self::Labelled(..) => Some("Attach the file again, or delete it from the message."),
            Self::Asked(asked) if asked.iter().any(|asked| asked.command.is_some()) => {
                Some("Send it again unchanged to attach the named files.")
            }
            Self::Asked(_) => {
                Some("Send it again unchanged to attach what it names, or without the `@` to attach nothing.")
            }
            Self::TooMuch { .. } => Some("Send them in several messages, or smaller."),
            Self::Lost => None,
        }
    }
}

impl UnreadFile {
    fn sentence(&self) -> String {
        match &self.command {
            Some(command) => format!("`/{command}` names a file that cannot be attached: {}", self.why),
            None => self.why.clone(),
        }
    }
}

/// Says who names which files.
fn naming(asked: &[UnapprovedFile]) -> String {
    let by_command = asked.iter().find_map(|asked| asked.command.as_ref());
    let paths = |by: Option<&String>| {
        let asked = asked.iter().filter(|asked| asked.command.as_ref() == by);
        let paths: Vec<_> = asked.map(|asked| format!("`{}`", asked.path)).collect();
        (!paths.is_empty()).then(|| paths.join(", "))
    };
    let own = paths(None).map(|paths| format!("it names {paths}"));
    let of_command = by_command.and_then(|command| {
        let paths = paths(Some(command))?;
        Some(format!("`/{command}` names {paths}"))
    });
    let both: Vec<_> = own.into_iter().chain(of_command).collect();
    both.join(" and ")
}
