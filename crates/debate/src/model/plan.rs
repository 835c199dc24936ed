//! The plan of a debate: the question, the options, who sits where, and the limits.
//!
//! A plan is a value. It is immutable once the first turn is on record; the engine holds that, this module only says
//! what a sound plan is ([`Plan::defects`]).

use crate::model::digest::Digest;
use crate::model::profile::{Profile, SeatSpec};
use crate::model::voting::Threshold;
use std::fmt;
use std::sync::Arc;

/// The most bytes a question may have.
pub const QUESTION_LIMIT_BYTES: usize = 32 * 1024;
/// The most options a plan may list.
pub const OPTIONS_LIMIT: usize = 12;
/// The most bytes of an option's label.
pub const LABEL_LIMIT_BYTES: usize = 400;
/// The most bytes of one supplied material.
pub const MATERIAL_LIMIT_BYTES: usize = 1024 * 1024;
/// The seat that proposes options.
pub const FRAMER: &str = "framer";
/// The most seats in one debate.
pub const SEATS_LIMIT: usize = 24;
/// The longest debate or question id.
pub const ID_LIMIT_BYTES: usize = 100;

macro_rules! name_type {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);
        impl $name {
            /// Takes the name as it is.
            pub fn new(name: impl Into<String>) -> Self { Self(name.into().into()) }
            pub fn as_str(&self) -> &str { &self.0 }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { f.write_str(&self.0) }
        }
        impl From<&str> for $name { fn from(name: &str) -> Self { Self(name.into()) } }
    };
}

name_type!(/** The name of a seat, such as `risk`. */ SeatId);
name_type!(/** The name of an option, such as `A`. */ OptionId);

/// One of the options under debate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Short name used in ballots.
    pub id: OptionId,
    /// What people call it.
    pub label: String,
    /// What it means; may be empty.
    pub description: String,
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.id, self.label)
    }
}

/// A text that the user supplied for all seats to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Material {
    /// Its name, usually the file's name.
    pub name: String,
    pub text: String,
}

/// What a seat is there for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Duty {
    /// Argues, and votes where the protocol counts votes.
    Debater,
    /// Holds the position that the others attack (`challenge`).
    Lead,
    /// Reads everything and writes the decision (`gate`).
    Synthesizer,
    /// Watches for arguments that go in circles (`panel`); not a seat of the debate.
    Referee,
    /// Proposes options when the plan has none; not a seat of the debate.
    Framer,
    /// Answers the same question alone, for comparison; not a seat of the debate.
    Control,
}

impl Duty {
    /// The word used in files.
    pub fn word(self) -> &'static str {
        match self {
            Duty::Debater => "debater",
            Duty::Lead => "lead",
            Duty::Synthesizer => "synthesizer",
            Duty::Referee => "referee",
            Duty::Framer => "framer",
            Duty::Control => "control",
        }
    }

    /// Reads the word back.
    pub fn parse(word: &str) -> Option<Self> {
        [Duty::Debater, Duty::Lead, Duty::Synthesizer, Duty::Referee, Duty::Framer, Duty::Control]
            .into_iter()
            .find(|duty| duty.word() == word)
    }
}

/// Who moves a seat.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Hand {
    /// An agent that forge asks, by its name, such as `rehearsal` or `openai:gpt-5`.
    Agent(String),
    /// A person, who writes the turn.
    Human,
    /// Someone outside who will leave a file.
    Outside,
}

/// The name of the built-in agent that costs nothing and knows nothing.
pub const REHEARSAL: &str = "rehearsal";
/// How the names of agents begin that follow a script.
pub const SCRIPTED: &str = "scripted:";
/// The first line of every reply of a rehearsal.
pub const REHEARSAL_LABEL: &str = "*Rehearsal: composed by forge without a model. It shows the form of a debate and knows nothing about the question.*";
/// The first line of every reply that is composed for a script.
pub const SCRIPT_LABEL: &str = "*Scripted: composed by forge from a script, without a model.*";

/// What of these labels is looked for, in small letters.
const LABEL_PHRASES: [&str; 2] =
    [" rehearsal composed by forge without a model ", " scripted composed by forge from a script without a model "];

/// Whether a text carries the label of a rehearsal or a script, whoever hands it in: its words, whatever stands around and
/// between them, seen or not.
pub fn is_labelled_rehearsal(text: &str) -> bool {
    let mut words = String::from(" ");
    for c in text.chars().filter_map(forge_prose::hidden::folded) {
        if c.is_alphanumeric() {
            words.extend(c.to_lowercase());
        } else if !words.ends_with(' ') {
            words.push(' ');
        }
    }
    words.push(' ');
    LABEL_PHRASES.iter().any(|phrase| words.contains(phrase))
}

