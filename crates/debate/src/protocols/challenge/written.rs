//! What people and outside sessions write, in the seed's own forms: bold labels with what stands beside or below them, boxes
//! that are ticked, a word that says how an answer is taken.
//!
//! Fills in what a ballot leaves open and never what it says. Quotations and code say nothing. Where two readings are
//! possible nothing is filled in, and the lines and what to write instead are named.

use super::ballots::ChallengeFile;
use super::choices::{ANSWERS, Choice, RESPONSES, Said, VERDICTS, plain, said};
use super::page::{Page, Piece, What};
use super::{ANSWER_FORM, CHALLENGE_FORM, OPENING_FORM, REBUTTAL_FORM};
use crate::model::ballot::{Ballot, Words};
use crate::model::datum::{Datum, Fields, field_name};
use crate::model::form::{Draft, Field, Form, Kind, Rail, Spelling};
use crate::model::objections::{AnswerWord, ObjectionAnswer, RebuttalWord};
use crate::model::plan::{OptionId, Plan, SeatId};
use crate::model::turn::{Argument, Section, title_matches};
use crate::rules::anonymity::Speakers;
use crate::rules::doubt::{is_in_doubt, reason_at};
use crate::rules::instructions::one_of;
use crate::rules::option_names::OptionNames;
use forge_prose::blanks::is_placeholder;
use forge_prose::phrases::Phrases;
use forge_prose::words::words;
use std::sync::LazyLock;

/// Labels below which a reason stands.
const REASONS: [&str; 7] = ["Reason", "Reasoning", "Why", "Rationale", "Explanation", "My Response", "Because"];
const UPDATED: [&str; 3] = ["Updated Position (if changed)", "Updated Position", "New Position"];
/// Labels of how an answer is taken, and of what is answered.
const RESPONSE: [&str; 7] = ["Response", "My Response", "Rebuttal", "My Rebuttal", "Decision", "Verdict", "Stance"];
const ANSWER: [&str; 6] = ["Answer", "My Answer", "Response", "My Response", "Decision", "Verdict"];
/// Sections of an opening, and the labels that the seed has for them.
const PARTS: [(&str, &[&str]); 4] = [
    ("Position", &["My Position", "Position"]),
    ("Reasoning", &["Reasoning", "My Reasoning"]),
    ("Weaknesses", &["Potential Weaknesses I See", "Potential Weaknesses", "Weaknesses I See", "Weaknesses"]),
    ("Assumptions", &["My Assumptions", "Assumptions"]),
];

static UNCHANGED: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../../../data/unchanged.txt")));

/// Why a field that is written about is not filled in.
struct Doubt(String);

/// A choice that a file makes.
struct Vote {
    word: &'static str,
    reason: String,
    line: usize,
    /// The piece that makes it.
    at: usize,
}

/// Where a choice may stand.
struct Menu<'a> {
    choices: &'a [Choice],
    labels: &'a [&'a str],
    /// Whether a label or heading that is the word itself makes it.
    has_own_labels: bool,
    has_boxes: bool,
    /// What to write instead of what is in doubt.
    to_write: String,
}

struct Reader<'a> {
    form: &'a Form,
    held: ChallengeFile,
    plan: &'a Plan,
    seat: &'a SeatId,
    page: Page,
    draft: Draft,
    ballot: Fields,
    /// Fields that stay as they are: two readings are possible.
    doubted: Vec<&'static str>,
}

