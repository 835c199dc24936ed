//! The gates of phases: every protocol, rehearsals, seats that are filled late, decisions that are reopened.

use super::walk::{DECISIONS, DEFINITION, OBJECTIVE, finish, leave, reach_the_archive, when, words_of};
use super::{KNOWLEDGE, STATE, blockers, drive};
use crate::stage::{Stage, on_a_free_clock};
use forge_agents::{Roster, RosterSettings};
use forge_artifacts::disk::{Durability, WorkspaceDisk};
use forge_debate::plan::{Families, Hand, REHEARSAL_LABEL, SCRIPT_LABEL};
use forge_debate::protocols::judges::OPENING;
use forge_debate::turn::TurnKey;
use forge_engine::workflow::{Drive, Entry, Progress, StartSettings};
use forge_engine::{Against, EngineError, RunEnd, RunSettings, Silent, Vault, Vote, Words, Workspace};
use forge_workflow::next::BlockerKind;
use forge_workflow::snapshot::{Framing, Rehearsals};
use forge_workflow::state::{DebateFlag, DebateStatus, WorkflowStatus};
use std::sync::Arc;

const OPTIONS: &str = "docs/forge/brainstorm-options.md";
const HANDOFF: &str = "docs/forge/handoffs/brainstorm-to-research.md";

fn by(hand: &str) -> Drive {
    Drive { hand: Hand::parse(hand), ..Drive::default() }
}

/// In brainstorm with two options and its debate planned.
fn planned(protocol: &str, drive: &Drive) -> (Stage, String) {
    scripted(protocol, drive, "replies: []\n")
}

