//! From what was typed to what is needed, in one pure step. Nothing here reads a file or the environment.

use crate::args::{DebateArgs, LimitArgs};
use crate::commands::Context;
use forge_artifacts::formats::money;
use forge_artifacts::formats::question::Question;
use forge_debate::brief::plain;
use forge_debate::control;
use forge_debate::option_line;
use forge_debate::plan::{Choice, Demands, Duty, Families, Hand, Material, Naming, SeatId, letter};
use forge_debate::profile::Profile;
use forge_debate::protocols;
use forge_debate::voting::Threshold;
use forge_engine::config::DebateDefaults;
use forge_engine::{AUTOMATIC, Caps, ChallengeRequest, Request, challengers_kept};
use forge_prose::secrets::redacted;

const TIMEOUT_LIMIT_SECONDS: u64 = 24 * 3600;

/// The files that the flags name, already read.
#[derive(Debug, Default)]
pub(crate) struct Supplied {
    /// `--context`.
    pub(crate) materials: Vec<Material>,
    /// `--from`.
    pub(crate) question: Option<Question>,
    /// What holds where no flag says otherwise: the configuration, tightened by `--from`.
    pub(crate) defaults: DebateDefaults,
    /// The texts of the folder `--personas`, by their names without the ending.
    pub(crate) personas: Vec<PersonaFile>,
}

/// A file of the folder that `--personas` names.
#[derive(Debug)]
pub(crate) struct PersonaFile {
    /// Where it is, for people.
    pub(crate) path: String,
    /// Its name.
    pub(crate) name: String,
    /// Its text.
    pub(crate) text: String,
}

/// How many seats are asked at the same time.
pub(crate) fn parallel(typed: Option<usize>, context: &Context<'_>) -> usize {
    typed.unwrap_or(context.configuration.defaults.parallel)
}

/// The request that the flags make, with the configuration where they say nothing.
pub(crate) fn request(typed: &DebateArgs, supplied: Supplied, context: &Context<'_>) -> Result<Request, String> {
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
    let question = plain(&redacted(&question));
    let mut options: Vec<Choice> = typed.options.iter().enumerate().map(|(i, text)| option(i, text)).collect();
    let mut materials = supplied.materials;
    if let Some(from) = &from
        && options.is_empty()
    {
        options = from.options.clone();
    }
    for option in &mut options {
        option.label = plain(&redacted(&option.label));
        option.description = plain(&redacted(&option.description));
    }
    if let Some(from) = &from
        && let Some(text) = &from.context
    {
        let name = from.feature_name.clone().unwrap_or_else(|| "spec_context".to_owned());
        materials.insert(0, Material { name, text: redacted(text) });
    }
    let defaults = match &typed.agent {
        Some(agent) => supplied.defaults.seating_all(agent),
        // Agents of a file are not typed: an orchestrator's sessions sit there.
        None if context.environment.ao.is_active() => supplied.defaults.seating_all(AUTOMATIC),
        None => supplied.defaults,
    };
    let protocol = &protocols::newest(typed.protocol.as_deref().unwrap_or(&defaults.protocol))?.profile;
    let by_configuration = defaults.request(protocol, &question, options, typed.roster.as_deref());
    let named: Vec<(SeatId, Hand)> = typed.seats.iter().map(|text| seat(text)).collect::<Result<_, _>>()?;
    let mut seats = by_configuration.seats.clone();
    if let Some(hand) = defaults.seat(protocol.name, control::SEAT).filter(|_| typed.control) {
        seats.push((SeatId::from(control::SEAT), hand));
    }
    if let Some(count) = typed.challengers.filter(|_| protocol.may_seat_fewer) {
        // Of configured seats only those count that are there anyway.
        let debaters = protocol.fixed_seats().iter().filter(|seat| seat.duty == Duty::Debater);
        let all: Vec<SeatId> = debaters.map(|seat| SeatId::from(seat.id)).collect();
        let kept = challengers_kept(&all, usize::from(count), |id| named.iter().any(|(seat, _)| seat == id));
        seats.retain(|(seat, _)| !all.contains(seat) || kept.contains(seat));
    }
    seats.retain(|(seat, _)| !named.iter().any(|(one, _)| one == seat));
    seats.extend(named);
    // Held against a rehearsal, a debate among models would be compared with nothing.
    let seated = seats.iter().map(|(_, hand)| hand).find(|hand| hand.is_agent() && !hand.is_rehearsal());
    let control = match seated {
        Some(model) if by_configuration.hand.is_rehearsal() => model.clone(),
        _ => by_configuration.hand.clone(),
    };
    let threshold = match &typed.threshold {
        None => by_configuration.threshold,
        Some(text) => Threshold::parse(text).ok_or_else(|| {
            format!("--threshold {text:?}: expected a share of more than 0 and at most 1, such as 2/3 or 0.67")
        })?,
    };
    let limits = caps(&typed.limits)?;
    let mut request = Request {
        materials,
        stated_families: context.workspace.roster.stated_families(),
        seats,
        synthesizer: typed.synthesizer.as_deref().map(SeatId::from),
        rounds: typed.rounds.or(by_configuration.rounds),
        min_rounds: typed.min_rounds,
        threshold,
        timeout_seconds: limits.timeout_seconds.unwrap_or(by_configuration.timeout_seconds),
        seed: typed.seed,
        max_calls: limits.max_calls.or(by_configuration.max_calls),
        max_tokens: limits.max_tokens.or(by_configuration.max_tokens),
        max_cost: limits.max_cost.or(by_configuration.max_cost),
        naming: if typed.named { Naming::Named } else { Naming::Anonymous },
        families: if typed.allow_same_family { Families::MayBeTheSame } else { Families::MustDiffer },
        demands: Demands {
            robust: typed.require_robust,
            grounded: typed.require_grounding,
            ..by_configuration.demands
        },
        control: typed.control.then_some(control),
        phase: typed.phase.clone(),
        feature_dir: typed
            .feature_dir
            .clone()
            .or_else(|| from.as_ref().and_then(|from| from.feature_dir.clone()))
            .map(tidy_dir),
        id: typed.id.clone().or_else(|| from.and_then(|from| from.id)),
        challenge: ChallengeRequest { challengers: typed.challengers, ..by_configuration.challenge.clone() },
        ..by_configuration
    };
    if typed.personas.is_some() && !protocol.has_personas() {
        let owner = protocols::Protocols::default().name_where(Profile::has_personas);
        return Err(format!("--personas belongs to --protocol {owner}, not to {}", protocol.name));
    }
    if typed.personas.is_some() {
        request.challenge.personas = personas(&request, &supplied.personas)?;
    }
    Ok(request)
}

