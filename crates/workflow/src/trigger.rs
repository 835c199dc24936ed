//! Whether a phase debates, and why. One function, so that `forge status` can say it before the phase is entered.

use crate::definition::{DebateConfig, Phase, Trigger};
use crate::knowledge::Knowledge;
use crate::snapshot::Checkbox;
use crate::state::DebateFlag;

/// What the answer depends on.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'f> {
    /// What was said on the command line.
    pub flag: DebateFlag,
    /// The components that the phase document lists.
    pub components: usize,
    /// The prior decisions that the phase document challenges.
    pub challenges: &'f [String],
    /// What is known.
    pub knowledge: &'f Knowledge,
    /// The handoff's escalation conditions.
    pub escalations: &'f [Checkbox],
}

/// Whether there is to be a debate, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// Whether there is.
    pub debate: bool,
    /// Why, in words: `design: 5 components > 3`.
    pub why: String,
    /// What would have called for one, where `--no-debate` silenced it.
    pub skipped: Option<String>,
}

/// Decides, in this order: `--debate`, `--no-debate`, a ticked escalation, the phase's settings, the default.
pub fn call(phase: &Phase, config: &DebateConfig, facts: &Facts<'_>) -> Call {
    let id = &phase.id;
    let by_itself = || escalated(facts).map(|why| (true, why)).unwrap_or_else(|| by_settings(phase, config, facts));
    match facts.flag {
        DebateFlag::Forced => Call { debate: true, why: format!("{id}: asked for with --debate"), skipped: None },
        DebateFlag::Skipped => {
            let (debate, why) = by_itself();
            let skipped = debate.then_some(why);
            Call { debate: false, why: format!("{id}: skipped with --no-debate"), skipped }
        }
        DebateFlag::Unsaid => {
            let (debate, why) = by_itself();
            Call { debate, why: format!("{id}: {why}"), skipped: None }
        }
    }
}

fn escalated(facts: &Facts<'_>) -> Option<String> {
    let ticked = facts.escalations.iter().find(|condition| condition.ticked)?;
    Some(format!("the escalation condition {:?} of the handoff is ticked", ticked.text))
}

fn by_settings(phase: &Phase, config: &DebateConfig, facts: &Facts<'_>) -> (bool, String) {
    if !phase.debate.enabled {
        return (false, "debates are off in this phase".to_owned());
    }
    let default = if phase.debate.trigger.is_none() { " (the default trigger)" } else { "" };
    let (debate, why) = match phase.debate.trigger.unwrap_or(config.default_trigger) {
        Trigger::Always => (true, "debates always".to_owned()),
        Trigger::Never => (false, "never debates by itself; --debate forces one".to_owned()),
        Trigger::ExplicitOnly => (false, "debates only when asked for with --debate".to_owned()),
        Trigger::MajorDecision => major(config.component_threshold, facts),
        Trigger::RiskThreshold => risky(config.risk_threshold, facts),
    };
    (debate, format!("{why}{default}"))
}

fn major(threshold: u32, facts: &Facts<'_>) -> (bool, String) {
    let many = usize::try_from(threshold).is_ok_and(|threshold| facts.components > threshold);
    let plural = if facts.components == 1 { "component" } else { "components" };
    match (many, facts.challenges) {
        (true, _) => (true, format!("{} {plural} > {threshold}", facts.components)),
        (false, []) => (
            false,
            format!("{} {plural}, not more than {threshold}, and no prior decision challenged", facts.components),
        ),
        (false, challenged) => (true, format!("prior decision {} challenged", challenged.join(", "))),
    }
}

fn risky(threshold: u8, facts: &Facts<'_>) -> (bool, String) {
    match facts.knowledge.highest_risk() {
        Some(risk) => {
            let score = risk.score().unwrap_or(0);
            let sign = if score >= threshold { ">=" } else { "<" };
            (score >= threshold, format!("highest active risk {} scores {score} {sign} {threshold}", risk.id))
        }
        None => (false, format!("no active risk with a score; {threshold} or more calls for a debate")),
    }
}
