//! People's votes: sealed before anything is there that they could be led by, revealed when all have committed, and held
//! against what was committed.

use crate::scenario::Scenario;
use crate::stage::{Notes, Stage, on_a_free_clock};
use forge_artifacts::disk::{Disk, Durability, WorkspaceDisk};
use forge_artifacts::formats::commitment;
use forge_debate::plan::SeatId;
use forge_debate::verdict::Outcome;
use forge_debate::voting::Merit;
use forge_engine::{
    Calls, EngineError, Event, Freshness, HandIn, Run, RunEnd, RunSettings, Strictness, Vault, Vote, VoteState, Voted,
    Words, Workspace,
};
use forge_testkit::dying_disk::{Death, DyingDisk, Manner};
use std::sync::Arc;

const HOME: &str = "docs/forge/sadd/debate-q1-";

/// A debate of judges of whom some are people, and the folder in which their words wait.
struct Poll {
    stage: Stage,
    scripts: tempfile::TempDir,
    vault: tempfile::TempDir,
    scenario: Scenario,
}

const A_AND_B: &str = "replies:\n  - {seat: risk, ballot: {option: A, confidence: HIGH, reason: The lynx sees no way back from B.}}\n  - {ballot: {option: B}}\n";

impl Poll {
    fn with(people: &[&str]) -> Self {
        Self::of("judges", people, A_AND_B)
    }

    fn of(protocol: &str, people: &[&str], script: &str) -> Self {
        let seats: Vec<String> = people.iter().map(|seat| format!("{seat}: human")).collect();
        let text = format!(
            "question: Rewrite the parser?\nprotocol: {protocol}\noptions: [Rewrite it, Keep it, Buy one]\nsame_family: true\n{}seats: {{{}}}\n",
            if protocol == "judges" { "id: q1\n" } else { "" },
            seats.join(", ")
        );
        let scripts = tempfile::tempdir().unwrap();
        let scenario = Scenario::improvise(scripts.path(), &text, script);
        let poll = Self { stage: Stage::new(), scripts, vault: tempfile::tempdir().unwrap(), scenario };
        poll.workspace().open_or_create(&poll.scenario.request(), Freshness::GoOn).unwrap();
        poll
    }

    fn workspace(&self) -> Workspace {
        self.workspace_on(self.stage.disk())
    }

    fn workspace_on(&self, disk: Arc<dyn Disk>) -> Workspace {
        self.stage.workspace(disk, self.scripts.path())
    }

    fn id(&self) -> String {
        self.stage.debate(&self.scenario).plan.id
    }

    fn vault(&self) -> WorkspaceDisk {
        WorkspaceDisk::open(self.vault.path(), Durability::None).unwrap()
    }

    fn vote(&self, seat: &str, option: &str, because: &str) -> Result<Voted, EngineError> {
        self.vote_in(&self.vault(), seat, &said(option, because))
    }

    fn vote_in(&self, vault: &dyn Disk, seat: &str, vote: &Vote) -> Result<Voted, EngineError> {
        vote_on(&self.workspace(), vault, Some(seat), vote)
    }

    fn run(&self) -> Result<(RunEnd, Vec<Event>), EngineError> {
        self.run_with(&self.vault(), RunSettings::default())
    }

    fn run_with(&self, vault: &dyn Disk, settings: RunSettings) -> Result<(RunEnd, Vec<Event>), EngineError> {
        let workspace = self.workspace();
        let files = workspace.open(&self.id())?;
        let notes = Notes::default();
        let end = on_a_free_clock(Run::new(&workspace, settings, &notes).revealing(Some(vault)).opened(files));
        Ok((end?, notes.events()))
    }

    fn concluded(&self) -> forge_debate::verdict::Verdict {
        match self.run().unwrap().0 {
            RunEnd::Concluded(account) => account.verdict,
            other => panic!("{other:?}"),
        }
    }

    /// Whether any file of the workspace has this word.
    fn is_said(&self, word: &str) -> bool {
        let tree = self.stage.tree();
        tree.paths().iter().any(|path| {
            let bytes = std::fs::read(self.stage.root().join(path)).unwrap_or_default();
            String::from_utf8_lossy(&bytes).contains(word)
        })
    }