/// The draft with what the seed's forms say in it.
pub(super) fn respelled(form: &Form, spelling: &Spelling, draft: &Draft, plan: &Plan, seat: &SeatId) -> Draft {
    let page = Page::of(draft);
    let mut reader = Reader {
        form,
        held: ChallengeFile::of(&spelling.held).unwrap_or_default(),
        plan,
        seat,
        draft: Draft { labels: page.labels(), ..draft.clone() },
        page,
        ballot: draft.ballot.clone().unwrap_or_default(),
        doubted: Vec::new(),
    };
    match form.name {
        OPENING_FORM => reader.opening(),
        ANSWER_FORM => reader.answer(),
        REBUTTAL_FORM => reader.rebuttal(),
        _ => {}
    }
    form.fields.iter().for_each(|field| reader.labelled(field));
    // The critique, or the reason, is the argument of whoever lists none.
    let said = reader.said();
    let own = if form.name == CHALLENGE_FORM { said.critique } else { said.reason };
    if let Some(own) = own.filter(|_| form.has_field("arguments")) {
        let id = if spelling.round > 1 { format!("a{}1", spelling.round) } else { "a1".to_owned() };
        reader.fill(ChallengeFile { arguments: Some(vec![argument(id, own)]), ..ChallengeFile::default() });
    }
    let Reader { mut draft, ballot, .. } = reader;
    if !ballot.is_empty() {
        draft.ballot = Some(ballot);
    }
    draft
}

fn argument(id: String, text: String) -> Argument {
    Argument { id, text: Words(text) }
}

fn texts(all: Vec<String>) -> Datum {
    Datum::List(all.into_iter().map(Datum::from).collect())
}

/// The names under which a field stands.
fn names_of(field: &Field) -> Vec<&'static str> {
    std::iter::once(field.name).chain(field.also.iter().copied()).collect()
}

fn called(label: &str, names: &[&str]) -> bool {
    names.iter().any(|name| field_name(name) == field_name(label))
}

