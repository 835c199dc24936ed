//! The outcome of a challenge in the seed's two layouts: a consensus with what each perspective validated and what changed,
//! or a tradeoff with each perspective's concern and the assumptions underneath.

use super::details::{Body, Labelled, Part, Table};
use super::summary::one_line;
use super::verdict::Account;
use forge_debate::plan::{Duty, Seat, SeatId};
use forge_debate::protocols::challenge::ASSUMPTIONS;
use forge_debate::turn::AbsenceKind;
use forge_debate::verdict::{Outcome, Verdict};

/// Programs that people know by these names.
const PROGRAMS: [(&str, &str); 5] =
    [("claude", "Claude"), ("codex", "Codex"), ("gemini", "Gemini"), ("opencode", "opencode"), ("qwen", "Qwen")];

/// The outcome as the seed lays it out; nothing where there is none of the two.
pub(super) fn part(account: &Account) -> Option<Part> {
    let verdict = &account.verdict;
    account.plan.with_duty(Duty::Lead).next()?;
    // A person decided what the seats left a tradeoff.
    let was_tradeoff = verdict.decision.is_some() && !verdict.ruling.dissents.is_empty();
    match verdict.outcome() {
        Outcome::Consensus => Some(Part::new("DEBATE OUTCOME: CONSENSUS", Body::Labelled(consensus(account)))),
        Outcome::Tradeoff => Some(Part::new("DEBATE OUTCOME: TRADEOFF", Body::Labelled(tradeoff(account)))),
        Outcome::Decided if was_tradeoff => {
            Some(Part::new("DEBATE OUTCOME: TRADEOFF", Body::Labelled(tradeoff(account))))
        }
        _ => None,
    }
}

