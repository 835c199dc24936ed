//! The sections that a panel's seats write.

use crate::model::form::{Need, SectionRule, Shape};
use crate::protocols::parts::NAMES_OPTION;

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
