//! When to try again, and how long to wait before.
//!
//! Waits grow and are spread out by a digest of the turn, so that a hundred seats that were refused together do not
//! come back together, and the same call always waits alike.

use forge_debate::digest::Digest;
use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};
use std::time::{Duration, SystemTime};

/// Tries when the connection cannot be made.
pub(super) const CONNECT_TRIES: u32 = 3;
/// Tries when the provider fails or the answer breaks off. Each may be paid.
pub(super) const BROKEN_TRIES: u32 = 4;
/// Tries when the provider says that it is asked too often; the deadline usually comes first.
pub(super) const RATE_LIMIT_TRIES: u32 = 12;
/// The first wait.
const FIRST_WAIT: Duration = Duration::from_millis(400);
/// The longest wait that was not asked for.
const LONGEST_WAIT: Duration = Duration::from_secs(20);
/// What is added to a wait that was asked for, at most.
const SPREAD: Duration = Duration::from_millis(250);

/// The wait before the next try when nobody says how long: doubled each time, of which between half and all is kept.
pub(super) fn backoff(turn: &str, attempt: u32, tries: u32) -> Duration {
    let doubled = FIRST_WAIT.saturating_mul(1u32.checked_shl(tries.saturating_sub(1)).unwrap_or(u32::MAX));
    doubled.min(LONGEST_WAIT).mul_f64(0.5 + share(turn, attempt, tries) / 2.0)
}

/// A wait that the provider asked for, and a little more.
pub(super) fn spread(asked: Duration, turn: &str, attempt: u32, tries: u32) -> Duration {
    asked.saturating_add(SPREAD.mul_f64(share(turn, attempt, tries)))
}

fn share(turn: &str, attempt: u32, tries: u32) -> f64 {
    let drawn = Digest::of_parts([turn.as_bytes(), &attempt.to_be_bytes(), &tries.to_be_bytes()]).seed();
    (drawn % 1_000) as f64 / 1_000.0
}

/// How long the provider asks to wait: `Retry-After` in seconds or as a date, or `retry-after-ms`.
pub(super) fn asked_wait(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    if let Some(milliseconds) = text("retry-after-ms").and_then(|text| text.parse().ok()) {
        return Some(Duration::from_millis(milliseconds));
    }
    let asked = text(RETRY_AFTER.as_str())?;
    if let Ok(seconds) = asked.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    // The provider's clock, where it is told: a date is meant by that one.
    let from = text(DATE.as_str()).and_then(http_date).unwrap_or(now);
    Some(http_date(asked)?.duration_since(from).unwrap_or(Duration::ZERO))
}

fn http_date(text: &str) -> Option<SystemTime> {
    jiff::fmt::rfc2822::parse(text).ok().map(|date| date.timestamp().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(pairs: &[(&'static str, &str)]) -> Option<Duration> {
        let headers = pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect();
        asked_wait(&headers, SystemTime::UNIX_EPOCH)
    }

    #[test]
    fn waits_are_read_in_every_spelling() {
        assert_eq!(asked(&[("retry-after", "7")]), Some(Duration::from_secs(7)));
        assert_eq!(asked(&[("retry-after", "1.5")]), Some(Duration::from_millis(1500)));
        assert_eq!(asked(&[("retry-after", "9"), ("retry-after-ms", "250")]), Some(Duration::from_millis(250)));
        assert_eq!(asked(&[("retry-after", "Thu, 01 Jan 1970 00:01:00 GMT")]), Some(Duration::from_secs(60)));
        let late = [("retry-after", "Sun, 06 Nov 1994 08:49:47 GMT"), ("date", "Sun, 06 Nov 1994 08:49:37 GMT")];
        assert_eq!(asked(&late), Some(Duration::from_secs(10)));
        assert_eq!(asked(&[("retry-after", "Thu, 01 Jan 1970 00:00:00 GMT")]), Some(Duration::ZERO));
        for nonsense in ["soon", "-1", "NaN", "inf", ""] {
            assert_eq!(asked(&[("retry-after", nonsense)]), None, "{nonsense}");
        }
        assert_eq!(asked(&[]), None);
    }

    #[test]
    fn waits_grow_to_a_limit_and_repeat() {
        for tries in 1..40 {
            let wait = backoff("opening-r1-risk", 1, tries);
            assert_eq!(wait, backoff("opening-r1-risk", 1, tries));
            assert!(wait >= FIRST_WAIT / 2 && wait <= LONGEST_WAIT, "{tries}: {wait:?}");
        }
        assert!(backoff("x", 1, 8) > backoff("x", 1, 1));
        assert_ne!(backoff("opening-r1-risk", 1, 1), backoff("opening-r1-value", 1, 1));
    }
}
