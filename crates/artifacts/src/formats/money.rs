//! Amounts of money as text: millionths of a US dollar, whole numbers only.

/// Millionths in a whole.
const MICRO: u64 = 1_000_000;
/// No debate costs more than this many millionths of a dollar; a larger figure is a mistake.
pub const COST_LIMIT: u64 = 1_000_000_000 * MICRO;
/// Estimates are told to this many millionths: four places after the point.
const ROUGH: u64 = 100;

/// Who says what a call cost, where its agent itself does.
pub const BY_AGENT: &str = "agent";
/// Who says what a call cost, where a model on this machine served it.
pub const BY_NOBODY: &str = "free";

/// Who says what a call cost, read from a record's `cost_by`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CostSource<'t> {
    /// The agent itself.
    Agent,
    /// A model on this machine served it.
    Nobody,
    /// The user's own prices.
    Configuration,
    /// The maker's list of this day.
    List(&'t str),
}

impl<'t> CostSource<'t> {
    /// Any other word is the configuration's.
    pub fn parse(word: &'t str) -> Self {
        match (word, word.split_once(' ')) {
            (BY_AGENT, _) => CostSource::Agent,
            (BY_NOBODY, _) => CostSource::Nobody,
            (_, Some(("list", day))) => CostSource::List(day),
            _ => CostSource::Configuration,
        }
    }
}

/// Millionths of a dollar as dollars, as files have them: `0.012300`.
pub fn dollars(micro: u64) -> String {
    format!("{}.{:06}", micro / MICRO, micro % MICRO)
}

/// The same for people: `0.0123`, `2.00`.
pub fn plain(micro: u64) -> String {
    let text = dollars(micro);
    let kept = text.trim_end_matches('0').len().max(text.len() - 4);
    text.get(..kept).unwrap_or(&text).to_owned()
}

/// An estimate for people, rounded up.
pub fn rough(micro: u64) -> String {
    plain(micro.div_ceil(ROUGH).saturating_mul(ROUGH))
}

/// Dollars as they are written, in millionths; none where it is no such figure.
pub fn microdollars(text: &str) -> Option<u64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    if !digits(whole) || !digits(part) || part.len() > 6 {
        return None;
    }
    let part: u64 = format!("{part:0<6}").parse().ok()?;
    whole.parse::<u64>().ok()?.checked_mul(MICRO)?.checked_add(part).filter(|micro| *micro <= COST_LIMIT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_as_they_are_written() {
        for micro in [0, 1, 10, 99, 100, 123_456, 1_000_000, 1_500_000, COST_LIMIT] {
            assert_eq!(microdollars(&dollars(micro)), Some(micro));
            assert_eq!(microdollars(&plain(micro)), Some(micro));
        }
        for (text, micro) in [("2", 2_000_000), ("0.5", 500_000), ("0.50", 500_000), ("007", 7_000_000)] {
            assert_eq!(microdollars(text), Some(micro), "{text}");
        }
        let nonsense = ["", ".", "1.", ".5", "-1", "+1", "1e3", "NaN", "inf", "1.2345678", "1,5", " 1", "1000000001"];
        for text in nonsense {
            assert_eq!(microdollars(text), None, "{text}");
        }
    }

    #[test]
    fn people_are_told_what_matters() {
        for (micro, told) in [(0, "0.00"), (1, "0.000001"), (500_000, "0.50"), (2_000_000, "2.00"), (12_300, "0.0123")]
        {
            assert_eq!(plain(micro), told);
        }
        assert_eq!(rough(1), "0.0001");
        assert_eq!(rough(12_345_678), "12.3457");
    }
}
