//! The first screen of a verdict, the same on a terminal, in Markdown and in HTML: what lowers its worth, the outcome, the
//! votes, whether it holds, and what a person must do next. Plain text on single lines; how it looks is the reader's form's
//! business.

use super::money::{self, CostSource};
use super::plan::Replaced;
use super::verdict::{Account, SeatSpent, Spent, TurnLine};
use forge_debate::blind::BlindVote;
use forge_debate::brief;
use forge_debate::control::{Comparison, DebateWorth};
use forge_debate::fact::Fact;
use forge_debate::family::Served;
use forge_debate::grounding::{Grounding, Quote};
use forge_debate::plan::{Duty, Hand, OptionId, Plan, Seat, SeatId};
use forge_debate::profile::Evidence;
use forge_debate::protocols;
use forge_debate::robustness::{CountingRule, Robustness, RuleCount, Without};
use forge_debate::tally;
use forge_debate::turn::TurnKey;
use forge_debate::verdict::{Contest, Debt, Finding, Gravity, Outcome};
use forge_debate::voting::{Change, Merit, Threshold};

/// The most rows of one kind on the first screen; the rest is in the details.
const ROWS_LIMIT: usize = 6;
/// The most characters of somebody's words on the first screen.
const WORDS_WIDTH: usize = 200;
/// The most sources that are named on one line.
const SOURCES_LIMIT: usize = 3;

/// A word and what is to be said about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The word.
    pub label: &'static str,
    /// What is said.
    pub text: String,
}

impl Row {
    /// What is said, for forms in which several blanks are one.
    pub fn dotted(&self) -> String {
        self.text.replace("  ", " · ")
    }
}

/// The first screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// What lowers the verdict's worth; shown above it.
    pub cautions: Vec<Row>,
    /// The outcome in one word, in capitals; a person's decision with the name.
    pub outcome: String,
    /// The outcome in a sentence.
    pub sentence: String,
    /// What it rests on, and whether it holds.
    pub rows: Vec<Row>,
    /// What a person can do now.
    pub next: Vec<String>,
}

/// The first screen of an account.
pub fn of(account: &Account) -> Summary {
    Summary {
        cautions: cautions(account),
        outcome: match &account.verdict.decision {
            Some(decision) => {
                let did = if decision.overrules.is_some() { "OVERRULED" } else { "DECIDED" };
                format!("{did} by {}", shortened(&decision.by, 60))
            }
            None => account.verdict.outcome().word().to_uppercase(),
        },
        sentence: sentence(account),
        rows: rows(account),
        next: next(account),
    }
}

/// A text on one line, without characters that hide or reorder it.
pub fn one_line(text: &str) -> String {
    brief::one_line(&brief::plain(text))
}

/// A text on one line of at most `width` characters.
pub fn shortened(text: &str, width: usize) -> String {
    let line = one_line(text);
    if line.chars().count() <= width {
        return line;
    }
    let cut: String = line.chars().take(width.saturating_sub(1)).collect();
    format!("{}…", cut.trim_end())
}

/// A finding of the verdict with its place from the workspace's top.
pub fn placed(account: &Account, finding: &Finding) -> String {
    let file = account.plan.protocol.home(&account.plan).path(&finding.file);
    place(&Finding { file, ..finding.clone() })
}

/// A finding with its place.
pub fn place(finding: &Finding) -> String {
    let line = finding.line.map(|line| format!(":{line}")).unwrap_or_default();
    format!("{}{line}: {}", one_line(&finding.file), one_line(finding.fact.sentence()))
}

/// What was spent, in words.
pub fn spent(account: &Account) -> String {
    let spent = &account.spent;
    let mut text = counted(spent.calls, "call");
    if spent.input_tokens + spent.output_tokens > 0 {
        text.push_str(&format!(", {} tokens in, {} out; {}", spent.input_tokens, spent.output_tokens, money(spent)));
    } else if !spent.cost_by.is_empty() {
        text.push_str(&format!("; {}", money(spent)));
    }
    if account.plan.seats.iter().all(|seat| seat.hand.is_rehearsal()) {
        text.push_str(" (free)");
    }
    if spent.calls_without_usage > 0 && spent.input_tokens + spent.output_tokens > 0 {
        text.push_str(&format!("; {} without usage figures", spent.calls_without_usage));
    }
    if spent.possibly_paid > 0 {
        text.push_str(&format!("; {} possibly paid without an answer on record", spent.possibly_paid));
    }
    text
}