/// The same, with agents that follow a script.
fn scripted(protocol: &str, drive: &Drive, script: &str) -> (Stage, String) {
    let stage = Stage::new();
    stage.put("script.yaml", script);
    stage.put(DEFINITION, format!(r#"{{"phases": [{{"id": "brainstorm", "debate_protocol": "{protocol}"}}]}}"#));
    let start = StartSettings { objective: OBJECTIVE.to_owned(), abandon: false };
    stage.well(when(0)).start_workflow(&start, drive).unwrap();
    stage.well(when(1)).continue_workflow(drive).unwrap();
    stage.put(OPTIONS, "## Options\n\n- Files: as today\n- Redis: one server\n- Postgres: a table\n");
    let progress = stage.well(when(2)).continue_workflow(drive).unwrap();
    let debate = progress.snapshot.debate.there().unwrap_or_else(|| panic!("{:?}", blockers(&progress)));
    let id = debate.id.clone();
    (stage, id)
}

fn go_on(stage: &Stage, drive: &Drive) -> Progress {
    stage.well(when(3)).continue_workflow(drive).unwrap()
}

fn hold(stage: &Stage, id: &str, hand: Option<&str>) -> Result<RunEnd, EngineError> {
    let workspace = stage.well(when(3));
    let hand = hand.map(Hand::parse);
    on_a_free_clock(workspace.hold_debate(id, hand.as_ref(), RunSettings::default(), &Silent))
}

fn knowledge(stage: &Stage) -> Vec<String> {
    ["decisions", "constraints", "assumptions", "risks"]
        .map(|name| stage.said(&format!("{KNOWLEDGE}/{name}.md")))
        .into()
}

const ALL_FOR_REDIS: &str =
    "replies:\n  - {ballot: {option: B, confidence: HIGH, reason: The team runs it in two products already.}}\n";

/// Scripts after which a person must decide, and the word for that.
const OPEN: [(&str, &str, &str); 3] = [
    (
        "judges",
        "contested",
        "replies:
  - {seat: risk, ballot: {option: A, confidence: HIGH, reason: A nightly backup restores whatever is lost.}}
  - {seat: value, ballot: {option: B, confidence: MEDIUM, reason: It can become the queue of our mailer.}}
  - {seat: effort, ballot: {option: C, confidence: LOW, reason: The database already has backups and an owner.}}
",
    ),
    (
        "panel",
        "contested",
        "replies:
  - {stage: position, ballot: {option: A, confidence: HIGH, reason: A nightly backup restores whatever is lost.}}
  - {stage: response, ballot: {option: A, confidence: HIGH, reason: A nightly backup restores whatever is lost., dissent: null, converge: false}}
  - {stage: referee, ballot: {ruling: escalate, reason: One side asks what is owed to users and the other does not.}}
  - {stage: synthesis, ballot: {option: A, confidence: LOW, reason: Most want files and one asks another question.}}
  - {stage: review, ballot: {accurate: true, misrepresented: null, reason: My position stands there as I gave it.}}
",
    ),
    (
        "challenge",
        "tradeoff",
        "replies:
  - {stage: probe, ballot: {ready: true, angle: the way in}}
  - {seat: lead, stage: opening, ballot: {option: A, position: Files with a lock on each., confidence: HIGH, reason: We know what files cost.}}
  - {stage: challenge, ballot: {verdict: disagree, objection_strength: strong, critique: A lock on each file is held by the dead., evidence: It happened in May., alternative: null, confidence: HIGH}}
  - {seat: lead, stage: answer, ballot: {option: A, position: Files with a lock on each., confidence: MEDIUM, changed_because: null}}
  - {stage: rebuttal, ballot: {response: ESCALATE, objection_strength: strong, reason: Whether the dead matter cannot be settled between us.}}
  - {seat: lead, stage: assumptions, ballot: {why: Processes seldom die., what_would_change: Figures of May., assumption: Processes live long.}}
  - {stage: assumptions, ballot: {why: Processes die daily., what_would_change: Other figures., assumption: Processes die daily.}}
",
    ),
];

#[test]
fn what_the_seats_leave_open_a_person_decides() {
    for (protocol, outcome, script) in OPEN {
        let drive = by("stub");
        let (stage, id) = scripted(protocol, &drive, script);
        let progress = go_on(&stage, &drive);
        assert_eq!(progress.step.blockers[0].kind, BlockerKind::Gate, "{protocol}: {:?}", blockers(&progress));
        assert!(matches!(hold(&stage, &id, None).unwrap(), RunEnd::Concluded(_)), "{protocol}");

        let progress = go_on(&stage, &drive);
        let held = blockers(&progress);
        assert_eq!(progress.step.blockers[0].kind, BlockerKind::Person, "{protocol}: {held:?}");
        assert!(held[0].contains(outcome) && held[0].contains("forge debate decide"), "{protocol}: {held:?}");
        let state = &progress.snapshot.state;
        assert_eq!((state.phase.as_str(), state.status), ("brainstorm", WorkflowStatus::Active), "{protocol}");
        assert_eq!((state.debate.status, state.debate.gate_passed), (DebateStatus::Complete, false), "{protocol}");
        assert!(!stage.said(DECISIONS).contains("\n## D"), "{protocol}: nothing is decided");
        let settled = stage.tree();
        assert_eq!(blockers(&go_on(&stage, &drive)), held, "{protocol}");
        assert_eq!(stage.tree().differences(&settled), Vec::<String>::new(), "{protocol}: waiting writes nothing");

        stage.well(when(4)).decide(&id, "Redis", "we can leave it in a week", "Ada").unwrap();
        let progress = go_on(&stage, &drive);
        assert_eq!(progress.snapshot.state.phase, "research", "{protocol}: {:?}", blockers(&progress));
        let decisions = stage.said(DECISIONS);
        for words in
            ["## D1: Pick a session store: Redis", "- Decided by: Ada", "- Rationale: we can leave it in a week"]
        {
            assert_eq!(decisions.matches(words).count(), 1, "{protocol}: {words}\n{decisions}");
        }
        assert!(stage.said(HANDOFF).contains("Selected: "), "{protocol}");
        reach_the_archive(&stage, 5);
    }
}

#[test]
fn what_the_seats_agree_on_passes() {
    for protocol in ["judges", "gate"] {
        let drive = by("stub");
        let (stage, id) = scripted(protocol, &drive, ALL_FOR_REDIS);
        hold(&stage, &id, None).unwrap();
        let progress = go_on(&stage, &drive);
        assert_eq!(progress.snapshot.state.phase, "research", "{protocol}: {:?}", blockers(&progress));
        assert!(stage.said(DECISIONS).contains("## D1: Pick a session store: Redis"), "{protocol}");
        reach_the_archive(&stage, 5);
    }
}

/// What no model and no person said passes no gate and is nobody's knowledge, whoever decides afterwards.
#[test]
fn a_script_passes_no_gate() {
    for protocol in ["judges", "gate", "panel", "challenge"] {
        for late in [false, true] {
            let script = "scripted:script.yaml";
            let drive = by(if late { "outside" } else { script });
            let (stage, id) = scripted(protocol, &drive, ALL_FOR_REDIS);
            hold(&stage, &id, late.then_some(script)).unwrap();
            let _ = stage.well(when(4)).decide(&id, "Redis", "we can leave it in a week", "Ada");
            let progress = go_on(&stage, &drive);
            assert_eq!(progress.snapshot.state.phase, "brainstorm", "{protocol} {late}: {:?}", blockers(&progress));
            assert!(!stage.said(DECISIONS).contains("\n## D"), "{protocol} {late}");
            let report = stage.well(when(5)).gate(&id, false).unwrap();
            assert!(report.rehearsal, "{protocol} {late}");
        }
    }
}

/// A rehearsal's words stay a rehearsal's where somebody hands them in as an outside seat's.
#[test]
fn words_of_a_rehearsal_pass_no_gate_from_outside() {
    for label in [
        REHEARSAL_LABEL.to_owned(),
        SCRIPT_LABEL.to_owned(),
        REHEARSAL_LABEL.replacen("forge", "fo\u{200b}rge", 1),
        REHEARSAL_LABEL.to_uppercase().replace(' ', "  "),
        format!("As it says: {}", SCRIPT_LABEL.replace('*', "**").replace(" from", "\nfrom")),
        "---\nrehearsal: true\n---".to_owned(),
        "---\nseat: risk\nagent: scripted:x.yaml\n---".to_owned(),
        "---\nAgent: Rehearsal\n---".to_owned(),
    ] {
        let (stage, id) = planned("judges", &by("outside"));
        let files = stage.well(when(3)).open(&id).unwrap();
        for seat in &files.plan.seats {
            let text = format!(
                "{label}\n\n# Analysis\n\nRedis is run in two products already, and its owner is known.\n\n**Chosen Option:** Option B\n\n**Confidence:** HIGH\n\n**Reason:** The team runs it in two products already.\n"
            );
            stage.put(&files.turn_path(&TurnKey::new(OPENING, 1, &seat.id)), text);
        }
        hold(&stage, &id, None).unwrap();
        let report = stage.well(when(4)).gate(&id, false).unwrap();
        assert!(report.rehearsal, "{label}: {report:?}");
        assert_eq!(go_on(&stage, &by("outside")).snapshot.state.phase, "brainstorm");
    }
}

#[test]
fn too_few_seats_hold_the_gate() {
    let drive = by("stub");
    let script = "replies:\n  - {seat: risk, do: crash}\n  - {seat: value, do: crash}\n  - {seat: effort, ballot: {option: A, confidence: HIGH, reason: A lock on each of them is one day of work.}}\n";
    let (stage, id) = scripted("judges", &drive, script);
    hold(&stage, &id, None).unwrap();
    let progress = go_on(&stage, &drive);
    assert_eq!(progress.step.blockers[0].kind, BlockerKind::Insufficient, "{:?}", blockers(&progress));
    stage.put("script.yaml", ALL_FOR_REDIS);
    let settings = RunSettings { retry_absent: true, ..RunSettings::default() };
    let workspace = stage.well(when(4));
    on_a_free_clock(workspace.hold_debate(&id, None, settings, &Silent)).unwrap();
    assert_eq!(go_on(&stage, &drive).snapshot.state.phase, "research");
}

#[test]
fn a_rehearsal_passes_only_where_it_may_and_leaves_no_knowledge() {
    for protocol in ["gate", "judges", "panel", "challenge"] {
        let refused = by("rehearsal");
        let (stage, id) = planned(protocol, &refused);
        hold(&stage, &id, None).unwrap();
        let progress = go_on(&stage, &refused);
        if progress.step.blockers[0].kind == BlockerKind::Person {
            stage.well(when(3)).decide(&id, "A", "for the show", "Ada").unwrap();
        }
        let empty = knowledge(&stage);
        let progress = go_on(&stage, &refused);
        let held = blockers(&progress);
        assert!(held[0].contains("rehearsal") && held[0].contains("--allow-rehearsal"), "{protocol}: {held:?}");
        assert_eq!(progress.snapshot.state.phase, "brainstorm", "{protocol}");

        let allowed = Drive { rehearsals: Rehearsals::Allowed, ..refused.clone() };
        let progress = go_on(&stage, &allowed);
        assert_eq!(progress.snapshot.state.phase, "research", "{protocol}: {:?}", blockers(&progress));
        assert_eq!(progress.snapshot.state.rehearsed_phases, ["brainstorm"], "{protocol}");
        assert_eq!(knowledge(&stage), empty, "{protocol}: a rehearsal knows nothing");
        for path in [HANDOFF, "docs/forge/brainstorm.md"] {
            assert!(stage.said(path).contains("REHEARSAL: the gate of brainstorm"), "{protocol}: {path}");
        }
        assert!(stage.said(STATE).contains("rehearsed_phases: [brainstorm]"), "{protocol}");
        reach_the_archive(&stage, 5);
        assert_eq!(knowledge(&stage), empty, "{protocol}");
    }
}

#[test]
fn seats_are_filled_anew_until_somebody_has_spoken() {
    let outside = by("outside");
    let (stage, id) = planned("gate", &outside);
    let workspace = stage.well(when(3));
    let seats =
        |id: &str| workspace.open(id).unwrap().plan.seats.iter().map(|seat| seat.hand.to_string()).collect::<Vec<_>>();
    for hand in ["rehearsal", "human", "outside"] {
        workspace.reseat(&id, &Hand::parse(hand)).unwrap();
        assert!(seats(&id).iter().all(|seat| seat == hand), "{:?}", seats(&id));
        assert_eq!(go_on(&stage, &outside).snapshot.state.debate.id.as_deref(), Some(id.as_str()), "the same debate");
    }
    let error = workspace.reseat(&id, &Hand::parse("rehersal")).err().unwrap().to_string();
    assert!(error.contains("rehearsal"), "{error}");
    assert!(seats(&id).iter().all(|seat| seat == "outside"));

    // A file that is left counts as spoken, taken in or not.
    leave(&stage, when(3), &["skeptic"]);
    for _ in 0..2 {
        let error = workspace.reseat(&id, &Hand::parse("rehearsal")).err().unwrap().to_string();
        assert!(error.contains("has begun"), "{error}");
        assert!(hold(&stage, &id, Some("rehearsal")).is_err());
        go_on(&stage, &outside);
    }
    assert!(seats(&id).iter().all(|seat| seat == "outside"));
    reach_the_archive(&stage, 5);
}

#[test]
fn a_debate_is_held_by_whoever_is_seated_late() {
    let (stage, id) = scripted("judges", &by("outside"), ALL_FOR_REDIS);
    assert!(matches!(hold(&stage, &id, Some("stub")).unwrap(), RunEnd::Concluded(_)));
    assert_eq!(go_on(&stage, &by("outside")).snapshot.state.phase, "research");
    assert!(stage.said(DECISIONS).contains("## D1: Pick a session store: Redis"));
}

#[test]
fn one_agent_in_all_seats_of_a_challenge_is_one_family_and_the_plan_says_so() {
    let (stage, id) = planned("challenge", &by("outside"));
    let settings = RosterSettings::with_environment([("OPENAI_BASE_URL", "http://127.0.0.1:9")]);
    let workspace = Workspace { roster: Arc::new(Roster::new(settings)), ..stage.well(when(3)) };
    let files = workspace.reseat(&id, &Hand::parse("openai:gpt-5")).unwrap();
    assert_eq!(files.plan.families, Families::MayBeTheSame);
    assert!(stage.well(when(3)).open(&id).is_ok());
}

/// With an agent that may propose them, nobody has to list options.
#[test]
fn a_framer_may_propose_the_options() {
    let drive = Drive { framing: Framing::ByAgent, ..by("stub") };
    let stage = Stage::new();
    stage.put(DEFINITION, r#"{"phases": [{"id": "brainstorm", "debate_protocol": "judges"}]}"#);
    stage.put("script.yaml", "replies:\n  - {stage: opening, ballot: {option: B, confidence: HIGH, reason: The second is what we know how to run.}}\n");
    let start = StartSettings { objective: OBJECTIVE.to_owned(), abandon: false };
    stage.well(when(0)).start_workflow(&start, &drive).unwrap();
    let progress = stage.well(when(1)).continue_workflow(&drive).unwrap();
    let id = progress.snapshot.debate.there().unwrap_or_else(|| panic!("{:?}", blockers(&progress))).id.clone();
    assert!(matches!(hold(&stage, &id, None).unwrap(), RunEnd::Concluded(_)));
    let progress = go_on(&stage, &drive);
    assert_eq!(progress.snapshot.state.phase, "research", "{:?}", blockers(&progress));
    reach_the_archive(&stage, 5);
}

/// A kill-switch that trips holds the current phase until the decision is debated again; both decisions are kept.
#[test]
fn a_tripped_decision_is_debated_again_and_superseded() {
    let drive = by("outside");
    let (stage, _) = planned("gate", &drive);
    let answer = |seats: &[&str]| {
        leave(&stage, when(3), seats);
        go_on(&stage, &drive)
    };
    answer(&["advocate", "skeptic", "operator"]);
    answer(&["synthesizer"]);
    let first = stage.said(DECISIONS);
    let workspace = stage.well(when(5));
    let error = workspace.trip("D1.9", &drive).unwrap_err().to_string();
    assert!(
        error.contains("D1.9") && error.contains("did you mean \"D1.1\"?") && error.contains("forge tripwires"),
        "{error}"
    );
    let error = workspace.trip("zzzzzzz", &drive).unwrap_err().to_string();
    assert!(!error.contains("\"zzzzzzz\" `forge"), "{error}");

    // Research debates by itself too; its own debate comes after.
    let before = stage.said(STATE);
    assert!(before.contains("\nphase: research\n"));
    let progress = workspace.trip("D1.1", &drive).unwrap();
    let state = &progress.snapshot.state;
    assert_eq!((state.phase.as_str(), state.reopened_decision.as_deref()), ("research", Some("D1")));
    assert_eq!(progress.step.blockers[0].kind, BlockerKind::Gate, "{:?}", blockers(&progress));
    assert!(progress.step.call.as_ref().is_some_and(|call| call.debate && call.why.contains("kill-switch of D1")));
    let debate = progress.snapshot.debate.there().unwrap().id.clone();
    let again = workspace.trip("D1.1", &drive).unwrap();
    assert_eq!(again.snapshot.debate.there().unwrap().id, debate, "tripping twice reopens once");
    finish(&stage, "research", "");
    assert_eq!(go_on(&stage, &drive).snapshot.state.phase, "research", "held although its work is done");

    answer(&["advocate", "skeptic", "operator"]);
    let synthesis = words_of("synthesizer").replace("**Chosen Option:** A", "**Chosen Option:** B");
    let open = stage.well(when(3)).overview(&drive).unwrap().unwrap();
    stage.put(&open.snapshot.debate.there().unwrap().waiting[0].turn_file, synthesis);
    let entry = Entry { phase: "research".to_owned(), objective: None, flag: DebateFlag::Skipped };
    let progress = go_on(&stage, &drive);
    assert_eq!(progress.snapshot.state.reopened_decision, None, "{:?}", blockers(&progress));
    let decisions = stage.said(DECISIONS);
    assert!(decisions.starts_with(&first), "what was decided is not edited");
    assert!(decisions.contains("\n## D2: ") && decisions.contains("\n- Supersedes: D1\n"), "{decisions}");
    let known = workspace.knowledge().unwrap();
    let standing: Vec<&str> = known.standing_decisions().map(|one| one.id.as_str()).collect();
    assert_eq!(standing, ["D2"]);
    assert!(known.decisions[1].title.ends_with("Redis"), "{}", known.decisions[1].title);
    let error = workspace.trip("D1.1", &drive).unwrap_err().to_string();
    assert!(error.contains("no decision that stands"), "{error}");
    if go_on(&stage, &drive).snapshot.state.phase == "research" {
        stage.well(when(5)).enter_phase(&entry, &drive).unwrap();
    }
    reach_the_archive(&stage, 6);
    assert!(stage.said(DECISIONS).starts_with(&decisions), "what was decided is not edited");
    assert_eq!(stage.said(DECISIONS).matches("\n- Supersedes: ").count(), 1);
}

/// Somebody sealed a vote on this machine, and the last one to vote did so on another: going on here reveals it.
#[test]
fn sealed_votes_whose_words_are_here_are_revealed_when_a_workflow_goes_on() {
    let (stage, id) = planned("judges", &by("human"));
    let workspace = stage.well(when(3));
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let [here, there] = folders.each_ref().map(|folder| WorkspaceDisk::open(folder.path(), Durability::None).unwrap());
    let salt = "5a".repeat(32);
    for (seat, disk) in [("risk", &here), ("value", &there), ("effort", &there)] {
        assert_eq!(workspace.reveal_open_votes(&here).unwrap(), Vec::<String>::new(), "before all have voted");
        let because = format!("The {seat} of running it is known from two products");
        let vote = Vote { option: "B".to_owned(), because, ..Vote::default() };
        workspace.vote(&id, Some(seat), &Words::Vote(&vote), &Vault { disk, salt: &salt }).unwrap();
    }
    let told = workspace.reveal_open_votes(&here).unwrap();
    assert!(told.len() == 1 && told[0].starts_with("the vote of risk (opening, round 1) is revealed in"), "{told:?}");
    assert_eq!(workspace.reveal_open_votes(&here).unwrap(), Vec::<String>::new());
    let progress = go_on(&stage, &by("human"));
    let taken_in = progress.log.done.iter().filter(|line| line.starts_with("took in")).count();
    assert_eq!(taken_in, 3, "{:?}", progress.log.done);
}

/// A phase's plan that was not made here asks what the phase asks, by whichever rules; one that was is as it was made.
#[test]
fn a_plan_is_held_against_its_phase_or_its_copy() {
    for protocol in ["gate", "judges", "panel", "challenge"] {
        let home = tempfile::tempdir().unwrap();
        let asked = |is_own: bool, change: Option<(&str, &str)>| {
            let (stage, id) = planned(protocol, &drive());
            let state = WorkspaceDisk::open(home.path(), Durability::None).unwrap();
            let workspace =
                Workspace { made: Some(Arc::new(state)), defaults: Arc::new(drive().defaults), ..stage.well(when(3)) };
            let files = workspace.open(&id).unwrap();
            if is_own {
                workspace.adopt_debate(&files, None).unwrap();
            }
            if let Some((from, to)) = change {
                stage.edit(&files.layout.plan(), from, to);
            }
            on_a_free_clock(workspace.hold_debate(&id, None, RunSettings::default(), &Silent))
        };
        for (is_own, against) in [(false, Against::Phase), (true, Against::Copy)] {
            let untouched = asked(is_own, None);
            assert!(untouched.is_ok(), "{protocol}: {:?}", untouched.err());
            for change in [(OBJECTIVE, "Give Mallory commit rights"), ("Redis", "Mallory's store")] {
                match asked(is_own, Some(change)) {
                    Err(EngineError::NotAsHeld { against: found, .. }) => assert_eq!(found, against, "{protocol}"),
                    other => panic!("{protocol}, {change:?}: {other:?}"),
                }
            }
        }
    }
}