    fn path(&self, file: &str) -> std::path::PathBuf {
        self.stage.root().join(format!("{HOME}{file}"))
    }

    fn leave(&self, file: &str, text: &str) {
        std::fs::write(self.path(file), text).unwrap();
    }

    fn kept(&self) -> usize {
        std::fs::read_dir(self.vault.path()).unwrap().count()
    }
}

fn vote_on(workspace: &Workspace, vault: &dyn Disk, seat: Option<&str>, vote: &Vote) -> Result<Voted, EngineError> {
    let salt = "5a".repeat(32);
    let name = workspace.list().unwrap()[0].id.clone();
    workspace.vote(&name, seat, &Words::Vote(vote), &Vault { disk: vault, salt: &salt })
}

fn said(option: &str, because: &str) -> Vote {
    Vote { option: option.to_owned(), because: because.to_owned(), ..Vote::default() }
}

fn turn(option: &str, because: &str) -> String {
    format!(
        "## Assessment\n\n{because}\n\n## Recommendation\n\nOption {option}. {because}\n\n```json\n{{\"option\": \"{option}\", \"confidence\": \"LOW\", \"reason\": \"{because}\", \"arguments\": [{{\"id\": \"a1\", \"text\": \"{because}\"}}]}}\n```\n"
    )
}

fn refused<T: std::fmt::Debug>(result: Result<T, EngineError>) -> String {
    match result {
        Err(EngineError::Usage(text)) => text,
        Err(EngineError::Turn(refused)) => refused.to_string(),
        other => panic!("{other:?}"),
    }
}

fn names(seats: &[SeatId]) -> Vec<&str> {
    seats.iter().map(SeatId::as_str).collect()
}

fn notes(events: &[Event]) -> Vec<&str> {
    events.iter().filter_map(|event| if let Event::Note(text) = event { Some(text.as_str()) } else { None }).collect()
}

#[test]
fn nobodys_words_are_in_the_folder_before_all_have_committed() {
    let poll = Poll::with(&["risk", "value", "effort"]);
    let words = [
        ("risk", "A", "The heron has seen it fail"),
        ("value", "B", "A lynx would keep the tests that pass"),
        ("effort", "B", "The badger counts the nights"),
    ];
    let mut waiting = vec!["risk", "value", "effort"];
    for (seat, option, because) in words {
        let voted = poll.vote(seat, option, because).unwrap();
        waiting.retain(|one| *one != seat);
        assert_eq!(names(&voted.waiting_for), waiting);
        assert!(voted.shortcomings.is_empty(), "{:?}", voted.shortcomings);
        let sealed = if waiting.is_empty() { VoteState::Revealed } else { VoteState::Sealed };
        assert_eq!(voted.state, sealed);
        assert!(poll.path(&format!("trail/sealed/opening-r1-{seat}.md")).is_file());
        for (_, _, said) in words {
            assert_eq!(poll.is_said(said), waiting.is_empty(), "{said} after {seat}");
        }
        if !waiting.is_empty() {
            let (end, _) = poll.run().unwrap();
            let RunEnd::Waiting { open, sealed, held_back, .. } = end else { panic!("{end:?}") };
            assert_eq!((open.len(), sealed.len(), held_back.len()), (3, 3 - waiting.len(), 0));
        }
    }
    assert_eq!(poll.kept(), 0, "what is revealed no longer waits");
    for (seat, _, _) in words {
        let read = |folder: &str| std::fs::read(poll.path(&format!("trail/{folder}/opening-r1-{seat}.md"))).unwrap();
        let sealed = commitment::read(&read("sealed")).unwrap();
        let revealed = commitment::read_revealed(&read("revealed")).unwrap();
        let turn = std::fs::read(poll.path(&format!("{seat}.md"))).unwrap();
        assert!(commitment::matches(&sealed, &revealed.salt, &turn));
        assert_eq!((sealed.seat.as_str(), sealed.stage.as_str(), sealed.round), (seat, "opening", 1));
        assert_eq!(revealed.beside.len(), 2, "each names the commitments of the others");
    }
    let verdict = poll.concluded();
    assert_eq!((verdict.outcome(), verdict.options()[0].as_str()), (Outcome::Consensus, "B"));
}