/// What it cost, and who says so: no more is claimed than that.
fn money(spent: &Spent) -> String {
    let Some(cost) = spent.cost_microdollars else { return "no price known, so no money figure".to_owned() };
    if spent.cost_by.is_empty() {
        return format!("{} USD as far as agents say", money::dollars(cost));
    }
    let says = |by: &str| match CostSource::parse(by) {
        CostSource::Agent => Some("as the agents say".to_owned()),
        CostSource::Nobody => None,
        CostSource::Configuration => Some("by configured prices".to_owned()),
        CostSource::List(day) => Some(format!("by list prices of {day}")),
    };
    let by: Vec<String> = spent.cost_by.iter().filter_map(|by| says(by)).collect();
    let mut text = match by.is_empty() {
        true => "free: models on this machine".to_owned(),
        false => format!("{} USD {}", money::plain(cost), by.join(" and ")),
    };
    if spent.turns_without_price > 0 {
        text.push_str(&format!("; {} without a price, tokens only", counted(spent.turns_without_price, "turn")));
    }
    if spent.calls_without_cost > 0 {
        let calls = counted(spent.calls_without_cost, "call");
        text.push_str(&format!("; and {calls} of which nobody says what they cost"));
    }
    text
}

/// What each seat cost, where who says so is on record.
pub fn cost_by_seat(account: &Account) -> Option<String> {
    let one = |row: SeatSpent<'_>| match row.cost_microdollars {
        Some(cost) => format!("{} {} USD", row.seat, money::plain(cost)),
        None => format!("{} tokens only", row.seat),
    };
    let asked = account.per_seat().into_iter().filter(|row| row.calls > 0);
    let rows: Vec<String> = asked.map(one).collect();
    (!rows.is_empty() && !account.spent.cost_by.is_empty()).then(|| rows.join(", "))
}

fn cautions(account: &Account) -> Vec<Row> {
    let verdict = &account.verdict;
    let mut rows = Vec::new();
    let changed = account.contradictions.iter().map(|text| {
        format!("{}; forge verify {} names what changed", shortened(text, 2 * WORDS_WIDTH), account.plan.id)
    });
    push(&mut rows, "CHANGED", changed, "changes");
    if !account.not_on_record.is_empty() {
        let seats: Vec<&str> = account.not_on_record.iter().map(|key| key.seat.as_str()).collect();
        let text = format!("not on record yet: {}; the files may still be changed", seats.join(", "));
        rows.push(Row { label: "OPEN", text });
    }
    rows.extend(replaced(&account.replaced).map(|text| Row { label: "REPLACED", text }));
    rows.extend(loosened(&account.plan).into_iter().map(|text| Row { label: "LOOSENED", text }));
    rows.extend(rehearsal(account).map(|text| Row { label: "REHEARSAL", text }));
    rows.extend(hosted(account).map(|text| Row { label: "ONE HOST", text }));
    let missing = verdict.ruling.missing.iter().map(|missing| {
        format!("{} {}: {}", missing.key, missing.kind.phrase(), shortened(&missing.detail, WORDS_WIDTH))
    });
    push(&mut rows, "DEGRADED", missing, "turns that did not happen");
    push(&mut rows, "OWED", owed(&verdict.ruling.owed).into_iter(), "debts");
    rows.extend(verdict.overturned().map(|leader| Row { label: "OVERTURNED", text: overturned(account, leader) }));
    let agreed = matches!(verdict.outcome(), Outcome::Consensus | Outcome::Decided) && verdict.decision.is_none();
    if let Some(family) = account.one_family().filter(|_| agreed) {
        let whom = match account.plan.protocol.evidence {
            Evidence::OneSeat => "every seat",
            Evidence::Objections => "the lead and every challenger",
            Evidence::Votes => "every seat that agreed",
        };
        let text = format!("{} served {whom}; models of one family err alike", shortened(family, 40));
        rows.push(Row { label: "ONE FAMILY", text });
    }
    if let Some(robustness) = verdict.assessment.robustness.as_ref().filter(|robustness| robustness.is_fragile()) {
        rows.push(Row { label: "FRAGILE", text: breaks(account, robustness) });
    }
    push(
        &mut rows,
        "UNFOUND",
        verdict.assessment.grounding.iter().filter_map(unfound),
        "seats whose quotes were not found",
    );
    rows
}

