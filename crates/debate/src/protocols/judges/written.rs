//! Judges' files that somebody wrote by hand, in the spellings of S3 and of the tools that it comes from.
//!
//! A recommendation and a reason are required. Confidence, challenges and what convinced are read where they stand. Where a
//! vote is in doubt nothing counts, and the line to write is shown. Replies to forge's own brief are never read here.

use super::{asks, convincing, lists};
use crate::ballot;
use crate::fact;
use crate::model::ballot::{Ballot, Words};
use crate::model::datum::Fields;
use crate::model::form::{BALLOT_LIST_LIMIT, Defect, Draft, Handwriting, Need};
use crate::model::plan::{Naming, OptionId, Plan, SeatId, contains_phrase, words};
use crate::model::ruling::Confidence;
use crate::model::turn::Argument;
use crate::model::votes::{ChallengeEntry, ResponseBallot, option_spellings};
use crate::rules::anonymity::Speakers;
use crate::rules::doubt::is_in_doubt;
use crate::rules::instructions::one_of;
use crate::rules::option_names::OptionNames;
use crate::rules::reading::is_rubber_stamp;
use forge_prose::blanks::{is_function_word, is_placeholder};
use forge_prose::outline::{Block, Kind, Line, Outline};
use forge_prose::phrases::Phrases;
use forge_prose::title_matches;
use std::ops::Range;
use std::rc::Rc;

/// Titles that stand for a section of the form, in the files of S3's own tools.
pub(super) const TITLES: &[(&str, &[&str])] = &[
    ("Assessment", &["Risk Analysis", "Value Analysis", "Effort Analysis", "Analysis"]),
    ("Recommendation", &["My Recommendation"]),
    ("Challenges", &["Response to Other Judges", "Skeptical Challenge", "Optimistic Challenge", "Pragmatic Challenge"]),
    ("Position", &["My Recommendation", "Did I Change My Mind"]),
    (asks::RISK_STANCE, &["Risks in Other Options", "Risk Analysis", "Skeptical Challenge"]),
    (asks::VALUE_STANCE, &["Value Missed in Other Options", "Value Analysis", "Optimistic Challenge"]),
    (asks::EFFORT_STANCE, &["Concerns with Other Options", "Effort Analysis", "Pragmatic Challenge"]),
];

ballot! {
    /// What is read from the text of a judge's file. What is not there is left open.
    #[derive(Default)]
    pub(super) struct JudgeFile {
        #[like(ResponseBallot)]
        option: Option<OptionId>,
        #[like(ResponseBallot)]
        confidence: Option<Confidence>,
        #[like(ResponseBallot)]
        reason: Option<String>,
        #[like(ResponseBallot)]
        arguments: Option<Vec<Argument>>,
        #[like(ResponseBallot)]
        challenges: Option<Vec<ChallengeEntry>>,
        #[like(ResponseBallot)]
        convinced_by: Option<Vec<String>>,
        #[like(ResponseBallot)]
        convinced_because: Option<String>,
    }
}

const REASON_TITLES: &[&str] =
    &["Why My Choice", "Why I", "Why This", "My Reason", "Reason", "Rationale", "Reasoning", "Justification"];
const RECOMMENDATION_TITLES: &[&str] = &["My Recommendation", "Recommendation", "Final Recommendation", "Position"];
/// The most characters of a reason that is a whole section.
const REASON_LIMIT_CHARS: usize = 600;
/// The most characters of a title that are looked at.
const TITLE_LIMIT_CHARS: usize = 400;
/// The fewest words of a challenge.
const CHALLENGE_WORDS: usize = 3;