#[test]
fn agents_are_not_called_before_the_people_of_their_wave_have_voted() {
    let poll = Poll::with(&["value"]);
    let (end, _) = poll.run().unwrap();
    let RunEnd::Waiting { open, held_back, .. } = end else { panic!("{end:?}") };
    assert_eq!((open.len(), names(&held_back)), (1, vec!["risk", "effort"]));
    assert!(poll.stage.tree().trail("briefs").is_empty(), "nobody was called");
    assert!(!poll.is_said("lynx"));
    let voted =
        vote_on(&poll.workspace(), &poll.vault(), None, &said("keep it", "What works is worth keeping")).unwrap();
    assert_eq!((voted.key.seat.as_str(), voted.state), ("value", VoteState::Revealed));
    assert!(poll.stage.tree().trail("briefs").is_empty(), "nor by the vote");
    let verdict = poll.concluded();
    assert_eq!((verdict.outcome(), verdict.options()[0].as_str()), (Outcome::Consensus, "B"));
    assert_eq!(verdict.ruling.votes().len(), 3);
}

/// A workflow that only takes in what people left calls nobody, whoever has voted.
#[test]
fn a_run_without_calls_takes_in_what_was_revealed() {
    let poll = Poll::with(&["value"]);
    let settings = || RunSettings { calls: Calls::None, ..RunSettings::default() };
    let (end, _) = poll.run_with(&poll.vault(), settings()).unwrap();
    let RunEnd::Waiting { open, .. } = end else { panic!("{end:?}") };
    assert_eq!(open.len(), 3);
    poll.vote("value", "B", "What works is worth keeping").unwrap();
    let (end, _) = poll.run_with(&poll.vault(), settings()).unwrap();
    let RunEnd::Waiting { open, handed_in, account, .. } = end else { panic!("{end:?}") };
    assert_eq!((open.len(), names(&handed_in), account.turns.len()), (2, vec!["value"], 0));
    assert!(poll.stage.tree().trail("briefs").is_empty());
}

#[test]
fn a_sealed_vote_may_not_be_changed() {
    let poll = Poll::with(&["risk", "value"]);
    poll.vote("risk", "A", "The heron has seen it fail").unwrap();
    let again = poll.vote("risk", "A", "The heron has seen it fail").unwrap();
    assert_eq!((again.state, poll.kept()), (VoteState::Sealed, 1), "the same again changes nothing");
    for change in [
        poll.vote("risk", "B", "The heron has seen it fail"),
        poll.vote("risk", "A", "The swallow found another crash"),
    ] {
        let why = refused(change);
        assert!(
            why.contains("sealed since 2026-01-15T14:30:22Z") && why.contains("trail/sealed/opening-r1-risk.md"),
            "{why}"
        );
    }
    let why = refused(poll.workspace().submit(
        "q1",
        &HandIn {
            strictness: Strictness::AsIs,
            ..HandIn::new("risk", turn("B", "The stork writes into the file").as_bytes(), "")
        },
    ));
    assert!(why.contains("sealed since"), "{why}");
    // The only one who has yet to vote need not be named.
    let voted = vote_on(&poll.workspace(), &poll.vault(), None, &said("B", "What works is worth keeping")).unwrap();
    assert_eq!(voted.key.seat.as_str(), "value");
}

/// Whoever says what else they could live with could live with their own choice.
#[test]
fn approval_includes_the_vote() {
    let poll = Poll::with(&["value"]);
    let vote = Vote { approves: vec!["buy one".to_owned()], ..said("B", "What works is worth keeping") };
    poll.vote_in(&poll.vault(), "value", &vote).unwrap();
    let turn = std::fs::read_to_string(poll.path("value.md")).unwrap();
    assert!(turn.contains("\"approves\": [\"B\", \"C\"]"), "{turn}");
}

