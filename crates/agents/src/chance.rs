//! Where a rehearsal's choices come from: digests of the plan's seed and the turn, so that the same turn of the same
//! plan is always played the same way, on every machine and after every restart.

use forge_debate::brief::Brief;
use forge_debate::digest::Digest;

/// A number that only this turn draws for this purpose.
pub(crate) fn own(brief: &Brief, purpose: &str) -> u64 {
    let key = &brief.key;
    Digest::of_parts([
        &brief.seed.to_be_bytes() as &[u8],
        key.stage.0.as_bytes(),
        &key.round.to_be_bytes(),
        key.seat.as_str().as_bytes(),
        purpose.as_bytes(),
    ])
    .seed()
}

/// A number that a seat draws once for the whole debate.
pub(crate) fn lasting(brief: &Brief, purpose: &str) -> u64 {
    Digest::of_parts([&brief.seed.to_be_bytes() as &[u8], brief.key.seat.as_str().as_bytes(), purpose.as_bytes()])
        .seed()
}

/// A number that every seat of the debate draws alike.
pub(crate) fn shared(brief: &Brief, purpose: &str) -> u64 {
    Digest::of_parts([&brief.seed.to_be_bytes() as &[u8], purpose.as_bytes()]).seed()
}

/// A drawn number as an index below `count`; 0 where there is nothing to choose from.
pub(crate) fn index(drawn: u64, count: usize) -> usize {
    match u64::try_from(count) {
        Ok(count) if count > 0 => usize::try_from(drawn % count).unwrap_or(0),
        _ => 0,
    }
}

/// Whether a drawn number falls into the first `percent` of a hundred.
pub(crate) fn within(drawn: u64, percent: u64) -> bool {
    drawn % 100 < percent
}

/// The first entry whose share of a hundred the drawn number falls into; the last entry takes the rest.
pub(crate) fn shares<T: Copy>(drawn: u64, table: &[(u64, T)], rest: T) -> T {
    let mut left = drawn % 100;
    for (share, value) in table {
        if left < *share {
            return *value;
        }
        left -= share;
    }
    rest
}
