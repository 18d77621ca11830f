//! Generated shell texts: none that runs unasked does more than read. `cargo bench --bench shell_fuzz` tries more of them.

use crate::shell_texts::try_texts;

#[test]
fn no_generated_text_runs_its_payload_unasked() {
    let seed = 12;
    eprintln!("seed {seed}");
    let ran = try_texts(seed, 1000);
    assert!(ran > 100, "only {ran} texts ran");
}
