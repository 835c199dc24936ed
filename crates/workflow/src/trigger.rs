//! Whether a phase debates, and why. One function, so that `forge status` can say it before the phase is entered.
//!
//! Some things call for a debate in every phase, whatever its settings: a ticked escalation, a locked decision that is
//! challenged, contradicted or superseded by hand, many components, a new high risk. Only `--no-debate` passes them.

mod reason;
mod risks;

pub use reason::Reason;
pub use risks::{HighRisk, ListedRisk, RiskFacts, listed};

use crate::contradiction::Contradiction;
use crate::definition::{DebateConfig, Phase, Trigger};
use crate::knowledge::Knowledge;
use crate::snapshot::{Checkbox, Overturned};
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
    /// The decisions of the phase document that speak against locked ones.
    pub contradictions: &'f [Contradiction],
    /// Decisions of debates that a person superseded without one.
    pub overturned: &'f [Overturned],
    /// What is known.
    pub knowledge: &'f Knowledge,
    /// What is known of risks besides.
    pub risks: RiskFacts<'f>,
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
    /// What the debate is to be about, where that is not the phase's objective alone.
    pub about: Option<String>,
}

/// Decides, in this order: `--debate`, `--no-debate`, what is mandatory, the phase's settings, the default.
pub fn call(phase: &Phase, config: &DebateConfig, facts: &Facts<'_>) -> Call {
    let id = &phase.id;
    let reasons = mandatory(config, facts);
    let own = by_settings(phase, config, facts);
    let debate = own.calls || !reasons.is_empty();
    let told = |reason: &Reason| match reason.advice().filter(|_| facts.flag == DebateFlag::Unsaid) {
        Some(advice) => format!("{reason}; {advice}"),
        None => reason.to_string(),
    };
    let mut whys: Vec<String> = reasons.iter().map(told).collect();
    if own.calls && !own.trigger.is_some_and(|trigger| reasons.iter().any(|reason| reason.is_told_by(trigger))) {
        whys.insert(0, own.why);
    } else if reasons.is_empty() {
        whys.push(own.why);
    }
    let about: Vec<String> =
        reason::about(&reasons).into_iter().chain(own.about.filter(|_| reasons.is_empty())).collect();
    let about = (debate && !about.is_empty()).then(|| about.join(", and "));
    let why = whys.join("; ");
    match facts.flag {
        DebateFlag::Forced => {
            Call { debate: true, why: format!("{id}: asked for with --debate"), skipped: None, about }
        }
        DebateFlag::Skipped => Call {
            debate: false,
            why: format!("{id}: skipped with --no-debate"),
            skipped: debate.then_some(why),
            about,
        },
        DebateFlag::Unsaid => Call { debate, why: format!("{id}: {why}"), skipped: None, about },
    }
}

/// What calls for a debate whatever the phase's settings say.
pub fn mandatory(config: &DebateConfig, facts: &Facts<'_>) -> Vec<Reason> {
    let mut reasons = Vec::new();
    let ticked = facts.escalations.iter().find(|condition| condition.ticked);
    reasons.extend(ticked.map(|condition| Reason::Escalation(condition.text.clone())));
    let known = |id: &String| facts.knowledge.decision(id);
    let locked: Vec<_> = facts.challenges.iter().filter_map(known).filter(|decision| decision.locked).collect();
    if !locked.is_empty() {
        let named = |one: &&crate::knowledge::Decision| (one.id.clone(), one.title.clone());
        reasons.push(Reason::Challenged(locked.iter().map(named).collect()));
    }
    reasons.extend(facts.contradictions.iter().cloned().map(Reason::Contradicted));
    reasons.extend(facts.overturned.iter().cloned().map(Reason::Overturned));
    let threshold = config.component_threshold;
    if usize::try_from(threshold).is_ok_and(|threshold| facts.components > threshold) {
        reasons.push(Reason::Components { count: facts.components, threshold });
    }
    let new = facts.risks.unanswered(facts.knowledge, config.risk_threshold);
    reasons.extend(new.into_iter().map(|risk| Reason::NewRisk { risk, threshold: config.risk_threshold }));
    reasons
}

/// What a phase's settings say by themselves.
struct Own {
    calls: bool,
    why: String,
    trigger: Option<Trigger>,
    about: Option<String>,
}

fn by_settings(phase: &Phase, config: &DebateConfig, facts: &Facts<'_>) -> Own {
    let plain = |calls, trigger, why: &str| Own { calls, why: why.to_owned(), trigger, about: None };
    if phase.always_debates() {
        return plain(true, Some(Trigger::Always), "debates always");
    }
    if !phase.debate.enabled {
        return plain(false, None, "debates are off in this phase");
    }
    let trigger = phase.debate.trigger.unwrap_or(config.default_trigger);
    let mut own = match trigger {
        Trigger::Always => plain(true, Some(trigger), "debates always"),
        Trigger::Never => plain(false, Some(trigger), "never debates by itself; --debate forces one"),
        Trigger::ExplicitOnly => plain(false, Some(trigger), "debates only when asked for with --debate"),
        Trigger::MajorDecision => major(config.component_threshold, facts),
        Trigger::RiskThreshold => risky(config.risk_threshold, facts),
    };
    if phase.debate.trigger.is_none() {
        own.why.push_str(" (the default trigger)");
    }
    own
}

fn major(threshold: u32, facts: &Facts<'_>) -> Own {
    let many = usize::try_from(threshold).is_ok_and(|threshold| facts.components > threshold);
    let plural = if facts.components == 1 { "component" } else { "components" };
    let (calls, why) = match (many, facts.challenges) {
        (true, _) => (true, format!("{} {plural} > {threshold}", facts.components)),
        (false, []) => (
            false,
            format!("{} {plural}, not more than {threshold}, and no prior decision challenged", facts.components),
        ),
        (false, challenged) => (true, format!("prior decision {} challenged", challenged.join(", "))),
    };
    let about = (!facts.challenges.is_empty()).then(|| format!("whether {} stands", facts.challenges.join(", ")));
    Own { calls, why, trigger: Some(Trigger::MajorDecision), about }
}

fn risky(threshold: u8, facts: &Facts<'_>) -> Own {
    let highest = facts.risks.highest(facts.knowledge);
    let own = |calls, why, about| Own { calls, why, trigger: Some(Trigger::RiskThreshold), about };
    match highest {
        Some(risk) if risk.score >= threshold => {
            let why = format!("highest active risk {} scores {} >= {threshold}", risk.name(), risk.score);
            own(true, why, Some(risk.about()))
        }
        Some(risk) => {
            own(false, format!("highest active risk {} scores {} < {threshold}", risk.name(), risk.score), None)
        }
        None => match facts.knowledge.highest_risk().filter(|risk| risk.score() >= Some(threshold)) {
            Some(risk) => own(false, format!("{} is accepted by a debate, with an owner", risk.id), None),
            None => own(false, format!("no active risk with a score; {threshold} or more calls for a debate"), None),
        },
    }
}
