//! A person's vote as a turn in the ask's form: what was said on the command line, where the form wants it.

use crate::workspace::EngineError;
use forge_debate::datum::{Datum, Fields};
use forge_debate::form::{SectionRule, Shape};
use forge_debate::plan::{OptionId, Plan};
use forge_debate::record::Ask;

/// What a person says with a vote.
#[derive(Debug, Clone, Default)]
pub struct Vote {
    /// The option: its id or its label.
    pub option: String,
    /// Why.
    pub because: String,
    /// How sure: HIGH, MEDIUM or LOW.
    pub confidence: Option<String>,
    /// Arguments that others can cite; the reason is the only one if none is given.
    pub arguments: Vec<String>,
    /// Who is challenged, and what is wrong with that position.
    pub challenges: Vec<(String, String)>,
    /// Arguments of others that changed the vote, such as `S1.a2`.
    pub convinced_by: Vec<String>,
    /// What exactly convinced.
    pub convinced_because: Option<String>,
    /// Options that this person could live with.
    pub approves: Vec<String>,
    /// What it rests on in the supplied files: source and words.
    pub quotes: Vec<(String, String)>,
}

/// Whoever does not say how sure they are is taken to be moderately so.
const CONFIDENCE: &str = "MEDIUM";

/// The turn's words, and the ballot in them. Refuses what the form has no place for: nothing that was said is dropped
/// without a word.
pub(super) fn compose(
    plan: &Plan,
    ask: &Ask,
    option: &OptionId,
    vote: &Vote,
) -> Result<(Vec<u8>, Fields), EngineError> {
    refuse_what_has_no_place(ask, vote)?;
    let because = vote.because.trim();
    let mut text = String::new();
    for rule in &ask.form.sections {
        if let Some(body) = section(rule, plan, option, vote) {
            text.push_str(&format!("## {}\n\n{body}\n\n", rule.title));
        }
    }
    if text.is_empty() {
        text = format!("{because}\n\n");
    }
    let ballot = ballot(ask, option, vote);
    Ok((format!("{text}```json\n{}\n```\n", Datum::Record(ballot.clone())).into_bytes(), ballot))
}

/// The body of a section that can be filled from what was said. Tables, questions and thresholds cannot.
fn section(rule: &SectionRule, plan: &Plan, option: &OptionId, vote: &Vote) -> Option<String> {
    let because = vote.because.trim();
    match rule.shape {
        Shape::Read(_) => Some(format!("Option {}. {because}", plan.option_name(option))),
        Shape::Items(1) => Some(format!("- {}", because.split_whitespace().collect::<Vec<_>>().join(" "))),
        Shape::Text if matches!(rule.title, "Challenges" | "Disagreements") && !vote.challenges.is_empty() => {
            Some(vote.challenges.iter().map(|(to, text)| format!("- {to}: {text}")).collect::<Vec<_>>().join("\n"))
        }
        Shape::Text | Shape::Sentences(_) => Some(because.to_owned()),
        _ => None,
    }
}

fn ballot(ask: &Ask, option: &OptionId, vote: &Vote) -> Fields {
    let texts = |texts: &[String]| Datum::List(texts.iter().map(|text| Datum::from(text.trim())).collect());
    let pairs = |pairs: &[(String, String)], names: (&str, &str)| {
        let record = |(a, b): &(String, String)| {
            let fields = [(names.0, a), (names.1, b)];
            Datum::Record(fields.into_iter().map(|(name, text)| (name.to_owned(), Datum::from(text.trim()))).collect())
        };
        Datum::List(pairs.iter().map(record).collect())
    };
    let arguments: Vec<(String, String)> = match vote.arguments.as_slice() {
        [] => vec![("a1".to_owned(), vote.because.clone())],
        some => some.iter().enumerate().map(|(i, text)| (format!("a{}", i + 1), text.clone())).collect(),
    };
    let mut ballot = Fields::new();
    for field in &ask.form.fields {
        let value = match field.name {
            "option" => Some(Datum::from(option.as_str())),
            "options" => Some(Datum::List(vec![Datum::from(option.as_str())])),
            "confidence" => Some(Datum::from(vote.confidence.as_deref().unwrap_or(CONFIDENCE))),
            "reason" | "position" => Some(Datum::from(vote.because.trim())),
            "arguments" => Some(pairs(&arguments, ("id", "text"))),
            "challenges" => Some(pairs(&vote.challenges, ("to", "text"))),
            "convinced_by" => Some(&vote.convinced_by).filter(|by| !by.is_empty()).map(|by| texts(by)),
            "convinced_because" => vote.convinced_because.as_deref().map(Datum::from),
            "approves" => Some(&vote.approves).filter(|approves| !approves.is_empty()).map(|all| texts(all)),
            "quotes" => {
                Some(&vote.quotes).filter(|quotes| !quotes.is_empty()).map(|all| pairs(all, ("source", "text")))
            }
            _ => None,
        };
        if let Some(value) = value {
            ballot.put(field.name, value);
        }
    }
    ballot
}

fn refuse_what_has_no_place(ask: &Ask, vote: &Vote) -> Result<(), EngineError> {
    let has = |name: &str| ask.form.has_field(name);
    if !has("option") && !has("options") {
        return Err(EngineError::Usage(format!(
            "{} is no vote for an option; write the turn as its brief says, and pass it with --file FILE",
            ask.key
        )));
    }
    let misplaced = [
        ("--argument", !vote.arguments.is_empty(), "arguments"),
        ("--challenge", !vote.challenges.is_empty(), "challenges"),
        ("--convinced-by", !vote.convinced_by.is_empty(), "convinced_by"),
        ("--because-convinced", vote.convinced_because.is_some(), "convinced_because"),
        ("--approve", !vote.approves.is_empty(), "approves"),
        ("--quote", !vote.quotes.is_empty(), "quotes"),
        ("--confidence", vote.confidence.is_some(), "confidence"),
    ];
    match misplaced.into_iter().find(|(_, given, field)| *given && !has(field)) {
        Some((flag, _, _)) => {
            Err(EngineError::Usage(format!("{flag}: the form of {} has no place for it; leave it out", ask.key)))
        }
        None => Ok(()),
    }
}