/// Reads the ballot of a file, and says what is missing or in doubt.
pub(super) fn read(hand: &Handwriting, plan: &Plan, seat: &SeatId, draft: &Draft) -> (Fields, Vec<Defect>) {
    let page = Page { hand, plan, speakers: Speakers::of(plan, seat), seat, pieces: pieces(draft) };
    let given = draft.ballot.as_ref().and_then(JudgeFile::of).unwrap_or_default();
    let mut file = JudgeFile::default();
    let mut missing = Vec::new();
    let vote = match &given.option {
        None => page.vote(),
        Some(said) => Ok(plan.option_meant(said.as_str()).map(|option| option.id.clone())),
    };
    match &vote {
        Ok(Some(option)) => file.option = Some(option.clone()),
        Ok(None) if given.option.is_some() => {}
        Ok(None) => {
            let line = page.line("Chosen Option");
            missing.push(Defect::new(Need::Required, fact!("no_recommendation", "no recommendation: write {line}")));
        }
        Err(doubt) => missing.push(doubt.clone()),
    }
    missing.extend(page.passed_over());
    let vote = vote.ok().flatten();
    let changed = vote.as_ref().zip(hand.held.as_ref()).is_some_and(|(now, held)| now != held);
    let convinced = if changed { page.convinced() } else { None };
    file.reason =
        given.reason.or_else(|| page.reason(vote.as_ref(), convinced.as_ref().map(|one| one.because.as_str())));
    match &file.reason {
        Some(reason) => {
            let id = if hand.round > 1 { format!("a{}1", hand.round) } else { "a1".to_owned() };
            file.arguments = Some(vec![Argument { id, text: Words(reason.clone()) }]);
        }
        None => missing.push(Defect::new(
            Need::Required,
            fact!("no_reason", "no reason: write `**Reason:** ...`, or a section `## Why My Choice ...`"),
        )),
    }
    match page.confidence() {
        Ok(confidence) => file.confidence = Some(confidence),
        Err(_) if given.confidence.is_some() => {}
        Err(defect) => missing.push(defect),
    }
    let made = if hand.round > 1 { page.challenges() } else { Vec::new() };
    if !made.is_empty() {
        file.challenges = Some(made);
    } else if hand.round > 1 && draft.ballot.is_none() {
        let fact = fact!(
            "no_challenge",
            "no position is challenged: write `**To the ... Judge:** ...` below `## Challenges`, with the judge's name"
        );
        missing.push(Defect::new(Need::Due, fact));
    }
    let cited = convinced.as_ref().map(|one| page.cited(one)).unwrap_or_default();
    if changed && cited.is_empty() && plan.demands.documented_changes && draft.ballot.is_none() {
        let fact = fact!(
            "no_cause",
            "the recommendation changed: write `**What Convinced Me:** ...` with the judge whose argument it was; without it the earlier vote stands",
            from = hand.held,
            to = vote
        );
        missing.push(Defect::new(Need::Due, fact));
    }
    if let Some(Convinced { because, .. }) = convinced {
        (file.convinced_by, file.convinced_because) = (Some(cited), Some(because));
    }
    (file.to_fields(), missing)
}

/// A labelled value, a box, or text, with the headings that it stands below.
struct Piece {
    what: What,
    /// The first line of its words.
    value: String,
    /// The lines that go on behind it.
    more: String,
    is_blank: bool,
    line: usize,
    /// The headings above it, with their levels.
    titles: Rc<[(u8, String)]>,
}

enum What {
    Label(String),
    Box(bool),
    Text,
    Heading,
}

impl Piece {
    /// All its words on one line.
    fn text(&self) -> String {
        format!("{} {}", self.value, self.more).trim().to_owned()
    }

    fn is_label(&self, names: &Phrases) -> bool {
        matches!(&self.what, What::Label(name) if names.has_text(name))
    }

    fn is_below(&self, titles: &[&str]) -> bool {
        self.titles.iter().any(|(_, title)| titles.iter().any(|wanted| title_matches(title, wanted)))
    }

    /// The headings of its sections, the innermost first. That of the whole file is none of them.
    fn sections(&self) -> impl Iterator<Item = &str> {
        self.titles.iter().rev().filter(|(level, _)| *level > 1).map(|(_, title)| title.as_str())
    }

    /// Whether it speaks of what others hold or of other options.
    fn is_about_others(&self) -> bool {
        self.sections().any(|title| words(title).any(|word| lists::OTHER_TITLES.has_word(&word)))
    }
}

impl Piece {
    /// Whether the boxes below are asked about a change, as by `**Did I Change My Mind?**`. A box itself says nothing of it.
    fn asks_below(&self, text: &str) -> Option<bool> {
        match &self.what {
            What::Box(_) => None,
            What::Label(name) => Some(is_about_change(name) && text.is_empty()),
            What::Text | What::Heading => Some(is_about_change(text) && text.ends_with(['?', ':'])),
        }
    }