impl Reader<'_> {
    /// Says why a field stays open, and keeps everybody else from filling it in.
    fn doubt(&mut self, field: &'static str, doubt: Doubt) {
        self.draft.problems.push(doubt.0);
        self.doubted.push(field);
    }

    /// What the ballot says so far.
    fn said(&self) -> ChallengeFile {
        ChallengeFile::of(&self.ballot).unwrap_or_default()
    }

    /// Fills in what the ballot leaves open.
    fn fill(&mut self, file: ChallengeFile) {
        self.ballot.extend(file.to_fields());
    }

    fn is_open(&self, field: &str) -> bool {
        self.ballot.get(field).is_none() && !self.doubted.contains(&field)
    }

    /// Takes the labels of a field that was read here from those who would read them otherwise.
    fn drop_labels(&mut self, names: &[&str]) {
        self.draft.labels.retain(|(label, _)| !called(label, names));
    }

    /// What labels say for a field of the ballot.
    fn labelled(&mut self, field: &Field) {
        let names = names_of(field);
        if !self.is_open(field.name) {
            if self.doubted.contains(&field.name) {
                self.drop_labels(&names);
            }
            return;
        }
        match field.kind {
            Kind::Word(all) => {
                let is_vote = matches!(field.name, "verdict" | "response");
                let plain: Vec<Choice> = all.iter().map(|word| plain(word)).collect();
                let title = field.also.first().copied().unwrap_or(field.name);
                let menu = Menu {
                    choices: if field.name == "verdict" { &VERDICTS } else { &plain },
                    labels: &names,
                    has_own_labels: false,
                    has_boxes: is_vote,
                    to_write: line_to_write(title, all),
                };
                match self.one_vote(&menu) {
                    Ok(None) => {}
                    Ok(Some(vote)) => {
                        self.ballot.put(field.name, Datum::from(vote.word));
                        self.drop_labels(&names);
                    }
                    Err(doubt) => {
                        self.doubt(field.name, doubt);
                        self.drop_labels(&names);
                    }
                }
            }
            Kind::Text(_) => {
                if let Some(text) = self.text_at(&names) {
                    self.ballot.put(field.name, Datum::from(text));
                }
            }
            Kind::Texts(_) => {
                if let Some(at) = self.written_at(&names) {
                    self.ballot.put(field.name, texts(self.page.list(at)));
                }
            }
            _ => {}
        }
    }

    /// The first label or heading of these names with something written beside or below it.
    fn written_at(&self, names: &[&str]) -> Option<usize> {
        let mut titled = self.page.titled(|name| called(name, names));
        titled.find(|at| !is_placeholder(&self.page.text(*at)))
    }

    fn text_at(&self, names: &[&str]) -> Option<String> {
        Some(self.page.text(self.written_at(names)?))
    }

    /// The one choice that the file makes.
    fn one_vote(&self, menu: &Menu<'_>) -> Result<Option<Vote>, Doubt> {
        let mut votes = self.votes(0..self.page.pieces.len(), menu)?;
        contradiction(&votes, false, &menu.to_write)?;
        Ok((!votes.is_empty()).then(|| votes.swap_remove(0)))
    }

    /// The choices that these pieces make.
    fn votes(&self, within: std::ops::Range<usize>, menu: &Menu<'_>) -> Result<Vec<Vote>, Doubt> {
        let mut votes = Vec::new();
        for at in within.clone() {
            let piece = &self.page.pieces[at];
            let read = |at: usize, text: &str| said(text, &self.page.goes_on(at), menu.choices);
            let own = |name: &str| menu.choices.iter().find(|one| menu.has_own_labels && one.is_called(name));
            let is_asked = |name: &str| called(name, menu.labels);
            let found = match &piece.what {
                What::Box { is_ticked: true } if menu.has_boxes => read(at, &piece.text),
                // The word itself in bold, with what stands beside it.
                What::Label(name) | What::Heading(name) if own(name).is_some() => {
                    let beside = if piece.text.is_empty() { name.clone() } else { format!("{name}: {}", piece.text) };
                    read(at, &beside)
                }
                What::Label(name) if is_asked(name) && !piece.text.is_empty() => read(at, &piece.text),
                What::Label(name) | What::Heading(name) if is_asked(name) => {
                    let below = self.page.pieces.get(at + 1).filter(|_| within.contains(&(at + 1)));
                    match below.filter(|below| matches!(below.what, What::Text | What::Item)) {
                        Some(below) => read(at + 1, &below.text),
                        None => Said::Nothing,
                    }
                }
                _ => Said::Nothing,
            };
            match found {
                Said::Choice(word, reason) => votes.push(Vote { word, reason, line: piece.line, at }),
                Said::Unclear => {
                    let words = if piece.text.is_empty() { self.page.text(at) } else { piece.text.clone() };
                    return Err(Doubt(format!(
                        "line {}: {words:?} can be read in more than one way, so nothing of it counts: write {}, and why on a line of its own, as `**Reason:** ...`",
                        piece.line, menu.to_write
                    )));
                }
                Said::Nothing => {}
            }
        }
        Ok(votes)
    }

    fn opening(&mut self) {
        for (title, labels) in PARTS {
            if title == "Position" {
                match self.one_text(labels) {
                    Ok(()) => {}
                    Err(doubt) => {
                        self.doubt("position", doubt);
                        continue;
                    }
                }
            }
            let Some(at) = self.written_at(labels) else { continue };
            let (body, line) = (self.page.body(at), self.page.pieces[at].line);
            add_section(&mut self.draft, title, &body, line);
            let mut file = ChallengeFile::default();
            match title {
                "Position" => file.position = Some(self.page.text(at)),
                "Assumptions" => file.assumptions = Some(self.page.list(at)),
                "Reasoning" => {
                    let steps = self.page.list(at);
                    file.reason = steps.first().cloned();
                    let arguments = steps.into_iter().enumerate();
                    file.arguments = Some(arguments.map(|(i, step)| argument(format!("a{}", i + 1), step)).collect());
                }
                _ => {}
            }
            self.fill(file);
        }
        // A bare ballot has its position in a field.
        let position = self.said().position.unwrap_or_default();
        if !position.is_empty() {
            add_section(&mut self.draft, "Position", &position, 1);
        }
        self.option_of(&position);
    }

    /// The option that a position chooses; a label that names another one is a doubt.
    fn option_of(&mut self, position: &str) {
        let Some(option) = chosen(position, self.plan).filter(|_| self.is_open("option")) else { return };
        let names = self.form.fields.iter().find(|field| field.name == "option").map(names_of).unwrap_or_default();
        let meant = |value: &str| {
            let named = self.plan.option_meant(value).map(|option| option.id.clone());
            named.or_else(|| chosen(value, self.plan))
        };
        let other = self.page.titled(|name| called(name, &names)).find_map(|at| {
            let id = meant(&self.page.pieces[at].text).filter(|id| *id != option)?;
            Some((self.page.pieces[at].line, id))
        });
        match other {
            None => self.fill(ChallengeFile { option: Some(option), ..ChallengeFile::default() }),
            Some((line, other)) => {
                let text = format!(
                    "line {line}: this says {other}, and the position chooses {option}: write one of them in both places"
                );
                self.doubt("option", Doubt(text));
            }
        }
    }

    /// Whether labels of these names all say the same.
    fn one_text(&self, names: &[&str]) -> Result<(), Doubt> {
        let is_label = |at: &usize| matches!(self.page.pieces[*at].what, What::Label(_));
        let is_written = |at: &usize| !is_unchanged(&self.page.text(*at));
        let mut titled = self.page.titled(|name| called(name, names)).filter(is_label).filter(is_written);
        let Some(first) = titled.next() else { return Ok(()) };
        match titled.find(|at| words(&self.page.text(*at)) != words(&self.page.text(first))) {
            None => Ok(()),
            Some(at) => Err(Doubt(format!(
                "lines {} and {} contradict each other: write one `**{}:** ...`",
                self.page.pieces[first].line,
                self.page.pieces[at].line,
                names[0].trim_end_matches(" (if changed)")
            ))),
        }
    }

    fn answer(&mut self) {
        if self.is_open("answers") {
            let (answers, doubts) = self.answers();
            doubts.into_iter().for_each(|doubt| self.doubt("answers", doubt));
            if !answers.is_empty() {
                let text = self.draft.text.clone();
                add_section(&mut self.draft, "Answers", &text, 1);
                self.fill(ChallengeFile { answers: Some(answers), ..ChallengeFile::default() });
            }
        }
        match self.one_text(&UPDATED) {
            Ok(()) => {
                let updated: Vec<String> =
                    self.page.titled(|name| called(name, &UPDATED)).map(|at| self.page.text(at)).collect();
                let position = updated.into_iter().find(|text| !is_unchanged(text));
                if let Some(position) = position {
                    add_section(&mut self.draft, "Position", &position, 1);
                    self.option_of(&position);
                    self.fill(ChallengeFile { position: Some(position), ..ChallengeFile::default() });
                }
            }
            Err(doubt) => self.doubt("position", doubt),
        }
        // What the file leaves as it was.
        if self.said().answers.is_some() {
            for (name, held) in self.held.to_fields() {
                let field = self.form.fields.iter().find(|field| field.name == name);
                let names = field.map(names_of).unwrap_or_default();
                let is_labelled = self.page.titled(|title| called(title, &names)).next().is_some();
                if !is_labelled && self.is_open(&name) {
                    self.ballot.put(name, held);
                }
            }
            let position = self.said().position.unwrap_or_default();
            add_section(&mut self.draft, "Position", &position, 1);
        }
    }

    /// The answers of a file: one block for each objector, below a heading or label that names it; all of the file where
    /// there is one.
    fn answers(&self) -> (Vec<ObjectionAnswer>, Vec<Doubt>) {
        let to_write = line_to_tick(&["ACCEPT", "PARTIALLY ACCEPT", "REJECT"]);
        let menu = Menu { choices: &ANSWERS, labels: &ANSWER, has_own_labels: false, has_boxes: true, to_write };
        let blocks = self.blocks();
        let (mut answers, mut doubts) = (Vec::new(), Vec::new());
        let mut told: Vec<&String> = Vec::new();
        for (to, _) in &blocks {
            if told.contains(&to) {
                continue;
            }
            told.push(to);
            let own = blocks.iter().filter(|(other, _)| other == to);
            let votes: Result<Vec<Vec<Vote>>, Doubt> =
                own.map(|(_, within)| self.votes(within.clone(), &menu)).collect();
            let votes = votes.map(|all| all.into_iter().flatten().collect::<Vec<_>>());
            let one = votes.and_then(|votes| contradiction(&votes, true, &menu.to_write).map(|()| votes));
            match one {
                Err(Doubt(text)) => doubts.push(Doubt(format!("the answer to {to}: {text}"))),
                Ok(votes) => {
                    let Some(vote) = votes.first() else { continue };
                    let within = blocks.iter().map(|(_, within)| within).find(|within| within.contains(&vote.at));
                    let reason = self.reason(vote, within.cloned().unwrap_or_default());
                    let Some(answer) = AnswerWord::parse(vote.word) else { continue };
                    answers.push(ObjectionAnswer { to: to.clone(), answer, reason: Words(reason) });
                }
            }
        }
        (answers, doubts)
    }

    /// The pieces that are about each objector, by the name under which the lead reads it.
    fn blocks(&self) -> Vec<(String, std::ops::Range<usize>)> {
        let speakers = Speakers::of(self.plan, self.seat);
        let objectors: Vec<(&String, &SeatId)> = self
            .form
            .rails
            .iter()
            .flat_map(|rail| match rail {
                Rail::AnswersAll { objections } => objections.as_slice(),
                _ => &[],
            })
            .filter_map(|name| Some((name, speakers.seat(name)?)))
            .collect();
        let program = |id: &SeatId| self.plan.seat(id).map(|seat| seat.hand.to_string()).unwrap_or_default();
        let names = |prefix: &str, id: &SeatId| {
            let own = program(id).split(':').next().unwrap_or_default().to_owned();
            let is_alone =
                objectors.iter().filter(|(_, other)| program(other).split(':').next() == Some(&own)).count() == 1;
            let mut names = vec![prefix.to_lowercase(), id.as_str().to_lowercase()];
            names.extend(Some(own.to_lowercase()).filter(|own| is_alone && !own.is_empty()));
            names
        };
        let named = |title: &str| {
            let said = words(title);
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
        let mut blocks: Vec<(String, std::ops::Range<usize>)> = Vec::new();
        if let [(only, _)] = objectors.as_slice() {
            blocks.push(((*only).clone(), 0..0));
        }
        for (at, piece) in self.page.pieces.iter().enumerate() {
            let objector = match &piece.what {
                What::Label(name) => named(&format!("{name} {}", piece.text)),
                What::Heading(name) => named(name),
                _ => None,
            };
            match objector {
                Some((prefix, _)) if blocks.last().is_none_or(|(last, _)| last != prefix) => {
                    blocks.push((prefix.clone(), at..at + 1));
                }
                _ => blocks.last_mut().into_iter().for_each(|(_, within)| within.end = at + 1),
            }
        }
        blocks
    }

    fn rebuttal(&mut self) {
        if !self.is_open("response") {
            return;
        }
        let menu = Menu {
            choices: &RESPONSES,
            labels: &RESPONSE,
            has_own_labels: true,
            has_boxes: true,
            to_write: line_to_write("Response", &["ACCEPT", "MAINTAIN", "ESCALATE"]),
        };
        match self.one_vote(&menu) {
            Ok(None) => {}
            Ok(Some(vote)) => {
                self.drop_labels(&["Response"]);
                let reason = Some(self.reason(&vote, 0..self.page.pieces.len())).filter(|reason| !reason.is_empty());
                let response = RebuttalWord::parse(vote.word);
                self.fill(ChallengeFile { response, reason, ..ChallengeFile::default() });
            }
            Err(doubt) => self.doubt("response", doubt),
        }
    }

    /// The reason of a choice: beside it, below a label for reasons, or what else is written there.
    fn reason(&self, vote: &Vote, within: std::ops::Range<usize>) -> String {
        if !vote.reason.is_empty() {
            return vote.reason.clone();
        }
        let is_here = |at: &usize| within.contains(at) && *at != vote.at;
        let mut labelled = self.page.titled(|name| called(name, &REASONS)).filter(is_here);
        if let Some(at) = labelled.find(|at| !is_placeholder(&self.page.text(*at))) {
            return self.page.text(at);
        }
        let is_updated =
            |piece: &&Piece| matches!(&piece.what, What::Label(name) | What::Heading(name) if called(name, &UPDATED));
        let pieces = self.page.pieces[within.clone()].iter().take_while(|piece| !is_updated(piece));
        let is_said = |piece: &&Piece| matches!(piece.what, What::Text | What::Item);
        let plain: Vec<&str> = pieces.filter(is_said).map(|piece| piece.text.as_str()).collect();
        let plain = crate::rules::brief::one_line(&plain.join(" "));
        // The word alone, below its label, is no reason.
        if self.page.pieces.get(vote.at + 1).is_some_and(|below| below.text == plain && words(&plain).len() < 3) {
            String::new()
        } else {
            plain
        }
    }
}