/// Each challenger's persona among these files: under the seat's own name, or under the name that its context file has in the
/// seed. Each must be there and say something, and no two may say the same.
fn personas(request: &Request, files: &[PersonaFile]) -> Result<Vec<(SeatId, String)>, String> {
    // Who sits there is what counts here, not on what they run.
    let anybody = Request { families: Families::MayBeTheSame, ..request.clone() };
    let plan = anybody.plan().map_err(|error| error.to_string())?;
    let mut found: Vec<(SeatId, &PersonaFile)> = Vec::new();
    for seat in plan.debaters() {
        let names = [Some(format!("{}.md", seat.id)), plan.protocol.persona_file(&seat.id).map(str::to_owned)];
        let named =
            |name: &String| files.iter().filter(|file| file.name.eq_ignore_ascii_case(name)).collect::<Vec<_>>();
        let there = names.iter().flatten().map(named).find(|there| !there.is_empty()).unwrap_or_default();
        let file = match there.as_slice() {
            [one] => *one,
            [] => {
                let names: Vec<String> = names.into_iter().flatten().collect();
                return Err(format!("--personas: there is no {} in it for the seat {}", names.join(" or "), seat.id));
            }
            [one, other, ..] => {
                return Err(format!("--personas: {} and {} are both for the seat {}", one.path, other.path, seat.id));
            }
        };
        if file.text.trim().is_empty() {
            return Err(format!("--personas: {} is empty; write who the {} is", file.path, seat.id));
        }
        if let Some((other, same)) =
            found.iter().find(|(_, other)| forge_debate::plan::same_words(&other.text, &file.text))
        {
            return Err(format!(
                "--personas: {} and {} say the same; {other} and {} must be different experts",
                same.path, file.path, seat.id
            ));
        }
        found.push((seat.id.clone(), file));
    }
    Ok(found.into_iter().map(|(seat, file)| (seat, file.text.clone())).collect())
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

/// `LABEL`, `LABEL: DESCRIPTION` or `**LABEL** — DESCRIPTION`.
fn option(index: usize, text: &str) -> Choice {
    let read = option_line::of_text(text);
    Choice { id: letter(index), label: read.label, description: read.description }
}

fn seat(text: &str) -> Result<(SeatId, Hand), String> {
    match text.split_once('=') {
        Some((seat, agent)) if !seat.trim().is_empty() && !agent.trim().is_empty() => {
            Ok((SeatId::from(seat.trim()), Hand::parse(agent)))
        }
        _ => Err(format!("--seat {text:?}: expected SEAT=AGENT, such as risk=openai:gpt-5 or value=human")),
    }
}

/// The limits that were typed.
pub(crate) fn caps(typed: &LimitArgs) -> Result<Caps, String> {
    Ok(Caps {
        max_calls: typed.max_calls,
        max_tokens: typed.max_tokens,
        max_cost: typed.max_cost.as_deref().map(max_cost).transpose()?,
        timeout_seconds: typed.timeout.as_deref().map(seconds).transpose()?,
    })
}

/// `0.50`, `2`, `$2`, in millionths.
pub(crate) fn max_cost(text: &str) -> Result<u64, String> {
    let amount = text.trim().strip_prefix('$').unwrap_or(text.trim());
    let micro = money::microdollars(amount.trim()).filter(|micro| *micro > 0);
    micro.ok_or_else(|| {
        format!(
            "--max-cost {text:?}: expected US dollars, more than 0 and with at most six decimals, such as 0.50, 2 or $2"
        )
    })
}

/// `120`, `120s`, `5m`, `1h`.
pub(crate) fn seconds(text: &str) -> Result<u32, String> {
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
    fn amounts_are_read_and_bad_ones_refused() {
        for (text, micro) in [("0.50", 500_000), ("2", 2_000_000), ("$2", 2_000_000), (" $ 0.000001 ", 1)] {
            assert_eq!(max_cost(text), Ok(micro), "{text}");
        }
        for text in ["", "$", "0", "0.00", "-1", "$-1", "NaN", "inf", "1e3", "0.0000001", "two", "1,50", "9999999999"] {
            let said = max_cost(text).unwrap_err();
            assert!(said.contains("--max-cost") && said.contains("0.50"), "{said}");
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
