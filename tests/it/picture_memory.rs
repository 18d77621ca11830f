//! Memory of pictures: small files whose pixels fill it, many at once, and files that only pretend to be pictures.

use std::fs;
use std::io::Cursor;
use std::time::Duration;

use image::{DynamicImage, ImageFormat};
use rustix::process::Pid;
use serde_json::{Value, json};

use super::run::{assert_well_formed, events_of, of_kind, project_with};
use super::support::{Gate, Server, Turn};

/// Peak of the memory that a process has had, in MiB.
fn peak(pid: Pid) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1024
}

/// Reads the pictures in one reply; returns the results and the peak of the memory.
fn read(pictures: &[(&str, &[u8])]) -> (Vec<Value>, u64) {
    let gate = Gate::new();
    let mut calls = Turn::new();
    for (name, _) in pictures {
        calls = calls.call("read", json!({"file_path": name}));
    }
    let server = Server::with([calls, Turn::text("Seen.").gate(0, &gate)]);
    let mut project = project_with(&server);
    for (name, bytes) in pictures {
        project = project.bytes(name, bytes);
    }
    let running = events_of(&project)
        .deadline(Duration::from_mins(5))
        .arg("look")
        .spawn();
    running.wait_for_stdout(|text| text.matches(r#""type":"tool_result""#).count() == pictures.len());
    gate.wait_until_reached();
    let peak = peak(running.pid());
    gate.open();
    let finished = running.wait().success();
    assert_well_formed(&finished);
    (of_kind(&finished, "tool_result"), peak)
}

fn encoded(picture: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    picture.write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

/// A progressive JPEG of one colour: for each block of each component one bit, which says that nothing changes.
fn progressive_jpeg(side: u16) -> Vec<u8> {
    let [high, low] = side.to_be_bytes();
    let mut bytes = vec![0xff, 0xd8];
    bytes.extend([0xff, 0xdb, 0, 67, 0]);
    bytes.extend([1; 64]);
    bytes.extend([0xff, 0xc2, 0, 17, 8, high, low, high, low, 3]);
    bytes.extend([1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0]);
    // One code of one bit, for the category 0.
    bytes.extend([0xff, 0xc4, 0, 20, 0, 1]);
    bytes.extend([0; 15]);
    bytes.push(0);
    bytes.extend([0xff, 0xda, 0, 12, 3, 1, 0, 2, 0, 3, 0, 0, 0, 0]);
    let blocks = usize::from(side).div_ceil(8).pow(2) * 3;
    bytes.extend(vec![0; blocks.div_ceil(8)]);
    bytes.extend([0xff, 0xd9]);
    bytes
}

fn peak_of(name: &str, bytes: &[u8], count: usize) -> u64 {
    let names: Vec<String> = (0..count).map(|number| format!("{number}-{name}")).collect();
    let pictures: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), bytes)).collect();
    let (results, peak) = read(&pictures);
    for result in results {
        let output = result["output"].as_str().unwrap();
        assert!(output.starts_with("Image read: "), "{result}");
    }
    peak
}

#[test]
fn many_large_pictures_at_once_take_the_memory_of_one() {
    let large = encoded(&DynamicImage::new_rgb8(5000, 5000), ImageFormat::Png);
    // Little to decode, and much to read.
    let mut long = encoded(&DynamicImage::new_rgb8(2100, 10), ImageFormat::Png);
    long.resize(30_000_000, 0);
    for (name, bytes, own) in [("large.png", large, 75), ("long.png", long, 30)] {
        let (one, many) = (peak_of(name, &bytes, 1), peak_of(name, &bytes, 8));
        assert!(one > own, "{name}: {one} MiB");
        assert!(
            many < one + 3 * own,
            "{name}: {one} MiB alone, {many} MiB at once"
        );
    }
}

#[test]
fn the_largest_picture_of_each_kind_is_bounded() {
    let mut canvas = encoded(&DynamicImage::new_rgba8(2100, 10), ImageFormat::Gif);
    canvas[6..10].copy_from_slice(&[0x58, 0x1b, 0x58, 0x1b]);
    for (name, bytes, most) in [
        ("progressive.jpg", progressive_jpeg(7000), 1000),
        (
            "deep.png",
            encoded(&DynamicImage::new_rgba16(5700, 5700), ImageFormat::Png),
            700,
        ),
        ("canvas.gif", canvas, 700),
    ] {
        let peak = peak_of(name, &bytes, 1);
        assert!(peak < most, "{name}: {peak} MiB");
    }
}

