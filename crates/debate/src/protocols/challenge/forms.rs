//! What is asked of the lead and the challengers at each stage.

use crate::form::{Field, Kind, Need, SectionRule, Shape};
use crate::protocols::parts::{ARGUMENTS, CONFIDENCE, OPTION, REASON};

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
pub(super) const POSITION: Field = Field {
    name: "position",
    kind: Kind::Text(3),
    need: Need::Required,
    help: "your position in one or two sentences",
    also: &["Final Position", "My Position"],
};
pub(super) const OPENING_FIELDS: &[Field] = &[
    OPTION,
    POSITION,
    CONFIDENCE,
    REASON,
    ARGUMENTS,
    Field {
        name: "assumptions",
        kind: Kind::Texts(0),
        need: Need::Due,
        help: "what must be true",
        also: &["My Assumptions"],
    },
];
pub(super) const PROBE_FIELDS: &[Field] = &[
    Field { name: "ready", kind: Kind::Flag, need: Need::Required, help: "true", also: &["Ready"] },
    Field {
        name: "angle",
        kind: Kind::Text(1),
        need: Need::Optional,
        help: "the angle from which you will challenge, in a few words",
        also: &["Angle"],
    },
];
pub(super) const STRENGTH: Field = Field {
    name: "objection_strength",
    kind: Kind::Word(&["minor", "moderate", "strong"]),
    need: Need::Optional,
    help: "minor, moderate or strong; how much your objection matters",
    also: &["Objection Strength"],
};
/// What an agreement rests on.
const EXAMINED: Field = Field {
    name: "examined",
    kind: Kind::Texts(0),
    need: Need::Optional,
    help: "if you agree: which of the lead's points you examined, by label, and what you looked for, such as [\"R1: looked for writes that a failover would lose; the replica confirms each\"]; an agree without one counts as a moderate objection",
    also: &["Examined"],
};
pub(super) const CHALLENGE_SECTIONS: &[SectionRule] = &[SectionRule {
    title: "Critique",
    need: Need::Optional,
    shape: Shape::Text,
    hint: "From your own angle, specific enough to be answered.",
}];
pub(super) const CHALLENGE_FIELDS: &[Field] = &[
    Field {
        name: "verdict",
        kind: Kind::Word(&["agree", "partial", "disagree"]),
        need: Need::Required,
        help: "agree, partial or disagree",
        also: &["Verdict"],
    },
    STRENGTH,
    Field {
        name: "critique",
        kind: Kind::Text(3),
        need: Need::Required,
        help: "the heart of it, in one or two sentences",
        also: &["Critique"],
    },
    Field {
        name: "evidence",
        kind: Kind::Text(0),
        need: Need::Optional,
        help: "what supports it",
        also: &["Evidence"],
    },
    Field {
        name: "alternative",
        kind: Kind::Text(0),
        need: Need::Optional,
        help: "what you would do instead",
        also: &["Alternative"],
    },
    CONFIDENCE,
    Field {
        name: "assumptions_challenged",
        kind: Kind::Texts(0),
        need: Need::Optional,
        help: "which of the lead's assumptions you doubt",
        also: &["Assumptions Challenged"],
    },
    EXAMINED,
    ARGUMENTS,
];
pub(super) const ANSWERS: &[Field] = &[
    Field {
        name: "to",
        kind: Kind::Text(1),
        need: Need::Required,
        help: "the objector's short name, as shown above",
        also: &[],
    },
    Field {
        name: "answer",
        kind: Kind::Word(&["ACCEPT", "PARTIAL", "REJECT"]),
        need: Need::Required,
        help: "ACCEPT, PARTIAL or REJECT",
        also: &[],
    },
    Field { name: "reason", kind: Kind::Text(3), need: Need::Required, help: "why", also: &[] },
];
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
pub(super) const ANSWER_FIELDS: &[Field] = &[
    OPTION,
    POSITION,
    CONFIDENCE,
    Field {
        name: "answers",
        kind: Kind::Records(1, ANSWERS),
        need: Need::Required,
        help: "one entry for every open objection",
        also: &[],
    },
    Field {
        name: "changed_because",
        kind: Kind::Texts(0),
        need: Need::Optional,
        help: "what changed the position; empty if nothing did",
        also: &[],
    },
];
pub(super) const REBUTTAL_FIELDS: &[Field] = &[
    Field {
        name: "response",
        kind: Kind::Word(&["ACCEPT", "MAINTAIN", "ESCALATE"]),
        need: Need::Required,
        help: "ACCEPT: the answer settles it; MAINTAIN: it does not; ESCALATE: it cannot be settled here, a person must",
        also: &["Response"],
    },
    STRENGTH,
    REASON,
    ARGUMENTS,
];
/// What convinced a challenger that accepts an answer by which its objection is rejected.
pub(super) const GIVES_WAY_TO: Field = Field {
    name: "convinced_by",
    kind: Kind::Texts(0),
    need: Need::Optional,
    help: "only if you accept an answer that rejects your objection: the arguments of the lead that convinced you, such as [\"S1.a2\"]; without one your objection stands",
    also: &[],
};
pub(super) const ASSUMPTION_FIELDS: &[Field] = &[
    Field {
        name: "why",
        kind: Kind::Text(3),
        need: Need::Required,
        help: "why you still disagree",
        also: &["Why", "Why I disagree", "Why do you disagree", "Why I still disagree"],
    },
    Field {
        name: "what_would_change",
        kind: Kind::Text(3),
        need: Need::Required,
        help: "what would make the other side right",
        also: &[
            "What Would Change",
            "What would make the other side right",
            "What would make the other position correct",
            "What would change my mind",
        ],
    },
    Field {
        name: "assumption",
        kind: Kind::Text(3),
        need: Need::Required,
        help: "the core assumption that your stand rests on",
        also: &["Core Assumption", "My Core Assumption", "Assumption"],
    },
];
