//! Whether a phase debates, and why. One function, so that `forge status` can say it before the phase is entered.
//!
//! Some things call for a debate in every phase, whatever its settings: a ticked escalation, a locked decision that is
//! challenged, contradicted or superseded by hand, many components, a new high risk. Only `--no-debate` passes them.

mod reason;
mod risks;

pub use reason::Reason;
pub(crate) use reason::{COMPONENTS, is_answered};
pub use risks::{HighRisk, ListedRisk, RiskFacts, listed};

use crate::contradiction::Contradiction;
use crate::definition::{DebateConfig, Phase, Trigger};
use crate::knowledge::Knowledge;
use crate::snapshot::{Checkbox, Overturned};
use crate::state::{Answered, Called, DebateFlag};
use forge_debate::plan::Matter;

/// What the answer depends on.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'f> {
    /// What was said on the command line.
    pub flag: DebateFlag,
    /// The components that the phase document lists.
    pub components: usize,
    /// The document of a phase before that lists the most components no debate was about, and how many.
    pub components_before: Option<(&'f str, usize)>,
    /// The prior decisions that the phase document challenges.
    pub challenges: &'f [String],
    /// Those that documents of the phases before challenge, and no debate was about.
    pub challenges_before: &'f [String],
    /// What called for a debate of this phase and is gone from its file.
    pub vanished: &'f [Called],
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
    /// What this phase's debates answered already: it still calls for them, and for no other.
    pub answered_here: &'f [Answered],
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
    /// The same as values: what the debate answers. One decision, or everything else that is open.
    pub at_stake: Vec<Matter>,
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
        whys.insert(0, own.why.clone());
    } else if reasons.is_empty() {
        whys.push(own.why.clone());
    }
    let asked = debate || facts.flag == DebateFlag::Forced;
    let next = if asked { next_subject(&reasons, &own, facts) } else { reason::Subject::default() };
    let about = (debate && !next.about.is_empty()).then(|| next.about.join(", and "));
    let at_stake = next.matters;
    let why = whys.join("; ");
    match facts.flag {
        DebateFlag::Forced => {
            Call { debate: true, why: format!("{id}: asked for with --debate"), skipped: None, about, at_stake }
        }
        DebateFlag::Skipped => Call {
            debate: false,
            why: format!("{id}: skipped with --no-debate"),
            skipped: debate.then_some(why),
            about,
            at_stake,
        },
        DebateFlag::Unsaid => Call { debate, why: format!("{id}: {why}"), skipped: None, about, at_stake },
    }
}

/// What the next debate of the phase is about: of what calls for one, what none has answered yet.
fn next_subject(reasons: &[Reason], own: &Own, facts: &Facts<'_>) -> reason::Subject {
    let subject = reason::subject(reasons, facts.answered_here);
    if !subject.matters.is_empty() || !reasons.is_empty() {
        return subject;
    }
    let challenged = facts.challenges.iter().cloned().map(Matter::Decision);
    let matters = challenged.chain(own.risk.clone()).collect();
    reason::Subject { about: own.about.iter().cloned().collect(), matters }
}

/// What calls for a debate whatever the phase's settings say.
pub fn mandatory(config: &DebateConfig, facts: &Facts<'_>) -> Vec<Reason> {
    let mut reasons = Vec::new();
    let ticked = facts.escalations.iter().find(|condition| condition.ticked);
    reasons.extend(ticked.map(|condition| Reason::Escalation(condition.text.clone())));
    let known = |id: &String| facts.knowledge.decision(id);
    let challenged = facts.challenges.iter().chain(facts.challenges_before);
    let locked: Vec<_> = challenged.filter_map(known).filter(|decision| decision.locked).collect();
    if !locked.is_empty() {
        let named = |one: &&crate::knowledge::Decision| (one.id.clone(), one.title.clone());
        reasons.push(Reason::Challenged(locked.iter().map(named).collect()));
    }
    reasons.extend(facts.contradictions.iter().cloned().map(Reason::Contradicted));
    reasons.extend(facts.overturned.iter().cloned().map(Reason::Overturned));
    let threshold = config.component_threshold;
    let is_many = |count: usize| usize::try_from(threshold).is_ok_and(|threshold| count > threshold);
    let before = facts.components_before.filter(|(_, count)| is_many(*count));
    if is_many(facts.components) {
        reasons.push(Reason::Components { count: facts.components, threshold, file: None });
    } else if let Some((file, count)) = before {
        reasons.push(Reason::Components { count, threshold, file: Some(file.to_owned()) });
    }
    let is_over = |one: &&Called| is_answered(facts.risks.answered, one.matter.name(), one.matter.score());
    reasons.extend(facts.vanished.iter().filter(|one| !is_over(one)).cloned().map(Reason::Vanished));
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
    risk: Option<Matter>,
}

fn by_settings(phase: &Phase, config: &DebateConfig, facts: &Facts<'_>) -> Own {
    let plain = |calls, trigger, why: &str| Own { calls, why: why.to_owned(), trigger, about: None, risk: None };
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
    Own { calls, why, trigger: Some(Trigger::MajorDecision), about, risk: None }
}

fn risky(threshold: u8, facts: &Facts<'_>) -> Own {
    let highest = facts.risks.highest(facts.knowledge);
    let own = |calls, why, risk: Option<&HighRisk>| Own {
        calls,
        why,
        trigger: Some(Trigger::RiskThreshold),
        about: risk.map(HighRisk::about),
        risk: risk.map(HighRisk::matter),
    };
    match highest {
        Some(risk) if risk.score >= threshold => {
            let why = format!("highest active risk {} scores {} >= {threshold}", risk.name(), risk.score);
            own(true, why, Some(&risk))
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