    /// Yes or No to whether the recommendation changed.
    fn answer(&self, text: &str, is_asked_above: bool) -> Option<bool> {
        let asked = text.split_once('?').filter(|(asked, answer)| is_about_change(asked) && !answer.trim().is_empty());
        let answer = asked.map_or(text, |(_, answer)| answer.trim());
        let is_yes = match words(answer).next()?.as_str() {
            "yes" => true,
            "no" => false,
            _ => return None,
        };
        let is_below = self.titles.last().is_some_and(|(_, title)| is_about_change(title));
        let counts = match &self.what {
            What::Box(is_ticked) => *is_ticked && (is_below || is_asked_above || is_about_change(text)),
            What::Label(_) => self.is_label(&lists::CHANGED_LABELS) && !self.is_blank,
            What::Text | What::Heading => (is_below || asked.is_some()) && !self.is_blank && is_one_word(answer),
        };
        counts.then_some(is_yes)
    }
}

/// A label's words in lower case: `My Counter-Argument` is `my counter argument`.
fn plain_name(label: &str) -> String {
    words(label).collect::<Vec<_>>().join(" ")
}

/// Whether a text is about keeping or changing a recommendation.
fn is_about_change(text: &str) -> bool {
    words(text).any(|word| lists::CHANGE_WORDS.has_word(&word))
}

/// Whether a text begins with a word that stands by itself: `No.`, `Yes, ...`, but not `No other option ...`.
fn is_one_word(text: &str) -> bool {
    let rest = text.trim_start_matches(char::is_alphabetic);
    rest.is_empty() || rest.starts_with([',', '.', ':', ';', '!', '–', '—']) || rest.trim_start().starts_with('-')
}

/// A box before a line's words, and the words.
fn boxed(text: &str) -> Option<(bool, &str)> {
    const TICKED: &[&str] = &["[x]", "[X]", "[✓]", "[✔]", "☑", "☒", "✅"];
    const OPEN: &[&str] = &["[ ]", "[]", "☐"];
    let mark =
        |marks: &[&str], ticked: bool| marks.iter().find_map(|mark| Some((ticked, text.strip_prefix(mark)?.trim())));
    mark(TICKED, true).or_else(|| mark(OPEN, false))
}

fn is_chosen_label(name: &str) -> bool {
    const MORE: &[&str] = &["option", "my recommendation", "my choice", "my vote", "selected option"];
    MORE.contains(&name) || option_spellings().iter().any(|also| plain_name(also) == name)
}

/// The label of a line with its value. One that is not bold counts only if it is one of those that are looked for.
fn label(line: &Line) -> Option<(String, String)> {
    let (name, value) = line.label()?;
    let plain = plain_name(name);
    let known: [&Phrases; 5] = [
        &lists::NEW_VOTE_LABELS,
        &lists::CONFIDENCE_LABELS,
        &lists::REASON_LABELS,
        &lists::CONVINCED_LABELS,
        &lists::COUNTER_LABELS,
    ];
    let is_known = known.iter().any(|names| names.has_text(&plain));
    // A bold line without a colon is a name, not a label.
    let is_bold = line.bold > 0 && (!value.is_empty() || line.text.trim().ends_with([':', '：']));
    (is_bold || is_known || is_chosen_label(&plain)).then(|| (plain, value.to_owned()))
}

/// Takes a file apart. Quotations, code and heads of tables say nothing.
fn pieces(draft: &Draft) -> Vec<Piece> {
    let outline = Outline::of(&draft.text, draft.first_line.max(1));
    // A single heading of the first level is the file's title; several are sections.
    let is_title = outline.headings.iter().filter(|heading| heading.level == 1).count() < 2;
    let mut above: Rc<[(u8, String)]> = Rc::from([]);
    let mut found: Vec<Piece> = Vec::new();
    for block in
        outline.blocks.iter().filter(|block| !block.is_quoted && !matches!(block.kind, Kind::Code | Kind::Head))
    {
        if let Kind::Heading(level) = block.kind {
            let level = if is_title { level } else { level + 1 };
            let outer = above.iter().filter(|(other, _)| *other < level).cloned();
            above = outer.chain([(level, block.text().chars().take(TITLE_LIMIT_CHARS).collect())]).collect();
        }
        add(block, &above, &mut found);
    }
    found
}

