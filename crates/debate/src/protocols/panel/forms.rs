//! What is asked of a panel's seats at each stage.

use crate::form::{Field, Kind, Need, SectionRule, Shape};
use crate::protocols::parts::{
    ARGUMENTS, CHALLENGES, CONFIDENCE, CONVINCED_BECAUSE, CONVINCED_BY, NAMES_OPTION, OPTION, REASON,
};

pub(super) const POSITION_SECTIONS: &[SectionRule] = &[
    SectionRule {
        title: "Position",
        need: Need::Optional,
        shape: Shape::Read(NAMES_OPTION),
        hint: "What you hold, and which option that is.",
    },
    SectionRule { title: "Reasoning", need: Need::Optional, shape: Shape::Text, hint: "I think X because Y." },
    SectionRule { title: "Risks", need: Need::Optional, shape: Shape::Text, hint: "What could make you wrong." },
];
pub(super) const MOONSHOT_SECTIONS: &[SectionRule] = &[
    SectionRule {
        title: "Position",
        need: Need::Optional,
        shape: Shape::Read(NAMES_OPTION),
        hint: "What you hold, and which option it builds on.",
    },
    SectionRule { title: "Moonshot", need: Need::Required, shape: Shape::Line, hint: "The ambitious version." },
    SectionRule {
        title: "Stepping Stone",
        need: Need::Required,
        shape: Shape::Line,
        hint: "The pragmatic first step towards it.",
    },
    SectionRule { title: "Reasoning", need: Need::Optional, shape: Shape::Text, hint: "I think X because Y." },
];
/// A memo may say its vote as its position: `POSITION: REJECT`.
const VOTE: Field =
    Field { also: &["Vote", "Chosen Option", "Recommendation", "Recommended Option", "Position"], ..OPTION };
pub(super) const POSITION_FIELDS: &[Field] = &[VOTE, CONFIDENCE, REASON, ARGUMENTS];

pub(super) const RESPONSE_SECTIONS: &[SectionRule] = &[
    SectionRule {
        title: "Agreements",
        need: Need::Optional,
        shape: Shape::Text,
        hint: "With whom and why; never only that.",
    },
    SectionRule {
        title: "Disagreements",
        need: Need::Optional,
        shape: Shape::Text,
        hint: "With whom, and the counter-reasoning.",
    },
    SectionRule {
        title: "Risks Missed",
        need: Need::Optional,
        shape: Shape::Text,
        hint: "What the others have not seen.",
    },
];
pub(super) const MOONSHOT_RESPONSE_SECTIONS: &[SectionRule] = &[
    SectionRule {
        title: "Agreements",
        need: Need::Optional,
        shape: Shape::Text,
        hint: "With whom and why; never only that.",
    },
    SectionRule {
        title: "Disagreements",
        need: Need::Optional,
        shape: Shape::Text,
        hint: "With whom, and the counter-reasoning.",
    },
    SectionRule {
        title: "Moonshot",
        need: Need::Required,
        shape: Shape::Line,
        hint: "The ambitious version, as it stands now.",
    },
    SectionRule {
        title: "Stepping Stone",
        need: Need::Required,
        shape: Shape::Line,
        hint: "The pragmatic first step, as it stands now.",
    },
];
pub(super) const RESPONSE_FIELDS: &[Field] = &[
    VOTE,
    CONFIDENCE,
    REASON,
    ARGUMENTS,
    CHALLENGES,
    CONVINCED_BY,
    CONVINCED_BECAUSE,
    Field {
        name: "dissent",
        kind: Kind::Text(0),
        need: Need::Optional,
        help: "a formal dissent in your own words; it is kept word for word in the output",
        also: &["Dissent"],
    },
    Field {
        name: "converge",
        kind: Kind::Flag,
        need: Need::Optional,
        help: "true if you think the panel should move to synthesis",
        also: &["Converge"],
    },
];
pub(super) const POLL_FIELDS: &[Field] = &[
    Field {
        name: "converge",
        kind: Kind::Flag,
        need: Need::Required,
        help: "true: move to synthesis; false: another round is worth it",
        also: &["Vote", "Converge"],
    },
    REASON,
];
pub(super) const REFEREE_FIELDS: &[Field] = &[
    Field {
        name: "ruling",
        kind: Kind::Word(&["continue", "halt", "escalate"]),
        need: Need::Required,
        help: "continue: new arguments are still coming; halt: they repeat; escalate: the disagreement is fundamental and a person must decide",
        also: &["Ruling"],
    },
    REASON,
];
pub(super) const SYNTHESIS_SECTIONS: &[SectionRule] = &[
    SectionRule {
        title: "Chosen Approach",
        need: Need::Required,
        shape: Shape::Read(NAMES_OPTION),
        hint: "The option the panel's votes chose, with the reasoning.",
    },
    SectionRule {
        title: "Rejected Alternatives",
        need: Need::Required,
        shape: Shape::Text,
        hint: "Each other option, with the reason why it was not chosen.",
    },
    SectionRule {
        title: "Dissents",
        need: Need::Required,
        shape: Shape::TextOrNone,
        hint: "All of them, by role, in their own words.",
    },
    SectionRule {
        title: "Risk Register",
        need: Need::Required,
        shape: Shape::Text,
        hint: "The risks that come with the choice, as a table: Risk | Probability | Impact | Owner.",
    },
    SectionRule {
        title: "Confidence",
        need: Need::Required,
        shape: Shape::Line,
        hint: "HIGH, MEDIUM or LOW, and why.",
    },
];
pub(super) const SYNTHESIS_FIELDS: &[Field] = &[OPTION, CONFIDENCE, REASON];
pub(super) const REVIEW_FIELDS: &[Field] = &[
    Field {
        name: "accurate",
        kind: Kind::Flag,
        need: Need::Required,
        help: "whether the synthesis represents your position and your dissent truthfully",
        also: &["Accurate"],
    },
    Field {
        name: "misrepresented",
        kind: Kind::Text(0),
        need: Need::Optional,
        help: "if not: what it gets wrong about your dissent",
        also: &["Misrepresented"],
    },
    REASON,
];
