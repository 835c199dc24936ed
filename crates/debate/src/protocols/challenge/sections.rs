//! The sections that the lead and the challengers write.

use crate::model::form::{Need, SectionRule, Shape};

pub(super) const OPENING_SECTIONS: &[SectionRule] = &[
    SectionRule {
        title: "Position",
        need: Need::Required,
        shape: Shape::Text,
        hint: "What should be done, in a few sentences.",
    },
    SectionRule { title: "Reasoning", need: Need::Due, shape: Shape::Items(1), hint: "Numbered, each step checkable." },
    SectionRule { title: "Weaknesses", need: Need::Due, shape: Shape::Text, hint: "Where this is weakest." },
    SectionRule {
        title: "Assumptions",
        need: Need::Due,
        shape: Shape::Items(1),
        hint: "What must be true for this to be right.",
    },
];

pub(super) const CHALLENGE_SECTIONS: &[SectionRule] = &[SectionRule {
    title: "Critique",
    need: Need::Optional,
    shape: Shape::Text,
    hint: "From your own angle, specific enough to be answered.",
}];

pub(super) const ANSWER_SECTIONS: &[SectionRule] = &[
    SectionRule {
        title: "Answers",
        need: Need::Optional,
        shape: Shape::Text,
        hint: "Each open objection: ACCEPT, PARTIAL or REJECT, with the reason.",
    },
    SectionRule {
        title: "Position",
        need: Need::Optional,
        shape: Shape::Text,
        hint: "The position as it stands now, and what changed it.",
    },
];
