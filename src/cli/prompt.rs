//! The prompt of a turn without a screen: the words of the command line and what is piped in.

use std::io::Read;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use super::failure::Failure;
use super::output::print_note;

/// More than any model reads.
const MAX_PIPED: u64 = 16 << 20;
/// After this long whoever waits is told what for.
const PATIENCE: Duration = Duration::from_secs(2);

/// The source of the prompt besides the command line.
pub(super) enum Prompt {
    /// stdin is a terminal: nothing more is read.
    Typed,
    Piped(Box<dyn Read + Send>),
}

/// The words of the command line, and what was piped in.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RunPrompt {
    pub(super) words: String,
    piped: String,
}

impl RunPrompt {
    /// The words and, behind an empty line, what was piped in.
    pub(super) fn text(&self) -> String {
        match (self.words.is_empty(), self.piped.is_empty()) {
            (false, false) => format!("{}\n\n{}", self.words, self.piped),
            _ => format!("{}{}", self.words, self.piped),
        }
    }
}

/// Reads what was piped in to its end. An empty prompt is refused.
pub(super) fn read(words: &[String], prompt: Prompt) -> Result<RunPrompt, Failure> {
    let words = words.join(" ").trim().to_owned();
    let piped = match prompt {
        Prompt::Typed => String::new(),
        Prompt::Piped(stdin) => patiently(stdin, !words.is_empty())?,
    };
    let piped = match piped.trim_end() {
        piped if piped.trim_start().is_empty() => String::new(),
        piped => piped.to_owned(),
    };
    if words.is_empty() && piped.is_empty() {
        let failure = Failure::usage("there is no prompt");
        return Err(failure.hinted("Pass it as arguments, or pipe it in: lathe run \"explain this project\""));
    }
    Ok(RunPrompt { words, piped })
}

/// Reads to the end. A pipe that somebody forgot to close would look like a hanging program: where nothing came from it after
/// a while and there are words, those are the prompt; else it is said what the run waits for.
fn patiently(stdin: Box<dyn Read + Send>, has_words: bool) -> Result<String, Failure> {
    let (done, whole) = mpsc::channel();
    let has_begun = Arc::new(AtomicBool::new(false));
    let stdin = WatchedStdin {
        stdin,
        has_begun: Arc::clone(&has_begun),
    };
    thread::spawn(move || done.send(read_text(stdin)));
    whole.recv_timeout(PATIENCE).unwrap_or_else(|_| {
        if has_words && !has_begun.load(Ordering::Relaxed) {
            print_note(
                "stdin sent nothing, so only the arguments are the prompt; to send the output of a slow command, \
                write it to a file and attach it with -f",
            );
            return Ok(String::new());
        }
        print_note(
            "waiting for the end of stdin, which is part of the prompt; `lathe run … </dev/null` skips it",
        );
        let gone = || Err(Failure::system("stdin could not be read", "its reader is gone"));
        whole.recv().unwrap_or_else(|_| gone())
    })
}

/// Tells that something came.
struct WatchedStdin {
    stdin: Box<dyn Read + Send>,
    has_begun: Arc<AtomicBool>,
}

impl Read for WatchedStdin {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.stdin.read(buffer)?;
        self.has_begun.store(true, Ordering::Relaxed);
        Ok(read)
    }
}

fn read_text(stdin: impl Read) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    match stdin.take(MAX_PIPED + 1).read_to_end(&mut bytes) {
        Ok(read) if read as u64 > MAX_PIPED => Err(Failure::usage(
            "stdin is larger than 16 MiB; put it in a file and name that in the prompt",
        )),
        Ok(_) => String::from_utf8(bytes).map_err(|_| {
            let failure = Failure::usage("stdin is not UTF-8 text");
            failure.hinted("Attach images and PDFs with -f.")
        }),
        Err(error) => Err(Failure::system("stdin could not be read", error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    fn piped(bytes: &'static [u8]) -> Prompt {
        Prompt::Piped(Box::new(bytes))
    }

    #[test]
    fn words_are_joined_by_blanks_and_what_is_piped_comes_after() {
        let text = |given: &[&str], prompt| read(&words(given), prompt).unwrap().text();
        assert_eq!(text(&["fix", "it"], Prompt::Typed), "fix it");
        assert_eq!(text(&["fix"], piped(b"  log\nline\n")), "fix\n\n  log\nline");
        assert_eq!(text(&[], piped(b"all of it\n")), "all of it");
        assert_eq!(text(&["fix"], piped(b" \n")), "fix");
    }

    #[test]
    fn nothing_is_no_prompt() {
        for (given, prompt) in [(words(&[]), Prompt::Typed), (words(&[" "]), piped(b"\n"))] {
            let Err(Failure::Told(told)) = read(&given, prompt) else {
                panic!("accepted")
            };
            assert_eq!(told.message, "there is no prompt");
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_refused() {
        assert!(read(&[], piped(&[0xff, 0xfe])).is_err());
    }
}