fn add(block: &Block, above: &Rc<[(u8, String)]>, found: &mut Vec<Piece>) {
    let new = |what: What, value: &str, line: &Line| Piece {
        what,
        value: value.trim().to_owned(),
        more: String::new(),
        is_blank: line.is_blank(),
        line: line.line,
        titles: Rc::clone(above),
    };
    if block.is_row() {
        let Some(first) = block.lines.first() else { return };
        found.push(Piece { is_blank: block.is_blank(), ..new(What::Text, &block.text(), first) });
        return;
    }
    for (at, line) in block.lines.iter().enumerate() {
        let text = line.text.trim();
        let ticked = match block.kind {
            Kind::Item { ticked } if at == 0 => ticked.map(|ticked| (ticked, text)),
            _ => None,
        };
        if let Some((is_ticked, rest)) = ticked.or_else(|| boxed(text)) {
            found.push(new(What::Box(is_ticked), rest, line));
        } else if let Kind::Heading(_) = block.kind {
            match label(line) {
                Some((name, value)) => found.push(new(What::Label(name), &value, line)),
                None => found.push(new(What::Heading, text, line)),
            }
        } else if let Some((name, value)) = label(line) {
            found.push(new(What::Label(name), &value, line));
        } else if let Some(before) = found.last_mut().filter(|_| at > 0) {
            before.more.push_str(if before.more.is_empty() || text.is_empty() { "" } else { " " });
            before.more.push_str(text);
            // A blank below a recommendation leaves the recommendation as it is.
            before.is_blank |= line.is_blank() && !matches!(&before.what, What::Label(name) if is_chosen_label(name));
        } else {
            found.push(new(What::Text, text, line));
        }
    }
}

struct Page<'a> {
    hand: &'a Handwriting,
    plan: &'a Plan,
    speakers: Speakers<'a>,
    seat: &'a SeatId,
    pieces: Vec<Piece>,
}