/// Which seats a host's own subagents held, and whether its guard kept them apart.
fn hosted(account: &Account) -> Option<String> {
    let spoken = || account.turns.iter().filter(|turn| turn.text.is_some());
    let host = spoken().find_map(|turn| turn.host.as_ref())?;
    let mut guarded: Vec<&str> = Vec::new();
    let mut open: Vec<&str> = Vec::new();
    for (turn, by) in spoken().filter_map(|turn| Some((turn, turn.host.as_ref()?))) {
        let seats = if by.subagent.is_some() { &mut guarded } else { &mut open };
        if !seats.contains(&turn.key.seat.as_str()) {
            seats.push(turn.key.seat.as_str());
        }
    }
    guarded.retain(|seat| !open.contains(seat));
    let all: Vec<&str> = guarded.iter().chain(&open).copied().collect();
    let apart = match (guarded.as_slice(), open.as_slice()) {
        (_, []) => "its guard kept each to its own ask".to_owned(),
        ([], _) => "not sealed: seats could read each other's transcripts".to_owned(),
        (kept, open) => format!(
            "its guard kept {} to their own asks; not sealed: {} could read the others' transcripts",
            kept.join(", "),
            open.join(", ")
        ),
    };
    Some(format!(
        "{} spoke for {}: one family of models, and nobody proves who wrote the words; {apart}",
        shortened(&host.name, 40),
        all.join(", ")
    ))
}

/// Who moved a seat, and through which host.
pub(super) fn spoke_for(turn: &TurnLine) -> String {
    let Some(host) = &turn.host else { return one_line(&turn.agent) };
    let subagent = host.who().map(|subagent| format!(", {}", one_line(subagent))).unwrap_or_default();
    format!("{} ({}{subagent})", one_line(&turn.agent), one_line(&host.name))
}

/// Outside seats whose words no host handed in.
fn left(account: &Account) -> Option<String> {
    let mut seats: Vec<&str> = Vec::new();
    for turn in account.turns.iter().filter(|turn| turn.text.is_some() && turn.host.is_none()) {
        if turn.agent == Hand::Outside.to_string() && !seats.contains(&turn.key.seat.as_str()) {
            seats.push(turn.key.seat.as_str());
        }
    }
    (!seats.is_empty()).then(|| format!("{}: nobody proves who wrote the words", seats.join(", ")))
}

/// What seats still owe, one line for what several owe alike.
fn owed(all: &[Debt]) -> Vec<String> {
    let mut groups: Vec<(&Fact, Vec<&Debt>)> = Vec::new();
    for one in all {
        match groups.iter_mut().find(|(what, _)| **what == one.what) {
            Some((_, group)) => group.push(one),
            None => groups.push((&one.what, vec![one])),
        }
    }
    let line = |(what, group): (&Fact, Vec<&Debt>)| {
        let turns: Vec<&TurnKey> = group.iter().flat_map(|one| &one.turns).collect();
        let seats: Vec<&str> = group.iter().map(|one| one.seat.as_str()).collect();
        let who = match turns.as_slice() {
            [one] => one.to_string(),
            many => format!("{} ({} turns)", seats.join(", "), many.len()),
        };
        format!("{who}: {}", shortened(what.sentence(), WORDS_WIDTH))
    };
    groups.into_iter().map(line).collect()
}

/// What the blind vote said where the seats ended elsewhere, and who moved whom.
fn overturned(account: &Account, leader: &OptionId) -> String {
    let moves = account.verdict.overturning().into_iter().map(|change| {
        let by = one_line(&change.cites().join(", "));
        let by = if by.is_empty() { String::new() } else { format!(" by {by}") };
        format!("{} was moved from {} to {}{by}", change.seat, change.from, change.to)
    });
    let moves: Vec<String> = moves.collect();
    let why = if moves.is_empty() { "not all who voted for it are still counted".to_owned() } else { moves.join("; ") };
    format!("the blind vote was for {}; {why}", name(account, leader))
}

/// The blind vote in a line.
pub(super) fn blind_vote(account: &Account) -> Option<String> {
    Some(match account.verdict.assessment.blind.as_ref()? {
        BlindVote::Options(rows) => {
            let counts = rows.iter().map(|(option, seats)| {
                let seats: Vec<&str> = seats.iter().map(SeatId::as_str).collect();
                format!("{} {} ({})", name(account, option), seats.len(), seats.join(", "))
            });
            counts.collect::<Vec<_>>().join(", ")
        }
        BlindVote::Agreed { agreed, of } => {
            let who: Vec<&str> = agreed.iter().map(SeatId::as_str).collect();
            let who = if who.is_empty() { String::new() } else { format!(" ({})", who.join(", ")) };
            let s = if *of == 1 { "" } else { "s" };
            format!("{} of {of} challenger{s} agreed with the first position{who}", agreed.len())
        }
        BlindVote::Go(word) => format!("the operator says {}", word.word()),
    })
}

