//! A source tree to search: nested directories, ignored and hidden files, binaries, other alphabets. The same at each run.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use super::random::Random;

const WORDS: [&str; 16] = [
    "let", "match", "buffer", "stream", "délai", "return", "index", "token", "parser", "retry", "clock",
    "state", "écrit", "frame", "width", "queue",
];
/// Directories that git is told to leave alone.
const IGNORED: [&str; 2] = ["target", "node_modules"];
const FILES_IN_A_DIRECTORY: usize = 40;

/// Fills `root`, a git repository's, with so many files of about 4 kB. Each 37th text ends with the word `needle`.
pub(crate) fn plant(root: &Path, files: usize) {
    fs::write(root.join(".gitignore"), "target/\nnode_modules/\n*.log\n").unwrap();
    let mut random = Random::new(files as u64);
    for number in 0..files {
        let directory = number / FILES_IN_A_DIRECTORY;
        let top = match directory % 10 {
            8 => IGNORED[directory / 10 % IGNORED.len()],
            9 => ".hidden",
            _ => "src",
        };
        let path = root.join(format!("{top}/part{}/unit{directory}", directory % 7));
        if number % FILES_IN_A_DIRECTORY == 0 {
            fs::create_dir_all(&path).unwrap();
        }
        let (name, content) = match number % 20 {
            0 => (format!("data{number}.bin"), binary(number)),
            1 => (
                format!("trace{number}.log"),
                text(&mut random, number).into_bytes(),
            ),
            2 => (
                format!("größe {number}.txt"),
                text(&mut random, number).into_bytes(),
            ),
            _ => (format!("file{number}.rs"), text(&mut random, number).into_bytes()),
        };
        fs::write(path.join(name), content).unwrap();
    }
}

fn text(random: &mut Random, number: usize) -> String {
    let mut text = String::new();
    for line in 0..80 {
        let words: Vec<&str> = (0..7).map(|_| WORDS[random.below(WORDS.len())]).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{line}: {}", words.join(" "));
    }
    if number % 37 == 2 {
        text.push_str("here is the needle\n");
    }
    text
}

fn binary(number: usize) -> Vec<u8> {
    let mut bytes = vec![0_u8; 4096];
    bytes.extend(format!("needle {number}").bytes());
    bytes
}