#[test]
fn words_that_were_not_committed_to_are_refused() {
    let poll = Poll::with(&["risk", "value"]);
    poll.vote("risk", "A", "The heron has seen it fail").unwrap();
    // Before all have voted nobody can say whether these are the words; they are not taken in.
    poll.leave("risk.md", &turn("B", "Somebody else wrote this"));
    let why = refused(poll.run());
    assert!(why.contains("debate-q1-risk.md") && why.contains("trail/sealed/opening-r1-risk.md"), "{why}");
    // After all have voted they can be held against the commitment, and are not what was sealed.
    let why = refused(poll.vote("value", "B", "What works is worth keeping"));
    assert!(why.contains("debate-q1-risk.md is not what risk committed to"), "{why}");
    let why = refused(poll.run());
    assert!(why.contains("debate-q1-risk.md is not what risk committed to"), "{why}");
    assert!(!poll.path("trail/turns").exists(), "nothing was taken in");
    std::fs::remove_file(poll.path("risk.md")).unwrap();
    let (end, events) = poll.run().unwrap();
    assert!(matches!(end, RunEnd::Concluded(_)), "{end:?}");
    assert_eq!(notes(&events).iter().filter(|note| note.contains("revealed")).count(), 2, "{events:?}");
}

/// Edited after it was revealed and before it was taken in: the words no longer fit the commitment that everybody has.
#[test]
fn a_revealed_vote_that_was_edited_is_refused() {
    let poll = Poll::with(&["value"]);
    poll.vote("value", "B", "What works is worth keeping").unwrap();
    poll.leave("value.md", &turn("A", "What works is worth keeping"));
    let why = refused(poll.run());
    assert!(why.contains("debate-q1-value.md is not what value committed to in docs/"), "{why}");
    // A salt of one's own making does not help: it does not fit the digest.
    let file = "trail/revealed/opening-r1-value.md";
    let text = std::fs::read_to_string(poll.path(file)).unwrap();
    poll.leave(file, &text.replace(&"5a".repeat(32), &"5b".repeat(32)));
    assert!(refused(poll.run()).contains("is not what value committed to"));
    poll.leave(file, "salt: mine");
    assert!(refused(poll.run()).contains("is not what forge wrote there"));
}

#[test]
fn a_file_left_in_the_open_is_taken_and_noted() {
    let poll = Poll::with(&["risk", "value", "effort"]);
    poll.run().unwrap();
    poll.leave("risk.md", &turn("A", "The heron has seen it fail"));
    let (_, events) = poll.run().unwrap();
    let expected = "the vote of risk (opening, round 1) was not sealed: it lay open while value, effort had not voted";
    assert_eq!(notes(&events), [expected]);
    let submitted = poll
        .workspace()
        .submit("q1", &HandIn::new("value", turn("B", "What works is worth keeping").as_bytes(), ""))
        .unwrap();
    assert!(submitted.notes[0].ends_with("it lay open while effort had not voted"), "{:?}", submitted.notes);
    poll.vote("effort", "B", "The badger counts the nights").unwrap();
    assert_eq!(poll.concluded().outcome(), Outcome::Consensus);
    // With one person only there is nobody to see it.
    let poll = Poll::with(&["value"]);
    poll.run().unwrap();
    poll.leave("value.md", &turn("B", "What works is worth keeping"));
    assert_eq!(notes(&poll.run().unwrap().1), Vec::<&str>::new());
}

/// From the second round on there is nothing to hide: the vote is the turn, and may cite and challenge.
#[test]
fn later_votes_are_cast_at_once() {
    let script = "replies:\n  - {seat: risk, ballot: {option: A, arguments: [{id: a1, text: There is no way back from B}]}}\n  - {seat: effort, ballot: {option: C}}\n";
    let poll = Poll::of("judges", &["value"], script);
    poll.vote("value", "B", "What works is worth keeping").unwrap();
    poll.run().unwrap();
    let files = poll.stage.debate(&poll.scenario);
    let speakers = forge_debate::anonymity::Speakers::of(&files.plan, &SeatId::from("value"));
    let (risk, effort) = (speakers.prefix(&SeatId::from("risk")), speakers.prefix(&SeatId::from("effort")));
    let vote = Vote {
        convinced_by: vec![format!("{risk}.a1")],
        convinced_because: Some("there is really no way back".to_owned()),
        challenges: vec![(effort, "buying one moves the question".to_owned())],
        confidence: Some("high".to_owned()),
        arguments: vec!["The first".to_owned(), "There is one more argument".to_owned()],
        ..said("A", "Nobody could restore the old parser afterwards")
    };
    let voted = poll.vote_in(&poll.vault(), "value", &vote);
    // An argument of two words is none; everything else is in form.
    assert!(refused(voted).contains("\"arguments[0].text\" has 2 words"));
    let vote = Vote { arguments: vec!["There is one more argument".to_owned()], ..vote };
    let voted = poll.vote_in(&poll.vault(), "value", &vote).unwrap();
    assert_eq!((voted.state, voted.commitment.is_none(), voted.key.round), (VoteState::Cast, true, 2));
    assert!(voted.shortcomings.is_empty(), "{:?}", voted.shortcomings);
    assert!(!poll.path("trail/sealed/challenge-r2-value.md").exists());
    let verdict = poll.concluded();
    let change = verdict.ruling.changes().iter().find(|change| change.seat.as_str() == "value").unwrap();
    assert_eq!((change.to.as_str(), change.merit), ("A", Merit::Earned));
}

