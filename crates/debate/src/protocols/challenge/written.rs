//! What people and outside sessions write, in the seed's own forms: bold labels with what stands beside or below them, boxes
//! that are ticked, a word that says how an answer is taken.
//!
//! Fills in what a ballot leaves open and never what it says. Where two readings are possible nothing is filled in, and the
//! form names what is missing.

use super::{ANSWER_FORM, CHALLENGE_FORM, OPENING_FORM, REBUTTAL_FORM};
use crate::anonymity::Speakers;
use crate::datum::{Datum, Fields, field_name};
use crate::form::{Draft, Field, Form, Kind, Rail, is_placeholder, items};
use crate::plan::{OptionId, Plan, SeatId};
use crate::protocols::gate::choice;
use crate::turn::{Section, title_matches};
use forge_prose::words::words;

/// The lead's words for what it holds against an objection, as boxes have them.
const ANSWERS: [(&str, &str); 4] =
    [("PARTIALLY ACCEPT", "PARTIAL"), ("PARTIAL", "PARTIAL"), ("ACCEPT", "ACCEPT"), ("REJECT", "REJECT")];
/// How a challenger takes an answer.
const RESPONSES: [(&str, &str); 3] = [("ACCEPT", "ACCEPT"), ("MAINTAIN", "MAINTAIN"), ("ESCALATE", "ESCALATE")];
/// Labels below which a reason stands.
const REASONS: [&str; 7] = ["Reason", "Reasoning", "Why", "Rationale", "Explanation", "My Response", "Because"];
const UPDATED: [&str; 3] = ["Updated Position (if changed)", "Updated Position", "New Position"];
/// Sections of an opening, the labels that the seed has for them, and the ballot's field.
const PARTS: [(&str, &[&str], &str); 4] = [
    ("Position", &["My Position", "Position"], "position"),
    ("Reasoning", &["Reasoning", "My Reasoning"], ""),
    ("Weaknesses", &["Potential Weaknesses I See", "Potential Weaknesses", "Weaknesses I See", "Weaknesses"], ""),
    ("Assumptions", &["My Assumptions", "Assumptions"], "assumptions"),
];

/// A label or heading, and what stands beside and below it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Piece {
    label: String,
    body: String,
    line: usize,
}

impl Piece {
    fn is_called(&self, names: &[&str]) -> bool {
        let own = field_name(&self.label);
        names.iter().any(|name| field_name(name) == own)
    }

    fn text(&self) -> String {
        crate::brief::one_line(&self.body)
    }

    fn list(&self) -> Vec<String> {
        match items(&self.body) {
            listed if listed.is_empty() => self
                .body
                .split([';', '\n'])
                .map(|part| part.trim().to_owned())
                .filter(|part| !part.is_empty())
                .collect(),
            listed => listed,
        }
    }
}

/// The draft with what the seed's forms say in it.
pub(super) fn respelled(form: &Form, held: &Fields, draft: &Draft, plan: &Plan, seat: &SeatId) -> Draft {
    let mut draft = draft.clone();
    let pieces = pieces(&draft.text);
    let mut ballot = draft.ballot.clone().unwrap_or_default();
    match form.name {
        OPENING_FORM => opening(&mut draft, &mut ballot, &pieces, plan),
        ANSWER_FORM => answer(&mut draft, &mut ballot, &pieces, form, held, plan, seat),
        REBUTTAL_FORM => rebuttal(&mut ballot, &pieces, &draft.text),
        _ => {}
    }
    for field in &form.fields {
        let names: Vec<&str> = std::iter::once(field.name).chain(field.also.iter().copied()).collect();
        if let Some(piece) = pieces.iter().find(|piece| piece.is_called(&names)) {
            ballot_value(field, piece).into_iter().for_each(|value| ballot.put(field.name, value));
        }
    }
    // The critique, or the reason, is the argument of whoever lists none.
    let own = if form.name == CHALLENGE_FORM { ballot.text("critique") } else { ballot.text("reason") }.to_owned();
    if form.has_field("arguments") && !own.is_empty() {
        let id = if held.text("argument").is_empty() { "a1" } else { held.text("argument") };
        ballot.put("arguments", Datum::List(vec![argument(id, &own)]));
    }
    if !ballot.is_empty() {
        draft.ballot = Some(ballot);
    }
    draft
}

fn argument(id: &str, text: &str) -> Datum {
    let fields = [("id".to_owned(), Datum::from(id)), ("text".to_owned(), Datum::from(text))];
    Datum::Record(fields.into_iter().collect())
}

