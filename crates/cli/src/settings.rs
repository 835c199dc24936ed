//! From what was typed to what is needed, in one pure step. Nothing here reads a file or the environment.

use crate::args::DebateArgs;
use crate::environment::Environment;
use forge_artifacts::formats::question::Question;
use forge_debate::brief::plain;
use forge_debate::plan::{Choice, Demands, Families, Hand, Material, Naming, REHEARSAL, SeatId, letter};
use forge_debate::tally::Threshold;
use forge_engine::Request;

const TIMEOUT_SECONDS: u32 = 120;
const TIMEOUT_LIMIT_SECONDS: u64 = 24 * 3600;

/// The files that the flags name, already read.
#[derive(Debug, Default)]
pub(crate) struct Supplied {
    /// `--context`.
    pub(crate) materials: Vec<Material>,
    /// `--from`.
    pub(crate) question: Option<Question>,
}

/// The request that the flags make.
pub(crate) fn request(typed: &DebateArgs, supplied: Supplied, environment: &Environment) -> Result<Request, String> {
    let from = supplied.question;
    let question = match (&typed.question, &from) {
        (Some(_), Some(_)) => {
            return Err("give the question either on the command line or with --from, not both".to_owned());
        }
        (Some(question), None) => question.clone(),
        (None, Some(from)) => from.text.clone(),
        (None, None) => return Err("what is to be decided? forge debate \"<question>\"".to_owned()),
    };
    check_one_word(&question)?;
    // What the user gives is shown to others too; nothing hidden in it may reach their terminals.
    let question = plain(&question);
    let mut options: Vec<Choice> = typed.options.iter().enumerate().map(|(i, text)| option(i, text)).collect();
    let mut materials = supplied.materials;
    if let Some(from) = &from
        && options.is_empty()
    {
        options = from.options.clone();
    }
    for option in &mut options {
        option.label = plain(&option.label);
        option.description = plain(&option.description);
    }
    if let Some(from) = &from
        && let Some(text) = &from.context
    {
        let name = from.feature_name.clone().unwrap_or_else(|| "spec_context".to_owned());
        materials.insert(0, Material { name, text: text.clone() });
    }
    let hand = typed.agent.clone().or_else(|| environment.agent.clone()).unwrap_or_else(|| REHEARSAL.to_owned());
    let threshold = match &typed.threshold {
        None => Threshold::TWO_THIRDS,
        Some(text) => Threshold::parse(text).ok_or_else(|| {
            format!("--threshold {text:?}: expected a share of more than 0 and at most 1, such as 2/3 or 0.67")
        })?,
    };
    let seats: Vec<(SeatId, Hand)> = typed.seats.iter().map(|text| seat(text)).collect::<Result<_, _>>()?;
    // Held against a rehearsal, a debate among models would be compared with nothing.
    let seated = seats.iter().map(|(_, hand)| hand).find(|hand| hand.is_agent() && !hand.is_rehearsal());
    let control = match seated {
        Some(model) if Hand::parse(&hand).is_rehearsal() => model.clone(),
        _ => Hand::parse(&hand),
    };
    Ok(Request {
        question,
        protocol: typed.protocol.clone().unwrap_or_else(|| "judges".to_owned()),
        options,
        materials,
        hand: Hand::parse(&hand),
        seats,
        roster: typed.roster.clone(),
        synthesizer: typed.synthesizer.as_deref().map(SeatId::from),
        rounds: typed.rounds,
        threshold,
        timeout_seconds: typed.timeout.as_deref().map_or(Ok(TIMEOUT_SECONDS), seconds)?,
        seed: typed.seed,
        max_calls: typed.max_calls,
        max_tokens: typed.max_tokens,
        naming: if typed.named { Naming::Named } else { Naming::Anonymous },
        families: if typed.allow_same_family { Families::MayBeTheSame } else { Families::MustDiffer },
        demands: Demands { robust: typed.require_robust, grounded: typed.require_grounding },
        control: typed.control.then_some(control),
        phase: typed.phase.clone(),
        feature_dir: typed
            .feature_dir
            .clone()
            .or_else(|| from.as_ref().and_then(|from| from.feature_dir.clone()))
            .map(tidy_dir),
        id: typed.id.clone().or_else(|| from.and_then(|from| from.id)),
        occasion: None,
    })
}

/// A single word is more likely a mistyped subcommand than a question.
fn check_one_word(question: &str) -> Result<(), String> {
    const ACTIONS: [&str; 7] = ["run", "status", "show", "list", "decide", "vote", "regenerate"];
    let word = question.trim();
    if word.contains(char::is_whitespace) || word.is_empty() {
        return Ok(());
    }
    match forge_debate::plan::nearest(word, ACTIONS) {
        Some(action) if !word.ends_with('?') => Err(format!(
            "{word:?} is one word; did you mean `forge debate {action}`? A question needs more words, or a question mark"
        )),
        _ => Ok(()),
    }
}

fn tidy_dir(dir: String) -> String {
    dir.trim_end_matches('/').trim_start_matches("./").to_owned()
}

/// `LABEL` or `LABEL: DESCRIPTION`.
fn option(index: usize, text: &str) -> Choice {
    let (label, description) = text.split_once(": ").unwrap_or((text, ""));
    Choice { id: letter(index), label: label.trim().to_owned(), description: description.trim().to_owned() }
}

fn seat(text: &str) -> Result<(SeatId, Hand), String> {
    match text.split_once('=') {
        Some((seat, agent)) if !seat.trim().is_empty() && !agent.trim().is_empty() => {
            Ok((SeatId::from(seat.trim()), Hand::parse(agent)))
        }
        _ => Err(format!("--seat {text:?}: expected SEAT=AGENT, such as risk=openai:gpt-5 or value=human")),
    }
}

/// `120`, `120s`, `5m`, `1h`.
fn seconds(text: &str) -> Result<u32, String> {
    let wrong = || format!("--timeout {text:?}: expected a time from 1s to 24h, such as 120s or 5m");
    let text = text.trim();
    let (digits, unit) = match text.find(|c: char| !c.is_ascii_digit()) {
        Some(end) => text.split_at(end),
        None => (text, "s"),
    };
    let number: u64 = digits.parse().map_err(|_| wrong())?;
    let factor = match unit.trim() {
        "s" | "sec" | "seconds" => 1,
        "m" | "min" | "minutes" => 60,
        "h" | "hours" => 3600,
        _ => return Err(wrong()),
    };
    let total =
        number.checked_mul(factor).filter(|total| (1..=TIMEOUT_LIMIT_SECONDS).contains(total)).ok_or_else(wrong)?;
    u32::try_from(total).map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_and_bad_ones_refused() {
        for (text, expected) in [("120", 120), ("120s", 120), ("5m", 300), ("1h", 3600), (" 2 m", 120)] {
            assert_eq!(seconds(text), Ok(expected), "{text}");
        }
        for text in ["0", "-1", "", "x", "25h", "1d", "1.5s", "99999999999999999999"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }

    #[test]
    fn an_option_may_carry_a_description() {
        assert_eq!(option(1, "Redis: fast and known").label, "Redis");
        assert_eq!(option(1, "Redis: fast and known").description, "fast and known");
        assert_eq!(option(0, "http://x").label, "http://x");
    }

    #[test]
    fn a_mistyped_action_is_not_a_question() {
        assert!(check_one_word("lst").is_err());
        assert!(check_one_word("Rust?").is_ok());
        assert!(check_one_word("Redis or Memcached").is_ok());
    }
}