#[test]
fn what_is_no_vote_is_refused_with_what_to_do() {
    let poll = Poll::with(&["risk", "value"]);
    let vault = poll.vault();
    let try_it = |seat: Option<&str>, vote: &Vote| refused(vote_on(&poll.workspace(), &vault, seat, vote));
    let good = said("A", "The heron has seen it fail");
    assert!(try_it(None, &good).contains("--seat risk or --seat value"));
    assert!(try_it(Some("rsk"), &good).contains("did you mean \"risk\""));
    assert!(try_it(Some("effort"), &good).contains("forge turn submit q1 effort"));
    assert!(try_it(Some("risk"), &said("D", "The heron has seen it")).contains("is not an option of q1"));
    assert!(try_it(Some("risk"), &said("A", "  ")).contains("--because is empty"));
    assert!(try_it(Some("risk"), &said("A", "Looks good to me")).contains("says too little of its own"));
    let misplaced = Vote { challenges: vec![("S1".to_owned(), "is wrong".to_owned())], ..good.clone() };
    assert!(try_it(Some("risk"), &misplaced).contains("--challenge: the form of risk (opening, round 1)"));
    let unsure = Vote { confidence: Some("80%".to_owned()), ..good };
    assert!(try_it(Some("risk"), &unsure).contains("expected one of HIGH, MEDIUM, LOW"));
    let forged = format!("---\ndebate: q1\n{}", "turn: \"opening-r1-risk\"\n---\nhello");
    let _ =
        poll.workspace().vote("q1", Some("risk"), &Words::Turn(forged.as_bytes()), &Vault { disk: &vault, salt: "" });
    assert_eq!((poll.kept(), poll.path("trail/sealed").exists()), (0, false), "nothing of it was kept");
    let agents = Poll::with(&[]);
    assert!(
        refused(agents.vote("risk", "A", "The heron has seen it fail")).contains("is moved by scripted:script.yaml")
    );
    assert!(
        refused(vote_on(&agents.workspace(), &vault, None, &said("A", "x")))
            .contains("no seat of q1 is moved by a person")
    );
}

/// A seat that is asked for no option writes its turn; it is sealed all the same.
#[test]
fn a_turn_without_an_option_is_written_and_sealed() {
    let poll = Poll::of("gate", &["skeptic"], "replies:\n  - {ballot: {option: A}}\n");
    let why = refused(poll.vote("skeptic", "A", "It has never been tried"));
    assert!(why.contains("skeptic (case, round 1) is no vote for an option") && why.contains("--file"), "{why}");
    let text = "## Critical Questions\n\n- Who? When? Where? Why? How?\n\n## Hidden Assumptions\n\n- Cables last.\n\n## Failure Modes\n\n- The quokka eats the cables, and nobody has said who mends them afterwards or with which money.\n\n## Risk Analysis\n\nThe cables are gone.\n\n## Second-Order Effects\n\n- A fat quokka.\n";
    let salt = "5a".repeat(32);
    let vault = poll.vault();
    let voted = poll
        .workspace()
        .vote(&poll.id(), None, &Words::Turn(text.as_bytes()), &Vault { disk: &vault, salt: &salt })
        .unwrap();
    assert_eq!((voted.state, voted.key.seat.as_str()), (VoteState::Revealed, "skeptic"));
    assert!(voted.shortcomings.iter().any(|text| text.contains("Risk Analysis")), "{:?}", voted.shortcomings);
    let (end, _) = poll.run().unwrap();
    assert!(matches!(end, RunEnd::Concluded(_)), "{end:?}");
}