/// What a piece says for a field of the ballot.
fn ballot_value(field: &Field, piece: &Piece) -> Option<Datum> {
    let text = piece.text();
    match field.kind {
        _ if text.is_empty() || is_placeholder(&text) => None,
        Kind::Word(all) => {
            let said = words(&text);
            // A list of all words is the form, not an answer.
            let named = all.iter().filter(|word| said.contains(&word.to_lowercase())).count();
            let first = all.iter().find(|word| said.first() == Some(&word.to_lowercase()));
            first.filter(|_| named == 1).map(|word| Datum::from(*word))
        }
        Kind::Text(_) => Some(Datum::from(text)),
        Kind::Texts(_) => Some(Datum::List(piece.list().into_iter().map(Datum::from).collect())),
        _ => None,
    }
}

fn opening(draft: &mut Draft, ballot: &mut Fields, pieces: &[Piece], plan: &Plan) {
    for (title, labels, field) in PARTS {
        let piece = pieces.iter().find(|piece| piece.is_called(labels) && !is_placeholder(&piece.text()));
        let Some(piece) = piece else { continue };
        add_section(draft, title, &piece.body, piece.line);
        match field {
            "position" => ballot.put(field, Datum::from(piece.text())),
            "assumptions" => ballot.put(field, Datum::List(piece.list().into_iter().map(Datum::from).collect())),
            _ => {}
        }
        if title == "Reasoning" {
            let steps = piece.list();
            steps.first().into_iter().for_each(|first| ballot.put("reason", Datum::from(first.as_str())));
            let arguments = steps.iter().enumerate().map(|(i, step)| argument(&format!("a{}", i + 1), step));
            ballot.put("arguments", Datum::List(arguments.collect()));
        }
    }
    // A bare ballot has its position in a field.
    let position = ballot.text("position").to_owned();
    if !position.is_empty() {
        add_section(draft, "Position", &position, 1);
    }
    if let Some(option) = chosen(&position, plan) {
        ballot.put("option", Datum::from(option.as_str()));
    }
}

/// The option that a position chooses without a doubt.
fn chosen(position: &str, plan: &Plan) -> Option<OptionId> {
    let body = format!("**Decision:** {position}");
    choice::read(&Section { title: "Position".to_owned(), body, line: 1, body_line: 1 }, plan).ok()
}

fn add_section(draft: &mut Draft, title: &str, body: &str, line: usize) {
    if !draft.sections.iter().any(|section| title_matches(&section.title, title)) {
        draft.sections.push(Section {
            title: title.to_owned(),
            body: body.trim().to_owned(),
            line,
            body_line: line + 1,
        });
    }
}

fn answer(
    draft: &mut Draft,
    ballot: &mut Fields,
    pieces: &[Piece],
    form: &Form,
    held: &Fields,
    plan: &Plan,
    seat: &SeatId,
) {
    let answers = ticked_answers(&draft.text, form, plan, seat);
    if !answers.is_empty() {
        let text = draft.text.clone();
        add_section(draft, "Answers", &text, 1);
        ballot.put("answers", Datum::List(answers));
    }
    let updated = pieces.iter().find(|piece| piece.is_called(&UPDATED)).map(Piece::text);
    let updated = updated.filter(|text| !is_unchanged(text));
    if let Some(position) = &updated {
        add_section(draft, "Position", position, 1);
        ballot.put("position", Datum::from(position.as_str()));
        chosen(position, plan).into_iter().for_each(|option| ballot.put("option", Datum::from(option.as_str())));
    }
    // What the file leaves as it was.
    if ballot.get("answers").is_some() {
        let labelled = |name: &str| form.fields.iter().find(|field| field.name == name);
        for name in ["option", "position", "confidence"] {
            let names: Vec<&str> = labelled(name)
                .into_iter()
                .flat_map(|field| std::iter::once(name).chain(field.also.iter().copied()))
                .collect();
            let is_labelled = pieces.iter().any(|piece| piece.is_called(&names));
            if !is_labelled && !held.text(name).is_empty() {
                ballot.put(name, Datum::from(held.text(name)));
            }
        }
        let position = ballot.text("position").to_owned();
        add_section(draft, "Position", &position, 1);
    }
}

fn is_unchanged(text: &str) -> bool {
    const NOTHING: [&str; 7] = ["unchanged", "no change", "not changed", "none", "n/a", "same", "no"];
    let plain = text.trim().trim_end_matches('.').to_lowercase();
    is_placeholder(text) || NOTHING.contains(&plain.as_str())
}

