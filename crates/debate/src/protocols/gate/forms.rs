//! What is asked of a gate's roles.

use crate::form::{ANSWERS_FIELD, Field, Kind, Need, SectionRule, Shape};
use crate::protocols::parts::{ARGUMENTS, CONFIDENCE, OPTION, REASON};

macro_rules! section {
    ($title:expr, $shape:expr, $hint:expr) => {
        SectionRule { title: $title, need: Need::Should, shape: $shape, hint: $hint }
    };
}

pub(super) const ADVOCATE_SECTIONS: &[SectionRule] = &[
    section!("Core Argument", Shape::Sentences(3), "The case for the approach you favour."),
    section!("Key Strengths", Shape::Items(1), "Each strength with its evidence."),
    section!("Comparative Advantages", Shape::Text, "Against each of the other options."),
    section!("Success Criteria", Shape::Text, "Outcomes that can be measured."),
    section!("Risk Acceptance", Shape::Text, "Which risks are acceptable, and why."),
];
pub(super) const ADVOCATE_TITLES: &[&str] =
    &["Core Argument", "Key Strengths", "Comparative Advantages", "Success Criteria", "Risk Acceptance"];
pub(super) const SKEPTIC_SECTIONS: &[SectionRule] = &[
    section!("Critical Questions", Shape::Questions(5), "Questions that must be answered before committing."),
    section!("Hidden Assumptions", Shape::Text, "Beliefs that nobody has stated or tested."),
    section!("Failure Modes", Shape::Text, "How it could go wrong."),
    section!("Risk Analysis", Shape::Table(&["Probability", "Impact"]), "Risk | Probability | Impact | Mitigation."),
    section!("Second-Order Effects", Shape::Text, "Consequences of the consequences."),
];
pub(super) const SKEPTIC_TITLES: &[&str] =
    &["Critical Questions", "Hidden Assumptions", "Failure Modes", "Risk Analysis", "Second-Order Effects"];
pub(super) const OPERATOR_SECTIONS: &[SectionRule] = &[
    section!("Resource Requirements", Shape::Text, "Time, cost, dependencies."),
    section!(
        "Timeline Reality Check",
        Shape::Mentions(&["Optimistic", "Realistic", "Pessimistic"]),
        "Three estimates and what separates them."
    ),
    section!("Dependency Analysis", Shape::Text, "What must happen first."),
    section!("Operational Constraints", Shape::Text, "Maintenance, monitoring, on-call."),
    section!("Go/No-Go Recommendation", Shape::Text, "GO, NO-GO or CONDITIONAL, and what it depends on."),
];
pub(super) const OPERATOR_TITLES: &[&str] = &[
    "Resource Requirements",
    "Timeline Reality Check",
    "Dependency Analysis",
    "Operational Constraints",
    "Go/No-Go Recommendation",
];
pub(super) const SYNTHESIS_SECTIONS: &[SectionRule] = &[
    section!("Debate Summary", Shape::Text, "Each role's position, fairly."),
    section!("Key Tradeoffs", Shape::Text, "What is gained and what is given up."),
    section!(
        "Final Decision",
        Shape::Decision,
        "First line exactly `**Chosen Option:** <id>`; then the rationale. If the operator said NO-GO, answer it here."
    ),
    section!("Decision Criteria", Shape::Text, "What was weighed, with weights and scores."),
    section!(
        "Kill-Switch Criteria",
        Shape::Conditions,
        "When to abort: condition and threshold, detection, timeline, fallback."
    ),
    section!("Fallback Plan", Shape::Text, "What happens if the decision fails."),
    section!("Risks Accepted", Shape::Table(&["Risk", "Owner"]), "Risk | Probability | Impact | Owner."),
    section!("Action Items", Shape::Items(1), "Who does what by when."),
    SectionRule {
        title: "Answers to the Skeptic",
        // Any section but the summary may answer; one of this name is only the likeliest.
        need: Need::May,
        shape: Shape::Text,
        hint: "Each of the skeptic's questions by its number, such as `- Q1: ...`; where one is open, who answers it and by when.",
    },
];

const fn softly(field: Field) -> Field {
    Field { need: Need::Should, ..field }
}

pub(super) const ADVOCATE_FIELDS: &[Field] = &[softly(OPTION), softly(CONFIDENCE), softly(REASON), ARGUMENTS];
pub(super) const SKEPTIC_FIELDS: &[Field] = &[softly(CONFIDENCE), softly(REASON), ARGUMENTS];
pub(super) const OPERATOR_FIELDS: &[Field] = &[
    Field {
        name: "recommendation",
        kind: Kind::Word(&["GO", "NO-GO", "CONDITIONAL"]),
        need: Need::Should,
        help: "GO, NO-GO or CONDITIONAL",
        also: &["Go/No-Go", "Verdict"],
    },
    softly(CONFIDENCE),
    softly(REASON),
    ARGUMENTS,
];
pub(super) const SYNTHESIS_FIELDS: &[Field] = &[
    Field {
        name: "options",
        kind: Kind::Options,
        need: Need::Should,
        help: "the chosen option's id; more than one only for a combination that Final Decision states",
        also: &["Chosen Option", "Chosen Options", "Decision"],
    },
    softly(CONFIDENCE),
    softly(REASON),
];

const ANSWER: &[Field] = &[
    Field { name: "question", kind: Kind::Text(1), need: Need::Must, help: "its number", also: &[] },
    Field { name: "answer", kind: Kind::Text(1), need: Need::Must, help: "the answer in a sentence", also: &[] },
];

/// The skeptic's questions and their answers, by number.
pub(super) const ANSWERS: Field = Field {
    name: ANSWERS_FIELD,
    kind: Kind::Records(0, ANSWER),
    need: Need::May,
    help: "answers to the skeptic's questions by their numbers; leave out what a section answers already",
    also: &[],
};
