//! The debate gate: advocate, skeptic and operator blind and in parallel, then a synthesizer who reads all three.
//!
//! The gate passes when all is there and the synthesis really decides. What it checks is in [`Gate::findings`]; the same
//! function serves the verdict, `forge gate` and the workflow. Somebody must also have been opposed: see `adversity`.

mod forms;

use super::{
    Home, Protocol, Rounds, SeatSketch, adversity,
    parts::{self, Counting},
};
use crate::cost::StageCost;
use crate::form::{Ballot, Field, Form, Rail, conditions, is_placeholder, names_id};
use crate::plan::{Choice, Duty, OptionId, Plan, Seat, contains_phrase, same_words};
use crate::record::{Ask, Pending, Reads, Record, blind};
use crate::sentences;
use crate::turn::{Section, Speech, Stage, Turn, TurnKey, bare_title, title_matches};
use crate::verdict::{Confidence, Finding, Gravity, Outcome, Reason, Verdict};
use forms::*;

/// The three blind cases.
pub const CASE: Stage = Stage("case");
/// The decision.
pub const SYNTHESIS: Stage = Stage("synthesis");
/// The fewest characters of every file of the gate.
pub const MIN_CONTENT_LENGTH: usize = 100;

/// The sections without which a synthesis decides nothing.
pub const GATE_SECTIONS: [&str; 5] =
    ["Final Decision", "Decision Criteria", "Kill-Switch Criteria", "Fallback Plan", "Action Items"];

/// The `gate` protocol.
pub struct Gate;

impl Protocol for Gate {
    fn name(&self) -> &'static str {
        "gate"
    }

    fn version(&self) -> u16 {
        1
    }

    fn summary(&self) -> &'static str {
        "advocate, skeptic and operator write their cases blind; a synthesizer decides; the gate checks that it really did"
    }

    fn seats(&self, roster: Option<&str>, _question: &str) -> Result<Vec<SeatSketch>, String> {
        super::no_roster(self, roster)?;
        let mut seats: Vec<SeatSketch> =
            ["advocate", "skeptic", "operator"].map(|id| SeatSketch::new(id, Duty::Debater)).into();
        seats.push(SeatSketch::new("synthesizer", Duty::Synthesizer));
        Ok(seats)
    }

    fn fewest_options(&self) -> usize {
        3
    }

    fn rounds(&self) -> Rounds {
        Rounds { default: 1, least: 1, most: 1 }
    }

    fn defects(&self, plan: &Plan) -> Vec<String> {
        let mut defects: Vec<String> = ["advocate", "skeptic", "operator", "synthesizer"]
            .into_iter()
            .filter(|role| !plan.seats.iter().any(|seat| seat.id.as_str() == *role))
            .map(|role| format!("gate has no seat {role:?}"))
            .collect();
        if plan.debaters().len() > 3 {
            defects.push("gate has three debaters: advocate, skeptic, operator".to_owned());
        }
        if plan.demands.robust {
            defects.push(
                "gate: one seat decides, so a robust verdict cannot be demanded; use judges, panel or challenge"
                    .to_owned(),
            );
        }
        defects
    }

    fn deliberate(&self, plan: &Plan, record: &mut Record<'_>) -> Result<Verdict, Pending> {
        let cases = record.hear(plan.debaters().into_iter().map(|seat| self.case(plan, seat)).collect())?;
        if cases.iter().any(|turn| turn.absence().is_some()) {
            return Ok(insufficient(record));
        }
        let Some(synthesizer) = plan.with_duty(Duty::Synthesizer).next() else { return Ok(insufficient(record)) };
        let synthesis = record.hear_one(self.synthesis(plan, synthesizer, &cases))?;
        let Some(decision) = synthesis.speech() else { return Ok(insufficient(record)) };

        let found = self.findings(plan, &cases, synthesis);
        let blocked = found.iter().any(|finding| finding.gravity == Gravity::Blocks);
        let mut verdict = Verdict::new(if blocked { Outcome::Blocked } else { Outcome::Decided });
        verdict.rounds = 1;
        if let Ok(options) = decided_options(plan, decision) {
            verdict.options = options;
        }
        if !blocked {
            verdict.confidence = Confidence::parse(decision.ballot.text("confidence")).unwrap_or(Confidence::Medium);
        }
        verdict.reasons = cases.iter().chain([&synthesis]).filter_map(|turn| reason(turn)).collect();
        parts::settle(&mut verdict, record);
        // What the forms found are the gate's findings here; saying them twice helps nobody.
        verdict.notes.clear();
        verdict.findings = found;
        Ok(verdict)
    }

    fn absences_have_files(&self) -> bool {
        false
    }

    fn home(&self, plan: &Plan) -> Home {
        Home { dir: format!("{}/{}", plan.place, plan.id), prefix: String::new(), plan: "debate-plan.md" }
    }

    fn file(&self, _plan: &Plan, key: &TurnKey) -> String {
        match key.stage {
            SYNTHESIS => "synthesis.md".to_owned(),
            _ => format!("{}.md", key.seat),
        }
    }

    fn cost(&self, plan: &Plan) -> Vec<StageCost> {
        vec![
            StageCost::once("Cases: advocate, skeptic, operator", plan.debaters()),
            StageCost::once("Synthesis", plan.with_duty(Duty::Synthesizer).take(1)),
        ]
    }
}

