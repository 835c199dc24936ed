//! The control arm on disk: whole debates of every protocol beside one seat alone.

use crate::recovery::Calm;
use crate::scenario::Scenario;
use crate::stage::Stage;
use forge_artifacts::disk::Disk;
use forge_artifacts::formats::verdict::Account;
use forge_debate::control::{CONTROL, Comparison, DebateWorth};
use forge_debate::verdict::Outcome;
use forge_engine::Request;
use forge_testkit::dying_disk::{Death, DyingDisk, Manner};
use std::path::Path;
use std::sync::Arc;

/// A debate of this protocol whose seats settle on A, and what the seat alone says.
struct Alone<'a> {
    protocol: &'a str,
    option: &'a str,
    grounds: Vec<String>,
}

impl Alone<'_> {
    fn scenario(&self, folder: &Path) -> Scenario {
        let (more, id) = match self.protocol {
            "panel" => ("rounds: 2\nroster: planning-2\n", ""),
            "challenge" => ("same_family: true\n", ""),
            "judges" => ("", "id: q1\n"),
            _ => ("", ""),
        };
        let text = format!(
            "question: Rewrite the parser in Rust?\nprotocol: {}\noptions: [Rewrite it, Keep it, Buy one]\nseed: 2\nseats: {{control: \"scripted:script.yaml\"}}\n{more}{id}",
            self.protocol
        );
        Scenario::improvise(folder, &text, &self.script())
    }

    fn script(&self) -> String {
        let alone = serde_json::json!({"option": self.option, "confidence": "HIGH", "reason": "A fuzzer found nine crashes in the tokenizer last year", "arguments": [{"id": "a1", "text": "Borrowed lifetimes are checked by the compiler"}], "risks": self.grounds});
        let agrees = "verdict: agree, critique: One boundary instead of two is easier to hold., evidence: The reset flow alone touches three of our services today., alternative: null, confidence: HIGH";
        format!(
            "replies:\n  - {{stage: control, ballot: {alone}}}\n  - {{seat: synthesizer, ballot: {{option: A, confidence: HIGH}}}}\n  - {{stage: challenge, seat: architect, ballot: {{{agrees}}}}}\n  - {{stage: challenge, seat: operator, ballot: {{{agrees}}}}}\n  - {{stage: challenge, seat: adversary, ballot: {{{agrees}}}}}\n  - {{stage: probe, ballot: {{ready: true}}}}\n  - {{stage: referee, ballot: {{ruling: continue}}}}\n  - {{seat: operator, ballot: {{recommendation: GO}}}}\n  - {{ballot: {{option: A, accurate: true}}}}\n"
        )
    }

    fn held(&self) -> (Stage, Account) {
        let folder = tempfile::tempdir().unwrap();
        let scenario = self.scenario(folder.path());
        let stage = Stage::new();
        let tale = stage.play_calmly(&scenario);
        let files = stage.debate(&scenario);
        let account = stage.healthy(&scenario).survey(&files).unwrap().account(&files).unwrap();
        assert!(account.verdict.assessment.control.is_some(), "{}: {}", self.protocol, tale.text);
        (stage, account)
    }

    fn compared(&self) -> Comparison {
        let (_, account) = self.held();
        assert_eq!(account.verdict.options().len(), 1, "{}: {:?}", self.protocol, account.verdict);
        account.verdict.assessment.control.unwrap()
    }
}

const PROTOCOLS: [&str; 4] = ["judges", "gate", "panel", "challenge"];

#[test]
fn a_debate_may_change_the_answer() {
    for protocol in PROTOCOLS {
        let control = Alone { protocol, option: "B", grounds: Vec::new() }.compared();
        assert_eq!(control.effect, DebateWorth::ChangedTheAnswer, "{protocol}");
        assert_eq!(control.votes.len(), 1, "{protocol}: {control:?}");
        assert_eq!((control.answered, control.votes[0].1), (control.asked, control.asked), "{protocol}");
    }
}

/// Until the seat alone names whatever the debate found, the debate adds grounds; from then on it only costs.
#[test]
fn a_debate_may_add_grounds_or_only_cost() {
    for protocol in PROTOCOLS {
        let mut alone = Alone { protocol, option: "A", grounds: Vec::new() };
        let mut control = alone.compared();
        assert_eq!(control.effect, DebateWorth::AddedGrounds, "{protocol}: {control:?}");
        for _ in 0..8 {
            if control.only_in_debate.is_empty() {
                break;
            }
            alone.grounds.extend(control.only_in_debate);
            control = alone.compared();
        }
        assert_eq!(control.effect, DebateWorth::OnlyCost, "{protocol}: {control:?}");
    }
}