/// Which texts are not forge's own and whose they are, where there are any.
pub fn replaced(texts: &[Replaced]) -> Option<String> {
    let mut files: Vec<String> = Vec::new();
    let mut seats: Vec<&str> = Vec::new();
    let mut trail: Vec<String> = Vec::new();
    for text in texts {
        match text {
            Replaced::Project(name) => files.push(format!(".claude/forge/{name}.md")),
            Replaced::Persona(seat) => seats.push(seat.as_str()),
            Replaced::Trail(name) => trail.push(format!("{name}.md")),
        }
    }
    let mut said = Vec::new();
    if !files.is_empty() {
        said.push(format!("the project's own text stands for forge's: {}", files.join(", ")));
    }
    if !seats.is_empty() {
        said.push(format!("personas given for this debate stand for forge's: {}", seats.join(", ")));
    }
    if !trail.is_empty() {
        said.push(format!(
            "a text that lies in the debate's trail, and not in .claude/forge, stands for forge's: {}",
            trail.join(", ")
        ));
    }
    (!said.is_empty()).then(|| said.join("; "))
}

/// Which rules of the count were loosened.
fn loosened(plan: &Plan) -> Vec<String> {
    let mut said = Vec::new();
    if !plan.protocol.counts_by_plan {
        return said;
    }
    if !plan.demands.documented_changes {
        said.push("a changed vote counts without a ground (require_change_documentation: false)".to_owned());
    }
    if !plan.limits.threshold.is_at_least(&Threshold::TWO_THIRDS) {
        said.push(format!("{} of the votes are enough, instead of {}", plan.limits.threshold, Threshold::TWO_THIRDS));
    }
    said
}

/// Who rehearsed, where anybody did: it stands wherever a verdict or its words are shown.
pub fn rehearsal(account: &Account) -> Option<String> {
    let rehearsed: Vec<&str> = account.rehearsed().into_iter().map(SeatId::as_str).collect();
    if rehearsed.is_empty() {
        return None;
    }
    // The seat that answers alone has a row of its own.
    Some(if rehearsed.len() == account.plan.seats.iter().filter(|seat| seat.duty != Duty::Control).count() {
        "no model was asked; this shows the form of a debate and says nothing about the question".to_owned()
    } else {
        format!("no model was asked for {}; what is said there says nothing about the question", rehearsed.join(", "))
    })
}

/// What a seat quotes that is not where it says, if anything.
fn unfound(grounding: &Grounding) -> Option<String> {
    let missing: Vec<&Quote> = grounding.quotes.iter().filter(|quote| quote.found.is_none()).collect();
    let mut sources: Vec<String> = Vec::new();
    for source in missing.iter().map(|quote| shortened(&quote.source, 60)) {
        if !sources.contains(&source) {
            sources.push(source);
        }
    }
    let more = sources.len().saturating_sub(SOURCES_LIMIT);
    sources.truncate(SOURCES_LIMIT);
    let more = if more == 0 { String::new() } else { format!(" or {more} more") };
    (!missing.is_empty()).then(|| {
        format!(
            "{} quotes words that are not in {}{more} ({} of {} quotes)",
            grounding.seat,
            sources.join(" or "),
            missing.len(),
            grounding.quotes.len()
        )
    })
}

/// What lowers the verdict's worth, one line each, for forms that show no first screen.
pub fn caveats(account: &Account) -> Vec<String> {
    let abstains = rows(account).into_iter().filter(|row| row.label == "abstains");
    let lines = cautions(account).into_iter().chain(abstains);
    lines.map(|Row { label, text }| format!("{}: {text}", label.to_uppercase())).collect()
}

/// Why the seats' verdict is left to a person.
pub fn why_contested(account: &Account) -> String {
    let verdict = &account.verdict;
    let rounds = counted(u32::from(verdict.ruling.rounds), "round");
    let winner = verdict.assessment.robustness.as_ref().and_then(|robustness| robustness.winner.as_ref());
    let has_votes = winner.map(|id| format!("{} has the votes after {rounds}", name(account, id)));
    match (&verdict.ruling.contest, has_votes) {
        (Some(Contest::Silent(seats)), _) => {
            let seats: Vec<&str> = seats.iter().map(SeatId::as_str).collect();
            format!("{} did not speak, and no panel decides unheard by them", seats.join(" and "))
        }
        (Some(Contest::NoSynthesis), Some(votes)) => format!("{votes}, but there is no synthesis"),
        (Some(Contest::NoSynthesis), None) => "there is no synthesis".to_owned(),
        (Some(Contest::Escalated(reason)), _) => {
            shortened(&format!("the referee escalated to a person: {reason}"), WORDS_WIDTH)
        }
        (Some(Contest::OtherName { named, chosen }), _) => {
            let named = named.as_ref().map_or_else(|| "nothing".to_owned(), |id| name(account, id));
            format!("the synthesis chooses {named} but the seats' votes chose {}", name(account, chosen))
        }
        (Some(Contest::NobodyChallenged), Some(votes)) => {
            format!("{votes}, but nobody challenged anybody, so it was never tested")
        }
        (Some(Contest::Fragile), Some(votes)) => format!("{votes}, but is fragile, and a robust verdict was demanded"),
        _ => format!("the seats do not agree after {rounds}"),
    }
}