impl Gate {
    fn case(&self, plan: &Plan, seat: &Seat) -> Ask {
        let (sections, needed, fields, name) = match seat.id.as_str() {
            "skeptic" => (SKEPTIC_SECTIONS, SKEPTIC_TITLES, SKEPTIC_FIELDS, "gate/skeptic"),
            "operator" => (OPERATOR_SECTIONS, OPERATOR_TITLES, OPERATOR_FIELDS, "gate/operator"),
            _ => (ADVOCATE_SECTIONS, ADVOCATE_TITLES, ADVOCATE_FIELDS, "gate/advocate"),
        };
        let form = Form::new(name, sections, fields, Ballot::Optional)
            .at_least(MIN_CONTENT_LENGTH)
            .files_need(needed)
            .rail(Rail::NoRubberStamp);
        let form = parts::with_fields(form, self.quotes(plan, seat));
        Ask::new(parts::key(CASE, 1, seat), blind(), form, name)
    }

    fn synthesis(&self, plan: &Plan, seat: &Seat, cases: &[&Turn]) -> Ask {
        let form = Form::new("gate/synthesis", SYNTHESIS_SECTIONS, SYNTHESIS_FIELDS, Ballot::Optional)
            .at_least(MIN_CONTENT_LENGTH)
            .files_need(&GATE_SECTIONS);
        let reads = Reads::Attributed(cases.iter().map(|turn| turn.key.clone()).collect());
        let no_go = cases.iter().any(|turn| turn.speech().is_some_and(says_no_go));
        let ask =
            |form: Form| Ask::new(parts::key(SYNTHESIS, 1, seat), reads, form, "gate/synthesis").fact("no_go", no_go);
        let skeptic = cases.iter().find(|turn| turn.seat().as_str() == "skeptic").and_then(|turn| turn.speech());
        let questions = skeptic.map(adversity::asked).unwrap_or_default();
        let count = questions.len();
        let fields = [ANSWERS].into_iter().chain(self.quotes(plan, seat));
        let form = parts::with_fields(form, fields).rail(Rail::AnswersQuestions { questions });
        if count == 0 { ask(form) } else { ask(form).fact("questions", count.to_string()) }
    }

    /// Every role speaks once, so nobody has quoted anything before it is asked.
    fn quotes(&self, plan: &Plan, seat: &Seat) -> Option<Field> {
        Counting::after(plan, &[]).quotes(plan, &seat.id)
    }

