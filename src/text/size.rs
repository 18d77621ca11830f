//! Sizes of files and of numbers in words.

/// Returns a number of bytes as a person reads it: `120.4 kB`.
pub fn size_words(bytes: u64) -> String {
    match bytes {
        1 => "1 byte".to_owned(),
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

/// Returns a number as a person reads it: `999`, `12.4k`, `3.10M`.
pub fn short_count(number: u64) -> String {
    match number {
        0..1_000 => number.to_string(),
        1_000..1_000_000 => format!("{:.1}k", number as f64 / 1e3),
        _ => format!("{:.2}M", number as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_told_in_few_figures() {
        let told = [1, 999, 1_000, 120_400, 1_250_000].map(size_words);
        assert_eq!(told, ["1 byte", "999 bytes", "1.0 kB", "120.4 kB", "1.2 MB"]);
    }
}
