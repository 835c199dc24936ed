//! Exit criteria in prose that forge itself fulfils.

use forge_prose::phrases::Phrases;
use forge_prose::words::words;
use std::sync::LazyLock;

static OWN: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../../data/forges-own.txt")));
static BESIDE: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../../data/beside-forges-own.txt")));

/// Whether a sentence asks for no more than what forge does on leaving a phase: `Handoff written: plan-to-test`. What asks for
/// more, such as `Handoff reviewed by the team`, is for people.
pub fn is_fulfilled_by_forge(sentence: &str) -> bool {
    let names_a_handoff = |part: &&str| part.contains("-to-") || part.contains("docs/forge/handoffs/");
    let said: Vec<&str> = sentence.split_whitespace().filter(|part| !names_a_handoff(part)).collect();
    let said = words(&said.join(" "));
    let (mut at, mut is_own) = (0, false);
    while at < said.len() {
        let own = OWN.at(&said[at..]);
        is_own |= own > 0;
        match own.max(BESIDE.at(&said[at..])) {
            0 => return false,
            known => at += known,
        }
    }
    is_own
}

#[cfg(test)]
mod tests {
    use super::is_fulfilled_by_forge;

    #[test]
    fn only_what_asks_for_no_more_is_forges() {
        for own in [
            "Handoff written: plan-to-test",
            "Handoff written: validate-to-review.md",
            "Handoff document created",
            "The handoff to the next phase is written",
            "Handoff written: docs/forge/handoffs/plan-to-test.md",
            "Create handoff document: plan-to-test",
            "Hand-off complete",
            "Debate gate passed (if applicable)",
            "Debate complete",
            "State file updated",
            "Workflow state updated and handoff written",
        ] {
            assert!(is_fulfilled_by_forge(own), "{own}");
        }
        for peoples in [
            "Handoff reviewed by the team",
            "Handoff written and read by operations",
            "Each step names its files",
            "All tests pass",
            "Debate the schema with the data team",
            "Debate is required",
            "Document written",
            "",
            "Handoff written in two languages",
            "State of the art is summarised",
        ] {
            assert!(!is_fulfilled_by_forge(peoples), "{peoples}");
        }
    }
}
