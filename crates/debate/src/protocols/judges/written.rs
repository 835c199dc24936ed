//! Judges' files that somebody wrote by hand, in the spellings of S3 and of the tools that it comes from.
//!
//! A recommendation and a reason are required. Confidence, challenges and what convinced are read where they stand. Where a
//! vote is in doubt nothing counts, and the line to write is shown. Replies to forge's own brief are never read here.

use crate::anonymity::Speakers;
use crate::datum::{Datum, Fields};
use crate::form::{BALLOT_LIST_LIMIT, Defect, Draft, Handwriting, Need, is_rubber_stamp, one_of};
use crate::plan::{Naming, OptionId, Plan, SeatId, contains_phrase, words};
use crate::protocols::gate::choice;
use crate::protocols::parts;
use crate::verdict::Confidence;
use forge_prose::blanks::{is_function_word, is_placeholder};
use forge_prose::outline::{Block, Kind, Line, Outline};
use forge_prose::title_matches;

/// Titles that stand for a section of the form, in the files of S3's own tools.
pub(super) const TITLES: &[(&str, &[&str])] = &[
    ("Assessment", &["Risk Analysis", "Value Analysis", "Effort Analysis", "Analysis"]),
    ("Recommendation", &["My Recommendation"]),
    ("Challenges", &["Response to Other Judges", "Skeptical Challenge", "Optimistic Challenge", "Pragmatic Challenge"]),
    ("Position", &["My Recommendation", "Did I Change My Mind"]),
    (super::RISK_STANCE, &["Risks in Other Options", "Risk Analysis", "Skeptical Challenge"]),
    (super::VALUE_STANCE, &["Value Missed in Other Options", "Value Analysis", "Optimistic Challenge"]),
    (super::EFFORT_STANCE, &["Concerns with Other Options", "Effort Analysis", "Pragmatic Challenge"]),
];

/// The fields that are read from the text.
pub(super) const FIELDS: &[&str] =
    &["option", "confidence", "reason", "arguments", "challenges", "convinced_by", "convinced_because"];

const NEW: &[&str] = &["new recommendation", "revised recommendation", "updated recommendation", "new vote"];
const CONFIDENCE: &[&str] = &["confidence", "confidence level", "my confidence"];
const REASON: &[&str] = &["reason", "rationale", "reasoning", "why", "my reason", "key reason", "justification"];
const CONVINCED: &[&str] =
    &["what convinced me", "convinced by", "changed because", "what changed my mind", "reason for change"];
const CHANGED: &[&str] = &["changed", "changed my mind", "change", "position changed", "recommendation changed"];
const COUNTER: &[&str] = &[
    "my counter argument",
    "my counter",
    "counter argument",
    "counter",
    "my challenge",
    "challenge",
    "my objection",
    "my response",
    "rebuttal",
];
/// What a label ends with that tells another judge's position, before one's own answer to it.
const POSITION: &[&str] = &["position", "stance", "view", "argument", "claim", "recommendation"];
const REASON_TITLES: &[&str] =
    &["Why My Choice", "Why I", "Why This", "My Reason", "Reason", "Rationale", "Reasoning", "Justification"];
const RECOMMENDATION_TITLES: &[&str] = &["My Recommendation", "Recommendation", "Final Recommendation", "Position"];
/// Words of a title below which others are challenged.
const CHALLENGES: &[&str] = &["challenge", "challenges", "counter", "rebuttal", "rebuttals", "response", "responses"];
/// Words of a title below which other options, or other judges, are spoken of.
const OTHERS: &[&str] =
    &["analysis", "other", "others", "challenge", "challenges", "response", "responses", "rebuttal"];

/// The most characters of a reason that is a whole section.
const REASON_LIMIT_CHARS: usize = 600;
/// The fewest words of a challenge.
const CHALLENGE_WORDS: usize = 3;

