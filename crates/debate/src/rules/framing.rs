//! Framing: where the plan has no options, a framer proposes them before any seat is asked.
//!
//! The framer is blind to the seats' roles: it sees the question and the material and nothing else.

use crate::ballot;
use crate::model::ballot::{AtLeast, Ballot, Due, Words};
use crate::model::form::Form;
use crate::model::plan::{Choice, LABEL_LIMIT_BYTES, Plan, SeatId, letter, same_words};
use crate::model::turn::{Speech, Stage, TurnKey};
use crate::rules::brief::{one_line, plain};
use crate::rules::record::{Ask, Reads};

/// The stage of the framer.
pub const FRAMING: Stage = Stage("framing");
pub use crate::model::plan::FRAMER;
/// How many options a framer proposes.
pub const OPTIONS_WANTED: (usize, usize) = (3, 5);

ballot! {
    struct ProposedOption {
        /// what people will call it, a few words
        label: String,
        /// what it means, one or two sentences
        description: Due<Words<0>>,
    }
}

ballot! {
    struct Framing {
        /// 3 to 5 options that exclude each other and that a team could really choose
        options: AtLeast<{ OPTIONS_WANTED.0 }, ProposedOption>,
    }
}

/// The ask for options.
pub fn ask() -> Ask {
    let form = Form::asking::<Framing>("framing", &[]);
    Ask::new(TurnKey::new(FRAMING, 0, &SeatId::from(FRAMER)), Reads::Blind, form, "framing")
}

/// The options that a framer's turn proposes: the first five that differ.
pub fn options(speech: &Speech) -> Vec<Choice> {
    let mut options: Vec<Choice> = Vec::new();
    let proposed = Framing::of(&speech.ballot).map(|framing| framing.options.0).unwrap_or_default();
    for ProposedOption { label, description } in proposed {
        let label = clipped(&label);
        if label.is_empty() || options.iter().any(|option| same_words(&option.label, &label)) {
            continue;
        }
        let description = description.as_deref().map(clipped).unwrap_or_default();
        options.push(Choice { id: letter(options.len()), label, description });
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