impl Hand {
    /// Reads `human`, `outside` or an agent's name.
    pub fn parse(text: &str) -> Self {
        match text.trim() {
            "human" => Hand::Human,
            "outside" => Hand::Outside,
            agent => Hand::Agent(agent.to_owned()),
        }
    }

    /// Whether neither a model nor a person moves the seat: the built-in agent does, or a script.
    pub fn is_rehearsal(&self) -> bool {
        matches!(self, Hand::Agent(name) if name == REHEARSAL || name.starts_with(SCRIPTED))
    }

    /// Whether forge itself asks.
    pub fn is_agent(&self) -> bool {
        matches!(self, Hand::Agent(_))
    }
}

impl fmt::Display for Hand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Hand::Agent(name) => name,
            Hand::Human => "human",
            Hand::Outside => "outside",
        })
    }
}

/// A place in the debate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seat {
    /// The seat's name; ballots, files and verdicts use it.
    pub id: SeatId,
    /// The role text it plays, usually of the same name.
    pub role: String,
    /// What it is there for.
    pub duty: Duty,
    pub hand: Hand,
    /// Whose weights move it, where the user says so: the names of agents of their own tell nothing.
    pub family: Option<String>,
    /// The file in which its program looks for its context, where it has one and the protocol gives it a persona.
    pub context_file: Option<String>,
}

impl Seat {
    /// A seat of the protocol's own, with whoever moves it.
    pub fn new(spec: &SeatSpec, hand: Hand) -> Self {
        let id = SeatId::from(spec.id);
        Self { id, role: spec.role.to_owned(), duty: spec.duty, hand, family: None, context_file: None }
    }
}

/// How other seats are shown from the second wave on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Naming {
    /// As Speaker 1..n, shuffled per reader.
    Anonymous,
    /// By their seat's name.
    Named,
}

/// Whether a challenger must run on another model family than the lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Families {
    /// At least one challenger must differ.
    MustDiffer,
    /// The user said that one family is fine; the verdict says so.
    MayBeTheSame,
}

/// What a user demands of a verdict and of those who speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Demands {
    /// A verdict that hangs on one seat is contested.
    pub robust: bool,
    /// A seat that quotes nothing of the supplied material that is really there abstains.
    pub grounded: bool,
    /// A turn of a judge without the section of its stance misses its form (`judges`).
    pub stances: bool,
    /// A changed vote counts only with an argument that it cites (`judges`; elsewhere always).
    pub documented_changes: bool,
}

impl Default for Demands {
    fn default() -> Self {
        Self { robust: false, grounded: false, stances: true, documented_changes: true }
    }
}

/// What bounds a debate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// The most rounds; what a round is, the protocol says.
    pub rounds: u16,
    /// The rounds that are held even where the seats agree before.
    pub min_rounds: u16,
    /// How many must agree.
    pub threshold: Threshold,
    /// How long one ask may take.
    pub timeout_seconds: u32,
    /// The most calls in all, retries and repairs included.
    pub max_calls: Option<u32>,
    /// The most tokens in all, in and out.
    pub max_tokens: Option<u64>,
    /// The most that calls may cost in all, in millionths of a US dollar. What a call costs is not known here.
    pub max_cost: Option<u64>,
    /// The fewest challengers that must have spoken (`challenge`).
    pub min_challengers: u16,
}

/// Question, options, seats and limits of one debate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The debate's name (for `judges`, the question id).
    pub id: String,
    pub protocol: &'static Profile,
    /// What is to be decided.
    pub question: String,
    /// The options; empty until they are framed.
    pub options: Vec<Choice>,
    pub materials: Vec<Material>,
    pub seats: Vec<Seat>,
    pub limits: Limits,
    /// Where all chance comes from.
    pub seed: u64,
    /// How peers are shown.
    pub naming: Naming,
    /// Whether one model family may fill all seats.
    pub families: Families,
    /// What the user demands of the verdict.
    pub demands: Demands,
    /// Where the debate lives, relative to the workspace (for `judges` the feature directory).
    pub place: String,
    /// The workflow phase that owns the debate, or a word of the user's.
    pub phase: String,
    /// The panel's roster, where there is one.
    pub roster: Option<String>,
    /// The seat that writes the synthesis, where a debater does (`panel`).
    pub synthesizer: Option<SeatId>,
    /// What it is held about, besides its question: it answers this and nothing that came up later.
    pub at_stake: Vec<Matter>,
    /// When the plan was made, as written in the file.
    pub created_at: String,
}