/// One wave, one file for each answer, one call for each turn of the debate, and nothing of it in any other brief.
#[test]
fn answers_have_files_and_are_in_nobodys_brief() {
    for protocol in PROTOCOLS {
        let (stage, account) =
            Alone { protocol, option: "A", grounds: vec!["The wombat digs below it".to_owned()] }.held();
        let of_control: Vec<&str> =
            account.turns.iter().filter(|turn| turn.key.stage == CONTROL).map(|turn| turn.file.as_str()).collect();
        assert_eq!(2 * of_control.len(), account.turns.len(), "{protocol}: {of_control:?}");
        assert!(of_control[0].ends_with("control/01.md"), "{protocol}: {of_control:?}");
        for (turn, _, bytes) in stage.tree().trail("briefs") {
            assert!(!String::from_utf8_lossy(bytes).contains("wombat"), "{protocol}: {turn}");
        }
        assert!(!account.verdict.ruling.is_degraded());
    }
}

const SILENT_ONCE: &str = "replies:\n  - {stage: control, round: 2, do: crash}\n  - {seat: risk, ballot: {option: A}}\n  - {seat: value, ballot: {option: B}}\n  - {seat: effort, ballot: {option: C}}\n  - {ballot: {option: A}}\n";

fn silent_once(steps: &str) -> String {
    format!(
        "question: Rewrite the parser in Rust?\nprotocol: judges\noptions: [Rewrite it, Keep it, Buy one]\nid: q1\nrounds: 1\nseats: {{control: \"scripted:script.yaml\"}}\nsteps:\n{steps}"
    )
}

/// An absent answer is a figure of the comparison. It is asked for again on demand, and a decision that was taken
/// meanwhile stands.
#[test]
fn an_absent_answer_degrades_nothing_and_can_be_asked_for_again() {
    let folder = tempfile::tempdir().unwrap();
    let decide = "  - decide: {option: B, because: it can be left, by: Ada}\n";
    let again = "  - run: {retry_absent: true, script: later}\n";
    for (steps, answered, outcome) in [
        ("  - run: {}\n".to_owned(), 2, Outcome::Contested),
        (format!("  - run: {{}}\n{again}"), 3, Outcome::Contested),
        (format!("  - run: {{}}\n{decide}{again}"), 2, Outcome::Decided),
        (format!("  - run: {{}}\n{again}{decide}"), 3, Outcome::Decided),
    ] {
        std::fs::create_dir_all(folder.path().join("later")).unwrap();
        std::fs::write(folder.path().join("later/script.yaml"), "replies:\n  - {ballot: {option: A}}\n").unwrap();
        let scenario = Scenario::improvise(folder.path(), &silent_once(&steps), SILENT_ONCE);
        let stage = Stage::new();
        let tale = stage.play_calmly(&scenario);
        let files = stage.debate(&scenario);
        let survey = stage.healthy(&scenario).survey(&files).unwrap();
        let verdict = survey.verdict.unwrap();
        let control = verdict.assessment.control.clone().unwrap();
        assert_eq!((control.asked, control.answered), (3, answered), "{steps}{}", tale.text);
        assert_eq!(
            (verdict.outcome(), verdict.ruling.is_degraded(), control.effect),
            (outcome, false, DebateWorth::Unclear),
            "{steps}"
        );
        assert!(survey.broken.is_empty(), "{steps}: {:?}", survey.broken);
        let before = stage.tree();
        stage.healthy(&scenario).regenerate("q1").unwrap();
        assert_eq!(before.differences(&stage.tree()), Vec::<String>::new(), "{steps}");
    }
}

/// The cap on calls is one cap: answers beyond it are absent, and the verdict stands.
#[test]
fn the_cap_on_calls_holds_for_it_too() {
    let folder = tempfile::tempdir().unwrap();
    let text = format!("{}max_calls: 5\n", silent_once("  - run: {}\n"));
    let scenario = Scenario::improvise(folder.path(), &text, "replies:\n  - {ballot: {option: A}}\n");
    let stage = Stage::new();
    stage.play_calmly(&scenario);
    let files = stage.debate(&scenario);
    let verdict = stage.healthy(&scenario).survey(&files).unwrap().verdict.unwrap();
    assert_eq!((verdict.outcome(), verdict.ruling.is_degraded()), (Outcome::Consensus, false));
    let control = verdict.assessment.control.unwrap();
    assert_eq!((control.asked, control.answered), (3, 2));
    assert_eq!(stage.tree().trail("briefs").len(), 5);
}

/// `--control` and `--seat control=AGENT` both seat it; a hand that is no agent is refused with what to do.
#[test]
fn it_is_seated_by_flag_or_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let named = Scenario::improvise(folder.path(), &silent_once("  - run: {}\n"), SILENT_ONCE).request();
    let agent = forge_debate::plan::Hand::parse("rehearsal");
    let flagged = Request { control: Some(agent.clone()), seats: Vec::new(), ..named.clone() };
    let both = Request { control: Some(agent), ..named.clone() };
    let hand = |request: &Request| {
        let plan = request.plan().unwrap();
        let seats: Vec<_> = plan.with_duty(forge_debate::plan::Duty::Control).cloned().collect();
        assert_eq!(seats.len(), 1);
        (seats[0].id.to_string(), seats[0].hand.to_string())
    };
    assert_eq!(hand(&named), ("control".to_owned(), "scripted:script.yaml".to_owned()));
    assert_eq!(hand(&flagged), ("control".to_owned(), "rehearsal".to_owned()));
    assert_eq!(hand(&both), hand(&named));
    let human = Request { control: Some(forge_debate::plan::Hand::Human), seats: Vec::new(), ..named };
    let refused = human.plan().err().unwrap().to_string();
    assert!(refused.contains("--seat control=AGENT"), "{refused}");
}

