//! Times as they are written: UTC, whole seconds, RFC 3339.

use jiff::Timestamp;

/// A moment, in seconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stamp(pub i64);

impl Stamp {
    /// This moment by the machine's clock. The engine takes its clock as an argument; this is the real one.
    pub fn now() -> Self {
        Self(Timestamp::now().as_second())
    }

    /// `20260115-143022`, for names.
    pub fn compact(self) -> String {
        self.with_format("%Y%m%d-%H%M%S")
    }

    /// `2026-01-15`.
    pub fn date(self) -> String {
        self.with_format("%Y-%m-%d")
    }

    /// Reads what [`compact`](Self::compact) writes; what follows it is ignored.
    pub fn parse_compact(text: &str) -> Option<Self> {
        let time = jiff::civil::DateTime::strptime("%Y%m%d-%H%M%S", text.get(..15)?).ok()?;
        time.to_zoned(jiff::tz::TimeZone::UTC).ok().map(|time| Self(time.timestamp().as_second()))
    }

    /// Reads what [`Display`](std::fmt::Display) writes, and any other RFC 3339 time.
    pub fn parse(text: &str) -> Option<Self> {
        text.trim().parse::<Timestamp>().ok().map(|time| Self(time.as_second()))
    }

    fn with_format(self, format: &str) -> String {
        let time = Timestamp::from_second(self.0).unwrap_or(Timestamp::UNIX_EPOCH);
        time.to_zoned(jiff::tz::TimeZone::UTC).strftime(format).to_string()
    }
}

impl std::fmt::Display for Stamp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.with_format("%Y-%m-%dT%H:%M:%SZ"))
    }
}