/// Something that a debate is held about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Matter {
    /// An earlier decision, by its id: the debate's own takes its place.
    Decision(String),
    /// A risk: what tells it from others, and its score.
    Risk {
        /// Its source, or its id.
        key: String,
        /// Its score when the debate was planned.
        score: u8,
    },
    /// Anything else, in words.
    Other(String),
}

impl Matter {
    /// What it is called.
    pub fn name(&self) -> &str {
        match self {
            Matter::Decision(name) | Matter::Other(name) | Matter::Risk { key: name, .. } => name,
        }
    }

    /// Its score; 0 where it has none.
    pub fn score(&self) -> u8 {
        match self {
            Matter::Risk { score, .. } => *score,
            _ => 0,
        }
    }
}

impl Plan {
    /// Puts one hand into every seat. One agent is one family; the verdict says so.
    pub fn seat_all(&mut self, hand: &Hand) {
        for seat in &mut self.seats {
            seat.hand = hand.clone();
            seat.family = None;
            seat.context_file = None;
        }
        if hand.is_agent() {
            self.families = Families::MayBeTheSame;
        }
    }

    /// The seats with a duty, in order.
    pub fn with_duty(&self, duty: Duty) -> impl Iterator<Item = &Seat> {
        self.seats.iter().filter(move |seat| seat.duty == duty)
    }

    /// The debaters, in order.
    pub fn debaters(&self) -> Vec<&Seat> {
        self.with_duty(Duty::Debater).collect()
    }

    /// The seat of that name.
    pub fn seat(&self, id: &SeatId) -> Option<&Seat> {
        self.seats.iter().find(|seat| seat.id == *id)
    }

    /// The option of that name.
    pub fn option(&self, id: &OptionId) -> Option<&Choice> {
        self.options.iter().find(|option| option.id == *id)
    }

    /// What a person would call the option: `A (Redis)`, or the bare id if the plan has no such option.
    pub fn option_name(&self, id: &OptionId) -> String {
        self.option(id).map_or_else(|| id.to_string(), Choice::to_string)
    }

    /// The names of options that stand together: `A (Redis) + B (Memcached)`.
    pub fn option_names(&self, options: &[OptionId]) -> String {
        options.iter().map(|id| self.option_name(id)).collect::<Vec<_>>().join(" + ")
    }

    /// Whether a rehearsal moves any seat: then the debate is a rehearsal and says so. The seat that answers alone
    /// is no part of the debate; a rehearsal there is said beside its answers.
    pub fn is_rehearsal(&self) -> bool {
        self.seats.iter().any(|seat| seat.duty != Duty::Control && seat.hand.is_rehearsal())
    }

    /// The fence that no peer's text can forge, since it depends on the plan.
    pub fn nonce(&self) -> String {
        Digest::of_parts([b"fence" as &[u8], self.id.as_bytes(), &self.seed.to_be_bytes()]).short(12)
    }

    /// Everything that makes this plan unsound, in words for the person who wrote it.
    pub fn defects(&self) -> Vec<String> {
        let mut defects = self.lasting_defects();
        defects.extend((self.protocol.seating_defects)(self));
        defects
    }