/// Whether the choices of a file contradict each other; where `is_single` more than one does already.
fn contradiction(votes: &[Vote], is_single: bool, to_write: &str) -> Result<(), Doubt> {
    let Some((first, rest)) = votes.split_first() else { return Ok(()) };
    match rest.iter().find(|other| is_single || other.word != first.word) {
        None => Ok(()),
        Some(other) => Err(Doubt(format!(
            "lines {} ({}) and {} ({}) contradict each other, so neither counts: keep one, as {to_write}",
            first.line, first.word, other.line, other.word
        ))),
    }
}

fn line_to_write(label: &str, words: &[&str]) -> String {
    let (first, others) = (words.first().unwrap_or(&"..."), words.get(1..).unwrap_or_default());
    format!("`**{label}:** {first}` (or {}) with nothing else on that line", one_of(others))
}

fn line_to_tick(words: &[&str]) -> String {
    format!("`[x]` before one of {}", one_of(words))
}

/// The option that a position chooses without a doubt.
fn chosen(position: &str, plan: &Plan) -> Option<OptionId> {
    if let Some(option) = plan.option_meant(position) {
        return Some(option.id.clone());
    }
    let names = OptionNames::of(&plan.options);
    let contrast = CONTRASTS.iter().filter_map(|words| position.find(words)).min();
    let whole = position;
    let position = contrast.into_iter().chain(reason_at(position)).min().map_or(position, |at| &position[..at]);
    // What stands behind a reason may take it back: "We use Redis, because of history. Memcached should replace it."
    let names_another = |option: &usize| contrast.is_none() && names.named(whole).iter().any(|other| other != option);
    let [only] = names.named(position)[..] else { return None };
    if names_another(&only) {
        return None;
    }
    let label = words(&plan.options.get(only)?.label);
    // "Use Redis with one replica", "Redis with one replica": a position that begins so and goes on without a verb of its
    // own, a doubt or another option.
    let said: Vec<String> = words(position).into_iter().skip_while(|word| LEADING.contains(&word.as_str())).collect();
    let takes = said.first().is_some_and(|word| TAKING.contains(&word.as_str()));
    let joined = takes && said.get(1).is_some_and(|word| ["to", "with", "for"].contains(&word.as_str()));
    let start = usize::from(takes) + usize::from(joined);
    let begins = said.get(start..).is_some_and(|rest| rest.starts_with(&label));
    let goes_on = said.iter().skip(start + label.len()).any(|word| VERBS.contains(&word.as_str()));
    (begins && !goes_on && !is_in_doubt(&names.masked(position))).then(|| names.id(only))
}

/// Before another option that is not meant.
const CONTRASTS: &[&str] = &[" rather than ", " instead of "];
/// Words that may stand before a position says what to take.
const LEADING: &[&str] = &["we", "i", "will", "let", "us", "the", "team"];
/// Words that say to take what follows.
const TAKING: &[&str] = &[
    "use", "adopt", "choose", "go", "pick", "take", "keep", "move", "switch", "migrate", "select", "nutze", "elegir",
    "usar",
];
/// Words that make more of a position than a name: what is said then must be asked.
const VERBS: &[&str] = &[
    "is", "are", "was", "were", "be", "been", "fail", "fails", "lose", "loses", "break", "breaks", "must", "has",
    "have", "had", "need", "needs", "cost", "costs", "say", "says", "replace", "replaces", "go", "goes", "only",
];

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

fn is_unchanged(text: &str) -> bool {
    is_placeholder(text) || UNCHANGED.has_text(text)
}
