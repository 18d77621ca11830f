//! A directory's entries, by pages like a file's lines.

use std::fmt::Write as _;

use super::window::{BYTE_BUDGET, Window};
use super::{Details, Kind, unread};
use crate::files::Resolved;
use crate::regular_file::OpenDirectory;
use crate::tool::file_name::one_line;
use crate::tool::{Output, ToolError, plural};

pub(super) fn read(path: &Resolved, window: Window) -> Result<Output<Details>, ToolError> {
    let entries = OpenDirectory::open_real(&path.real).and_then(|directory| directory.entries());
    let entries = entries.map_err(|error| unread(path, error))?;
    // Directories first: `false` sorts before `true`.
    let mut names: Vec<(bool, String)> = entries
        .into_iter()
        .map(|(name, is_directory)| (!is_directory, name.to_string_lossy().into_owned()))
        .collect();
    names.sort_unstable();
    let total = names.len();
    let Window { offset, limit } = window;
    if offset > 1 && offset > total {
        let message = format!(
            "`offset` {offset} is beyond the end: `{}` has {}",
            path.display,
            plural(total, "entry")
        );
        return Err(ToolError::invalid_args(message));
    }
    let shown = one_line(&path.display);
    let mut text = format!("<path>{shown}</path>\n<type>directory</type>\n<entries>\n");
    let mut end = offset - 1;
    let mut left = BYTE_BUDGET;
    for (is_file, name) in names.iter().skip(end).take(limit) {
        let name = one_line(name);
        let needed = name.len() + 1 + usize::from(!is_file);
        if needed > left {
            break;
        }
        left -= needed;
        end += 1;
        text.push_str(&name);
        text.push_str(if *is_file { "\n" } else { "/\n" });
    }
    let footer = if end >= total {
        format!("({})", plural(total, "entry"))
    } else {
        format!(
            "(entries {offset}-{end} of {total}; continue with offset={})",
            end + 1
        )
    };
    let blank = if total == 0 { "" } else { "\n" };
    let _ = write!(text, "{blank}{footer}\n</entries>");
    let details = Details {
        path: path.display.clone(),
        kind: Kind::Directory,
        line_start: if total == 0 { 0 } else { offset },
        line_end: end,
        total_lines: Some(total),
        ..Details::default()
    };
    let title = format!("{} · {}", path.display, plural(total, "entry"));
    Ok(Output::new(title, text, details))
}
