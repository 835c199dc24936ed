//! Framing: where the plan has no options, a framer proposes them before any seat is asked.
//!
//! The framer is blind to the seats' roles: it sees the question and the material and nothing else.

use crate::brief::{one_line, plain};
use crate::form::{Ballot, Field, Form, Kind, Need};
use crate::plan::{Choice, LABEL_LIMIT_BYTES, Plan, SeatId, letter, same_words};
use crate::record::{Ask, blind};
use crate::turn::{Speech, Stage, TurnKey};

/// The stage of the framer.
pub const FRAMING: Stage = Stage("framing");
/// The framer's seat.
pub const FRAMER: &str = "framer";
/// How many options a framer proposes.
pub const OPTIONS_WANTED: (usize, usize) = (3, 5);

const OPTION_FIELDS: &[Field] = &[
    Field {
        name: "label",
        kind: Kind::Text(1),
        need: Need::Required,
        help: "what people will call it, a few words",
        also: &[],
    },
    Field {
        name: "description",
        kind: Kind::Text(0),
        need: Need::Due,
        help: "what it means, one or two sentences",
        also: &[],
    },
];
const FIELDS: &[Field] = &[Field {
    name: "options",
    kind: Kind::Records(OPTIONS_WANTED.0, OPTION_FIELDS),
    need: Need::Required,
    help: "3 to 5 options that exclude each other and that a team could really choose",
    also: &[],
}];

/// The ask for options.
pub fn ask() -> Ask {
    let form = Form::new("framing", &[], FIELDS, Ballot::Required);
    Ask::new(TurnKey::new(FRAMING, 0, &SeatId::from(FRAMER)), blind(), form, "framing")
}

/// The options that a framer's turn proposes: the first five that differ.
pub fn options(speech: &Speech) -> Vec<Choice> {
    let mut options: Vec<Choice> = Vec::new();
    for proposed in speech.ballot.records("options") {
        let label: String = clipped(proposed.text("label"));
        if label.is_empty() || options.iter().any(|option| same_words(&option.label, &label)) {
            continue;
        }
        options.push(Choice { id: letter(options.len()), label, description: clipped(proposed.text("description")) });
        if options.len() == OPTIONS_WANTED.1 {
            break;
        }
    }
    options
}

/// Whether the plan still needs a framer.
pub fn is_needed(plan: &Plan) -> bool {
    plan.options.is_empty()
}

/// One line of bounded length: what a framer wrote stands in every seat's case, where nothing fences it.
fn clipped(text: &str) -> String {
    let line = one_line(&plain(text));
    let mut end = line.len().min(LABEL_LIMIT_BYTES);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    line[..end].to_owned()
}
