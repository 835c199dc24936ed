//! A gate that a case keeps shut: whoever wrote what blocks speaks again, whoever that is, and whatever dies meanwhile.

use crate::scenario::{Scenario, moment};
use crate::stage::{Notes, Stage, on_a_free_clock};
use forge_agents::{Roster, RosterSettings};
use forge_artifacts::disk::{Disk, Durability, WorkspaceDisk};
use forge_artifacts::formats::summary;
use forge_artifacts::formats::verdict::Account;
use forge_artifacts::stamp::Stamp;
use forge_debate::protocols::Protocols;
use forge_debate::verdict::Outcome;
use forge_engine::config::DebateDefaults;
use forge_engine::{EngineError, Freshness, Run, RunEnd, RunSettings, Vault, VoteState, Words, Workspace};
use forge_testkit::dying_disk::{Death, DyingDisk, Manner};
use std::sync::Arc;

/// An operator whose word is about another option than the chosen one, and everybody else as they should be.
const GOES_ELSEWHERE: &str = "replies:\n  - {seat: operator, sections: {Go/No-Go Recommendation: \"GO for Buy one.\"}, ballot: {recommendation: null}}\n  - {ballot: {option: A}}\n";
/// Everybody as they should be.
const WELL: &str = "replies:\n  - {seat: operator, ballot: {recommendation: GO}}\n  - {ballot: {option: A}}\n";

const SKEPTIC: &str = "## Critical Questions\n\n- Who mends the cables when the quokka has eaten them?\n\n## Hidden Assumptions\n\n- Cables last.\n\n## Second-Order Effects\n\n- A fat quokka.\n\n## Failure Modes\n\n- The quokka eats the cables, and nobody has said who mends them afterwards or with which money.\n\n## Risk Analysis\n\n| Risk | Probability | Impact | Mitigation |\n|---|---|---|---|\n| The cables are eaten | High | High | Buy other cables |\n";

fn advocate(animal: &str) -> String {
    format!(
        "## Core Argument\n\nA. The {animal} has seen all of the others fail, one after the other, in the dark of night.\n\n## Key Strengths\n\n- It is quick.\n\n## Comparative Advantages\n\n- The {animal} was there.\n\n## Success Criteria\n\n- Under 5 faults a year.\n\n## Risk Acceptance\n\nNobody minds a {animal}.\n"
    )
}

fn operator(word: &str) -> String {
    format!(
        "## Resource Requirements\n\n1. Lay the cables, and let nobody near them before they are buried.\n\n## Timeline Reality Check\n\n- Optimistic two weeks, realistic three, pessimistic four.\n\n## Dependency Analysis\n\nCables.\n\n## Operational Constraints\n\nA shovel.\n\n## Go/No-Go Recommendation\n\n{word}\n"
    )
}

/// A word for an option that nobody chooses.
const ELSEWHERE: &str = "GO for Buy one.";
const GO: &str = "GO, since whoever laid the cables can mend them.";

/// A gate, and what its agents say now.
struct Gate {
    stage: Stage,
    scripts: tempfile::TempDir,
    vault: tempfile::TempDir,
    scenario: Scenario,
}

impl Gate {
    fn with(seats: &str, script: &str) -> Self {
        let text = format!(
            "question: Rewrite the parser?\nprotocol: gate\noptions: [Rewrite it, Keep it, Buy one]\nsame_family: true\nseats: {{{seats}}}\n"
        );
        let scripts = tempfile::tempdir().unwrap();
        let scenario = Scenario::improvise(scripts.path(), &text, script);
        let gate = Self { stage: Stage::new(), scripts, vault: tempfile::tempdir().unwrap(), scenario };
        gate.workspace().open_or_create(&gate.scenario.request(), Freshness::GoOn).unwrap();
        gate
    }

    fn workspace(&self) -> Workspace {
        self.at(moment(), self.stage.disk())
    }

    fn at(&self, now: Stamp, disk: Arc<dyn Disk>) -> Workspace {
        let settings = RosterSettings { workspace: Some(self.scripts.path().to_owned()), ..RosterSettings::default() };
        Workspace {
            disk,
            locks: self.stage.disk(),
            roster: Arc::new(Roster::new(settings)),
            protocols: Protocols::default(),
            clock: Arc::new(move || now),
            defaults: Arc::new(DebateDefaults::of_forge()),
            made: None,
            host: None,
            vault: None,
            patience: 0,
        }
    }

    fn id(&self) -> String {
        self.stage.debate(&self.scenario).plan.id
    }