/// Reads the ballot of a file, and says what is missing or in doubt.
pub(super) fn read(hand: &Handwriting, plan: &Plan, seat: &SeatId, draft: &Draft) -> (Fields, Vec<Defect>) {
    let page = Page { hand, plan, speakers: Speakers::of(plan, seat), seat, pieces: pieces(draft) };
    let given = draft.ballot.clone().unwrap_or_default();
    let mut ballot = Fields::new();
    let mut missing = Vec::new();
    let vote = match given.text("option") {
        "" => page.vote(),
        said => Ok(plan.option_meant(said).map(|option| option.id.clone())),
    };
    match &vote {
        Ok(Some(option)) => ballot.put("option", Datum::from(option.as_str())),
        Ok(None) if given.get("option").is_some() => {}
        Ok(None) => missing
            .push(Defect::new(Need::Required, format!("no recommendation: write {}", page.line("Chosen Option")))),
        Err(doubt) => missing.push(doubt.clone()),
    }
    missing.extend(page.passed_over());
    let vote = vote.ok().flatten();
    let changed = vote.as_ref().zip(hand.held.as_ref()).is_some_and(|(now, held)| now != held);
    let convinced = if changed { page.convinced() } else { None };
    let reason = match given.text("reason") {
        "" => page.reason(vote.as_ref(), convinced.as_deref()),
        said => Some(said.to_owned()),
    };
    match &reason {
        Some(reason) => {
            ballot.put("reason", Datum::from(reason.as_str()));
            let id = if hand.round > 1 { format!("a{}1", hand.round) } else { "a1".to_owned() };
            ballot.put("arguments", records(&[(&[("id", id.as_str()), ("text", reason.as_str())])]));
        }
        None => missing.push(Defect::new(
            Need::Required,
            "no reason: write `**Reason:** ...`, or a section `## Why My Choice ...`",
        )),
    }
    match page.confidence() {
        Ok(word) => ballot.put("confidence", Datum::from(word)),
        Err(_) if given.get("confidence").is_some() => {}
        Err(defect) => missing.push(defect),
    }
    let made = if hand.round > 1 { page.challenges() } else { Vec::new() };
    let rows: Vec<[(&str, &str); 2]> =
        made.iter().map(|(to, text)| [("to", to.as_str()), ("text", text.as_str())]).collect();
    if !rows.is_empty() {
        ballot.put("challenges", records(&rows.iter().map(|row| row.as_slice()).collect::<Vec<_>>()));
    } else if hand.round > 1 && draft.ballot.is_none() {
        let text =
            "no position is challenged: write `**To the ... Judge:** ...` below `## Challenges`, with the judge's name";
        missing.push(Defect::new(Need::Due, text));
    }
    let cited = convinced.as_deref().map(|because| page.cited(because)).unwrap_or_default();
    if changed && cited.is_empty() && plan.demands.documented_changes && draft.ballot.is_none() {
        let text = "the recommendation changed: write `**What Convinced Me:** ...` with the judge whose argument it was; without it the earlier vote stands";
        missing.push(Defect::new(Need::Due, text));
    }
    if let Some(because) = convinced {
        ballot.put("convinced_by", Datum::List(cited.iter().map(|name| Datum::from(name.as_str())).collect()));
        ballot.put("convinced_because", Datum::from(because.as_str()));
    }
    (ballot, missing)
}

fn records(rows: &[&[(&str, &str)]]) -> Datum {
    let record = |row: &&[(&str, &str)]| {
        Datum::Record(row.iter().map(|(name, value)| ((*name).to_owned(), Datum::from(*value))).collect())
    };
    Datum::List(rows.iter().map(record).collect())
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
    titles: Vec<(u8, String)>,
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

    fn is_label(&self, names: &[&str]) -> bool {
        matches!(&self.what, What::Label(name) if names.contains(&name.as_str()))
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
        self.sections().any(|title| words(title).any(|word| OTHERS.contains(&word.as_str())))
    }
}

