//! Tags that came along with text: a model that copies lines from a read copies what stands before them.

use super::Hash;

/// Returns the text without the tags before its lines, when every line that is not empty has one.
pub fn without_echo(text: &str) -> Option<String> {
    let mut has_tag = false;
    let mut stripped = Vec::new();
    for line in text.split('\n') {
        if line.is_empty() || line == "\r" {
            stripped.push(line);
            continue;
        }
        stripped.push(behind_tag(line)?);
        has_tag = true;
    }
    has_tag.then(|| stripped.join("\n"))
}

/// Returns what stands behind `N:hh|`.
fn behind_tag(line: &str) -> Option<&str> {
    let (number, rest) = line.split_once(':')?;
    let is_number = !number.starts_with('0') && number.bytes().all(|byte| byte.is_ascii_digit());
    let (digits, content) = rest.split_once('|')?;
    let is_lower = !digits.bytes().any(|byte| byte.is_ascii_uppercase());
    (is_number && !number.is_empty() && is_lower && Hash::from_digits(digits).is_some()).then_some(content)
}
