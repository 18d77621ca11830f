//! Throughput of the terminal emulation, and memory of a terminal with a full scrollback.
//!
//! `cargo bench --bench terminal`

#![expect(clippy::print_stdout, reason = "prints figures")]

use std::hint::black_box;
use std::process::Command;

use divan::Bencher;
use divan::counter::BytesCount;
use lathe::process::pty::Terminal;
use lathe::process::screen::{Screen, ScreenSettings, ScreenSize};

fn main() {
    for (cols, rows) in [(80, 24), (120, 40)] {
        let before = resident();
        let screen = filled(cols, rows);
        println!(
            "{cols}x{rows}, 10000 lines of scrollback: {} KB",
            resident().saturating_sub(before)
        );
        // Kept, so that the next measurement finds none of its memory free.
        std::mem::forget(screen);
    }
    divan::main();
}

/// Resident memory of this process in KB.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok())
        .unwrap_or_default()
}

fn screen(cols: u16, rows: u16) -> Screen {
    Screen::new(ScreenSize { cols, rows }, ScreenSettings::default())
}

fn filled(cols: u16, rows: u16) -> Screen {
    let mut screen = screen(cols, rows);
    for line in 0..12_000 {
        screen.feed(format!("{line:08} a line of a build that prints a good deal\r\n").as_bytes());
    }
    screen
}

fn plain() -> Vec<u8> {
    let line =
        |number: usize| format!("{number:08} the quick brown fox jumps over the lazy dog and some more\r\n");
    (0..100_000)
        .flat_map(|number| line(number).into_bytes())
        .collect()
}

fn coloured() -> Vec<u8> {
    let line = |number: usize| {
        format!(
            "\x1b[32m{number:08}\x1b[0m \x1b[1;38;5;203mthe quick\x1b[m brown fox jumps over the lazy dog\r\n"
        )
    };
    (0..100_000)
        .flat_map(|number| line(number).into_bytes())
        .collect()
}

fn wide() -> Vec<u8> {
    let line = |number: usize| format!("{number:08} 漢字かな交じり文のログ、そして é è ü\r\n");
    (0..100_000)
        .flat_map(|number| line(number).into_bytes())
        .collect()
}

#[divan::bench(args = ["plain", "coloured", "wide"], sample_count = 5, sample_size = 1)]
fn feed(bencher: Bencher, kind: &str) {
    let bytes = match kind {
        "plain" => plain(),
        "coloured" => coloured(),
        _ => wide(),
    };
    bencher
        .counter(BytesCount::new(bytes.len()))
        .with_inputs(|| screen(120, 40))
        .bench_values(|mut screen| {
            for piece in bytes.chunks(16 * 1024) {
                black_box(screen.feed(piece));
            }
            screen
        });
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn resize_a_full_scrollback(bencher: Bencher) {
    bencher
        .with_inputs(|| filled(120, 40))
        .bench_values(|mut screen| {
            screen.resize(ScreenSize { cols: 80, rows: 24 });
            screen
        });
}

/// Output of a program through the kernel: `cat` of a file of 50 MB.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn cat_through_a_terminal(bencher: Bencher) {
    let directory = std::env::temp_dir().join(format!("terminal-bench-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("the temporary directory can be written to");
    let file = directory.join("plain.txt");
    let bytes: Vec<u8> = plain()
        .into_iter()
        .filter(|byte| *byte != b'\r')
        .cycle()
        .take(50_000_000)
        .collect();
    std::fs::write(&file, &bytes).expect("there is room for a file");
    bencher.counter(BytesCount::new(bytes.len())).bench_local(|| {
        let size = ScreenSize { cols: 120, rows: 40 };
        let (terminal, streams) =
            Terminal::open(size, ScreenSettings::default(), || ()).expect("there is a pseudo-terminal");
        let mut cat = Command::new("cat")
            .arg(&file)
            .stdin(streams.stdin)
            .stdout(streams.stdout)
            .stderr(streams.stderr)
            .spawn()
            .expect("there is a cat");
        cat.wait().expect("it can be waited for");
        while !terminal.is_output_closed() {
            std::thread::yield_now();
        }
    });
    let _ = std::fs::remove_dir_all(directory);
}

/// Cost of the runs of one screen, which a card or a pane draws.
#[divan::bench]
fn runs_of_a_screen(bencher: Bencher) {
    let screen = filled(120, 40);
    bencher.bench_local(|| {
        screen
            .screen_lines()
            .map(|line| screen.runs(line))
            .collect::<Vec<_>>()
    });
}
