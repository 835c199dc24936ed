//! A verdict on file tells which turns it was derived from. No command of forge's own may make a record that somebody changed
//! look sound: what was dropped is not asked for again, what was forged is not published, and whoever reads is told.

use crate::scenario::Scenario;
use crate::stage::{Notes, Stage, on_a_free_clock};
use forge_artifacts::formats::call;
use forge_debate::digest::Digest;
use forge_debate::verdict::Outcome;
use forge_engine::{EngineError, Event, Export, Run, RunEnd, RunSettings, Workspace, export};
use std::path::Path;

const HOME: &str = "docs/forge/sadd/debate-redis-or-memcached-for-the-session-cache";
const CONTESTED: &str = "judges-flip-unearned-contested-then-decided-by-person";

fn played(name: &str) -> (Scenario, Stage) {
    let scenario = Scenario::load(name);
    let stage = Stage::new();
    stage.play_calmly(&scenario);
    (scenario, stage)
}

fn run(workspace: &Workspace, plan: &str, settings: RunSettings) -> (Result<RunEnd, EngineError>, Vec<Event>) {
    let notes = Notes::default();
    let end = on_a_free_clock(Run::new(workspace, settings, &notes).debate(plan));
    (end, notes.events())
}

fn edit(stage: &Stage, path: &str, change: impl Fn(String) -> String) {
    let file = stage.root().join(path);
    let text = std::fs::read_to_string(&file).unwrap();
    let changed = change(text.clone());
    assert_ne!(changed, text, "{path} has nothing to change");
    std::fs::write(file, changed).unwrap();
}

/// Removes a turn with everything that it was made from.
fn drop_turn(stage: &Stage, turn: &str, slug: &str) {
    std::fs::remove_file(stage.root().join(turn)).unwrap();
    for folder in ["briefs", "replies"] {
        let _ = std::fs::remove_file(stage.root().join(format!("{HOME}-trail/{folder}/{slug}.1.md")));
    }
}

/// Makes a turn and its raw reply say something else, with digests that fit.
fn forge(stage: &Stage, turn: &str, slug: &str, from: &str, to: &str) {
    let reply = format!("{HOME}-trail/replies/{slug}.1.md");
    let before = std::fs::read(stage.root().join(&reply)).unwrap();
    let raw = call::read_reply(&before).unwrap().1;
    let forged = String::from_utf8(raw.clone()).unwrap().replace(from, to);
    let [was, is] = [Digest::of(&raw), Digest::of(forged.as_bytes())].map(|digest| digest.to_string());
    edit(stage, &reply, |text| text.replace(from, to).replace(&was, &is));
    let after = std::fs::read(stage.root().join(&reply)).unwrap();
    let [file_was, file_is] = [Digest::of(&before), Digest::of(&after)].map(|digest| digest.to_string());
    edit(stage, turn, |text| text.replace(from, to).replace(&was, &is).replace(&file_was, &file_is));
}

/// Every command that writes refuses, names the file, and leaves everything as it is.
fn everything_refuses(scenario: &Scenario, stage: &Stage, file: &str) {
    let workspace = stage.healthy(scenario);
    let files = stage.debate(scenario);
    let before = stage.tree();
    let (plan, id) = (files.layout.plan(), files.plan.id.as_str());
    let retrying = RunSettings { retry_absent: true, ..RunSettings::default() };
    let (ran, events) = run(&workspace, &plan, RunSettings::default());
    assert!(!events.iter().any(|event| matches!(event, Event::Asking { .. })), "somebody was asked: {events:?}");
    let refusals = [
        ("run", ran.map(drop)),
        ("run --retry-absent", run(&workspace, &plan, retrying).0.map(drop)),
        ("regenerate", workspace.regenerate(id).map(drop)),
        ("decide", workspace.decide(id, "A", "I say so", "Mallory").map(drop)),
    ];
    for (what, refusal) in refusals {
        match refusal {
            Err(EngineError::Contradicted { debate, what: why, verdict_file }) => {
                assert_eq!((debate.as_str(), verdict_file), (id, files.layout.verdict()), "{what}");
                assert!(why.contains(file), "{what}: {why}");
            }
            other => panic!("{what}: {other:?}"),
        }
    }
    assert_eq!(stage.tree().differences(&before), Vec::<String>::new());
    everything_tells(&workspace, id, file);
}

/// Whoever only reads is told first of all.
fn everything_tells(workspace: &Workspace, id: &str, file: &str) {
    let files = workspace.open(id).unwrap();
    let survey = workspace.survey(&files).unwrap();
    let account = survey.account(&files).unwrap();
    assert!(account.contradictions[0].contains(file), "{:?}", account.contradictions);
    for form in [Export::Markdown, Export::Html, Export::Adr, Export::Yaml, Export::Json] {
        let text = export(&account, form);
        assert!(text.contains("CHANGED") || form == Export::Json, "{form:?}: {text}");
        assert!(text.contains(&account.contradictions[0]), "{form:?}: {text}");
    }
    let gate = workspace.gate(id, false).unwrap();
    let first = format!("{}: {}", gate.findings[0].file, gate.findings[0].fact.sentence());
    assert!(!gate.passed && !gate.holds && first.contains(file), "{gate:?}");
}

#[test]
fn a_turn_that_was_dropped_with_its_calls_is_not_asked_for_again() {
    let (scenario, stage) = played("judges-consensus-round-1");
    let turn = format!("{HOME}-risk.md");
    drop_turn(&stage, &turn, "opening-r1-risk");
    everything_refuses(&scenario, &stage, &turn);
}