    /// Everything that keeps the gate shut, and everything worth a look.
    pub fn findings(&self, plan: &Plan, cases: &[&Turn], written: &Turn) -> Vec<Finding> {
        let Some(synthesis) = written.speech() else { return Vec::new() };
        let mut found = Vec::new();
        let file = "synthesis.md";
        if plan.options.len() < self.fewest_options() {
            found.push(blocks(
                "debate-plan.md",
                None,
                format!("{} options; at least 3 are needed", plan.options.len()),
            ));
        }
        for title in GATE_SECTIONS {
            match synthesis.section(title) {
                None => found.push(blocks(file, None, format!("section {title:?} is missing"))),
                Some(section) if section.body.trim().is_empty() => {
                    found.push(blocks(file, Some(section.line), format!("section {title:?} is empty")));
                }
                Some(section) if is_placeholder(&section.body) => {
                    found.push(blocks(file, Some(section.line), format!("section {title:?} is a placeholder")));
                }
                Some(first) => {
                    let again =
                        |section: &&Section| bare_title(&section.title).eq_ignore_ascii_case(bare_title(&first.title));
                    if let Some(second) = synthesis.sections.iter().filter(again).nth(1) {
                        found.push(blocks(
                            file,
                            Some(second.line),
                            format!("section {title:?} stands here again (first on line {})", first.line),
                        ));
                    }
                }
            }
        }
        if let Some(section) = synthesis.section("Final Decision").filter(|section| !is_placeholder(&section.body))
            && let Err(problem) = decided_options(plan, synthesis)
        {
            found.push(blocks(file, Some(section.line), format!("decision unclear: {problem}")));
        }
        if let Some(section) = synthesis.section("Kill-Switch Criteria")
            && !is_placeholder(&section.body)
            && conditions(&section.body).is_empty()
        {
            let expected = "no kill-switch condition with a threshold; write at least one list item such as `- p99 latency: over 200 ms for a day`";
            found.push(blocks(file, Some(section.line), expected.to_owned()));
        }
        if cases.iter().filter_map(|turn| turn.speech()).any(says_no_go) && !self.answers_no_go(synthesis) {
            let line = synthesis.section("Final Decision").map(|section| section.line);
            found.push(blocks(file, line, "the operator says NO-GO and the synthesis does not answer it".to_owned()));
        }
        let case = |role: &str| cases.iter().find(|turn| turn.seat().as_str() == role).and_then(|turn| turn.speech());
        if let Some(skeptic) = case("skeptic") {
            found.extend(adversity::of_gate(skeptic, synthesis));
        }
        let all: Vec<&Turn> = cases.iter().copied().chain([written]).collect();
        let counting = Counting::after(plan, &all);
        for turn in &all {
            if !counting.has(turn.seat()) {
                found.push(blocks(
                    &self.file(plan, &turn.key),
                    None,
                    format!("the {} {}; a grounded verdict is demanded", turn.seat(), parts::UNGROUNDED),
                ));
            }
        }
        if let Some(operator) = case("operator")
            && go_word(operator).is_none()
        {
            found.push(warns("operator.md", "the recommendation says neither GO, NO-GO nor CONDITIONAL"));
        }
        for turn in &all {
            let file = self.file(plan, &turn.key);
            for shortcoming in turn.speech().map(|speech| speech.shortcomings.as_slice()).unwrap_or_default() {
                if !is_said_already(&found, &file, shortcoming) {
                    found.push(warns(&file, shortcoming));
                }
            }
        }
        found
    }

    /// A summary that reports the NO-GO does not answer it; any other section that takes it up does.
    fn answers_no_go(&self, synthesis: &Speech) -> bool {
        // By name: a document's own title has every section below it as its body, the summary too.
        let mut answering = SYNTHESIS_SECTIONS.iter().map(|rule| rule.title).filter(|title| *title != "Debate Summary");
        answering.any(|title| synthesis.section(title).is_some_and(|section| mentions_no_go(&section.body)))
    }
}

fn insufficient(record: &Record<'_>) -> Verdict {
    let mut verdict = Verdict::new(Outcome::Insufficient);
    parts::settle(&mut verdict, record);
    verdict.notes.push("a gate needs every role; run it again with `forge debate run <id> --retry-absent`".to_owned());
    verdict
}