/// Two people on two machines: whoever votes last reveals what is here, the other one reveals the rest there. Agents are
/// asked as soon as both have committed.
#[test]
fn words_on_another_machine_are_revealed_there() {
    let poll = Poll::with(&["risk", "value"]);
    let elsewhere = tempfile::tempdir().unwrap();
    let elsewhere = WorkspaceDisk::open(elsewhere.path(), Durability::None).unwrap();
    poll.vote_in(&elsewhere, "risk", &said("A", "The heron has seen it fail")).unwrap();
    let early = poll.workspace().reveal("q1", &elsewhere).unwrap();
    assert_eq!((names(&early.waiting_for), early.revealed.len()), (vec!["value"], 0));
    assert!(!poll.is_said("heron"), "an early reveal reveals nothing");
    poll.vote("value", "B", "What works is worth keeping").unwrap();
    let (end, _) = poll.run().unwrap();
    let RunEnd::Waiting { open, sealed, held_back, .. } = end else { panic!("{end:?}") };
    assert_eq!((open.len(), sealed.len(), held_back.len()), (1, 1, 0));
    assert!(!poll.is_said("heron") && !poll.stage.tree().trail("briefs").is_empty());
    assert_eq!(poll.workspace().reveal("q1", &poll.vault()).unwrap().elsewhere.len(), 1);
    let there = poll.workspace().reveal("q1", &elsewhere).unwrap();
    assert_eq!((there.revealed.len(), there.elsewhere.len()), (1, 0));
    assert_eq!(poll.concluded().outcome(), Outcome::Consensus);
    assert!(refused(poll.workspace().reveal("q1", &elsewhere)).contains("no sealed vote to reveal"));
}

/// What was committed to answers the plan that was laid out: it may not change any more, and nobody is seated anew.
#[test]
fn a_commitment_fixes_the_plan() {
    let poll = Poll::with(&["risk", "value"]);
    poll.vote("risk", "A", "The heron has seen it fail").unwrap();
    let why = refused(poll.workspace().reseat("q1", &forge_debate::plan::Hand::Outside).map(|files| files.plan.id));
    assert!(why.contains("has begun"), "{why}");
    let plan = std::fs::read_to_string(poll.path("plan.md")).unwrap();
    poll.leave("plan.md", &plan.replace("Keep it", "Keep it for now"));
    for refused in [poll.run().map(|_| ()), poll.vote("value", "A", "The heron has seen it fail").map(|_| ())] {
        assert!(matches!(refused, Err(EngineError::Open(_))), "{refused:?}");
    }
    poll.leave("plan.md", &plan);
    poll.vote("value", "A", "What works is not worth keeping").unwrap();
    assert_eq!(poll.concluded().outcome(), Outcome::Consensus);
}

/// A lead whose opening is put aside with an absence before it votes anew, sealed anew.
#[test]
fn a_withdrawn_vote_can_be_given_anew() {
    let script = "replies:\n  - {stage: probe, seat: adversary, do: crash}\n  - {stage: challenge, do: crash}\n";
    let poll = Poll::of("challenge", &["lead"], script);
    poll.run().unwrap();
    poll.vote("lead", "A", "The heron has seen it fail often enough").unwrap();
    let (end, _) = poll.run().unwrap();
    assert!(
        matches!(&end, RunEnd::Concluded(account) if account.verdict.outcome() == Outcome::Insufficient),
        "{end:?}"
    );
    let again = RunSettings { retry_absent: true, ..RunSettings::default() };
    let (end, _) = poll.run_with(&poll.vault(), again).unwrap();
    assert!(matches!(end, RunEnd::Waiting { .. }), "{end:?}");
    let voted = poll.vote("lead", "B", "I have thought about it once more").unwrap();
    assert_eq!(voted.state, VoteState::Revealed);
}

