//! Why a command did not do what was asked, and what the process says and returns then.

use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

use crate::config::ConfigError;
use crate::session::StoreError;
use crate::session::{ErrorReport, ReportKind};
use crate::text::sanitize::sanitize;

/// The statuses of INTERFACE section 1.
const FAILED: u8 = 1;
const BAD_USAGE: u8 = 2;

/// Either ends the process; the first says nothing.
#[derive(Debug)]
pub(super) enum Failure {
    /// Whoever read stdout is gone (`lathe tools | head`), which is their right.
    ReaderGone,
    Told(FailureMessage),
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct FailureMessage {
    status: u8,
    /// The one of the `error` event.
    kind: ReportKind,
    /// Sentences, one a line.
    pub(super) message: String,
    /// The next thing to type.
    hint: Option<String>,
}

impl Failure {
    /// Something was given that cannot be meant.
    pub(super) fn usage(message: impl Into<String>) -> Self {
        Self::new(BAD_USAGE, ReportKind::Config, message)
    }

    /// A failure for something that was asked for and does not exist.
    pub(super) fn missing(message: impl Into<String>) -> Self {
        Self::new(FAILED, ReportKind::BadRequest, message)
    }

    /// The machine did not play along.
    pub(super) fn system(what: &str, error: impl Display) -> Self {
        Self::new(FAILED, ReportKind::Internal, format!("{what}: {error}"))
    }

    fn new(status: u8, kind: ReportKind, message: impl Into<String>) -> Self {
        Self::Told(FailureMessage {
            status,
            kind,
            message: message.into(),
            hint: None,
        })
    }

    pub(super) fn hinted(mut self, hint: impl Into<String>) -> Self {
        if let Self::Told(told) = &mut self {
            told.hint = Some(hint.into());
        }
        self
    }

    /// Returns the message without the hint.
    pub(super) fn into_message(self) -> String {
        match self {
            Self::ReaderGone => String::new(),
            Self::Told(told) => told.message,
        }
    }

    /// The same for a screen that is up.
    pub(super) fn into_report(self) -> ErrorReport {
        match self {
            Self::ReaderGone => ErrorReport::new(ReportKind::Internal, ""),
            Self::Told(told) => told.report(),
        }
    }

    /// Says it on stderr and returns the exit status. Nothing is said about a stderr that is closed.
    pub(super) fn report(&self) -> ExitCode {
        match self {
            Self::ReaderGone => ExitCode::SUCCESS,
            Self::Told(told) => {
                let _ = io::stderr().lock().write_all(told.text().as_bytes());
                ExitCode::from(told.status)
            }
        }
    }
}

impl FailureMessage {
    pub(super) fn report(&self) -> ErrorReport {
        ErrorReport {
            kind: self.kind,
            message: self.message.clone(),
            hint: self.hint.clone(),
        }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for line in self.message.lines() {
            text.push_str("lathe: ");
            text.push_str(&sanitize(line));
            text.push('\n');
        }
        if let Some(hint) = &self.hint {
            text.push_str(&sanitize(hint));
            text.push('\n');
        }
        text
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Self::usage(error.to_string())
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::new(FAILED, ReportKind::Storage, error.to_string())
    }
}

impl From<ErrorReport> for Failure {
    fn from(report: ErrorReport) -> Self {
        let status = if report.kind == ReportKind::Config {
            BAD_USAGE
        } else {
            FAILED
        };
        Self::Told(FailureMessage {
            status,
            kind: report.kind,
            message: report.message,
            hint: report.hint,
        })
    }
}

/// For output alone: nothing else here hands out bare IO errors.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::ReaderGone,
            _ => Self::system("the output could not be written", error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(failure: Failure) -> FailureMessage {
        match failure {
            Failure::Told(told) => told,
            Failure::ReaderGone => panic!("nothing to tell"),
        }
    }

    #[test]
    fn every_problem_of_the_configuration_has_a_line_and_the_status_is_2() {
        let report = ErrorReport {
            kind: ReportKind::Config,
            message: "a.jsonc:1:2: one\na.jsonc:3:4: two".to_owned(),
            hint: Some("do this".to_owned()),
        };
        let told = told(report.into());
        assert_eq!(told.status, 2);
        assert_eq!(
            told.text(),
            "lathe: a.jsonc:1:2: one\nlathe: a.jsonc:3:4: two\ndo this\n"
        );
    }

    #[test]
    fn what_fails_later_has_status_1() {
        let report = ErrorReport {
            kind: ReportKind::Storage,
            message: "x".to_owned(),
            hint: None,
        };
        assert_eq!(told(report.into()).status, 1);
        assert_eq!(told(Failure::missing("x")).status, 1);
    }

    #[test]
    fn names_from_outside_cannot_steer_the_terminal() {
        let text = told(Failure::usage("`\x1b[2Jx` is not there")).text();
        assert!(!text.contains('\x1b'), "{text:?}");
    }

    #[test]
    fn a_reader_that_left_is_no_failure() {
        let error = io::Error::from(io::ErrorKind::BrokenPipe);
        assert!(matches!(Failure::from(error), Failure::ReaderGone));
    }
}
