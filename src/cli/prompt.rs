//! What a turn without a screen is asked: the words of the command line and what is piped in.

use std::io::Read;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use super::failure::Failure;
use super::output::tell;

/// More than any model reads.
const MAX_PIPED: u64 = 16 << 20;
/// After this long whoever waits is told what for.
const PATIENCE: Duration = Duration::from_secs(2);

/// Where the prompt comes from besides the command line.
pub(super) enum Prompt {
    /// stdin is a terminal: nothing more is read.
    Typed,
    Piped(Box<dyn Read + Send>),
}

/// Joins the words and what was piped in. An empty prompt is refused.
pub(super) fn read(words: &[String], prompt: Prompt) -> Result<String, Failure> {
    let mut text = words.join(" ").trim().to_owned();
    if let Prompt::Piped(stdin) = prompt {
        let piped = patiently(stdin)?;
        let piped = piped.trim_end();
        if !piped.trim_start().is_empty() {
            if !text.is_empty() {
                text.push_str("\n\n");
            }
            text.push_str(piped);
        }
    }
    if text.is_empty() {
        let failure = Failure::usage("there is no prompt");
        return Err(failure.hinted("Give it as words, or pipe it in: lathe run \"explain this project\""));
    }
    Ok(text)
}

/// Reads to the end. A pipe that somebody forgot to close would look like a hanging program, so it is said after a
/// while.
fn patiently(stdin: Box<dyn Read + Send>) -> Result<String, Failure> {
    let (done, whole) = mpsc::channel();
    thread::spawn(move || done.send(read_text(stdin)));
    whole.recv_timeout(PATIENCE).unwrap_or_else(|_| {
        tell(
            "waiting for the end of stdin, which belongs to the prompt; `lathe run … </dev/null` reads none",
        );
        let gone = || Err(Failure::system("stdin could not be read", "its reader is gone"));
        whole.recv().unwrap_or_else(|_| gone())
    })
}

fn read_text(stdin: Box<dyn Read + Send>) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    match stdin.take(MAX_PIPED + 1).read_to_end(&mut bytes) {
        Ok(read) if read as u64 > MAX_PIPED => Err(Failure::usage(
            "more than 16 MiB were piped in; put them in a file and name it in the prompt",
        )),
        Ok(_) => String::from_utf8(bytes).map_err(|_| {
            let failure = Failure::usage("what was piped in is not UTF-8 text");
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
        assert_eq!(read(&words(&["fix", "it"]), Prompt::Typed).unwrap(), "fix it");
        assert_eq!(
            read(&words(&["fix"]), piped(b"  log\nline\n")).unwrap(),
            "fix\n\n  log\nline"
        );
        assert_eq!(read(&[], piped(b"all of it\n")).unwrap(), "all of it");
        assert_eq!(read(&words(&["fix"]), piped(b" \n")).unwrap(), "fix");
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