    /// Everything that makes this plan unsound even after its debate has begun.
    pub fn lasting_defects(&self) -> Vec<String> {
        let protocol = self.protocol;
        let mut defects = Vec::new();
        if self.question.trim().is_empty() {
            defects.push("the question is empty; say what is to be decided".to_owned());
        }
        if self.question.len() > QUESTION_LIMIT_BYTES {
            defects.push(format!(
                "the question has {} bytes; the limit is {QUESTION_LIMIT_BYTES} (pass long material with --context FILE)",
                self.question.len()
            ));
        }
        if let Err(problem) = check_id(&self.id) {
            defects.push(format!("debate id {:?}: {problem}", self.id));
        }
        defects.extend(self.option_defects());
        if self.seats.len() > SEATS_LIMIT {
            defects.push(format!("{} seats; the limit is {SEATS_LIMIT}", self.seats.len()));
        }
        for (i, seat) in self.seats.iter().enumerate() {
            if let Err(problem) = check_id(seat.id.as_str()) {
                defects.push(format!("seat {:?}: {problem}", seat.id.as_str()));
            }
            // Many disks, and readers, do not tell case apart.
            if self.seats[..i].iter().any(|other| other.id.as_str().eq_ignore_ascii_case(seat.id.as_str())) {
                defects.push(format!("two seats are named {:?}", seat.id.as_str()));
            }
            if is_taken(seat.id.as_str()) {
                defects.push(format!("seat {:?}: another file of the debate has that name", seat.id.as_str()));
            }
        }
        defects.extend(self.control_defects());
        for material in &self.materials {
            if material.text.len() > MATERIAL_LIMIT_BYTES {
                defects.push(format!(
                    "{}: {} bytes of context; the limit is {MATERIAL_LIMIT_BYTES}",
                    material.name,
                    material.text.len()
                ));
            }
        }
        if self.demands.grounded && self.materials.is_empty() {
            defects.push(
                "a grounded verdict is demanded, but there is nothing to quote; supply material with --context FILE"
                    .to_owned(),
            );
        }
        if self.limits.timeout_seconds == 0 {
            defects.push("the timeout is zero; give a duration such as 120s".to_owned());
        }
        let bounds = protocol.rounds;
        if self.limits.rounds == 0 {
            defects.push("rounds is zero; a debate needs at least one".to_owned());
        } else if !(bounds.least..=bounds.most).contains(&self.limits.rounds) {
            defects.push(format!(
                "{} rounds; {} holds {} to {}",
                self.limits.rounds, protocol.name, bounds.least, bounds.most
            ));
        }
        let least = self.limits.min_rounds;
        if least > 1 && !protocol.has_least_rounds {
            defects.push(format!("min_rounds {least}: {} has no least number of rounds", protocol.name));
        } else if least == 0 || least > self.limits.rounds.max(1) {
            defects.push(format!(
                "min_rounds {least}: expected 1 to {}, the most rounds of this debate",
                self.limits.rounds
            ));
        }
        if self.place.starts_with('/')
            || self.place.contains(['\0', '\\'])
            || self.place.split('/').any(|part| part == "..")
        {
            defects.push(format!("place {:?} leads out of the workspace", self.place));
        }
        defects.extend((protocol.defects)(self));
        defects
    }

    fn control_defects(&self) -> Vec<String> {
        let mut defects = Vec::new();
        if self.with_duty(Duty::Control).count() > 1 {
            defects.push("two seats have the duty control; one answers alone".to_owned());
        }
        for seat in self.with_duty(Duty::Control).filter(|seat| !seat.hand.is_agent()) {
            // Nobody writes thirty independent answers to one question.
            defects.push(format!(
                "seat {} is moved by {}; it answers once for each turn of the debate, so give it an agent: --seat {}=AGENT",
                seat.id, seat.hand, seat.id
            ));
        }
        defects
    }

    fn option_defects(&self) -> Vec<String> {
        let mut defects = Vec::new();
        let fewest = self.protocol.fewest_options;
        if !self.options.is_empty() && self.options.len() < fewest {
            defects.push(format!(
                "{} option{}; {} needs at least {fewest}",
                self.options.len(),
                if self.options.len() == 1 { "" } else { "s" },
                self.protocol.name
            ));
        }
        if self.options.len() > OPTIONS_LIMIT {
            defects.push(format!("{} options; the limit is {OPTIONS_LIMIT}", self.options.len()));
        }
        for (i, option) in self.options.iter().enumerate() {
            if let Err(problem) = check_id(option.id.as_str()) {
                defects.push(format!("option id {:?}: {problem}", option.id.as_str()));
            }
            if option.label.trim().is_empty() {
                defects.push(format!("option {} has no label", option.id));
            }
            if option.label.len() > LABEL_LIMIT_BYTES {
                defects.push(format!(
                    "option {}: a label of {} bytes; the limit is {LABEL_LIMIT_BYTES} (put the rest in its description)",
                    option.id,
                    option.label.len()
                ));
            }
            for other in &self.options[..i] {
                if other.id.as_str().eq_ignore_ascii_case(option.id.as_str()) {
                    defects.push(format!("two options have the id {}", option.id));
                }
                if same_text(&other.label, &option.label) {
                    defects.push(format!("options {} and {} are the same: {:?}", other.id, option.id, option.label));
                }
            }
        }
        defects
    }
}