/// Why there is no verdict.
pub fn why_insufficient(account: &Account) -> String {
    let (plan, verdict) = (&account.plan, &account.verdict);
    let spoke = |seat: &SeatId| account.turns.iter().any(|turn| turn.key.seat == *seat && turn.text.is_some());
    let argue: Vec<&Seat> = plan.seats.iter().filter(|seat| matches!(seat.duty, Duty::Debater | Duty::Lead)).collect();
    let speakers = argue.iter().filter(|seat| spoke(&seat.id)).count();
    let most_spoke = speakers * 3 >= argue.len() * 2 && speakers > 0;
    if !verdict.ruling.abstentions.is_empty() && most_spoke {
        let silent: Vec<&str> = verdict.ruling.abstentions.iter().map(|one| one.seat.as_str()).collect();
        return format!("too few seats are grounded: {} spoke and quoted nothing that was found", silent.join(", "));
    }
    let needed = verdict.ruling.missing.iter().map(|missing| &missing.key.seat).find(|seat| {
        let is_officer = plan.seat(seat).is_none_or(|seat| matches!(seat.duty, Duty::Synthesizer | Duty::Lead));
        is_officer || plan.protocol.needs_every_seat
    });
    match needed {
        Some(seat) if most_spoke || plan.protocol.needs_every_seat => format!("{seat}, who must speak, did not"),
        _ => "too few seats spoke".to_owned(),
    }
}

/// What would have made it another outcome.
fn breaks(account: &Account, robustness: &Robustness) -> String {
    let open = if account.plan.protocol.unsettled == Outcome::Tradeoff { "a tradeoff" } else { "contested" };
    let mut groups: Vec<(String, Vec<&SeatId>)> = Vec::new();
    for Without { seat, winner, is_quorate, .. } in robustness.without.iter().filter(|without| !without.holds) {
        let open = if *is_quorate { open } else { "insufficient" };
        let then = winner.as_ref().map_or_else(|| open.to_owned(), |id| name(account, id));
        match groups.iter_mut().find(|(known, _)| *known == then) {
            Some((_, seats)) => seats.push(seat),
            None => groups.push((then, vec![seat])),
        }
    }
    let seats = groups.into_iter().map(|(then, seats)| {
        let seats: Vec<&str> = seats.iter().map(|seat| seat.as_str()).collect();
        format!("without {} it would be {then}", seats.join(" or "))
    });
    seats.collect::<Vec<_>>().join("; ")
}

/// The other ways of counting that would choose something else.
fn otherwise(account: &Account, robustness: &Robustness) -> Vec<String> {
    let other = |count: &RuleCount| {
        let tops: Vec<String> = count.top.iter().map(|id| name(account, id)).collect();
        format!("{} it would be {}", by(count.rule), tops.join(" or "))
    };
    robustness.disagreeing().into_iter().map(other).collect()
}

fn by(rule: CountingRule) -> &'static str {
    match rule {
        CountingRule::Plurality => "by plurality",
        CountingRule::Approval => "by approval",
        CountingRule::ConfidenceWeighted => "confidence-weighted",
    }
}

fn sentence(account: &Account) -> String {
    let verdict = &account.verdict;
    let chosen = verdict.options().iter().map(|id| name(account, id)).collect::<Vec<_>>().join(" + ");
    let rounds = counted(u32::from(verdict.ruling.rounds), "round");
    if let Some(decision) = &verdict.decision {
        let against = decision.overrules.as_ref().map(|was| {
            let seats = was.options.iter().map(|id| name(account, id)).collect::<Vec<_>>().join(" + ");
            format!(" instead of {}", if seats.is_empty() { "what the seats came to".to_owned() } else { seats })
        });
        return format!(
            "{chosen}{}, because {}",
            against.unwrap_or_default(),
            shortened(&decision.because, WORDS_WIDTH)
        );
    }
    match verdict.outcome() {
        Outcome::Consensus | Outcome::Decided => {
            let chosen = if chosen.is_empty() { "the position stands".to_owned() } else { chosen };
            format!("{chosen}   (confidence {}, {rounds})", verdict.confidence().word())
        }
        Outcome::Contested => format!("{}; a person must decide", why_contested(account)),
        Outcome::Tradeoff => {
            format!("lead and challengers rest on different assumptions after {rounds}; a person must decide")
        }
        Outcome::Blocked => "the gate is not passed".to_owned(),
        Outcome::Insufficient => format!("{}; there is no verdict, and none is made up", why_insufficient(account)),
    }
}

