//! Times in words, the same in every front end.

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Returns a time as `2025-11-21 09:14`, from milliseconds since the Unix epoch.
pub(crate) fn moment(milliseconds: i64, zone: &TimeZone) -> String {
    let time = Timestamp::from_millisecond(milliseconds).unwrap_or_default();
    time.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M").to_string()
}