impl Page<'_> {
    /// The line that says it, for whoever left it out.
    fn line(&self, label: &str) -> String {
        let ids: Vec<&str> = self.plan.options.iter().map(|option| option.id.as_str()).collect();
        format!("`**{label}:** Option <{}>`", one_of(&ids))
    }

    fn doubt(&self, line: usize, text: String) -> Defect {
        Defect::new(Need::Required, fact!("doubtful_vote", "{text}")).at(line)
    }

    /// The option that the file votes for.
    fn vote(&self) -> Result<Option<OptionId>, Defect> {
        let [yes, no] =
            [true, false].map(|answer| self.answers().find(|(said, _)| *said == answer).map(|(_, piece)| piece));
        let new = || self.named("New Recommendation", &|name| lists::NEW_VOTE_LABELS.has_text(name));
        let chosen = || self.named("Chosen Option", &is_chosen_label);
        match (&self.hand.held, yes, no) {
            (_, Some(_), Some(no)) => {
                Err(self.doubt(no.line, "both Yes and No are ticked: tick one of them".to_owned()))
            }
            (Some(held), None, Some(_)) => Ok(Some(held.clone())),
            (Some(held), Some(yes), None) => match (new()?, chosen()?) {
                (Some(new), _) => Ok(Some(new)),
                (None, Some(chosen)) if chosen != *held => Ok(Some(chosen)),
                (None, _) => {
                    let text = format!(
                        "Yes is ticked, and no new recommendation is named: write {}",
                        self.line("New Recommendation")
                    );
                    Err(self.doubt(yes.line, text))
                }
            },
            (_, ticked, None) if self.hand.round > 1 || ticked.is_some() => match (chosen()?, new()?) {
                (Some(chosen), Some(new)) if chosen != new => {
                    let at = self
                        .pieces
                        .iter()
                        .find(|piece| piece.is_label(&lists::NEW_VOTE_LABELS))
                        .map_or(1, |piece| piece.line);
                    let text = format!(
                        "this says {new}, and the chosen option is {chosen}: write one of them, as {}",
                        self.line("Chosen Option")
                    );
                    Err(self.doubt(at, text))
                }
                (chosen, new) => Ok(chosen.or(new)),
            },
            // In the first round there is nothing yet that could have changed.
            _ => chosen(),
        }
    }

    /// A chosen option that does not count, since No is ticked.
    fn passed_over(&self) -> Option<Defect> {
        let held = self.hand.held.as_ref()?;
        let (_, no) = self.answers().find(|(is_yes, _)| !is_yes)?;
        let chosen = self.named("Chosen Option", &is_chosen_label).ok()??;
        let fact = fact!("no_is_ticked", "No is ticked, so {held} stands as before, and not {chosen}", held, chosen);
        (chosen != *held).then(|| Defect::new(Need::Due, fact).at(no.line))
    }

    /// Whether the judge says to have changed its mind, as often as it says so.
    fn answers(&self) -> impl Iterator<Item = (bool, &Piece)> {
        let mut is_asked_above = false;
        self.pieces.iter().filter_map(move |piece| {
            let text = piece.text();
            is_asked_above = piece.asks_below(&text).unwrap_or(is_asked_above);
            piece.answer(&text, is_asked_above).map(|is_yes| (is_yes, piece))
        })
    }

    /// The one option that labels of this kind name, or a heading with nothing but an option below it.
    fn named(&self, label: &str, is_kind: &dyn Fn(&str) -> bool) -> Result<Option<OptionId>, Defect> {
        let mut chosen: Option<OptionId> = None;
        let mut is_doubtful = false;
        let mut failed: Option<Defect> = None;
        for (at, piece) in self.pieces.iter().enumerate() {
            let (name, is_title) = match &piece.what {
                What::Label(name) => (name.clone(), false),
                What::Heading => (plain_name(&piece.value), true),
                _ => continue,
            };
            if !is_kind(&name) || piece.is_about_others() || self.is_of_another(piece) {
                continue;
            }
            let below = self.pieces.get(at + 1).filter(|next| matches!(next.what, What::Text));
            let own = if piece.value.is_empty() { &piece.more } else { &piece.value };
            let (value, is_blank) = match (is_title || own.is_empty(), below) {
                (false, _) => (own.as_str(), piece.is_blank),
                (true, Some(next)) => (next.value.as_str(), next.is_blank),
                (true, None) => continue,
            };
            if is_blank || is_placeholder(value) {
                continue;
            }
            let said = self.plan.option_meant(value).map(|option| option.id.clone());
            match (said, &chosen) {
                (Some(option), Some(before)) if option != *before => {
                    let text = format!(
                        "this says {option}, and an earlier line says {before}: write one {}",
                        self.line(label)
                    );
                    return Err(self.doubt(piece.line, text));
                }
                (Some(option), _) => chosen = Some(option),
                (None, _) if is_title => {}
                (None, _) => {
                    let is_named = !OptionNames::of(&self.plan.options).named(value).is_empty();
                    let what = if is_named { "is no plain choice of one option" } else { "is none of the options" };
                    let text = format!("{value:?} {what}: write {}", self.line(label));
                    // Words beside a choice may be anything; what doubts or turns down is meant.
                    is_doubtful |= !piece.value.is_empty() && is_in_doubt(value);
                    failed = failed.or(Some(self.doubt(piece.line, text)));
                }
            }
        }
        match (chosen, failed) {
            (None, Some(failed)) => Err(failed),
            (Some(_), Some(failed)) if is_doubtful => Err(failed),
            (chosen, _) => Ok(chosen),
        }
    }

    fn is_of_another(&self, piece: &Piece) -> bool {
        piece.sections().any(|title| !self.judges_in(title).is_empty())
    }

    /// The words of a label, and of what follows it where it stands alone on its line.
    fn words_at(&self, at: usize) -> Option<String> {
        let piece = self.pieces.get(at)?;
        if !piece.text().is_empty() {
            return Some(piece.text()).filter(|text| !piece.is_blank && !is_placeholder(text));
        }
        let below = self.pieces[at + 1..].iter().take_while(|next| matches!(next.what, What::Text));
        let said: Vec<String> = below.filter(|next| !next.is_blank).map(Piece::text).collect();
        Some(said.join(" ")).filter(|text| !is_placeholder(text))
    }

    fn labelled(&self, names: &Phrases) -> Option<String> {
        (0..self.pieces.len()).filter(|at| self.pieces[*at].is_label(names)).find_map(|at| self.words_at(at))
    }

    /// Why: a labelled line, a section for it, what convinced, or what stands beside the recommendation.
    fn reason(&self, vote: Option<&OptionId>, convinced: Option<&str>) -> Option<String> {
        let label = vote.and_then(|id| self.plan.option(id)).map_or("", |option| option.label.as_str());
        let says_why = |text: &String| !is_rubber_stamp(text, label);
        // A form that was kept from the round before gives the reason for what was held before.
        let chosen = self.named("Chosen Option", &is_chosen_label).ok().flatten();
        let is_kept = convinced.is_some() && chosen.is_some() && chosen.as_ref() != vote;
        convinced
            .filter(|_| is_kept)
            .map(str::to_owned)
            .filter(says_why)
            .or_else(|| self.labelled(&lists::REASON_LABELS))
            .or_else(|| self.section(REASON_TITLES))
            .or_else(|| convinced.map(str::to_owned))
            .or_else(|| self.section(RECOMMENDATION_TITLES).filter(says_why))
            .or_else(|| self.beside_vote().filter(says_why))
            .or_else(|| self.behind_vote().filter(says_why))
            .or_else(|| self.kept().filter(says_why))
    }

    /// The text below one of these titles, as much as makes a reason.
    fn section(&self, titles: &[&str]) -> Option<String> {
        let is_here = |piece: &&Piece| {
            let is_elsewhere = piece.is_about_others() || piece.sections().any(is_about_change);
            matches!(piece.what, What::Text) && piece.is_below(titles) && !is_elsewhere
        };
        let mut said = String::new();
        for piece in self.pieces.iter().filter(is_here).filter(|piece| !piece.is_blank) {
            let text = piece.text();
            if is_placeholder(&text) || text.ends_with([':', '：']) {
                continue;
            }
            if !said.is_empty() && said.chars().count() + text.chars().count() > REASON_LIMIT_CHARS {
                break;
            }
            said.push_str(if said.is_empty() { "" } else { " " });
            said.push_str(&text);
        }
        (!said.is_empty()).then_some(said)
    }

    /// The lines right below the recommendation, or below how sure it is.
    fn beside_vote(&self) -> Option<String> {
        let is_vote = |piece: &&Piece| {
            matches!(&piece.what, What::Label(name) if is_chosen_label(name))
                || piece.is_label(&lists::CONFIDENCE_LABELS)
        };
        let piece = self.pieces.iter().filter(is_vote).find(|piece| !piece.more.is_empty() && !piece.is_blank);
        piece.map(|piece| piece.more.clone())
    }

    /// What stands behind the recommendation on its line.
    fn behind_vote(&self) -> Option<String> {
        let is_vote = |piece: &&Piece| matches!(&piece.what, What::Label(name) if is_chosen_label(name));
        let piece = self.pieces.iter().find(is_vote).filter(|piece| !piece.is_blank)?;
        let marks = [" - ", " – ", " — ", " because ", ": "];
        marks.iter().find_map(|mark| piece.value.split_once(mark)).map(|(_, tail)| tail.trim().to_owned())
    }

    /// What a ticked No says.
    fn kept(&self) -> Option<String> {
        self.answers().find(|(is_yes, _)| !is_yes).map(|(_, piece)| piece.text())
    }

    /// The first word of its line.
    fn confidence(&self) -> Result<Confidence, Defect> {
        let unread = |why: &str| {
            let line = "write `**Confidence:** HIGH`, MEDIUM or LOW; without it MEDIUM counts";
            Defect::new(Need::Due, fact!("no_confidence", "{why}: {line}"))
        };
        let said = self.pieces.iter().find(|piece| {
            piece.is_label(&lists::CONFIDENCE_LABELS) && !piece.is_blank && !is_placeholder(&piece.value)
        });
        let Some(piece) = said else { return Err(unread("no confidence")) };
        let word = words(&piece.value).next().unwrap_or_default();
        Confidence::parse(&word).ok_or_else(|| unread(&format!("{:?} is no confidence", piece.value)).at(piece.line))
    }

    /// Whom the file challenges, by the name under which it reads them, and how.
    fn challenges(&self) -> Vec<ChallengeEntry> {
        let mut made: Vec<ChallengeEntry> = Vec::new();
        let mut against: Option<SeatId> = None;
        for (at, piece) in self.pieces.iter().enumerate() {
            let is_here =
                piece.sections().any(|title| words(title).any(|word| lists::CHALLENGE_TITLES.has_word(&word)));
            let titled = || piece.sections().find_map(|title| self.judges_in(title).into_iter().next());
            let mut add = |seat: SeatId, text: Option<String>| {
                let text = text.filter(|text| words(text).count() >= CHALLENGE_WORDS);
                made.extend(text.map(|text| ChallengeEntry { to: self.speakers.prefix(&seat), text: Words(text) }));
            };
            match &piece.what {
                What::Heading => against = None,
                What::Label(name) => {
                    // Behind a colon, so that `**Value:**` names the seat.
                    let named = self.judges_in(&format!("{name}:")).into_iter().next();
                    let is_position =
                        name.split(' ').next_back().is_some_and(|last| lists::POSITION_WORDS.has_word(last));
                    match named {
                        Some(seat) if is_position => against = Some(seat),
                        Some(seat) if is_here || name.starts_with("to ") => add(seat, self.words_at(at)),
                        Some(_) => {}
                        None if lists::COUNTER_LABELS.has_text(name) => {
                            if let Some(seat) = against.clone().or_else(titled) {
                                add(seat, self.words_at(at));
                            }
                        }
                        None => {}
                    }
                }
                // What stands below somebody's position tells that position.
                What::Text if is_here && !piece.is_blank && against.is_none() => {
                    let text = piece.text();
                    for seat in self.judges_in(&text) {
                        add(seat, Some(text.clone()));
                    }
                    if self.judges_in(&text).is_empty()
                        && let Some(seat) = titled()
                    {
                        add(seat, Some(text));
                    }
                }
                What::Text | What::Box(_) => {}
            }
        }
        made.truncate(BALLOT_LIST_LIMIT);
        made
    }

    /// What convinced the judge, where it says so, and whose it was: a labelled line, the text beside a ticked Yes, or a
    /// sentence.
    fn convinced(&self) -> Option<Convinced> {
        let told = |text: String| Convinced { by: self.grounds(&text, Told::Labelled), because: text };
        let labelled = self.labelled(&lists::CONVINCED_LABELS).map(told);
        let ticked = self.answers().find(|(is_yes, _)| *is_yes).map(|(_, piece)| piece);
        let ticked = ticked.filter(|piece| !piece.is_blank).map(|piece| told(piece.text()));
        match (labelled, ticked) {
            // The label may say what, and the box whose it was.
            (Some(what), Some(yes)) if what.by.is_empty() && !yes.by.is_empty() => {
                let is_denied = !self.judges_in(&what.because).is_empty();
                let by = if is_denied { Vec::new() } else { yes.by };
                Some(Convinced { because: format!("{} ({})", what.because, yes.because), by })
            }
            (Some(what), _) => Some(what),
            (None, Some(yes)) if !yes.by.is_empty() => Some(yes),
            (None, yes) => self.convincing_sentence().or(yes),
        }
    }

    fn convincing_sentence(&self) -> Option<Convinced> {
        let written = self.pieces.iter().filter(|piece| {
            let is_label = matches!(&piece.what, What::Label(name) if !self.judges_in(&format!("{name}:")).is_empty());
            let is_other = is_label || piece.is_about_others() || self.is_of_another(piece);
            !piece.is_blank && !is_other && !matches!(piece.what, What::Heading | What::Box(_))
        });
        written.into_iter().find_map(|piece| {
            let text = piece.text();
            forge_prose::sentences::split(&text).into_iter().find_map(|sentence| {
                let by = self.grounds(sentence, Told::InPassing);
                (!by.is_empty()).then(|| Convinced { because: sentence.to_owned(), by })
            })
        })
    }

    /// The judges by whom this text says that its writer was convinced.
    fn grounds(&self, text: &str, told: Told) -> Vec<SeatId> {
        let mut by = Vec::new();
        for clause in convincing::clauses(text) {
            let said = convincing::said(&clause);
            let named = self.named_in(&clause, &said);
            let places: Vec<Range<usize>> = named.iter().flat_map(|(_, places)| places.iter().cloned()).collect();
            let counts = match told {
                Told::Labelled => !convincing::names_nothing(&said),
                Told::InPassing => convincing::is_of_oneself(&said),
            };
            if !counts || convincing::is_denied(&said, &places) {
                continue;
            }
            let holds = |places: &[Range<usize>]| places.iter().any(|place| !convincing::is_passed_over(&said, place));
            let seats = named.into_iter().filter(|(_, places)| holds(places)).map(|(seat, _)| seat);
            by.extend(seats.filter(|seat| !by.contains(seat)).collect::<Vec<_>>());
        }
        by
    }

    /// The arguments that are meant by what convinced: those that it names by id, else those with which it shares a word, else
    /// the judge's main one.
    fn cited(&self, convinced: &Convinced) -> Vec<String> {
        let said: Vec<String> = words(&convinced.because).collect();
        let mut cited = Vec::new();
        for seat in &convinced.by {
            let made: Vec<_> =
                self.hand.arguments.iter().filter(|(owner, _)| owner == seat).map(|(_, one)| one).collect();
            let by_id = |one: &str| said.contains(&one.to_lowercase());
            let shares = |one: &str| {
                words(one).any(|word| word.chars().count() > 3 && !is_function_word(&word) && said.contains(&word))
            };
            let mut meant: Vec<_> = made.iter().filter(|one| by_id(&one.id)).collect();
            if meant.is_empty() {
                meant = made.iter().filter(|one| shares(&one.text)).collect();
            }
            if meant.is_empty() {
                meant = made.first().into_iter().collect();
            }
            cited.extend(meant.into_iter().map(|one| format!("{}.{}", self.speakers.prefix(seat), one.id)));
        }
        cited
    }

    fn judges_in(&self, text: &str) -> Vec<SeatId> {
        self.named_in(text, &convincing::said(text)).into_iter().map(|(seat, _)| seat).collect()
    }

    /// The other judges that a text names, and where among its words: `Value Judge`, `judge value`, `value's`, `Value: ...`,
    /// `by value`, `Speaker 2`, `S2`. Their names are words of the language too, so a bare one means nobody.
    fn named_in(&self, text: &str, said: &[String]) -> Vec<(SeatId, Vec<Range<usize>>)> {
        let others = self.plan.debaters().into_iter().map(|seat| &seat.id).filter(|seat| *seat != self.seat);
        let named = others.map(|seat| {
            let mut places = self.by_name(seat, text, said);
            places.extend(self.by_number(seat, said));
            (seat.clone(), places)
        });
        named.filter(|(_, places)| !places.is_empty()).collect()
    }

    fn by_name(&self, seat: &SeatId, text: &str, said: &[String]) -> Vec<Range<usize>> {
        const BEHIND: &[&str] = &["judge", "judges", "seat", "s", "richter", "richterin", "richters"];
        const BEFORE: &[&str] = &["judge", "juez", "jueza", "juge", "richter"];
        const CAUSE: &[&str] = &["by", "von", "vom", "durch", "por", "par"];
        let is_word = |at: Option<usize>, wanted: &[&str]| {
            at.and_then(|at| said.get(at)).is_some_and(|word| wanted.contains(&word.as_str()))
        };
        let is_label = text.trim().get(..seat.as_str().len()).is_some_and(|start| {
            let rest = text.trim().get(start.len()..).unwrap_or_default().trim_start();
            start.eq_ignore_ascii_case(seat.as_str()) && (rest.is_empty() || rest.starts_with([':', '-', '–', '—']))
        });
        let is_named = |place: &Range<usize>| {
            let before = place.start.checked_sub(1);
            let is_cause = place.start.checked_sub(2).is_some_and(|at| convincing::is_convincing(&said[at]));
            (place.start == 0 && is_label)
                || is_word(Some(place.end), BEHIND)
                || is_word(before, BEFORE)
                || (is_word(before, CAUSE) && is_cause)
        };
        places_of(seat.as_str(), said).filter(is_named).collect()
    }

    fn by_number(&self, seat: &SeatId, said: &[String]) -> Vec<Range<usize>> {
        if self.plan.naming != Naming::Anonymous {
            return Vec::new();
        }
        let (name, prefix) = (self.speakers.name(seat), self.speakers.prefix(seat));
        let mut texts = [&self.plan.question].into_iter().chain(self.plan.options.iter().map(|option| &option.label));
        let mut places: Vec<Range<usize>> = places_of(&name, said).collect();
        if !texts.any(|text| contains_phrase(text, &prefix)) {
            places.extend(places_of(&prefix, said));
        }
        places
    }
}

/// Where a name stands among these words.
fn places_of(name: &str, said: &[String]) -> impl Iterator<Item = Range<usize>> {
    let name: Vec<String> = words(name).collect();
    (0..said.len()).filter_map(move |at| {
        let is_here = !name.is_empty() && said[at..].starts_with(&name);
        is_here.then(|| at..at + name.len())
    })
}

/// How a text tells what convinced: on a line for it, or in passing.
#[derive(Debug, Clone, Copy)]
enum Told {
    Labelled,
    InPassing,
}

/// What convinced a judge, and whose it was.
struct Convinced {
    because: String,
    by: Vec<SeatId>,
}