fn rows(account: &Account) -> Vec<Row> {
    let verdict = &account.verdict;
    let mut rows = Vec::new();
    votes(&mut rows, account);
    rows.extend(blind_vote(account).map(|text| Row { label: "blind vote", text }));
    let abstentions = verdict.ruling.abstentions.iter().map(|abstention| {
        let voted = abstention.option.as_ref().map(|id| format!(" (voted {id})")).unwrap_or_default();
        format!("{}{voted}: {}", abstention.seat, shortened(abstention.why.sentence(), WORDS_WIDTH))
    });
    push(&mut rows, "abstains", abstentions, "abstentions");
    if let Some(robustness) =
        verdict.assessment.robustness.as_ref().filter(|one| one.winner.is_some() && !one.is_fragile())
    {
        rows.push(Row { label: "robust", text: holds(robustness) });
    }
    // Without a winner nothing is fragile; a reader still wants to know who stands in the way of one.
    let open = verdict.assessment.robustness.as_ref().filter(|one| one.winner.is_none() && !one.pivots().is_empty());
    if let Some(robustness) = open.filter(|_| verdict.decision.is_none()) {
        rows.push(Row { label: "pivot", text: breaks(account, robustness) });
    }
    if let Some(robustness) = &verdict.assessment.robustness {
        let others = otherwise(account, robustness);
        push(&mut rows, "counted", others.into_iter(), "ways of counting");
    }
    push(
        &mut rows,
        "moved",
        verdict.ruling.changes().iter().map(|change| shortened(&moved(change), 2 * WORDS_WIDTH)),
        "moves",
    );
    let conformity = verdict.assessment.course.conformity;
    if conformity.pressed > 0 {
        let (yielded, convinced) = (conformity.yielded, conformity.convinced);
        let text =
            format!("pressed {}, yielded {yielded} without a ground, convinced {convinced}", times(conformity.pressed));
        rows.push(Row { label: "conformity", text });
    } else if !verdict.ruling.votes().is_empty() {
        rows.push(Row { label: "conformity", text: "nobody was pressed to change sides".to_owned() });
    }
    if !verdict.assessment.grounding.is_empty() {
        let seats = verdict.assessment.grounding.iter().map(|one| match (one.verified(), one.quotes.len()) {
            (_, 0) => format!("{} none", one.seat),
            (found, all) => format!("{} {found} of {all} found", one.seat),
        });
        rows.push(Row { label: "quotes", text: seats.collect::<Vec<_>>().join(", ") });
    }
    if let Some(text) = families(&account.served) {
        rows.push(Row { label: "families", text });
    }
    let framed = account.framing.as_ref().map(|turn| format!("the options were proposed by {}", spoke_for(turn)));
    rows.extend(framed.map(|text| Row { label: "framed", text }));
    rows.extend(left(account).map(|text| Row { label: "outside", text }));
    if let Some(control) = &verdict.assessment.control {
        let rehearsed = account.plan.seat(&control.seat).is_some_and(|seat| seat.hand.is_rehearsal());
        let note = if rehearsed { " (a rehearsal: no model was asked)" } else { "" };
        rows.push(Row { label: "control", text: format!("{}{note}", beside(account, control)) });
    }
    let blocking = verdict.ruling.findings.iter().filter(|finding| finding.gravity == Gravity::Blocks);
    push(
        &mut rows,
        "blocks",
        blocking.map(|finding| shortened(&placed(account, finding), 2 * WORDS_WIDTH)),
        "findings",
    );
    rows.push(Row { label: "cost", text: spent(account) });
    rows
}

