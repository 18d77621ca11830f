//! Finds a sequence within another in linear time, whatever they repeat (Knuth, Morris, Pratt).

/// Returns every start of `wanted` in `sequence`, overlapping ones too. An empty sequence is nowhere.
pub(super) fn starts_of<'a, T: PartialEq>(
    sequence: &'a [T],
    wanted: &'a [T],
) -> impl Iterator<Item = usize> + 'a {
    let borders = borders(wanted);
    let mut matched = 0;
    sequence.iter().enumerate().filter_map(move |(at, item)| {
        if wanted.is_empty() {
            return None;
        }
        while matched > 0 && (matched == wanted.len() || wanted[matched] != *item) {
            matched = borders[matched - 1];
        }
        if wanted[matched] == *item {
            matched += 1;
        }
        (matched == wanted.len()).then(|| at + 1 - matched)
    })
}

/// For every prefix, the length of its longest proper prefix that is also its end.
fn borders<T: PartialEq>(wanted: &[T]) -> Vec<usize> {
    let mut borders = vec![0; wanted.len()];
    let mut length = 0;
    for at in 1..wanted.len() {
        while length > 0 && wanted[length] != wanted[at] {
            length = borders[length - 1];
        }
        if wanted[length] == wanted[at] {
            length += 1;
        }
        borders[at] = length;
    }
    borders
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn finds_what_a_plain_scan_finds(
            sequence in proptest::collection::vec(0..3_u8, 0..30),
            wanted in proptest::collection::vec(0..3_u8, 0..5),
        ) {
            let found: Vec<usize> = starts_of(&sequence, &wanted).collect();
            let expected: Vec<usize> = if wanted.is_empty() { Vec::new() } else {
                sequence.windows(wanted.len()).enumerate().filter(|(_, window)| *window == wanted).map(|(at, _)| at).collect()
            };
            prop_assert_eq!(found, expected);
        }
    }
}