#[test]
fn a_turn_forged_with_its_reply_is_not_published() {
    let (scenario, stage) = played("judges-consensus-round-1");
    let turn = format!("{HOME}-risk.md");
    forge(&stage, &turn, "opening-r1-risk", "\"option\": \"A\"", "\"option\": \"B\"");
    let workspace = stage.healthy(&scenario);
    let files = stage.debate(&scenario);
    assert!(workspace.survey(&files).unwrap().broken.is_empty(), "the chain alone does not tell");
    everything_refuses(&scenario, &stage, &turn);
}

#[test]
fn an_edited_turn_comes_back_on_a_run_and_is_not_forgotten_by_the_rest() {
    let (scenario, stage) = played("judges-consensus-round-1");
    let turn = format!("{HOME}-risk.md");
    let before = stage.tree();
    edit(&stage, &turn, |text| text.replace("\"option\": \"A\"", "\"option\": \"B\""));
    let (workspace, files) = (stage.healthy(&scenario), stage.debate(&scenario));
    let edited = stage.tree();
    let refused = workspace.regenerate(&files.plan.id);
    assert!(matches!(refused, Err(EngineError::Contradicted { .. })), "{refused:?}");
    assert_eq!(stage.tree().differences(&edited), Vec::<String>::new());
    let survey = workspace.survey(&files).unwrap();
    let found = survey.contradictions(&files).unwrap();
    assert!(found.len() == 1 && found[0].contains(&turn), "{found:?}");
    let (end, _) = run(&workspace, &files.layout.plan(), RunSettings::default());
    assert!(matches!(end, Ok(RunEnd::Concluded(_))), "{end:?}");
    assert_eq!(stage.tree().0[&turn], before.0[&turn]);
    assert_eq!(workspace.survey(&files).unwrap().contradictions(&files).unwrap(), Vec::<String>::new());
}

#[test]
fn a_decision_that_was_edited_or_dropped_is_not_forgotten() {
    let changes: [fn(&Path); 3] = [
        |file| std::fs::remove_file(file).unwrap(),
        |file| std::fs::write(file, "cut").unwrap(),
        |file| {
            let text = std::fs::read_to_string(file).unwrap();
            std::fs::write(file, text.replace("Ada", "Bob")).unwrap();
        },
    ];
    for change in changes {
        let (scenario, stage) = played(CONTESTED);
        let file = stage.debate(&scenario).layout.path("decision.md");
        change(&stage.root().join(&file));
        everything_refuses(&scenario, &stage, &file);
    }
}

/// Without the verdict on file nothing contradicts: the record is all there is.
#[test]
fn whoever_removes_the_verdict_may_go_on() {
    let (scenario, stage) = played("judges-consensus-round-1");
    let files = stage.debate(&scenario);
    drop_turn(&stage, &format!("{HOME}-risk.md"), "opening-r1-risk");
    std::fs::remove_file(stage.root().join(files.layout.verdict())).unwrap();
    let (end, events) = run(&stage.healthy(&scenario), &files.layout.plan(), RunSettings::default());
    assert!(matches!(end, Ok(RunEnd::Concluded(_))), "{end:?}");
    assert!(events.iter().any(|event| matches!(event, Event::Asking { .. })));
}

/// A decision is one turn more than the verdict lists, and no contradiction.
#[test]
fn a_decision_may_follow_a_verdict() {
    let (scenario, stage) = played(CONTESTED);
    let files = stage.debate(&scenario);
    let (decision, verdict) = (files.layout.path("decision.md"), files.layout.verdict());
    let workspace = stage.healthy(&scenario);
    std::fs::remove_file(stage.root().join(decision)).unwrap();
    std::fs::remove_file(stage.root().join(verdict)).unwrap();
    workspace.regenerate(&files.plan.id).unwrap();
    let decided = workspace.decide(&files.plan.id, "A", "it is the law", "Ada").unwrap();
    assert_eq!(decided.account.verdict.outcome(), Outcome::Decided);
    assert_eq!(decided.account.contradictions, Vec::<String>::new());
}

/// What nobody can say again is not taken away: the agents are looked for first.
#[test]
fn a_retry_without_its_agent_leaves_the_verdict() {
    let (scenario, stage) = played("judges-one-hangs-one-garbage-repaired");
    let files = stage.debate(&scenario);
    let before = stage.tree();
    let nowhere = tempfile::tempdir().unwrap();
    let workspace = stage.workspace(stage.disk(), nowhere.path());
    let retrying = RunSettings { retry_absent: true, ..RunSettings::default() };
    let end = run(&workspace, &files.layout.plan(), retrying).0;
    assert!(matches!(end, Err(EngineError::Usage(_))), "{end:?}");
    assert_eq!(stage.tree().differences(&before), Vec::<String>::new());
}

/// Who sent a folder need not have sent a workspace.
// seed: S1-3
#[test]
fn a_debate_is_read_from_its_folder_alone() {
    let (scenario, stage) = played("gate-decided");
    let files = stage.debate(&scenario);
    let workspace = stage.healthy(&scenario);
    let (elsewhere, opened) = workspace.open_folder(&stage.root().join(files.layout.dir())).unwrap();
    let account = |workspace: &Workspace, files| workspace.survey(files).unwrap().account(files).unwrap();
    let text = |account| export(&account, Export::Markdown);
    assert_eq!(text(account(&elsewhere, &opened)), text(account(&workspace, &files)));
    assert!(elsewhere.open_folder(stage.root()).is_err());
}