fn votes(rows: &mut Vec<Row>, account: &Account) {
    let (plan, verdict) = (&account.plan, &account.verdict);
    for (option, seats) in tally::distribution(plan, verdict.ruling.votes()) {
        let names: Vec<&str> = seats.iter().map(SeatId::as_str).collect();
        let text = format!("{}  {}  {}", name(account, &option), names.len(), names.join(", "));
        rows.push(Row { label: "vote", text });
    }
    if verdict.ruling.votes().is_empty() {
        let synthesizer = plan.with_duty(Duty::Synthesizer).next();
        if let Some(seat) = synthesizer.filter(|_| plan.protocol.evidence == Evidence::OneSeat) {
            rows.push(Row { label: "vote", text: format!("none: one seat decides ({})", seat.id) });
        }
        let last = |seat: &SeatId| verdict.assessment.course.stands.iter().rev().find(|stand| stand.seat == *seat);
        let stands = plan.seats.iter().filter_map(|seat| {
            let stand = last(&seat.id)?;
            let word = stand.word.as_deref().or(stand.counted.as_ref().map(OptionId::as_str))?;
            Some(format!("{} {}", seat.id, shortened(word, 40)))
        });
        let stands: Vec<String> = stands.collect();
        if !stands.is_empty() {
            rows.push(Row { label: "stands", text: stands.join(", ") });
        }
    }
    let otherwise: Vec<String> = verdict
        .ruling
        .votes()
        .iter()
        .filter(|vote| vote.cast != vote.counted)
        .map(|vote| format!("{} voted {}, counted as {}", vote.seat, vote.cast, vote.counted))
        .collect();
    if !otherwise.is_empty() {
        let mut text = otherwise.join("; ");
        let robustness = verdict.assessment.robustness.as_ref();
        if let Some(option) = robustness.filter(|one| one.as_cast != one.winner).and_then(|one| one.as_cast.as_ref()) {
            text.push_str(&format!("; as cast it would be {}", name(account, option)));
        }
        rows.push(Row { label: "as cast", text });
    }
}

fn holds(robustness: &Robustness) -> String {
    let agreeing = |count: &&RuleCount| !robustness.disagreeing().contains(count);
    let rules: Vec<&str> = robustness.rules.iter().filter(agreeing).map(|count| by(count.rule)).collect();
    match rules.as_slice() {
        [] => "holds without any one seat".to_owned(),
        [one] => format!("holds without any one seat, and {one}"),
        [most @ .., last] => format!("holds without any one seat, and {} and {last}", most.join(", ")),
    }
}

/// A change of position in a line.
pub fn moved(change: &Change) -> String {
    let how = match (change.merit, change.cited.is_empty()) {
        (Merit::Earned, true) => "cites no argument; none was required".to_owned(),
        (Merit::Earned, false) => format!("convinced by {}", one_line(&change.cites().join(", "))),
        (Merit::Unearned, true) => "unearned: cites no argument of another seat; not counted".to_owned(),
        (Merit::Unearned, false) => "unearned: cites nothing that is new to it; not counted".to_owned(),
    };
    format!("{} from {} to {} in round {} ({how})", change.seat, change.from, change.to, change.round)
}

fn families(served: &[Served]) -> Option<String> {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for one in served {
        let family = one.family.as_deref().unwrap_or("not known");
        match groups.iter_mut().find(|(known, _)| *known == family) {
            Some((_, seats)) => seats.push(one.seat.as_str()),
            None => groups.push((family, vec![one.seat.as_str()])),
        }
    }
    // Where no family is known at all (rehearsal, people), there is nothing to compare.
    served.iter().any(|one| one.family.is_some()).then(|| {
        let groups = groups.iter().map(|(family, seats)| format!("{}: {}", shortened(family, 40), seats.join(", ")));
        groups.collect::<Vec<_>>().join("; ")
    })
}

fn beside(account: &Account, control: &Comparison) -> String {
    let seat = &control.seat;
    let Some(answer) = &control.answer else {
        let split: Vec<String> = control.votes.iter().map(|(option, votes)| format!("{option} {votes}")).collect();
        let (answered, asked) = (control.answered, control.asked);
        return match split.as_slice() {
            [] => {
                format!("alone, {seat} answered {answered} of {asked} times and chose nothing: nothing to compare with")
            }
            split => format!(
                "alone, {seat} answered {answered} of {asked} times without a clear choice ({}): nothing to compare with",
                split.join(", ")
            ),
        };
    };
    let votes = control.votes.iter().find(|(option, _)| option == answer).map_or(0, |(_, votes)| *votes);
    let worth = match control.effect {
        DebateWorth::ChangedTheAnswer => "the debate changed the answer".to_owned(),
        DebateWorth::AddedGrounds => {
            let grounds = u32::try_from(control.only_in_debate.len()).unwrap_or(u32::MAX);
            format!("the debate changed nothing but added {}", counted(grounds, "ground"))
        }
        DebateWorth::OnlyCost => "the debate changed nothing, added nothing, and only cost".to_owned(),
        DebateWorth::Unclear => "the debate itself gave no clear answer".to_owned(),
    };
    format!("alone, {seat} answered {} {votes} of {} times: {worth}", name(account, answer), control.asked)
}

