//! Fenced blocks of a document.

/// A block between fences: ` ```LANGUAGE FILE `.
#[derive(Debug)]
pub(super) struct Block<'a> {
    pub(super) language: &'a str,
    /// The file that the block is, behind the language.
    pub(super) file: Option<&'a str>,
    pub(super) text: String,
    /// Of its opening fence, from 1.
    pub(super) line: usize,
}

pub(super) fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((index, line)) = lines.next() {
        let Some(info) = line.strip_prefix("```") else {
            continue;
        };
        let (language, file) = match info.split_once(' ') {
            Some((language, file)) => (language, Some(file)),
            None => (info, None),
        };
        let text: String = lines
            .by_ref()
            .map(|(_, line)| line)
            .take_while(|line| *line != "```")
            .flat_map(|line| [line, "\n"])
            .collect();
        blocks.push(Block {
            language,
            file,
            text,
            line: index + 1,
        });
    }
    blocks
}