/// A label's words in lower case: `My Counter-Argument` is `my counter argument`.
fn plain_name(label: &str) -> String {
    words(label).collect::<Vec<_>>().join(" ")
}

/// Whether a text is about keeping or changing a recommendation.
fn is_about_change(text: &str) -> bool {
    const CHANGES: &[&str] = &["change", "changed", "convinced", "persuaded", "maintain", "keep", "revise", "revised"];
    words(text).any(|word| CHANGES.contains(&word.as_str()))
}

fn is_convincing(word: &str) -> bool {
    word.starts_with("convinc") || word.starts_with("persuad")
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
    MORE.contains(&name) || parts::OPTION.also.iter().any(|also| plain_name(also) == name)
}

/// The label of a line with its value. One that is not bold counts only if it is one of those that are looked for.
fn label(line: &Line) -> Option<(String, String)> {
    let (name, value) = line.label()?;
    let plain = plain_name(name);
    let known = [NEW, CONFIDENCE, REASON, CONVINCED, COUNTER].iter().any(|names| names.contains(&plain.as_str()));
    // A bold line without a colon is a name, not a label.
    let is_bold = line.bold > 0 && (!value.is_empty() || line.text.trim().ends_with([':', '：']));
    (is_bold || known || is_chosen_label(&plain)).then(|| (plain, value.to_owned()))
}

/// Takes a file apart. Quotations, code and heads of tables say nothing.
fn pieces(draft: &Draft) -> Vec<Piece> {
    let outline = Outline::of(&draft.text, draft.first_line.max(1));
    // A single heading of the first level is the file's title; several are sections.
    let is_title = outline.headings.iter().filter(|heading| heading.level == 1).count() < 2;
    let mut above: Vec<(u8, String)> = Vec::new();
    let mut found: Vec<Piece> = Vec::new();
    for block in
        outline.blocks.iter().filter(|block| !block.is_quoted && !matches!(block.kind, Kind::Code | Kind::Head))
    {
        if let Kind::Heading(level) = block.kind {
            let level = if is_title { level } else { level + 1 };
            above.retain(|(other, _)| *other < level);
            above.push((level, block.text()));
        }
        add(block, &above, &mut found);
    }
    found
}