/// The answers that boxes tick: one block for each objector, by a line that names it; all of the file where there is one.
fn ticked_answers(text: &str, form: &Form, plan: &Plan, seat: &SeatId) -> Vec<Datum> {
    let speakers = Speakers::of(plan, seat);
    let objectors: Vec<(&String, &SeatId)> = form
        .rails
        .iter()
        .flat_map(|rail| match rail {
            Rail::AnswersAll { objections } => objections.as_slice(),
            _ => &[],
        })
        .filter_map(|name| Some((name, speakers.seat(name)?)))
        .collect();
    let program = |id: &SeatId| plan.seat(id).map(|seat| seat.hand.to_string()).unwrap_or_default();
    let names = |prefix: &str, id: &SeatId| {
        let own = program(id).split(':').next().unwrap_or_default().to_owned();
        let is_alone =
            objectors.iter().filter(|(_, other)| program(other).split(':').next() == Some(&own)).count() == 1;
        let mut names = vec![prefix.to_lowercase(), id.as_str().to_lowercase()];
        names.extend(Some(own.to_lowercase()).filter(|own| is_alone && !own.is_empty()));
        names
    };
    let named = |line: &str| {
        let said = words(line);
        let said: Vec<&str> = said.iter().map(|word| word.trim_end_matches("'s").trim_end_matches("’s")).collect();
        let mut found = objectors.iter().filter(|(prefix, id)| {
            let spoken = speakers.name(id).to_lowercase();
            let by_words = words(&spoken).windows(2).any(|two| said.windows(2).any(|said| said == two));
            by_words || names(prefix, id).iter().any(|name| said.contains(&name.as_str()))
        });
        match (found.next(), found.next()) {
            (Some(one), None) => Some(*one),
            _ => None,
        }
    };
    let mut blocks: Vec<((&String, &SeatId), Vec<&str>)> = Vec::new();
    if let [only] = objectors.as_slice() {
        blocks.push((*only, Vec::new()));
    }
    for line in text.lines() {
        let is_title = line.trim_start().starts_with('#') || label_of(line).is_some();
        match named(line).filter(|_| is_title && boxed(line, &ANSWERS).is_none()) {
            Some(objector) if blocks.last().is_none_or(|(last, _)| *last != objector) => {
                let beside = label_of(line).map(|(_, beside)| beside).unwrap_or_default();
                blocks.push((objector, vec![beside]));
            }
            _ => blocks.last_mut().into_iter().for_each(|(_, lines)| lines.push(line)),
        }
    }
    blocks.iter().filter_map(|((prefix, _), lines)| ticked_answer(prefix, lines)).collect()
}

/// The one answer that is ticked in a block, with its reason.
fn ticked_answer(to: &str, lines: &[&str]) -> Option<Datum> {
    let mut ticked = lines.iter().filter_map(|line| boxed(line, &ANSWERS)).filter(|(is_ticked, ..)| *is_ticked);
    let ((_, word, beside), None) = (ticked.next()?, ticked.next()) else { return None };
    let below: Vec<&str> = lines
        .iter()
        .take_while(|line| label_of(line).is_none_or(|(label, _)| !called(&label, &UPDATED)))
        .filter(|line| boxed(line, &ANSWERS).is_none())
        .copied()
        .collect();
    let below = below.join("\n");
    let reason = reason_in(&beside, &below);
    let fields = [("to", to), ("answer", word), ("reason", reason.as_str())];
    Some(Datum::Record(fields.into_iter().map(|(name, text)| (name.to_owned(), Datum::from(text))).collect()))
}

/// The reason of a choice: beside it, below a label for reasons, or what else is written there.
fn reason_in(beside: &str, below: &str) -> String {
    if !beside.is_empty() {
        return beside.to_owned();
    }
    let labelled = pieces(below).into_iter().find(|piece| called(&piece.label, &REASONS));
    match labelled.map(|piece| piece.text()).filter(|text| !text.is_empty()) {
        Some(text) => text,
        None => {
            let plain = below.lines().filter(|line| !line.trim_start().starts_with('#') && label_of(line).is_none());
            crate::brief::one_line(&plain.collect::<Vec<_>>().join(" "))
        }
    }
}