/// A seat's name as a perspective: `Architect`.
pub(super) fn perspective(seat: &SeatId) -> String {
    let mut letters = seat.as_str().chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn consensus(account: &Account) -> Vec<Labelled> {
    let verdict = &account.verdict;
    let validated = challengers(account).map(|seat| match said(verdict, &seat.id) {
        Some(text) => {
            let is_minor = verdict.ruling.minor_objections().contains(&seat.id);
            let minor = if is_minor { "minor objection only: " } else { "" };
            format!("✅ {}: {minor}{text}", with_hand(account, seat))
        }
        None => format!("❌ {}: {}", with_hand(account, seat), silence(account, seat)),
    });
    vec![
        Labelled::line("Final position", position(verdict)),
        Labelled::line("Confidence", verdict.confidence().word()),
        Labelled::line("Rounds to consensus", verdict.ruling.rounds.to_string()),
        Labelled::list("Perspectives validated", "", validated.collect()),
        what_changed(verdict),
        Labelled::line(
            "Option",
            verdict.options().iter().map(|id| one_line(&account.plan.option_name(id))).collect::<Vec<_>>().join(" + "),
        ),
    ]
}

/// The objections that the lead took up, by perspective.
fn what_changed(verdict: &Verdict) -> Labelled {
    let causes = verdict.ruling.positions().iter().flat_map(|position| &position.because);
    let accepted = causes.map(|cause| match &cause.seat {
        Some(seat) => format!("{}: {}", perspective(seat), one_line(&cause.text)),
        None => one_line(&cause.text),
    });
    match accepted.collect::<Vec<_>>() {
        none if none.is_empty() => Labelled::line("What changed", "nothing; the opening position stands"),
        accepted => Labelled::list("What changed", "", accepted),
    }
}

fn tradeoff(account: &Account) -> Vec<Labelled> {
    let (plan, verdict) = (&account.plan, &account.verdict);
    let position = position(verdict);
    let is_open = |seat: &SeatId| verdict.ruling.dissents.iter().any(|dissent| dissent.seat == *seat);
    let breakdown = challengers(account).map(|seat| match said(verdict, &seat.id) {
        Some(text) => {
            let word = if is_open(&seat.id) { "DISAGREE" } else { "AGREE" };
            format!("{}: {word} - {text}", with_hand(account, seat))
        }
        None => format!("{}: ABSENT - {}", with_hand(account, seat), silence(account, seat)),
    });
    let unresolved = verdict
        .ruling
        .dissents
        .iter()
        .map(|dissent| format!("{}: {}", perspective(&dissent.seat), one_line(&dissent.text)))
        .collect::<Vec<_>>();
    let rounds = match verdict.ruling.rounds >= plan.limits.rounds {
        true => format!("MAX (no consensus), {} of {}", verdict.ruling.rounds, plan.limits.rounds),
        false => format!("{} (no consensus)", verdict.ruling.rounds),
    };
    let core = match unresolved.as_slice() {
        [one] => Labelled::line("Core disagreement", one),
        _ => Labelled::list("Core disagreement", "", unresolved),
    };
    vec![
        Labelled::line("Final position", format!("{}, contested", position.trim_end_matches(['.', ' ']))),
        Labelled::line("Confidence", verdict.confidence().word()),
        Labelled::line("Rounds", rounds),
        Labelled::list("Perspective Breakdown", "", breakdown.collect()),
        core,
        assumptions(account),
    ]
}

fn assumptions(account: &Account) -> Labelled {
    let verdict = &account.verdict;
    let mut rows: Vec<Vec<String>> = verdict
        .ruling
        .assumptions()
        .iter()
        .map(|row| {
            let texts = [&row.assumption, &row.why, &row.what_would_change].map(|text| one_line(text));
            let [assumption, why, change] = texts;
            vec![assumption, perspective(&row.seat), why, change]
        })
        .collect();
    let silent = verdict.ruling.missing.iter().filter(|missing| missing.key.stage == ASSUMPTIONS);
    rows.extend(silent.map(|missing| {
        let none = || "-".to_owned();
        vec![format!("not stated: {}", missing.kind.phrase()), perspective(&missing.key.seat), none(), none()]
    }));
    let head = ["Assumption", "Perspective", "Why it still disagrees", "What would make the other side right"];
    Labelled { table: Some(Table::new(&head, rows)), ..Labelled::line("Assumptions exposed", "") }
}

fn challengers(account: &Account) -> impl Iterator<Item = &Seat> {
    account.plan.with_duty(Duty::Debater)
}

fn position(verdict: &Verdict) -> String {
    verdict.ruling.position().map(one_line).unwrap_or_default()
}

/// A challenger's last words.
fn said(verdict: &Verdict, seat: &SeatId) -> Option<String> {
    verdict.ruling.reasons.iter().find(|reason| reason.seat == *seat).map(|reason| one_line(&reason.text))
}

/// Why a challenger has no stand.
fn silence(account: &Account, seat: &Seat) -> String {
    let verdict = &account.verdict;
    if verdict.ruling.abstentions.iter().any(|one| one.seat == seat.id) {
        return "abstains: it quoted nothing that was found".to_owned();
    }
    let missing = verdict.ruling.missing.iter().find(|missing| missing.key.seat == seat.id);
    missing.map_or_else(
        || "took no part".to_owned(),
        |missing| match missing.kind {
            AbsenceKind::NoContextFile => missing.kind.phrase().to_owned(),
            kind => format!("{}: {}", kind.phrase(), one_line(&missing.detail)),
        },
    )
}

/// `Architect (Gemini)`: the perspective, and who spoke for it.
fn with_hand(account: &Account, seat: &Seat) -> String {
    let spoke = account.turns.iter().rev().find(|turn| turn.key.seat == seat.id && turn.text.is_some());
    let hand = spoke.map_or_else(|| seat.hand.to_string(), |turn| one_line(&turn.agent));
    let (program, model) = hand.split_once(':').unwrap_or((hand.as_str(), ""));
    let known = PROGRAMS.iter().find(|(name, _)| *name == program).map(|(_, shown)| *shown);
    let served = account.served.iter().find(|one| one.seat == seat.id).and_then(|one| one.model.as_deref());
    let name = match (known, model) {
        (Some(name), "") => name.to_owned(),
        (Some(name), model) => format!("{name}, {model}"),
        (None, _) => hand.clone(),
    };
    let served = served.map(one_line).filter(|served| !served.is_empty() && served != model);
    let served = served.map(|served| format!(", {served}")).unwrap_or_default();
    format!("{} ({name}{served})", perspective(&seat.id))
}