fn add(block: &Block, above: &[(u8, String)], found: &mut Vec<Piece>) {
    let new = |what: What, value: &str, line: &Line| Piece {
        what,
        value: value.trim().to_owned(),
        more: String::new(),
        is_blank: line.is_blank(),
        line: line.line,
        titles: above.to_vec(),
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
            before.more = format!("{} {text}", before.more).trim().to_owned();
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
        Defect::new(Need::Required, text).at(line)
    }

    /// The option that the file votes for.
    fn vote(&self) -> Result<Option<OptionId>, Defect> {
        let [yes, no] =
            [true, false].map(|answer| self.answers().find(|(said, _)| *said == answer).map(|(_, piece)| piece));
        let new = || self.named("New Recommendation", &|name| NEW.contains(&name));
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
                    let at = self.pieces.iter().find(|piece| piece.is_label(NEW)).map_or(1, |piece| piece.line);
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
        let text = format!("No is ticked, so {held} stands as before, and not {chosen}");
        (chosen != *held).then(|| Defect::new(Need::Due, text).at(no.line))
    }

    /// Whether the judge says to have changed its mind, as often as it says so.
    fn answers(&self) -> impl Iterator<Item = (bool, &Piece)> {
        let mut is_asked_above = false;
        self.pieces.iter().filter_map(move |piece| {
            let text = piece.text();
            // `**Did I Change My Mind?**` above the boxes.
            match &piece.what {
                What::Box(_) => {}
                What::Label(name) => is_asked_above = is_about_change(name) && text.is_empty(),
                What::Text | What::Heading => is_asked_above = is_about_change(&text) && text.ends_with(['?', ':']),
            }
            let asked =
                text.split_once('?').filter(|(asked, answer)| is_about_change(asked) && !answer.trim().is_empty());
            let answer = asked.map_or(text.as_str(), |(_, answer)| answer.trim());
            let is_below = piece.titles.last().is_some_and(|(_, title)| is_about_change(title));
            let counts = match &piece.what {
                What::Box(is_ticked) => *is_ticked && (is_below || is_asked_above || is_about_change(&text)),
                What::Label(name) => CHANGED.contains(&name.as_str()) && !piece.is_blank,
                What::Text | What::Heading => (is_below || asked.is_some()) && !piece.is_blank && is_one_word(answer),
            };
            match words(answer).next()?.as_str() {
                "yes" if counts => Some((true, piece)),
                "no" if counts => Some((false, piece)),
                _ => None,
            }
        })
    }

    /// The one option that labels of this kind name, or a heading with nothing but an option below it.
    fn named(&self, label: &str, is_kind: &dyn Fn(&str) -> bool) -> Result<Option<OptionId>, Defect> {
        let mut chosen: Option<OptionId> = None;
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
            let said = match self.plan.option_meant(value) {
                Some(option) => Ok(Some(option.id.clone())),
                None => choice::of_label(value, piece.line, self.plan),
            };
            match (said, &chosen) {
                (Ok(Some(option)), Some(before)) if option != *before => {
                    let text = format!(
                        "this says {option}, and an earlier line says {before}: write one {}",
                        self.line(label)
                    );
                    return Err(self.doubt(piece.line, text));
                }
                (Ok(Some(option)), _) => chosen = Some(option),
                (_, _) if is_title => {}
                (Ok(None), _) => {
                    let text = format!("{value:?} is none of the options: write {}", self.line(label));
                    failed = failed.or(Some(self.doubt(piece.line, text)));
                }
                (Err(unclear), _) => {
                    let text = format!("{unclear}: write {}", self.line(label));
                    failed = failed.or(Some(Defect::new(Need::Required, text)));
                }
            }
        }
        match (chosen, failed) {
            (None, Some(failed)) => Err(failed),
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

    fn labelled(&self, names: &[&str]) -> Option<String> {
        (0..self.pieces.len()).filter(|at| self.pieces[*at].is_label(names)).find_map(|at| self.words_at(at))
    }

    /// Why: a labelled line, a section for it, what convinced, or what stands beside the recommendation.
    fn reason(&self, vote: Option<&OptionId>, convinced: Option<&str>) -> Option<String> {
        let label = vote.and_then(|id| self.plan.option(id)).map_or("", |option| option.label.as_str());
        let says_why = |text: &String| !is_rubber_stamp(text, label);
        let is_written = |piece: &&Piece| !piece.is_blank && !is_placeholder(&piece.text());
        let below = |titles: &[&str]| {
            let is_here = |piece: &&Piece| {
                let is_elsewhere = piece.is_about_others() || piece.sections().any(is_about_change);
                matches!(piece.what, What::Text) && piece.is_below(titles) && !is_elsewhere
            };
            let mut said = String::new();
            for piece in self.pieces.iter().filter(is_here).filter(is_written) {
                let text = piece.text();
                if text.ends_with([':', '：']) {
                    continue;
                }
                if !said.is_empty() && said.chars().count() + text.chars().count() > REASON_LIMIT_CHARS {
                    break;
                }
                said = format!("{said} {text}").trim().to_owned();
            }
            (!said.is_empty()).then_some(said)
        };
        let beside = || {
            let is_vote = |piece: &&Piece| matches!(&piece.what, What::Label(name) if is_chosen_label(name) || CONFIDENCE.contains(&name.as_str()));
            let piece = self.pieces.iter().filter(is_vote).find(|piece| !piece.more.is_empty() && !piece.is_blank);
            piece.map(|piece| piece.more.clone()).filter(says_why)
        };
        let behind = || {
            let piece =
                self.pieces.iter().find(|piece| matches!(&piece.what, What::Label(name) if is_chosen_label(name)))?;
            let marks = [" - ", " – ", " — ", " because ", ": "];
            let tail =
                marks.iter().find_map(|mark| piece.value.split_once(mark)).map(|(_, tail)| tail.trim().to_owned());
            tail.filter(|_| !piece.is_blank).filter(says_why)
        };
        let kept = || self.answers().find(|(yes, _)| !yes).map(|(_, piece)| piece.text()).filter(says_why);
        // A form that was kept from the round before gives the reason for what was held before.
        let chosen = self.named("Chosen Option", &is_chosen_label).ok().flatten();
        let is_kept = convinced.is_some() && chosen.is_some() && chosen.as_ref() != vote;
        convinced
            .filter(|_| is_kept)
            .map(str::to_owned)
            .filter(says_why)
            .or_else(|| self.labelled(REASON))
            .or_else(|| below(REASON_TITLES))
            .or_else(|| convinced.map(str::to_owned))
            .or_else(|| below(RECOMMENDATION_TITLES).filter(says_why))
            .or_else(beside)
            .or_else(behind)
            .or_else(kept)
    }

    /// The first word of its line.
    fn confidence(&self) -> Result<&'static str, Defect> {
        let line = "write `**Confidence:** HIGH`, MEDIUM or LOW; without it MEDIUM counts";
        let said = self
            .pieces
            .iter()
            .find(|piece| piece.is_label(CONFIDENCE) && !piece.is_blank && !is_placeholder(&piece.value));
        let Some(piece) = said else { return Err(Defect::new(Need::Due, format!("no confidence: {line}"))) };
        let word = words(&piece.value).next().unwrap_or_default();
        let known = Confidence::parse(&word).map(Confidence::word);
        known
            .ok_or_else(|| Defect::new(Need::Due, format!("{:?} is no confidence: {line}", piece.value)).at(piece.line))
    }

    /// Whom the file challenges, by the name under which it reads them, and how.
    fn challenges(&self) -> Vec<(String, String)> {
        let mut made: Vec<(String, String)> = Vec::new();
        let mut against: Option<SeatId> = None;
        for (at, piece) in self.pieces.iter().enumerate() {
            let is_here = piece.sections().any(|title| words(title).any(|word| CHALLENGES.contains(&word.as_str())));
            let titled = || piece.sections().find_map(|title| self.judges_in(title).into_iter().next());
            let mut add = |seat: SeatId, text: Option<String>| {
                let text = text.filter(|text| words(text).count() >= CHALLENGE_WORDS);
                made.extend(text.map(|text| (self.speakers.prefix(&seat), text)));
            };
            match &piece.what {
                What::Heading => against = None,
                What::Label(name) => {
                    // Behind a colon, so that `**Value:**` names the seat.
                    let named = self.judges_in(&format!("{name}:")).into_iter().next();
                    let is_position = name.split(' ').next_back().is_some_and(|last| POSITION.contains(&last));
                    match named {
                        Some(seat) if is_position => against = Some(seat),
                        Some(seat) if is_here || name.starts_with("to ") => add(seat, self.words_at(at)),
                        Some(_) => {}
                        None if COUNTER.contains(&name.as_str()) => {
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

    /// What convinced the judge, where it says so: a labelled line, the text beside a ticked Yes, or a sentence.
    fn convinced(&self) -> Option<String> {
        let ticked = || {
            let yes = self.answers().find(|(yes, _)| *yes).map(|(_, piece)| piece);
            yes.filter(|piece| !piece.is_blank).map(Piece::text)
        };
        let said = || {
            let convinces = |text: &String| words(text).any(|word| is_convincing(&word));
            let written = self
                .pieces
                .iter()
                .filter(|piece| !piece.is_blank && !matches!(piece.what, What::Heading | What::Box(_)));
            let sentences = written.flat_map(|piece| {
                forge_prose::sentences::split(&piece.text()).into_iter().map(str::to_owned).collect::<Vec<_>>()
            });
            sentences.filter(convinces).find(|text| !self.judges_in(text).is_empty())
        };
        let labelled = self.labelled(CONVINCED);
        // The label may say what, and the box whose it was.
        match (labelled, ticked()) {
            (Some(what), Some(yes)) if self.judges_in(&what).is_empty() && !self.judges_in(&yes).is_empty() => {
                Some(format!("{what} ({yes})"))
            }
            (Some(what), _) => Some(what),
            (None, Some(yes)) if !self.judges_in(&yes).is_empty() => Some(yes),
            (None, yes) => said().or(yes),
        }
    }

    /// The arguments that a text means which names their judges: by id, else those with which it shares a word, else all.
    fn cited(&self, text: &str) -> Vec<String> {
        let said: Vec<String> = words(text).collect();
        let mut cited = Vec::new();
        for seat in self.judges_in(text) {
            let made: Vec<_> =
                self.hand.arguments.iter().filter(|(owner, _)| *owner == seat).map(|(_, one)| one).collect();
            let by_id = |one: &str| said.contains(&one.to_lowercase());
            let shares = |one: &str| {
                words(one).any(|word| word.chars().count() > 3 && !is_function_word(&word) && said.contains(&word))
            };
            let mut meant: Vec<_> = made.iter().filter(|one| by_id(&one.id)).collect();
            if meant.is_empty() {
                meant = made.iter().filter(|one| shares(&one.text)).collect();
            }
            if meant.is_empty() {
                meant = made.iter().collect();
            }
            cited.extend(meant.into_iter().map(|one| format!("{}.{}", self.speakers.prefix(&seat), one.id)));
        }
        cited
    }

    /// The other judges that a text names: `Value Judge`, `judge value`, `value's`, `Value: ...`, `by value`, `Speaker 2`, `S2`.
    /// Their names are words of the language too, so a bare one means nobody.
    fn judges_in(&self, text: &str) -> Vec<SeatId> {
        let said: Vec<String> = words(text).collect();
        let is_word = |at: Option<usize>, wanted: &[&str]| {
            at.and_then(|at| said.get(at)).is_some_and(|word| wanted.contains(&word.as_str()))
        };
        let is_named = |seat: &SeatId| {
            let name: Vec<String> = words(seat.as_str()).collect();
            let is_label = text.trim().get(..seat.as_str().len()).is_some_and(|start| {
                let rest = text.trim().get(start.len()..).unwrap_or_default().trim_start();
                start.eq_ignore_ascii_case(seat.as_str()) && (rest.is_empty() || rest.starts_with([':', '-', '–', '—']))
            });
            is_label
                || (0..said.len()).filter(|at| said[*at..].starts_with(&name)).any(|at| {
                    let (before, after) = (at.checked_sub(1), Some(at + name.len()));
                    let is_cause = at.checked_sub(2).is_some_and(|at| is_convincing(&said[at]));
                    is_word(after, &["judge", "judges", "seat", "s"])
                        || is_word(before, &["judge"])
                        || (is_word(before, &["by"]) && is_cause)
                })
        };
        let is_spoken_of = |seat: &SeatId| {
            let (name, prefix) = (self.speakers.name(seat), self.speakers.prefix(seat));
            let texts = [&self.plan.question].into_iter().chain(self.plan.options.iter().map(|option| &option.label));
            let is_other_word = texts.into_iter().any(|text| contains_phrase(text, &prefix));
            self.plan.naming == Naming::Anonymous
                && (contains_phrase(text, &name) || (!is_other_word && contains_phrase(text, &prefix)))
        };
        let others = self.plan.debaters().into_iter().map(|seat| &seat.id).filter(|seat| *seat != self.seat);
        others.filter(|seat| is_named(seat) || is_spoken_of(seat)).cloned().collect()
    }
}