/// A run that puts a sealed vote aside is killed at every write; the next one leaves a debate in which the lead can vote.
#[test]
fn a_death_while_a_vote_is_put_aside_locks_nobody_out() {
    let again = || RunSettings { retry_absent: true, ..RunSettings::default() };
    for at in 1.. {
        let script = "replies:\n  - {stage: probe, seat: adversary, do: crash}\n  - {stage: challenge, do: crash}\n";
        let poll = Poll::of("challenge", &["lead"], script);
        poll.run().unwrap();
        poll.vote("lead", "A", "The heron has seen it fail often enough").unwrap();
        poll.run().unwrap();
        let manner = Manner::ALL[at % Manner::ALL.len()];
        let disk: Arc<dyn Disk> = Arc::new(DyingDisk::dying(poll.stage.disk(), Death { at, manner }));
        let workspace = poll.workspace_on(disk);
        let (notes, vault) = (Notes::default(), poll.vault());
        let run = Run::new(&workspace, again(), &notes).revealing(Some(&vault));
        let survived = on_a_free_clock(run.debate(&poll.stage.debate(&poll.scenario).layout.plan())).is_ok();
        let accused = || poll.workspace().verify(&poll.id()).unwrap().discrepancies;
        assert_eq!(accused(), [], "{at} {manner:?}");
        for nth in 0..2 {
            // Waiting for the lead, or over since the lead's words were still there to be taken in.
            let (end, _) = poll.run_with(&poll.vault(), again()).unwrap_or_else(|error| panic!("{at}: {error}"));
            if matches!(end, RunEnd::Waiting { .. }) {
                let voted = poll.vote("lead", "B", &format!("I have thought about it once more, {at} {nth}"));
                assert_eq!(voted.map(|voted| voted.state).unwrap(), VoteState::Revealed, "{at} {manner:?}");
            }
            assert_eq!(accused(), [], "{at} {manner:?}");
        }
        if survived {
            assert!(at > 5, "{at}");
            return;
        }
    }
}

/// Words that are gone with their machine do not hold everybody up for ever: on record, and only while they are sealed.
#[test]
fn a_vote_whose_words_are_lost_can_be_taken_back() {
    let poll = Poll::with(&["risk", "value"]);
    let lost = tempfile::tempdir().unwrap();
    let lost = WorkspaceDisk::open(lost.path(), Durability::None).unwrap();
    poll.vote_in(&lost, "risk", &said("A", "The heron has seen it fail")).unwrap();
    let vault = poll.vault();
    let take_back = |vault: &dyn Disk, seat: &str, because: &str| {
        poll.workspace().take_back_vote("q1", seat, because, Some(vault)).map(|done| done.file)
    };
    assert!(refused(take_back(&lost, "risk", "I have another reason now")).contains("nothing is lost"));
    assert!(refused(take_back(&vault, "risk", " ")).contains("--because is empty"));
    assert!(refused(take_back(&vault, "value", "It is gone")).contains("value has no sealed vote in q1"));
    assert!(refused(take_back(&vault, "rsk", "It is gone")).contains("did you mean \"risk\""));
    poll.vote("value", "B", "What works is worth keeping").unwrap();
    let why = refused(poll.vote("risk", "B", "The swallow found another crash"));
    assert!(why.contains("forge debate vote q1 --withdraw --seat risk --because WHY"), "{why}");
    let file = take_back(&vault, "risk", "the laptop fell into the sea").unwrap();
    let record = std::fs::read(poll.stage.root().join(&file)).unwrap();
    assert_eq!(commitment::read_withdrawal(&record).unwrap().because, "the laptop fell into the sea");
    assert!(!poll.path("trail/sealed/opening-r1-risk.md").exists());
    assert!(refused(take_back(&vault, "risk", "It is gone")).contains("risk has no sealed vote"));
    assert_eq!(poll.vote("risk", "B", "The otter has mended it twice before").unwrap().state, VoteState::Revealed);
    assert_eq!(poll.concluded().outcome(), Outcome::Consensus);
    let report = poll.workspace().verify("q1").unwrap();
    assert!(report.holds(), "{:?}", report.discrepancies);
    let told = report.notes.join("\n");
    assert!(told.contains("a sealed vote of risk was taken back") && told.contains("fell into the sea"), "{told}");
    assert!(refused(take_back(&vault, "risk", "It is gone")).contains("risk has no sealed vote"), "it is on record");
}

