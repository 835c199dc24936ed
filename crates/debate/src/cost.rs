//! What a debate may cost, before it starts: calls per stage as an interval.

/// Calls of one stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageCost {
    /// The stage, in words.
    pub stage: &'static str,
    /// The fewest calls.
    pub min_calls: u32,
    /// The most calls, repairs not counted.
    pub max_calls: u32,
    /// How many waves run one after the other at most: what the wall time depends on.
    pub max_waves: u32,
}

impl StageCost {
    /// A stage that always makes the same number of calls in one wave.
    pub fn fixed(stage: &'static str, calls: usize) -> Self {
        Self::between(stage, calls, calls, 1)
    }

    /// A stage that makes between `min` and `max` calls in at most `waves` waves.
    pub fn between(stage: &'static str, min: usize, max: usize, waves: usize) -> Self {
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Self { stage, min_calls: number(min), max_calls: number(max), max_waves: number(waves) }
    }
}

/// The sums over all stages.
pub fn total(stages: &[StageCost]) -> StageCost {
    StageCost {
        stage: "Total",
        min_calls: stages.iter().map(|s| s.min_calls).sum(),
        max_calls: stages.iter().map(|s| s.max_calls).sum(),
        max_waves: stages.iter().map(|s| s.max_waves).sum(),
    }
}
