//! The process that reads the text of one PDF: from its input, to its output.
//!
//! It limits itself before it looks at the first byte. A page that cannot be read costs that page alone.

use std::io::{self, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::thread;

use pdf_extract::{Document, PlainTextOutput, output_doc_page};

use super::{MOST_MEMORY, PdfError, PdfText, REFUSED};

/// Nested pages and objects are read by recursion, deeper than a thread's usual stack allows.
const STACK: usize = 64 << 20;
/// Characters of the reason that a library gives.
const MOST_REASON: usize = 200;

/// Reads the PDF on standard input and prints the number of its pages, how many of them were read, and their text. The
/// only word is the limit in bytes.
pub fn run(words: impl IntoIterator<Item = std::ffi::OsString>) -> ExitCode {
    let limit = words.into_iter().next();
    let limit = limit.and_then(|limit| limit.to_str()?.parse().ok());
    limit_memory();
    std::panic::set_hook(Box::new(|_| ()));
    let reading = thread::Builder::new()
        .stack_size(STACK)
        .spawn(move || read(limit.unwrap_or(usize::MAX)));
    let read = match reading.map(thread::JoinHandle::join) {
        Ok(Ok(read)) => read,
        Ok(Err(_)) => Err(PdfError::Failed),
        Err(error) => Err(error.into()),
    };
    // Whoever closed the pipe does not want to know any more.
    match read {
        Ok(read) => {
            let printed = format!("{} {}\n{}", read.pages, read.read, read.text);
            io::stdout()
                .write_all(printed.as_bytes())
                .map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS)
        }
        Err(error) => {
            let _ = writeln!(io::stderr(), "{}", word(&error));
            ExitCode::from(REFUSED)
        }
    }
}

fn limit_memory() {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let limit = Rlimit {
        current: Some(MOST_MEMORY),
        maximum: Some(MOST_MEMORY),
    };
    // A system that refuses leaves the limit of time.
    let _ = setrlimit(Resource::Data, limit);
}

fn read(limit: usize) -> Result<PdfText, PdfError> {
    let mut bytes = Vec::new();
    io::stdin().read_to_end(&mut bytes)?;
    text(&bytes, limit)
}

/// Returns the text of a PDF, up to the page that fills the limit.
fn text(bytes: &[u8], limit: usize) -> Result<PdfText, PdfError> {
    let broken = |error: pdf_extract::Error| PdfError::Broken(error.to_string());
    let mut document = Document::load_mem(bytes).map_err(broken)?;
    if document.is_encrypted() && document.decrypt("").is_err() {
        return Err(PdfError::Encrypted);
    }
    let numbers: Vec<u32> = document.get_pages().into_keys().collect();
    let mut text = String::new();
    let mut read = 0;
    let mut has_text = false;
    for (index, number) in numbers.iter().enumerate() {
        let page = page(&document, *number);
        has_text |= page.as_ref().is_some_and(|page| !page.is_empty());
        let shown = page.unwrap_or_else(|| "(this page could not be read)".to_owned());
        let block = format!("[page {}]\n{shown}\n", index + 1);
        if text.len() + block.len() > limit && read > 0 {
            break;
        }
        text.push_str(&block);
        read += 1;
    }
    if !has_text {
        return Err(PdfError::NoText);
    }
    text.truncate(text.floor_char_boundary(limit));
    Ok(PdfText {
        text,
        pages: numbers.len(),
        read,
    })
}

/// Returns the text of one page; `None` if the page is broken.
fn page(document: &Document, number: u32) -> Option<String> {
    let mut text = String::new();
    let output = AssertUnwindSafe(|| output_doc_page(document, &mut PlainTextOutput::new(&mut text), number));
    let is_whole = matches!(catch_unwind(output), Ok(Ok(())));
    let text: String = text
        .chars()
        .filter(|c| *c == '\n' || *c == '\t' || !c.is_control())
        .collect();
    let text = text.trim();
    (is_whole || !text.is_empty()).then(|| squeezed(text))
}