/// Dead at any write of it, and the same command again, or any other: the seat can vote.
#[test]
fn a_death_while_a_vote_is_taken_back_is_made_good() {
    for at in 1.. {
        let poll = Poll::with(&["risk", "value"]);
        let lost = tempfile::tempdir().unwrap();
        let lost = WorkspaceDisk::open(lost.path(), Durability::None).unwrap();
        poll.vote_in(&lost, "risk", &said("A", "The heron has seen it fail")).unwrap();
        poll.vote("value", "B", "What works is worth keeping").unwrap();
        let manner = Manner::ALL[at % Manner::ALL.len()];
        let disk: Arc<dyn Disk> = Arc::new(DyingDisk::dying(poll.stage.disk(), Death { at, manner }));
        let survived = poll.workspace_on(disk).take_back_vote("q1", "risk", "It is gone", None).is_ok();
        if at % 2 == 0 {
            poll.run().unwrap();
        }
        let again = poll.workspace().take_back_vote("q1", "risk", "It is gone", None);
        assert!(again.is_ok() || refused(again).contains("no sealed vote"), "{at}");
        poll.vote("risk", "B", "The otter has mended it twice before").unwrap();
        assert_eq!(poll.concluded().outcome(), Outcome::Consensus, "{at}");
        let report = poll.workspace().verify("q1").unwrap();
        assert!(report.holds(), "{at} {manner:?}: {:?}", report.discrepancies);
        if survived {
            assert!(at > 2, "{at}");
            return;
        }
    }
}

/// Killed at every write of either disk, and the same command again: one commitment, the same words, nothing left over.
#[test]
fn a_death_anywhere_is_made_good_by_the_same_command() {
    for dies in ["the workspace", "the vault"] {
        let mut at = 0;
        loop {
            at += 1;
            let mut survived = false;
            for manner in Manner::ALL {
                let poll = Poll::with(&["risk", "value"]);
                poll.vote("risk", "A", "The heron has seen it fail").unwrap();
                let vote = said("B", "What works is worth keeping");
                let death = Death { at, manner };
                let done = if dies == "the vault" {
                    let vault = DyingDisk::dying(poll.vault(), death);
                    vote_on(&poll.workspace(), &vault, Some("value"), &vote).is_ok()
                } else {
                    let disk: Arc<dyn Disk> = Arc::new(DyingDisk::dying(poll.stage.disk(), death));
                    let workspace = poll.workspace_on(disk);
                    let salt = "5a".repeat(32);
                    let vault = poll.vault();
                    let vault = Vault { disk: &vault, salt: &salt };
                    workspace.vote("q1", Some("value"), &Words::Vote(&vote), &vault).is_ok()
                };
                survived |= done;
                if !done {
                    let salt = "7c".repeat(32);
                    let vault = poll.vault();
                    let again = poll.workspace().vote(
                        "q1",
                        Some("value"),
                        &Words::Vote(&vote),
                        &Vault { disk: &vault, salt: &salt },
                    );
                    match again {
                        Ok(voted) => assert_eq!(voted.state, VoteState::Revealed, "{dies} {death:?}"),
                        Err(error) => panic!("{dies} {death:?}: {error}"),
                    }
                }
                let verdict = poll.concluded();
                assert_eq!(
                    verdict.ruling.votes().iter().map(|vote| vote.cast.as_str()).collect::<String>(),
                    "ABB",
                    "{dies} {death:?}"
                );
                assert!(poll.is_said("heron") && poll.kept_words() <= 1, "{dies} {death:?}");
            }
            if survived {
                break;
            }
        }
        assert!(at > if dies == "the vault" { 2 } else { 4 }, "{dies}: {at}");
    }
}

impl Poll {
    /// Files in the vault that a reader could find words in: at most what a death left of a commitment that never was.
    fn kept_words(&self) -> usize {
        self.vault().list("").unwrap().len()
    }
}