/// Whether a name can be part of a path without leading anywhere else.
pub fn check_id(id: &str) -> Result<(), String> {
    if id.is_empty() {
        return Err("it is empty".to_owned());
    }
    if id.len() > ID_LIMIT_BYTES {
        return Err(format!("{} bytes; the limit is {ID_LIMIT_BYTES}", id.len()));
    }
    if id.starts_with(['-', '.']) || id.ends_with('.') {
        return Err("it must not start with '-' or '.', nor end with '.'".to_owned());
    }
    if id.contains("..") {
        return Err("it must not contain '..'".to_owned());
    }
    match id.chars().find(|c| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))) {
        Some(bad) => Err(format!("{bad:?} is not allowed; use letters, digits, '-', '_' and '.'")),
        None => Ok(()),
    }
}

/// Whether a seat of that name would share a file with another turn, or with the plan.
fn is_taken(seat: &str) -> bool {
    let seat = seat.to_ascii_lowercase();
    let round = |rest: &str| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit());
    ["plan", "decision", "framing", "result", "verdict"].contains(&seat.as_str())
        || ["-recheck", "_rebuttal", "_probe"].iter().any(|end| seat.ends_with(end))
        || seat.rsplit_once("-r").is_some_and(|(_, rest)| round(rest))
}

/// Option ids in order: A, B, C, ...
pub fn letter(index: usize) -> OptionId {
    let letter = u8::try_from(index).ok().and_then(|i| b'A'.checked_add(i)).filter(u8::is_ascii_uppercase);
    letter.map_or_else(|| OptionId::new(format!("O{}", index + 1)), |l| OptionId::new(char::from(l).to_string()))
}

/// The option of that label: as it stands, else by its words where they mean no other.
pub fn option_labelled<'o>(options: &'o [Choice], said: &str) -> Option<&'o Choice> {
    let mut by_words = options.iter().filter(|option| same_words(&option.label, said));
    let only = by_words.next().filter(|_| by_words.next().is_none());
    options.iter().find(|option| same_text(&option.label, said)).or(only)
}

/// Whether two texts are the same, whatever the case and spacing: options that differ in any sign are different.
pub fn same_text(a: &str, b: &str) -> bool {
    bare_text(a) == bare_text(b)
}

/// A text as it is compared: in small letters, with single blanks.
pub(crate) fn bare_text(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Whether two phrases are the same words and signs, whatever the case and spacing.
pub fn same_words(a: &str, b: &str) -> bool {
    forge_prose::words::same_words(a, b)
}

/// Whether `text` contains the phrase as whole words, whatever the case and spacing.
pub fn contains_phrase(text: &str, phrase: &str) -> bool {
    let text: Vec<String> = words(text).collect();
    let phrase: Vec<String> = words(phrase).collect();
    !phrase.is_empty() && text.windows(phrase.len()).any(|window| window == phrase.as_slice())
}

/// The words of a text in lower case; everything that is not a letter, digit, `+` or `#` separates (C++ and C# are words).
pub fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '+' | '#')))
        .filter(|word| word.chars().any(char::is_alphanumeric))
        .map(str::to_lowercase)
}

/// The candidate nearest to a mistyped name, if one is near enough to suggest: a slip or two, more only in long names. What
/// merely begins alike is another word.
pub fn nearest<'a>(typed: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let typed = typed.to_lowercase();
    let letters = letters_of(&typed);
    candidates
        .into_iter()
        .filter_map(|candidate| {
            let most = match candidate.chars().count() {
                0..=4 => 1,
                5..=8 => 2,
                _ => 3,
            };
            let lower = candidate.to_lowercase();
            // Each slip mends at most one letter of each; among thousands of names this leaves a few to be compared.
            if letters_apart(&letters, &letters_of(&lower)) > most {
                return None;
            }
            let distance = strsim::damerau_levenshtein(&typed, &lower);
            (distance <= most).then_some((distance, candidate))
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// How often each letter stands in a word, letters of many scripts counted together.
fn letters_of(word: &str) -> [u32; 64] {
    let mut counts = [0; 64];
    word.chars().for_each(|c| counts[c as usize % 64] += 1);
    counts
}

/// The fewest letters that the longer of two words has and the other lacks: their distance is no less.
fn letters_apart(one: &[u32; 64], other: &[u32; 64]) -> usize {
    let lacking = |a: &[u32; 64], b: &[u32; 64]| a.iter().zip(b).map(|(a, b)| a.saturating_sub(*b)).sum::<u32>();
    lacking(one, other).max(lacking(other, one)) as usize
}