fn reason(turn: &Turn) -> Option<Reason> {
    let speech = turn.speech()?;
    let text = match speech.ballot.text("reason") {
        "" => {
            let own = match turn.seat().as_str() {
                "synthesizer" => speech.section("Final Decision"),
                _ => None,
            };
            own.into_iter()
                .chain(&speech.sections)
                .map(|section| first_sentence(&section.body))
                .find(|text| !text.is_empty())?
        }
        reason => reason.to_owned(),
    };
    let stand = match turn.seat().as_str() {
        "operator" => go_word(speech).map(str::to_owned),
        _ => None,
    };
    Some(Reason { seat: turn.seat().clone(), option: speech.option(), stand, text })
}

/// What the operator says of GO, where it says anything: by the ballot, else by its section.
pub(crate) fn go_word(speech: &Speech) -> Option<&str> {
    let section = speech.sections.iter().find(|section| title_matches(&section.title.replace(" / ", "/"), "Go/No-Go"));
    let says = |word: &str| section.is_some_and(|section| contains_phrase(&section.body, word));
    match speech.ballot.text("recommendation") {
        "" if says_no_go(speech) => Some("NO-GO"),
        "" if says("conditional") => Some("CONDITIONAL"),
        "" if says("go") => Some("GO"),
        "" => None,
        word => Some(word),
    }
}

fn first_sentence(body: &str) -> String {
    let line = body
        .lines()
        .map(str::trim)
        .find(|line| {
            let label = line.starts_with("**") && line.contains(":**");
            !(label || line.is_empty() || line.starts_with(['#', '|', '`']))
        })
        .unwrap_or("");
    let unnumbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let line =
        if unnumbered.len() < line.len() && unnumbered.starts_with(['.', ')']) { &unnumbered[1..] } else { line };
    let line = line.trim_start_matches(['-', '*', ' ']);
    sentences::ends(line).next().map_or(line, |end| &line[..end]).trim().to_owned()
}

/// Whether the operator's recommendation is NO-GO: by the ballot, else by its section.
pub fn says_no_go(speech: &Speech) -> bool {
    match speech.ballot.text("recommendation") {
        "" => {
            let mut sections = speech.sections.iter();
            let verdict = sections.find(|section| title_matches(&section.title.replace(" / ", "/"), "Go/No-Go"));
            // Without the section, a NO-GO anywhere is one: better asked about than overlooked.
            mentions_no_go(verdict.map_or(speech.text.as_str(), |section| section.body.as_str()))
        }
        word => word == "NO-GO",
    }
}

/// Whether a text says NO-GO and does not only name the go/no-go as such.
fn mentions_no_go(text: &str) -> bool {
    let lower = text.to_lowercase().replace("go/no-go", "").replace("go / no-go", "").replace("nogo", "no-go");
    let lower = lower.replace("not a no-go", "").replace("no no-go", "");
    ["no go", "do not proceed", "don't proceed", "not proceed", "recommend against", "advise against"]
        .iter()
        .any(|phrase| contains_phrase(&lower, phrase))
}

/// The option or stated combination that the synthesis decides for, or why that is unclear.
pub fn decided_options(plan: &Plan, synthesis: &Speech) -> Result<Vec<OptionId>, String> {
    let balloted: Vec<OptionId> = synthesis.ballot.texts("options").into_iter().map(OptionId::new).collect();
    let Some(section) = synthesis.section("Final Decision") else {
        return Err("there is no Final Decision section".to_owned());
    };
    if is_placeholder(&section.body) {
        return Err("Final Decision is a placeholder".to_owned());
    }
    let written = options_named(plan, section);
    let written = written?;
    if !balloted.is_empty() && !same_set(&written, &balloted) {
        return Err(format!(
            "Final Decision names {} but the ballot says {}",
            list(plan, &written),
            list(plan, &balloted)
        ));
    }
    let listed = if balloted.is_empty() { Listed::InProse } else { Listed::InTheBallot };
    let chosen = if balloted.is_empty() { written } else { balloted };
    if chosen.len() == 1 && listed == Listed::InProse && says_combination(plan, &first_sentence(&section.body)) {
        return Err(format!("a combination is stated, but only {} is named", list(plan, &chosen)));
    }
    if chosen.len() > 1 && !states_combination(plan, &section.body, listed) {
        return Err(format!(
            "{} options are named ({}) and no combination is stated",
            chosen.len(),
            list(plan, &chosen)
        ));
    }
    Ok(chosen)
}