/// Returns a text without runs of empty lines.
fn squeezed(text: &str) -> String {
    let mut squeezed = String::with_capacity(text.len());
    let mut is_after_blank = false;
    for line in text.lines().map(str::trim_end) {
        let is_blank = line.is_empty();
        if !(is_blank && is_after_blank) {
            squeezed.push_str(line);
            squeezed.push('\n');
        }
        is_after_blank = is_blank;
    }
    squeezed.truncate(squeezed.trim_end().len());
    squeezed
}

/// Writes an error for the process that waits for it.
fn word(error: &PdfError) -> String {
    match error {
        PdfError::Encrypted => "encrypted".to_owned(),
        PdfError::NoText => "no text".to_owned(),
        PdfError::Broken(why) => {
            let why: String = why
                .chars()
                .filter(|c| !c.is_control())
                .take(MOST_REASON)
                .collect();
            format!("broken {why}")
        }
        PdfError::TooLong
        | PdfError::TooLarge
        | PdfError::Failed
        | PdfError::Cancelled
        | PdfError::System(_) => "failed".to_owned(),
    }
}

/// Reads what [`word`] wrote.
pub(super) fn reason(said: &str) -> PdfError {
    match said.split_once(' ') {
        Some(("broken", why)) => PdfError::Broken(why.to_owned()),
        Some(("no", "text")) => PdfError::NoText,
        None if said == "encrypted" => PdfError::Encrypted,
        _ => PdfError::Failed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pdf::parse;
    use crate::pdf::sample::{Pages, pdf};

    const ROOMY: usize = 1 << 20;

    #[test]
    fn each_page_stands_below_its_number() {
        let read = text(&pdf(&Pages::of(&["Hello world", "Second (page)"])), ROOMY).unwrap();
        assert_eq!(read.text, "[page 1]\nHello world\n[page 2]\nSecond (page)\n");
        assert_eq!((read.pages, read.read), (2, 2));
    }

    #[test]
    fn pages_are_read_up_to_the_limit() {
        let bytes = pdf(&Pages::of(&["first", "second", "third"]));
        let read = text(&bytes, 33).unwrap();
        assert_eq!(read.text, "[page 1]\nfirst\n[page 2]\nsecond\n");
        assert_eq!((read.pages, read.read), (3, 2));
        assert_eq!(text(&bytes, 10).unwrap().text, "[page 1]\nf");
    }

    #[test]
    fn a_page_that_is_broken_costs_that_page_alone() {
        let pages = Pages {
            media_boxes: vec![true, false, true],
            ..Pages::of(&["one", "two", "three"])
        };
        let read = text(&pdf(&pages), ROOMY).unwrap();
        assert_eq!(
            read.text,
            "[page 1]\none\n[page 2]\n(this page could not be read)\n[page 3]\nthree\n"
        );
    }

    #[test]
    fn what_has_no_text_and_what_is_no_pdf_are_told_apart() {
        assert_eq!(text(&pdf(&Pages::of(&["", ""])), ROOMY), Err(PdfError::NoText));
        let error = text(b"%PDF-1.4\nnothing more", ROOMY).unwrap_err();
        assert!(matches!(error, PdfError::Broken(_)), "{error}");
    }

    #[test]
    fn what_one_process_writes_the_other_understands() {
        for error in [
            PdfError::Encrypted,
            PdfError::NoText,
            PdfError::Broken("bad xref".to_owned()),
            PdfError::Failed,
        ] {
            assert_eq!(reason(&word(&error)), error);
        }
        let read = parse("12 10\n[page 1]\nx").unwrap();
        assert_eq!((read.pages, read.read, &*read.text), (12, 10, "[page 1]\nx"));
        assert_eq!(parse("running 0 tests\n"), None);
    }
}
