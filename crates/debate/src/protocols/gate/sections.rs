//! The sections that a gate's roles write.

use super::{choice, kill_switch, operator};
use crate::model::form::{Need, SectionRule, Shape, ShapeRule};
use crate::model::plan::Plan;
use crate::model::turn::Section;

const CHOICE: ShapeRule = ShapeRule {
    name: "choice",
    hint: "choose exactly one option",
    files_need: false,
    problem: |section: &Section, plan: &Plan| choice::read(section, plan).err().map(|unclear| unclear.to_string()),
};
const THRESHOLD: ShapeRule = ShapeRule {
    name: "threshold",
    hint: "at least one condition with a number or a date that can be measured",
    files_need: false,
    problem: |section: &Section, plan: &Plan| {
        let problem = "no condition has a number or a date that can be measured";
        (!kill_switch::has_threshold(section, plan)).then(|| problem.to_owned())
    },
};
const GO_WORD: ShapeRule = ShapeRule {
    name: "go-word",
    hint: "one word for all options, or a table with a word for each",
    files_need: true,
    problem: |section: &Section, plan: &Plan| {
        let problem = "no GO, NO-GO or CONDITIONAL can be read; write a line such as `**Status:** GO`";
        (!operator::read(section, plan).is_complete(plan)).then(|| problem.to_owned())
    },
};

macro_rules! section {
    ($title:expr, $shape:expr, $hint:expr) => {
        SectionRule { title: $title, need: Need::Due, shape: $shape, hint: $hint }
    };
}

pub(super) const ADVOCATE_SECTIONS: &[SectionRule] = &[
    section!("Core Argument", Shape::Sentences(3), "The case for the approach you favour."),
    section!("Key Strengths", Shape::Items(1), "Each strength with its evidence."),
    section!("Comparative Advantages", Shape::Text, "Against each of the other options."),
    section!("Success Criteria", Shape::Text, "Outcomes that can be measured."),
    section!("Risk Acceptance", Shape::Text, "Which risks are acceptable, and why."),
];
pub(super) const SKEPTIC_SECTIONS: &[SectionRule] = &[
    section!("Critical Questions", Shape::Questions(5), "Questions that must be answered before committing."),
    section!("Hidden Assumptions", Shape::Text, "Beliefs that nobody has stated or tested."),
    section!("Failure Modes", Shape::Text, "How it could go wrong."),
    section!("Risk Analysis", Shape::Table(&["Probability", "Impact"]), "Risk | Probability | Impact | Mitigation."),
    section!("Second-Order Effects", Shape::Text, "Consequences of the consequences."),
];
pub(super) const OPERATOR_SECTIONS: &[SectionRule] = &[
    section!("Resource Requirements", Shape::Text, "Time, cost, dependencies."),
    section!(
        "Timeline Reality Check",
        Shape::Mentions(&["Optimistic", "Realistic", "Pessimistic"]),
        "Three estimates and what separates them."
    ),
    section!("Dependency Analysis", Shape::Text, "What must happen first."),
    section!("Operational Constraints", Shape::Text, "Maintenance, monitoring, on-call."),
    section!(
        "Go/No-Go Recommendation",
        Shape::Read(GO_WORD),
        "First line exactly `**Status:** GO`, `NO-GO` or `CONDITIONAL`; then what it depends on."
    ),
];
pub(super) const SYNTHESIS_SECTIONS: &[SectionRule] = &[
    section!("Debate Summary", Shape::Text, "Each role's position, fairly."),
    section!("Key Tradeoffs", Shape::Text, "What is gained and what is given up."),
    section!(
        "Final Decision",
        Shape::Read(CHOICE),
        "First line exactly `**Chosen Option:** <id>`; then the rationale. If the operator said NO-GO, answer it here."
    ),
    section!("Decision Criteria", Shape::Text, "What was weighed, with weights and scores."),
    section!(
        "Kill-Switch Criteria",
        Shape::Read(THRESHOLD),
        "When to abort: condition and threshold, detection, timeline, fallback."
    ),
    section!("Fallback Plan", Shape::Text, "What happens if the decision fails."),
    section!("Risks Accepted", Shape::Table(&["Risk", "Owner"]), "Risk | Probability | Impact | Owner."),
    section!("Action Items", Shape::Items(1), "Who does what by when."),
    SectionRule {
        title: "Answers to the Skeptic",
        // Any section but the summary may answer; one of this name is only the likeliest.
        need: Need::Optional,
        shape: Shape::Text,
        hint: "Each of the skeptic's questions by its number, such as `- Q1: ...`; where one is open, who answers it and by when.",
    },
];