/// Whether a sentence speaks of combining, labels left out.
fn says_combination(plan: &Plan, sentence: &str) -> bool {
    let mut lower = sentence.to_lowercase();
    for option in &plan.options {
        lower = lower.replace(&option.label.to_lowercase(), " ");
    }
    ["combination of", "combine", "combining"].iter().any(|word| contains_phrase(&lower, word))
}

fn ids(plan: &Plan) -> String {
    plan.options.iter().map(|option| option.id.as_str()).collect::<Vec<_>>().join("|")
}

fn list(plan: &Plan, options: &[OptionId]) -> String {
    options.iter().map(|id| plan.option_name(id)).collect::<Vec<_>>().join(", ")
}

fn same_set(a: &[OptionId], b: &[OptionId]) -> bool {
    a.len() == b.len() && a.iter().all(|id| b.contains(id))
}

/// Where the options of a combination are listed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Listed {
    InTheBallot,
    InProse,
}

/// Labels are left out: an option called "Hybrid store" combines nothing. "Both" and "together" may praise as well as
/// combine, so they count only where the ballot lists the options too.
fn states_combination(plan: &Plan, body: &str, listed: Listed) -> bool {
    let mut lower = body.to_lowercase();
    for option in &plan.options {
        lower = lower.replace(&option.label.to_lowercase(), " ");
    }
    let says = |words: &[&str]| words.iter().any(|word| contains_phrase(&lower, word));
    says(&["combination", "combine", "combined", "combining", "hybrid"])
        || lower.contains(" + ")
        || (listed == Listed::InTheBallot && says(&["both", "together"]))
}

/// The options that a Final Decision names: by its `Chosen Option` line, else in its first sentence, else anywhere.
fn options_named(plan: &Plan, section: &Section) -> Result<Vec<OptionId>, String> {
    let labelled = section.body.lines().filter_map(|line| {
        let plain = line.replace("**", "");
        let (label, value) = plain.split_once(':')?;
        let label = label.trim().trim_start_matches(['-', ' ']).to_lowercase();
        ["chosen option", "chosen options", "decision", "final decision", "selected"]
            .contains(&label.as_str())
            .then(|| value.trim().to_owned())
    });
    let lines = labelled.map(|value| options_on_line(plan, &value)).collect::<Result<Vec<_>, _>>()?;
    if let Some((first, rest)) = lines.split_first() {
        return match rest.iter().find(|other| !same_set(first, other)) {
            Some(other) => Err(format!("one line chooses {} and another {}", list(plan, first), list(plan, other))),
            None => Ok(first.clone()),
        };
    }
    // Without such a line the first sentence decides, and only if it says yes: what is turned down, put off or merely
    // discussed is not chosen.
    let everywhere = named_in(plan, &section.body);
    let opening = first_sentence(&section.body);
    let first = named_in(plan, &opening);
    match (everywhere.len(), first.len()) {
        (0, _) => Err(format!("none of the options is named ({})", all(plan))),
        (_, 0) => {
            Err(format!("the first sentence names no option; say it on a line `**Chosen Option:** {}`", ids(plan)))
        }
        _ if rejects(&opening) => Err(format!(
            "the first sentence may turn down what it names ({}); say it on a line `**Chosen Option:** {}`",
            list(plan, &first),
            ids(plan)
        )),
        (_, 1) => Ok(first),
        _ => Ok(everywhere),
    }
}

