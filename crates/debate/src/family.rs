//! Model families: whose weights spoke.

use crate::plan::{Hand, SeatId};

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

/// The model family behind a hand, as far as its name tells. Rehearsal and scripts have none: they are labelled anyway.
pub fn of_hand(hand: &Hand) -> Option<String> {
    let Hand::Agent(name) = hand else { return None };
    let (program, model) = name.split_once(':').unwrap_or((name.as_str(), ""));
    if matches!(program, "rehearsal" | "scripted") {
        return None;
    }
    const FAMILIES: &[(&str, &[&str])] = &[
        ("anthropic", &["claude", "anthropic"]),
        ("google", &["gemini", "gemma"]),
        ("alibaba", &["qwen", "qwq"]),
        ("meta", &["llama"]),
        ("mistral", &["mistral", "mixtral", "codestral"]),
        ("deepseek", &["deepseek"]),
        ("openai", &["gpt", "codex", "o1", "o3", "o4", "chatgpt"]),
    ];
    // "o3-mini" is a model, "foo3" is not: short marks must be a word of their own.
    let marked = |text: &str, mark: &str| {
        text.to_lowercase().split(|c: char| !c.is_ascii_alphanumeric()).any(|word| match mark.len() {
            0..=2 => word == mark,
            _ => word.contains(mark),
        })
    };
    // The model says more than the program; and "ollama" is a server, not a llama.
    let known = [model, program.strip_prefix("ollama").unwrap_or(program)]
        .into_iter()
        .find_map(|text| FAMILIES.iter().find(|(_, marks)| marks.iter().any(|mark| marked(text, mark))))
        .map(|(family, _)| *family);
    Some(known.map_or_else(|| if model.is_empty() { program.to_owned() } else { model.to_lowercase() }, str::to_owned))
}

/// The family of the model that really served a seat; a script or a rehearsal has none whatever it says.
pub fn of_model(hand: &Hand, model: &str) -> Option<String> {
    match hand {
        Hand::Agent(name) => of_hand(&Hand::Agent(format!("{}:{model}", name.split(':').next().unwrap_or(name)))),
        Hand::Human | Hand::Outside => None,
    }
}
