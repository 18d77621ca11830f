//! The part of `/status` that is known when the session is opened.

use std::path::Path;

use super::unused::unused_line;
use super::{OpenRequest, TrustState, TrustedBy};
use crate::session::query::StatusGroup;

/// `standing`: the notices that hold.
pub(super) fn about(request: &OpenRequest, standing: &[String]) -> Vec<StatusGroup> {
    let dirs = &request.dirs;
    let shown = |path: &Path| path.display().to_string();
    let files = &request.loaded.files;
    let mut read: Vec<_> = files.iter().map(|file| ("read", shown(file))).collect();
    if read.is_empty() {
        read.push(("read", "no file, only defaults".to_owned()));
    }
    read.push(("trust", trust(request)));
    read.extend(
        request
            .trust
            .left_out
            .sentence()
            .map(|sentence| ("left out", sentence)),
    );
    read.extend(unused_line(request).map(|line| ("other agents", line)));
    for notice in standing {
        if !read.iter().any(|(_, line)| line == notice) {
            read.push(("notice", notice.clone()));
        }
    }
    vec![
        StatusGroup::new("Configuration", read),
        StatusGroup::new(
            "Places",
            vec![
                ("version", env!("CARGO_PKG_VERSION").to_owned()),
                ("configuration", shown(&dirs.config)),
                ("data", shown(&dirs.data)),
                ("state", shown(&dirs.state)),
                ("logs", shown(&dirs.state.join("logs"))),
            ],
        ),
    ]
}

fn trust(request: &OpenRequest) -> String {
    let names = request.trust.names();
    match &request.trust.state {
        TrustState::NotNeeded => "the project brings nothing that needs it".to_owned(),
        TrustState::Trusted(TrustedBy::Flag) => format!("trusted by `--trust`: {names}"),
        TrustState::Trusted(TrustedBy::Configuration) => format!("trusted by your configuration: {names}"),
        TrustState::Trusted(TrustedBy::Answer) => format!("trusted by your answer: {names}"),
        TrustState::Untrusted { .. } => format!("not trusted, so ignored: {names}"),
    }
}
