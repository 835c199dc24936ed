//! Model families: whose weights spoke.

use crate::model::plan::{Hand, Seat, SeatId};
use forge_prose::phrases::lines;
use std::sync::LazyLock;

/// The family that served a seat, as far as its receipts tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Served {
    /// The seat.
    pub seat: SeatId,
    /// The model that served it, as the provider named it.
    pub model: Option<String>,
    /// Its family; none for people, rehearsals, scripts and models that nobody named.
    pub family: Option<String>,
}

/// The family that served all of these seats, where there are two or more and every one of them is known.
pub fn shared<'s>(seats: &[SeatId], served: &'s [Served]) -> Option<&'s str> {
    let family = |seat: &SeatId| served.iter().find(|one| one.seat == *seat).and_then(|one| one.family.as_deref());
    let (first, rest) = seats.split_first()?;
    let first = family(first)?;
    (!rest.is_empty() && rest.iter().all(|seat| family(seat) == Some(first))).then_some(first)
}

/// A family of models, and the names by which it goes.
pub(crate) struct Family {
    /// The word used in files.
    name: &'static str,
    /// What stands in the names of models with its weights.
    pub(crate) models: Vec<&'static str>,
    /// What its models are called besides, in speech.
    pub(crate) called: Vec<&'static str>,
    /// Its makers.
    makers: Vec<&'static str>,
}

/// The one list: what a speaker may not call itself is read from it too.
pub(crate) static FAMILIES: LazyLock<Vec<Family>> = LazyLock::new(|| {
    let family = |line: &'static str| {
        let (name, names) = line.split_once(':')?;
        let mut parts = names.split('|').map(|part| part.split_whitespace().collect());
        Some(Family { name, models: parts.next()?, called: parts.next()?, makers: parts.next()? })
    };
    lines(include_str!("../../data/families.txt")).filter_map(family).collect()
});

/// Servers that carry a model's name in theirs and serve anybody's.
const SERVERS: &[&str] = &["ollama", "llamafile", "llama.cpp", "llama-cpp", "llamacpp", "llama-server", "openai"];

/// Marks up to this length occur inside other words (`phi` in `dolphin`), so they must be words of their own.
const SHORT_MARK: usize = 4;

/// The model family behind a hand, as far as its name tells. Rehearsal and scripts have none: they are labelled anyway.
pub fn of_hand(hand: &Hand) -> Option<String> {
    let Hand::Agent(name) = hand else { return None };
    let (program, model) = name.split_once(':').unwrap_or((name.as_str(), ""));
    if matches!(program, "rehearsal" | "scripted") {
        return None;
    }
    let (program, model) = (program.to_lowercase(), model.to_lowercase());
    let serves_anybody = SERVERS.contains(&program.as_str());
    // The model says more than the program.
    let known = family_of_weights(&model)
        .or_else(|| maker(&model))
        .or_else(|| if serves_anybody { None } else { family_of_weights(&program) });
    Some(match known {
        Some(family) => family.to_owned(),
        None if model.is_empty() => program,
        None => bare_name(&model),
    })
}

/// The family of the model that really served a seat; a script or a rehearsal has none whatever it says.
pub fn of_model(hand: &Hand, model: &str) -> Option<String> {
    match hand {
        Hand::Agent(name) => of_hand(&Hand::Agent(format!("{}:{model}", name.split(':').next().unwrap_or(name)))),
        Hand::Human | Hand::Outside => None,
    }
}

/// The family of a model by the weights or the maker that its name tells; none for a name that tells nothing.
pub fn known(model: &str) -> Option<&'static str> {
    let lower = model.to_lowercase();
    family_of_weights(&lower).or_else(|| maker(&lower))
}

/// The family behind a seat, as far as can be told before it has spoken: what the user says, or what the hand's name does.
pub fn of_seat(seat: &Seat) -> Option<String> {
    let stated = seat.family.as_ref().filter(|_| seat.hand.is_agent()).map(|family| family.to_lowercase());
    stated.or_else(|| of_hand(&seat.hand))
}

/// The family of the model that really served a seat. A name that says nothing leaves what the user said; of a seat that forge
/// does not move, the family is that of the model which its writer names.
pub fn of_served(seat: &Seat, model: &str) -> Option<String> {
    if !seat.hand.is_agent() {
        return known(model).map(str::to_owned);
    }
    if known(model).is_some() || seat.family.is_none() { of_model(&seat.hand, model) } else { of_seat(seat) }
}

fn family_of_weights(name: &str) -> Option<&'static str> {
    let told = name
        .split('/')
        .map(|part| SERVERS.iter().fold(part.to_owned(), |part, server| part.replace(server, " ")))
        .collect::<Vec<_>>()
        .join("/");
    let words: Vec<&str> = told.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let marked = |mark: &str| {
        words.iter().any(|word| match mark.len() {
            // `phi4` and `yi34b` are such words, `yield` is not.
            0..=SHORT_MARK => {
                word.strip_prefix(mark).is_some_and(|rest| rest.chars().next().is_none_or(|next| next.is_ascii_digit()))
            }
            _ => word.contains(mark),
        })
    };
    let known = FAMILIES.iter().find(|family| family.models.iter().any(|mark| marked(mark))).map(|family| family.name);
    known.or_else(|| is_o_series(name).then_some("openai"))
}

/// `o3-mini` is OpenAI's; `marco-o1` is somebody's answer to it.
fn is_o_series(name: &str) -> bool {
    let first = last_part(name).split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    matches!(first, "o1" | "o3" | "o4")
}

/// A maker counts only as a whole part of the name: `amazon-bedrock/...` is a host and not a maker.
fn maker(name: &str) -> Option<&'static str> {
    let parts: Vec<&str> = name.split(['/', '.', ':', '@']).collect();
    FAMILIES.iter().find(|family| family.makers.iter().any(|maker| parts.contains(maker))).map(|family| family.name)
}

fn last_part(name: &str) -> &str {
    name.rsplit('/').find(|part| !part.is_empty()).unwrap_or(name)
}

/// What is left of an unknown model's name without host, tag, date, version and size: its family, for want of a better.
fn bare_name(model: &str) -> String {
    let name = last_part(model);
    let name = name.split([':', '@']).next().unwrap_or(name);
    let is_suffix = |word: &str| {
        let number = word.strip_prefix('v').unwrap_or(word);
        let number = number.strip_suffix(['b', 'm', 'k']).unwrap_or(number);
        let counts = !number.is_empty() && number.chars().all(|c| c.is_ascii_digit() || c == '.');
        counts || matches!(word, "latest" | "preview" | "beta" | "exp" | "instruct" | "chat")
    };
    let mut words: Vec<&str> = name.split(['-', '_']).collect();
    while words.len() > 1 && words.last().is_some_and(|word| is_suffix(word)) {
        words.pop();
    }
    let bare = words.join("-");
    if bare.is_empty() { model.to_owned() } else { bare }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_data_is_a_family() {
        assert_eq!(lines(include_str!("../../data/families.txt")).count(), FAMILIES.len());
        assert!(FAMILIES.iter().all(|family| !family.models.is_empty() && !family.makers.is_empty()));
    }
}