    fn vault(&self) -> WorkspaceDisk {
        WorkspaceDisk::open(self.vault.path(), Durability::None).unwrap()
    }

    fn says(&self, script: &str) {
        std::fs::write(self.scripts.path().join("script.yaml"), script).unwrap();
    }

    fn run_on(&self, workspace: &Workspace, retry_absent: bool) -> Result<RunEnd, EngineError> {
        let (notes, vault) = (Notes::default(), self.vault());
        let settings = RunSettings { retry_absent, ..RunSettings::default() };
        let plan = self.stage.debate(&self.scenario).layout.plan();
        on_a_free_clock(Run::new(workspace, settings, &notes).revealing(Some(&vault)).debate(&plan))
    }

    fn run(&self, retry_absent: bool) -> RunEnd {
        self.run_on(&self.workspace(), retry_absent).unwrap()
    }

    fn concluded(&self, retry_absent: bool) -> Account {
        match self.run(retry_absent) {
            RunEnd::Concluded(account) => *account,
            other => panic!("{other:?}"),
        }
    }

    fn vote(&self, seat: &str, text: &str) -> VoteState {
        self.vote_on(&self.workspace(), seat, text)
    }

    fn vote_on(&self, workspace: &Workspace, seat: &str, text: &str) -> VoteState {
        let (vault, salt) = (self.vault(), Stamp(workspace.list().unwrap().len() as i64).0.to_string());
        let salt = format!("{salt}{}", "5a".repeat(32)).chars().take(64).collect::<String>();
        let vault = Vault { disk: &vault, salt: &salt };
        workspace.vote(&self.id(), Some(seat), &Words::Turn(text.as_bytes()), &vault).unwrap().state
    }

    fn path(&self, file: &str) -> std::path::PathBuf {
        self.stage.root().join(self.stage.debate(&self.scenario).layout.path(file))
    }

    /// What verify holds against the debate.
    fn wrongs(&self) -> Vec<String> {
        let report = self.workspace().verify(&self.id()).unwrap();
        report.discrepancies.iter().map(|one| format!("{} {}: {}", one.kind.word(), one.file, one.text)).collect()
    }
}

fn blocked(account: &Account) -> Vec<String> {
    assert_eq!(account.verdict.outcome(), Outcome::Blocked, "{:?}", account.verdict);
    let mut next = summary::of(account).next;
    assert!(next.pop().is_some_and(|last| last.contains("for real answers")), "a script is a rehearsal");
    next
}

#[test]
fn an_agent_whose_case_blocks_is_asked_again() {
    let gate = Gate::with("", GOES_ELSEWHERE);
    let hint = blocked(&gate.concluded(false));
    assert_eq!(hint, [format!("ask the operator again: forge debate run {} --retry-absent", gate.id())]);
    gate.says(WELL);
    let account = gate.concluded(true);
    assert_eq!(account.verdict.outcome(), Outcome::Decided, "{:?}", account.verdict.ruling.findings);
    // Advocate and skeptic were asked once: nothing of theirs blocked.
    for seat in ["advocate", "skeptic"] {
        assert!(!gate.path(&format!("trail/briefs/case-r1-{seat}.2.md")).exists(), "{seat}");
    }
    assert_eq!(gate.wrongs(), Vec::<String>::new());
}

#[test]
fn a_person_whose_sealed_case_blocks_votes_again() {
    let gate = Gate::with("operator: human", WELL);
    gate.run(false);
    assert_eq!(gate.vote("operator", &operator(ELSEWHERE)), VoteState::Revealed);
    let id = gate.id();
    let hint = blocked(&gate.concluded(false));
    let expected = [
        format!("put the sealed vote of the operator aside: forge debate run {id} --retry-absent"),
        format!("then the operator votes again: forge debate vote {id} --seat operator"),
    ];
    assert_eq!(hint, expected);
    let RunEnd::Waiting { open, sealed, .. } = gate.run(true) else { panic!("the operator is not asked again") };
    assert_eq!((open.len(), open[0].ask.key.seat.as_str(), sealed.len()), (1, "operator", 0));
    // The agents of the round have spoken: there is nothing left to hide, and nobody is accused of it.
    let later = gate.at(Stamp(moment().0 + 7200), gate.stage.disk());
    assert_eq!(gate.vote_on(&later, "operator", &operator(GO)), VoteState::Cast);
    let end = gate.run_on(&later, false).unwrap();
    let RunEnd::Concluded(account) = end else { panic!("{end:?}") };
    assert_eq!(account.verdict.outcome(), Outcome::Decided, "{:?}", account.verdict.ruling.findings);
    assert_eq!(gate.wrongs(), Vec::<String>::new());
    let notes = gate.workspace().verify(&id).unwrap().notes.join("\n");
    assert!(notes.contains("a sealed vote of operator was taken back at"), "{notes}");
}

