//! The files that a patch names. It is read through the one opener for all that lathe reads for itself.

use std::path::{Path, PathBuf};

use super::{CommandContext, CommandDirectories, ReachedPaths, base_name, is_special};
use crate::permission::command::{Analysis, PathOperand, Simple, Word, operand_of, patch, patched_files};
use crate::regular_file::{MAX_BYTES, RegularFile};

impl CommandContext<'_> {
    /// Adds what the patches of a command would change. Returns false if it applies one that cannot be read.
    pub(super) fn reach_by_patch(
        &self,
        command: &Simple,
        places: &CommandDirectories,
        analysis: &Analysis,
        reached: &mut ReachedPaths,
    ) -> bool {
        let Some(patch) = patch(command) else { return true };
        let bases = CommandDirectories {
            directories: self.bases(patch.directory.as_ref(), places, analysis),
            is_certain: false,
        };
        let mut texts = Vec::new();
        let mut is_read = true;
        let mut read = |operand: &PathOperand, is_needed: bool| {
            let found = self.texts_of(operand, &bases, analysis);
            is_read &= !is_needed || found.is_some();
            texts.extend(found.unwrap_or_default());
        };
        for operand in &patch.files {
            read(operand, true);
        }
        let mut may_be_in_text = false;
        if patch.from_input {
            for file in &command.input.files {
                read(&operand_of(file), true);
            }
            let mut is_text = command.input.is_text;
            let mut is_known = is_text || !command.input.files.is_empty();
            for source in analysis.sources(command) {
                is_text |= source.input.is_text;
                match base_name(source.program()) {
                    "cat" => {
                        let named: Vec<&Word> = source.words[1..]
                            .iter()
                            .filter(|word| !word.text.starts_with('-'))
                            .collect();
                        is_known |= !named.is_empty() || source.input.is_text;
                        for word in named {
                            read(&operand_of(word), true);
                        }
                    }
                    "echo" | "printf" => (is_text, is_known) = (true, true),
                    _ => {}
                }
            }
            is_read &= is_known;
            may_be_in_text |= is_text;
        }
        if may_be_in_text || !is_read {
            // It may also be a file that another part of the text makes.
            texts.push(analysis.text.replace("\\n", "\n").replace(['\'', '"'], "\n"));
            texts.push(analysis.text.clone());
        }
        for text in texts {
            let Some(names) = patched_files(&text) else {
                is_read = false;
                continue;
            };
            for name in names {
                for base in &bases.directories {
                    let joined = base.join(&name);
                    if is_special(&joined) {
                        reached.add(joined, false);
                    }
                }
            }
        }
        is_read
    }

    fn bases(
        &self,
        directory: Option<&PathOperand>,
        places: &CommandDirectories,
        analysis: &Analysis,
    ) -> Vec<PathBuf> {
        let mut bases = places.directories.clone();
        if let Some(directory) = directory {
            let mut spelled = ReachedPaths::default();
            self.spell(directory, places, analysis, &mut spelled);
            bases.extend(spelled.paths.into_iter().map(|candidate| candidate.path));
        }
        bases
    }

    /// The texts of the files that an operand names; `None` when there is none, or one cannot be read.
    fn texts_of(
        &self,
        operand: &PathOperand,
        places: &CommandDirectories,
        analysis: &Analysis,
    ) -> Option<Vec<String>> {
        let mut spelled = ReachedPaths::default();
        self.spell(operand, places, analysis, &mut spelled);
        let mut texts = Vec::new();
        let there = |path: &Path| path.symlink_metadata().is_ok();
        for candidate in spelled.paths.iter().filter(|candidate| there(&candidate.path)) {
            texts.push(text_of(&candidate.path)?);
        }
        (!texts.is_empty()).then_some(texts)
    }
}

fn text_of(path: &Path) -> Option<String> {
    RegularFile::open(path).ok()?.read_text(MAX_BYTES).ok()
}
