//! `--budget`: dollars, tokens or minutes.

use crate::config::schema::Budget;

const EXPECTED: &str = "write dollars as 2.50, tokens as 500k, or minutes as 30m";

/// Reads an amount: `2.50` are dollars, `500k` tokens, `30m` minutes.
pub(super) fn parse(given: &str) -> Result<Budget, String> {
    let amount = |digits: &str| -> Result<f64, String> {
        let is_plain = digits.chars().all(|c| c.is_ascii_digit() || c == '.');
        let amount = digits.parse::<f64>().ok().filter(|_| is_plain);
        let amount = amount.filter(|amount| *amount > 0.0);
        amount.ok_or_else(|| format!("`{given}` is not an amount above 0; {EXPECTED}"))
    };
    let given = given.trim();
    if let Some(thousands) = given.strip_suffix(['k', 'K']) {
        let tokens = (amount(thousands)? * 1_000.0).ceil();
        return Ok(Budget {
            tokens: Some(tokens as u64),
            ..Budget::default()
        });
    }
    if let Some(minutes) = given.strip_suffix('m') {
        return Ok(Budget {
            minutes: Some(amount(minutes)?),
            ..Budget::default()
        });
    }
    Ok(Budget {
        cost: Some(amount(given)?),
        ..Budget::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_says_by_its_unit_what_it_limits() {
        let limits = |given| {
            let Budget {
                tokens,
                cost,
                minutes,
            } = parse(given).unwrap();
            (tokens, cost, minutes)
        };
        assert_eq!(limits("2.50"), (None, Some(2.5), None));
        assert_eq!(limits("500k"), (Some(500_000), None, None));
        assert_eq!(limits("0.5K"), (Some(500), None, None));
        assert_eq!(limits("30m"), (None, None, Some(30.0)));
        for wrong in [
            "",
            "k",
            "-1",
            "0",
            "0k",
            "1e9k",
            "inf",
            "nan",
            "5 dollars",
            "30min",
            "1M",
        ] {
            assert!(parse(wrong).unwrap_err().contains("500k"), "{wrong}");
        }
    }
}