#[test]
fn a_file_on_record_that_blocks_is_mended_and_asked_for_again() {
    let gate = Gate::with("operator: outside", WELL);
    gate.run(false);
    std::fs::write(gate.path("operator.md"), operator(ELSEWHERE)).unwrap();
    let hint = blocked(&gate.concluded(false));
    let file = gate.stage.debate(&gate.scenario).layout.path("operator.md");
    assert_eq!(hint, [format!("mend {file}, then: forge debate run {} --retry-absent", gate.id())]);
    std::fs::write(gate.path("operator.md"), operator(GO)).unwrap();
    // What was mended meanwhile is kept, and not put aside.
    assert_eq!(gate.concluded(true).verdict.outcome(), Outcome::Decided);
    assert_eq!(gate.wrongs(), Vec::<String>::new());
}

/// What was committed to and taken in counts, whatever is written over it.
#[test]
fn an_edited_sealed_file_does_not_count_at_the_gate() {
    let gate = Gate::with("operator: human", WELL);
    gate.run(false);
    gate.vote("operator", &operator(ELSEWHERE));
    let said = |account: Account| account.turns.into_iter().map(|turn| turn.text).collect::<Vec<_>>();
    let before = gate.concluded(false);
    blocked(&before);
    std::fs::write(gate.path("operator.md"), operator(GO)).unwrap();
    let report = gate.workspace().gate(&gate.id(), false).unwrap();
    let has_no_word = |text: &str| text.contains("no GO, NO-GO or CONDITIONAL can be read for A");
    assert!(report.findings.iter().any(|finding| has_no_word(finding.fact.sentence())), "{:?}", report.findings);
    // Nothing goes on over it either, and the words that were counted are still on record.
    let refused = gate.run_on(&gate.workspace(), false).err().unwrap();
    assert!(matches!(refused, EngineError::Contradicted { .. }), "{refused:?}");
    std::fs::write(gate.path("operator.md"), operator(ELSEWHERE)).unwrap();
    assert_eq!(said(gate.concluded(false)), said(before));
}

/// A run that puts a sealed vote aside dies at every write, in every manner; whatever comes next, nobody is accused.
#[test]
fn a_death_while_a_blocked_gate_is_mended_accuses_nobody() {
    for (plainly, people) in [(true, "operator: human"), (false, "operator: human, advocate: human, skeptic: human")] {
        // Every write where one person voted, every second where three did: the rest is the same for each of them.
        let stride = if people.contains("skeptic") { 2 } else { 1 };
        for at in (1..).step_by(stride) {
            let gate = Gate::with(people, WELL);
            gate.run(false);
            gate.vote("operator", &operator(ELSEWHERE));
            if people.contains("skeptic") {
                gate.vote("advocate", &advocate("heron"));
                gate.vote("skeptic", SKEPTIC);
            }
            blocked(&gate.concluded(false));
            let manner = Manner::ALL[at / stride % Manner::ALL.len()];
            let dying: Arc<dyn Disk> = Arc::new(DyingDisk::dying(gate.stage.disk(), Death { at, manner }));
            let survived = gate.run_on(&gate.at(moment(), dying), true).is_ok();
            let place = format!("{people} plainly {plainly}, write {at} {manner:?}");
            assert_eq!(gate.wrongs(), Vec::<String>::new(), "{place}");
            let end = gate.run_on(&gate.workspace(), !plainly).unwrap_or_else(|error| panic!("{place}: {error}"));
            assert_eq!(gate.wrongs(), Vec::<String>::new(), "{place}");
            // Whatever was left: in the end the operator can vote again.
            let end = if matches!(end, RunEnd::Waiting { .. }) { end } else { gate.run(true) };
            assert!(
                matches!(&end, RunEnd::Waiting { open, .. } if open[0].ask.key.seat.as_str() == "operator"),
                "{place}: {end:?}"
            );
            gate.vote("operator", &operator(GO));
            gate.run(false);
            assert_eq!(gate.wrongs(), Vec::<String>::new(), "{place}");
            if survived {
                assert!(at > 8, "{at}");
                break;
            }
        }
    }
}