fn rebuttal(ballot: &mut Fields, pieces: &[Piece], text: &str) {
    const LABELS: [&str; 7] = ["Response", "My Response", "Rebuttal", "My Rebuttal", "Decision", "Verdict", "Stance"];
    // A label for it, a label or heading that is the word itself, or a ticked box.
    let mut found: Vec<(&str, String)> = Vec::new();
    for piece in pieces {
        let own = RESPONSES.iter().find(|(word, _)| piece.label.trim().eq_ignore_ascii_case(word));
        if let Some((word, _)) = own {
            found.push((word, piece.text()));
        } else if called(&piece.label, &LABELS)
            && let Some((word, beside)) = leading(&piece.text(), &RESPONSES)
        {
            found.push((word, beside));
        }
    }
    let boxes = text.lines().filter_map(|line| boxed(line, &RESPONSES)).filter(|(is_ticked, ..)| *is_ticked);
    found.extend(boxes.map(|(_, word, beside)| (word, beside)));
    let Some((word, beside)) = found.first().cloned() else { return };
    if found.iter().any(|(other, _)| *other != word) {
        return;
    }
    ballot.put("response", Datum::from(word));
    let below: Vec<&str> = text.lines().filter(|line| boxed(line, &RESPONSES).is_none()).collect();
    let reason = reason_in(&beside, &below.join("\n"));
    if !reason.is_empty() {
        ballot.put("reason", Datum::from(reason));
    }
}

fn called(label: &str, names: &[&str]) -> bool {
    names.iter().any(|name| field_name(name) == field_name(label))
}

/// A box of a choice: whether it is ticked, the word, and what stands beside it.
fn boxed(line: &str, choices: &[(&'static str, &'static str)]) -> Option<(bool, &'static str, String)> {
    let line = line.trim_start().trim_start_matches(['-', '*', '+', ' ']);
    let inside = line.strip_prefix('[')?;
    let (mark, rest) = inside.split_once(']')?;
    let is_ticked = match mark.trim() {
        "" => false,
        "x" | "X" | "✓" | "✔" | "✅" => true,
        _ => return None,
    };
    let (word, beside) = leading(rest, choices)?;
    Some((is_ticked, word, beside))
}

/// The choice with which a text begins, and what follows it.
fn leading(text: &str, choices: &[(&'static str, &'static str)]) -> Option<(&'static str, String)> {
    let text = text.trim().trim_start_matches(['*', '_', '`']);
    choices.iter().find_map(|(spelled, word)| {
        let rest = text.get(..spelled.len()).filter(|start| start.eq_ignore_ascii_case(spelled))?;
        let rest = text.get(rest.len()..)?;
        if rest.starts_with(char::is_alphanumeric) {
            return None;
        }
        // `ACCEPT / MAINTAIN / ESCALATE` is the form, not an answer.
        let is_list = choices
            .iter()
            .any(|(other, _)| other != spelled && rest.trim_start_matches(['/', '|', ',', ' ']).starts_with(other));
        let beside = rest.trim_start_matches(|c: char| c.is_whitespace() || "*_`:-–—>→.,".contains(c));
        (!is_list).then(|| (*word, beside.trim().to_owned()))
    })
}

/// A line `**Label:** value`, or a line that is nothing but bold.
fn label_of(line: &str) -> Option<(String, &str)> {
    let line = line.trim().trim_start_matches("- ").trim_start_matches("> ");
    let (inside, after) = line.strip_prefix("**")?.split_once("**")?;
    let is_label = inside.trim_end().ends_with(':') || after.trim_start().starts_with(':') || after.trim().is_empty();
    let label = inside.trim().trim_end_matches(':').trim();
    (is_label && !label.is_empty()).then(|| (label.to_owned(), after.trim_start().trim_start_matches(':').trim()))
}

/// The labels and headings of a text outside code, each with what stands beside and below it.
fn pieces(text: &str) -> Vec<Piece> {
    let mut found: Vec<Piece> = Vec::new();
    let mut is_code = false;
    for (i, line) in text.lines().enumerate() {
        is_code ^= line.trim_start().starts_with("```");
        let heading = line.trim_start().strip_prefix('#').map(|rest| rest.trim_start_matches('#').trim());
        let opened = match (is_code, label_of(line), heading) {
            (true, ..) => None,
            (_, Some((label, beside)), _) => Some((label, beside.to_owned())),
            (_, None, Some(title)) => Some((title.trim_matches('*').to_owned(), String::new())),
            (_, None, None) => None,
        };
        match opened {
            Some((label, beside)) => found.push(Piece { label, body: beside, line: i + 1 }),
            None => {
                if let Some(last) = found.last_mut() {
                    last.body.push('\n');
                    last.body.push_str(line);
                }
            }
        }
    }
    found
}