/// The options on a `Chosen Option` line. Every id and label on it counts: what is not one choice is not a choice.
fn options_on_line(plan: &Plan, value: &str) -> Result<Vec<OptionId>, String> {
    let known = |option: &Choice| same_words(&option.label, value);
    if !plan.options.iter().any(known) && rejects(value) {
        return Err(format!("{value:?} turns an option down instead of choosing one ({})", all(plan)));
    }
    if let Some(option) = plan.options.iter().find(|option| same_words(&option.label, value)) {
        return Ok(vec![option.id.clone()]);
    }
    let said: Vec<&str> = value.split(['+', ',', '&']).map(str::trim).filter(|part| !part.is_empty()).collect();
    let meant: Vec<OptionId> = said.iter().filter_map(|part| plan.option_meant(part)).map(|o| o.id.clone()).collect();
    if !meant.is_empty() && meant.len() == said.len() {
        return Ok(meant);
    }
    if let Some(option) = plan.option_meant(value) {
        return Ok(vec![option.id.clone()]);
    }
    let labels = named_in(plan, value);
    let ids: Vec<&str> = value.split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))).collect();
    let named = |option: &&Choice| labels.contains(&option.id) || ids.contains(&option.id.as_str());
    let named: Vec<OptionId> = plan.options.iter().filter(named).map(|option| option.id.clone()).collect();
    if named.is_empty() { Err(format!("{value:?} is not one of the options ({})", all(plan))) } else { Ok(named) }
}

/// Whether a sentence may name an option only to turn it down.
fn rejects(sentence: &str) -> bool {
    const WORDS: &[&str] = &[
        "not",
        "no",
        "none",
        "never",
        "neither",
        "nor",
        "don't",
        "won't",
        "cannot",
        "reject",
        "rejects",
        "rejected",
        "rejecting",
        "against",
        "instead",
        "rather",
        "drop",
        "dropped",
        "without",
        "defer",
        "deferred",
        "postpone",
        "postponed",
        "undecided",
        "discussed",
    ];
    WORDS.iter().any(|word| contains_phrase(sentence, word))
}

fn named_in(plan: &Plan, text: &str) -> Vec<OptionId> {
    let named = |option: &&Choice| contains_phrase(text, &option.label) || names_id(text, option.id.as_str());
    let found: Vec<&Choice> = plan.options.iter().filter(named).collect();
    // "Redis Cluster" names the cluster and not also plain "Redis".
    found
        .iter()
        .filter(|option| {
            !found.iter().any(|other| {
                other.id != option.id
                    && contains_phrase(&other.label, &option.label)
                    && !names_id(text, option.id.as_str())
                    && !contains_phrase(&text.to_lowercase().replace(&other.label.to_lowercase(), " "), &option.label)
            })
        })
        .map(|option| option.id.clone())
        .collect()
}

fn all(plan: &Plan) -> String {
    plan.options.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// Whether a blocking finding is about the section that a form's remark names, or about the same silence.
fn is_said_already(found: &[Finding], file: &str, shortcoming: &str) -> bool {
    let titled = shortcoming.strip_prefix("section ").and_then(|rest| rest.split('"').nth(1));
    let decides = file == "synthesis.md" && GATE_SECTIONS.iter().any(|title| shortcoming.contains(title));
    let blocking = |finding: &&Finding| finding.gravity == Gravity::Blocks && finding.file == file;
    decides
        || found.iter().filter(blocking).any(|finding| {
            let same_start = shortcoming.split(';').next().is_some_and(|start| finding.text.starts_with(start));
            same_start || titled.is_some_and(|title| finding.text.contains(&format!("{title:?}")))
        })
}

fn blocks(file: &str, line: Option<usize>, text: String) -> Finding {
    Finding { gravity: Gravity::Blocks, file: file.to_owned(), line, text }
}

fn warns(file: &str, text: &str) -> Finding {
    Finding { gravity: Gravity::Warns, file: file.to_owned(), line: None, text: text.to_owned() }
}