fn next(account: &Account) -> Vec<String> {
    let id = &account.plan.id;
    let mut steps = match account.verdict.outcome() {
        Outcome::Contested | Outcome::Tradeoff => {
            let options: Vec<&str> = account.plan.options.iter().map(|option| option.id.as_str()).collect();
            let by = if account.asks_for_name { " --by NAME" } else { "" };
            vec![format!("forge debate decide {id} {} --because \"...\"{by}", options.join("|"))]
        }
        Outcome::Blocked => mend(account),
        Outcome::Insufficient => vec![format!("forge debate run {id} --retry-absent")],
        Outcome::Consensus | Outcome::Decided if !account.not_on_record.is_empty() => {
            vec![format!("put it on record: forge debate run {id}")]
        }
        Outcome::Consensus | Outcome::Decided => vec![format!("forge export {id} --format adr")],
    };
    if account.is_rehearsal() {
        steps.push("for real answers: forge agents says who can be asked, and how to get one".to_owned());
    }
    steps
}

/// Who must speak again before a gate opens, and how: people and sessions mend their files, everybody else is asked again.
/// A file that is on record is put aside first, unless it was mended already.
fn mend(account: &Account) -> Vec<String> {
    let (plan, id) = (&account.plan, &account.plan.id);
    let keys = forge_debate::to_mend(plan, &account.verdict, account.turns.iter().map(|turn| &turn.key));
    let is_sealed = |slug: &str| account.kept.iter().any(|(path, _)| path.ends_with(&format!("/sealed/{slug}.md")));
    let is_open = |key: &TurnKey| account.not_on_record.contains(key);
    let (mut asked, mut voters, mut files) = (Vec::new(), Vec::new(), Vec::new());
    let mut is_on_record = false;
    for turn in account.turns.iter().filter(|turn| keys.contains(&&turn.key)) {
        let seat = turn.key.seat.as_str();
        if turn.attempts > 0 {
            asked.push(format!("the {seat}"));
        } else if is_sealed(&turn.key.slug()) {
            voters.push(seat);
        } else {
            is_on_record |= !is_open(&turn.key);
            files.push(plan.protocol.home(plan).path(&protocols::turn_file(plan.protocol, &turn.key)));
        }
    }
    let mut steps = Vec::new();
    let again = format!("forge debate run {id} --retry-absent");
    // What was mended is kept when others are asked again, so files come first.
    match (files.is_empty(), asked.is_empty() && voters.is_empty()) {
        (true, _) => {}
        (false, true) if is_on_record => steps.push(format!("mend {}, then: {again}", files.join(", "))),
        (false, true) => steps.push(format!("mend {}, then: forge debate run {id}", files.join(", "))),
        (false, false) => steps.push(format!("first mend {}", files.join(", "))),
    }
    match (asked.is_empty(), voters.is_empty()) {
        (true, true) => {}
        (false, _) => steps.push(format!("ask {} again: {again}", asked.join(" and "))),
        (true, false) => steps.push(format!("put the sealed {} aside: {again}", vote_of(&voters))),
    }
    if steps.is_empty() {
        steps.push(format!("mend what blocks, then: forge gate {id}"));
    }
    steps
        .extend(voters.iter().map(|seat| format!("then the {seat} votes again: forge debate vote {id} --seat {seat}")));
    steps
}

fn vote_of(voters: &[&str]) -> String {
    format!("{} of the {}", if voters.len() == 1 { "vote" } else { "votes" }, voters.join(" and the "))
}

/// Adds rows of one kind, as many as a screen bears.
fn push(rows: &mut Vec<Row>, label: &'static str, texts: impl Iterator<Item = String>, what: &str) {
    let texts: Vec<String> = texts.collect();
    let more = texts.len().saturating_sub(ROWS_LIMIT);
    // One row that says "1 more" is no shorter than the row itself.
    let shown = if more > 1 { ROWS_LIMIT } else { texts.len() };
    let total = texts.len();
    rows.extend(texts.into_iter().take(shown).map(|text| Row { label, text }));
    if shown < total {
        rows.push(Row { label, text: format!("and {} more {what}", total - shown) });
    }
}

fn name(account: &Account, option: &OptionId) -> String {
    shortened(&account.plan.option_name(option), 80)
}

fn counted(count: u32, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn times(count: u32) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}