/// A PNG with another chunk behind its header.
fn with_chunk(png: &[u8], kind: [u8; 4], content: &[u8]) -> Vec<u8> {
    let header = 8 + 25;
    let mut bytes = png[..header].to_vec();
    bytes.extend(u32::try_from(content.len()).unwrap().to_be_bytes());
    let begin = bytes.len();
    bytes.extend(kind);
    bytes.extend(content);
    let sum = crc32(&bytes[begin..]);
    bytes.extend(sum.to_be_bytes());
    bytes.extend(&png[header..]);
    bytes
}

fn crc32(bytes: &[u8]) -> u32 {
    let table: Vec<u32> = (0..256_u32)
        .map(|byte| (0..8).fold(byte, |crc, _| (crc >> 1) ^ (0xedb8_8320 * (crc & 1))))
        .collect();
    !bytes.iter().fold(!0, |crc, byte| {
        (crc >> 8) ^ table[((crc ^ u32::from(*byte)) & 0xff) as usize]
    })
}

/// Two GB of zeros, packed by zlib to 13 MB: a zero, and over and over "the same as before, 258 times".
fn packed_zeros() -> Vec<u8> {
    const COUNT: usize = 8 * 1_000_000 + 1;
    let again = "1100010100000";
    // The last block, of fixed codes, and in it a zero.
    let begin = bytes_of(&["1", "10", "00110000", again].concat());
    let eight = bytes_of(&again.repeat(8));
    let mut packed = [vec![0x78, 0x9c], begin, eight.repeat(COUNT / 8), vec![0]].concat();
    let sum = u32::try_from((1 + 258 * COUNT) % 65521).unwrap();
    packed.extend(((sum << 16) | 1).to_be_bytes());
    packed
}

/// Bits in their order, the first of each byte its lowest.
fn bytes_of(bits: &str) -> Vec<u8> {
    let byte = |bits: &[u8]| bits.iter().rev().fold(0, |byte, bit| (byte << 1) | (bit - b'0'));
    bits.as_bytes().chunks(8).map(byte).collect()
}

#[test]
fn files_that_only_pretend_to_be_pictures_are_bounded_too() {
    let wide = encoded(&DynamicImage::new_rgb8(2100, 10), ImageFormat::Png);
    let bomb = packed_zeros();
    let mut all: Vec<(&str, Vec<u8>)> = vec![
        (
            "text.png",
            with_chunk(&wide, *b"zTXt", &[b"k\0\0", &bomb[..]].concat()),
        ),
        (
            "words.png",
            with_chunk(&wide, *b"iTXt", &[b"k\0\x01\0\0\0", &bomb[..]].concat()),
        ),
        (
            "colours.png",
            with_chunk(&wide, *b"iCCP", &[b"k\0\0", &bomb[..]].concat()),
        ),
        ("pixels.png", with_chunk(&wide, *b"IDAT", &bomb)),
    ];
    let mut huge = encoded(&DynamicImage::new_rgba8(10, 10), ImageFormat::Gif);
    huge[6..10].copy_from_slice(&[0xff; 4]);
    all.push(("huge.gif", huge));
    let png = encoded(&DynamicImage::new_rgb8(4000, 4000), ImageFormat::Png);
    let gif = encoded(&DynamicImage::new_rgba8(3000, 3000), ImageFormat::Gif);
    let webp = encoded(&DynamicImage::new_rgba8(3000, 3000), ImageFormat::WebP);
    for (name, whole) in [
        ("cut.png", png),
        ("cut.gif", gif),
        ("cut.webp", webp),
        ("cut.jpg", progressive_jpeg(4000)),
    ] {
        all.push((name, whole[..whole.len() / 2].to_vec()));
    }
    for (name, bytes) in &all {
        let (results, peak) = read(&[(name, bytes)]);
        // What is broken may be an error, and may be shown as far as it goes.
        let is_known = results[0]["ok"] == true || results[0]["details"]["error"]["kind"].is_string();
        assert!(is_known, "{}", results[0]);
        assert!(peak < 500, "{name}: {peak} MiB: {}", results[0]["output"]);
    }
}