/// A person need not wait for the seat alone: killed at any write of its wave, the debate can be decided. What it had said
/// stays on record, nothing more is asked for, and nothing is compared with a part of the answers.
#[test]
fn a_person_decides_before_the_seat_alone_has_answered() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = Scenario::improvise(folder.path(), &silent_once("  - run: {}\n"), SILENT_ONCE);
    let calm = Calm::of(&scenario);
    let mut heard = std::collections::BTreeSet::new();
    for at in 1..=calm.writes {
        let stage = Stage::new();
        let death = Death { at, manner: Manner::ALL[at % Manner::ALL.len()] };
        let dying: Arc<dyn Disk> = Arc::new(DyingDisk::dying(stage.disk(), death));
        assert!(stage.play(&scenario, &dying, 0).is_err(), "{death:?}");
        let workspace = stage.healthy(&scenario);
        if workspace.list().unwrap().is_empty() {
            continue;
        }
        let files = stage.debate(&scenario);
        let before = workspace.survey(&files).unwrap();
        let is_whole = before.verdict.is_some();
        let decided = match workspace.decide("q1", "B", "it can be left", "Ada") {
            Ok(decided) => decided.account.verdict,
            Err(error) => {
                let text = error.to_string();
                assert!(text.contains("has no verdict yet"), "{death:?}: {text}");
                assert!(before.open.iter().any(|open| open.ask.key.stage != CONTROL), "{death:?}");
                continue;
            }
        };
        assert_eq!(
            (decided.outcome(), decided.assessment.control.is_some()),
            (Outcome::Decided, is_whole),
            "{death:?}"
        );
        let calls = stage.tree().trail("briefs").len();
        let again = stage.play_calmly(&scenario);
        assert!(again.text.contains("outcome: decided"), "{death:?}: {}", again.text);
        assert_eq!(stage.tree().trail("briefs").len(), calls, "{death:?}: somebody was asked after the decision");
        let report = workspace.verify("q1").unwrap();
        assert!(report.holds(), "{death:?}: {:?}", report.discrepancies);
        heard.insert(before.heard.iter().filter(|one| one.turn.key.stage == CONTROL).count());
    }
    assert_eq!(heard.into_iter().collect::<Vec<_>>(), [0, 1, 2, 3]);
}

/// An agent that there is no more is silent alone; what the seats came to stands.
#[test]
fn an_unknown_agent_alone_blocks_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let text = silent_once("  - run: {}\n").replace("script.yaml", "alone.yaml");
    std::fs::write(folder.path().join("alone.yaml"), "replies:\n  - {ballot: {option: A}}\n").unwrap();
    let scenario = Scenario::improvise(folder.path(), &text, "replies:\n  - {ballot: {option: A}}\n");
    let stage = Stage::new();
    stage.healthy(&scenario).open_or_create(&scenario.request(), forge_engine::Freshness::GoOn).unwrap();
    std::fs::remove_file(folder.path().join("alone.yaml")).unwrap();
    let workspace = stage.healthy(&scenario);
    let plan = workspace.list().unwrap()[0].plan_file.clone();
    let run = forge_engine::Run::new(&workspace, forge_engine::RunSettings::default(), &forge_engine::Silent);
    let end = crate::stage::on_a_free_clock(run.debate(&plan)).unwrap();
    let forge_engine::RunEnd::Concluded(account) = end else { panic!("{end:?}") };
    let control = account.verdict.assessment.control.clone().unwrap();
    assert_eq!((account.verdict.outcome(), account.verdict.ruling.is_degraded()), (Outcome::Consensus, false));
    assert_eq!((control.asked, control.answered), (3, 0));
    let report = workspace.verify("q1").unwrap();
    assert!(report.holds(), "{:?}", report.discrepancies);
}

/// Killed at every write of the wave and after it, and run again: the same comparison, and no answer paid for twice.
#[test]
fn a_death_in_the_wave_costs_nothing_twice() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = Scenario::improvise(folder.path(), &silent_once("  - run: {}\n"), SILENT_ONCE);
    let calm = Calm::of(&scenario);
    for at in 1..=calm.writes {
        let manner = Manner::ALL[at % Manner::ALL.len()];
        let stage = Stage::new();
        let dying: Arc<dyn Disk> = Arc::new(DyingDisk::dying(stage.disk(), Death { at, manner }));
        assert!(stage.play(&scenario, &dying, 0).is_err(), "write {at} of {}", calm.writes);
        let healthy: Arc<dyn Disk> = stage.disk();
        let tale = stage.play(&scenario, &healthy, 0).unwrap_or_else(|stopped| panic!("{at}: {}", stopped.error));
        let wrongs = calm.wrongs(&scenario, &stage.tree(), &tale, 1);
        assert!(wrongs.is_empty(), "write {at}, {manner:?}:\n{}", wrongs.join("\n"));
    }
}
