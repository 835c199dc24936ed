//! Files that somebody changed, cut, swapped or removed between two runs.

use crate::scenario::Scenario;
use crate::stage::{Notes, Stage, essentials, on_a_free_clock};
use crate::tree::Tree;
use forge_artifacts::disk::Disk;
use forge_artifacts::store::OpenError;
use forge_debate::verdict::Outcome;
use forge_engine::{EngineError, Event, Forking, Freshness, Run, RunEnd, RunSettings, Watch, Workspace};
use forge_testkit::dying_disk::{Death, DyingDisk, Manner};
use std::path::Path;
use std::sync::Arc;

const JUDGES: &str = "docs/forge/sadd/debate-redis-or-memcached-for-the-session-cache";

/// A scenario that has been played.
fn played(name: &str) -> (Scenario, Stage) {
    let scenario = Scenario::load(name);
    let stage = Stage::new();
    stage.play_calmly(&scenario);
    (scenario, stage)
}

fn replace(stage: &Stage, path: &str, from: &str, to: &str) {
    let file = stage.root().join(path);
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains(from), "{path} has no {from:?}");
    std::fs::write(file, text.replace(from, to)).unwrap();
}

fn run(workspace: &Workspace, plan: &str) -> Result<(RunEnd, Vec<Event>), EngineError> {
    let notes = Notes::default();
    let end = on_a_free_clock(Run::new(workspace, RunSettings::default(), &notes).debate(plan))?;
    Ok((end, notes.events()))
}

/// What a concluded run says, without the messages.
fn concluded(workspace: &Workspace, plan: &str) -> String {
    match run(workspace, plan).unwrap().0 {
        RunEnd::Concluded(account) => essentials(&account),
        other => panic!("{other:?}"),
    }
}

/// The debate cannot be opened, since this file was changed; returns the difference that is shown.
fn refused(stage: &Stage, scenario: &Scenario, path: &str) -> String {
    let workspace = stage.healthy(scenario);
    let before = stage.tree();
    let error = match workspace.open_or_create(&scenario.request(), Freshness::GoOn) {
        Err(error) => error,
        Ok(opened) => panic!("{path} was changed, and {} opens", opened.files.plan.id),
    };
    let plan = before.paths().into_iter().find(|path| path.ends_with("plan.md") || path.ends_with("context.md"));
    assert!(matches!(run(&workspace, plan.unwrap()), Err(EngineError::Open(OpenError::Edited { .. }))));
    assert_eq!(stage.tree().differences(&before), Vec::<String>::new(), "an edited debate is left alone");
    match error {
        EngineError::Open(OpenError::Edited { path: named, diff, .. }) => {
            assert_eq!(named, path);
            diff
        }
        other => panic!("{other}"),
    }
}

#[test]
fn an_edited_plan_is_refused_with_what_changed() {
    let (scenario, stage) = played("judges-consensus-round-1");
    let plan = format!("{JUDGES}-plan.md");
    replace(&stage, &plan, "label: \"Memcached\"", "label: \"Valkey\"");
    let diff = refused(&stage, &scenario, &plan);
    assert!(diff.contains("-    label: \"Memcached\"") && diff.contains("+    label: \"Valkey\""), "{diff}");
}

#[test]
fn a_plan_may_be_edited_until_a_seat_was_asked() {
    let scenario = Scenario::load("judges-consensus-round-1");
    let stage = Stage::new();
    let workspace = stage.healthy(&scenario);
    let plan = workspace.open_or_create(&scenario.request(), Freshness::GoOn).unwrap().files.layout.plan();
    replace(&stage, &plan, "label: \"Memcached\"", "label: \"Valkey\"");
    assert!(concluded(&workspace, &plan).contains("outcome: consensus"));
    assert!(stage.tree().text(&plan).contains("Valkey"));
}

#[test]
fn the_status_word_is_nobody_s_edit() {
    let (scenario, stage) = played("judges-consensus-round-1");
    let plan = format!("{JUDGES}-plan.md");
    let before = stage.tree();
    replace(&stage, &plan, "status: \"complete\"", "status: \"pending\"");
    concluded(&stage.healthy(&scenario), &plan);
    assert_eq!(stage.tree().differences(&before), Vec::<String>::new(), "and it is put right");
}

#[test]
fn an_edited_persona_is_refused() {
    let home = "debates/001-passkeys-only-or-passwords-too";
    for path in [format!("{home}/GEMINI.md"), format!("{home}/trail/roles/lead.md")] {
        let (scenario, stage) = played("challenge-fast-exit");
        replace(&stage, &path, "You", "They");
        assert!(!refused(&stage, &scenario, &path).is_empty());
    }
}

/// What is on record was said by whoever read it then; the file that is gone is named, and can be put back.
#[test]
fn a_persona_that_is_gone_afterwards_unmakes_nothing() {
    let (scenario, stage) = played("challenge-fast-exit");
    let persona = "debates/001-passkeys-only-or-passwords-too/QWEN.md";
    let before = stage.tree();
    std::fs::remove_file(stage.root().join(persona)).unwrap();
    let workspace = stage.healthy(&scenario);
    let plan = "debates/001-passkeys-only-or-passwords-too/context.md";
    assert!(workspace.verify_plan(plan).unwrap().discrepancies.iter().any(|found| found.file == persona));
    assert_eq!(
        workspace.restore_turns(plan).unwrap().iter().map(|one| one.file.as_str()).collect::<Vec<_>>(),
        [persona]
    );
    assert_eq!(stage.tree().differences(&before), Vec::<String>::new());
    assert!(workspace.verify_plan(plan).unwrap().holds());
}

/// Somebody who changes a file while a run is under way: when the first turn of a stage is asked for.
struct Meddler<'s> {
    stage: &'s Stage,
    at: &'static str,
    path: String,
    words: (&'static str, &'static str),
}

impl Watch for Meddler<'_> {
    fn see(&self, event: Event) {
        if let Event::Wave { keys } = event
            && keys[0].stage.0 == self.at
        {
            replace(self.stage, &self.path, self.words.0, self.words.1);
        }
    }
}

/// Plan and personas are verified before every wave, not only when the debate is opened.
// seed: S4-38
#[test]
fn a_file_that_is_edited_during_the_run_is_noticed_before_the_next_wave() {
    for file in ["GEMINI.md", "context.md"] {
        let scenario = Scenario::load("challenge-confrontation");
        let stage = Stage::new();
        let workspace = stage.healthy(&scenario);
        let files = workspace.open_or_create(&scenario.request(), Freshness::GoOn).unwrap().files;
        let path = files.layout.path(file);
        let meddler = Meddler { stage: &stage, at: "answer", path: path.clone(), words: ("You", "They") };
        let plan = files.layout.plan();
        let end = on_a_free_clock(Run::new(&workspace, RunSettings::default(), &meddler).debate(&plan));
        assert!(
            matches!(end, Err(EngineError::Open(OpenError::Edited { path: named, .. })) if named == path),
            "{file}"
        );
        assert!(!stage.root().join(files.layout.path("rounds/r001_adversary_rebuttal.md")).exists(), "{file}");
    }
}

/// A run believes what it read while it holds the debate, and looks once more before it ends: what somebody changed meanwhile
/// comes back from what was said.
#[test]
fn a_turn_that_is_edited_during_the_run_is_noticed_before_its_end() {
    let (scenario, calm) = played("judges-flip-earned-round-2");
    let stage = Stage::new();
    let workspace = stage.healthy(&scenario);
    let files = workspace.open_or_create(&scenario.request(), Freshness::GoOn).unwrap().files;
    let (path, plan) = (files.layout.path("risk.md"), files.layout.plan());
    let meddler = Meddler { stage: &stage, at: "challenge", path: path.clone(), words: ("undone", "redone") };
    let end = on_a_free_clock(Run::new(&workspace, RunSettings::default(), &meddler).debate(&plan)).unwrap();
    let RunEnd::Concluded(account) = end else { panic!("{end:?}") };
    let as_calm = concluded(&calm.healthy(&scenario), &plan);
    assert_eq!(essentials(&account), as_calm);
    assert_eq!(stage.tree().text(&path), calm.tree().text(&path));
    assert!(stage.tree().paths().into_iter().any(|path| path.contains("trail/aside/")), "what stood there is kept");
    assert!(workspace.verify_plan(&plan).unwrap().holds());
}

/// A role is pinned by its digest: without its text nobody knows what the seat played.
#[test]
fn a_role_that_is_gone_is_noticed() {
    let (scenario, stage) = played("challenge-fast-exit");
    let home = "debates/001-passkeys-only-or-passwords-too";
    std::fs::remove_file(stage.root().join(format!("{home}/trail/roles/architect.md"))).unwrap();
    replace(&stage, &format!("{home}/GEMINI.md"), "You", "They");
    let opened = stage.healthy(&scenario).open_or_create(&scenario.request(), Freshness::GoOn);
    assert!(opened.is_err(), "the architect's persona was changed, and its pinned text is gone");
}

#[test]
fn edited_material_is_refused() {
    let (scenario, stage) = played("judges-consensus-round-1");
    let material = format!("{JUDGES}-trail/materials/01-traffic.md");
    replace(&stage, &material, "30 minutes", "30 days");
    refused(&stage, &scenario, &material);
}

#[test]
fn a_fork_starts_from_the_edited_plan() {
    for (name, plan, from, to) in [
        ("judges-consensus-round-1", format!("{JUDGES}-plan.md"), "label: \"Memcached\"", "label: \"Valkey\""),
        ("gate-decided", "docs/forge/debate/design-20260115-143022/debate-plan.md".to_owned(), "Services", "Lambdas"),
        ("challenge-fast-exit", "debates/001-passkeys-only-or-passwords-too/context.md".to_owned(), "Both", "Neither"),
    ] {
        let (scenario, stage) = played(name);
        let workspace = stage.healthy(&scenario);
        replace(&stage, &plan, from, to);
        let before = stage.tree();
        let id = before.text(&plan).lines().find_map(|line| line.strip_prefix("debate_id: ")).unwrap().to_owned();
        let fork = workspace.fork(id.trim_matches('"'), Forking::default(), None).unwrap();
        assert_ne!(fork.layout.plan(), plan);
        let wanted = to.trim_start_matches("label: ").trim_matches('"');
        assert!(fork.plan.options.iter().any(|option| option.label == wanted), "{name}: {:?}", fork.plan.options);
        assert!(concluded(&workspace, &fork.layout.plan()).contains("degraded: no"), "{name}");
        let after = stage.tree();
        for (path, bytes) in &before.0 {
            assert_eq!(after.0.get(path), Some(bytes), "{name}: the fork touched {path}");
        }
        assert!(workspace.open(id.trim_matches('"')).is_err(), "{name}: the first one is still refused");
    }
}

/// Runs again after a turn's file was changed: it must come back as it was, from what is on record, without a call.
fn comes_back(scenario: &Scenario, stage: &Stage, before: &Tree, turn: &str, what: &str) {
    let plan = stage.debate(scenario).layout.plan();
    let (end, events) = run(&stage.healthy(scenario), &plan).unwrap();
    assert!(matches!(end, RunEnd::Concluded(_)), "{what}");
    assert!(!events.iter().any(|event| matches!(event, Event::Asking { .. })), "{what}: somebody was asked again");
    let mut after = stage.tree();
    let aside: Vec<String> = after.0.keys().filter(|path| path.contains("trail/aside/")).cloned().collect();
    let said = events.iter().any(|event| matches!(event, Event::Note(text) if text.contains(turn)));
    assert!(said && aside.len() == 1, "{what}: the file is kept, and it is said where: {aside:?} {events:?}");
    after.0.remove(&aside[0]);
    let mut before = before.clone();
    for tree in [&mut after, &mut before] {
        tree.0
            .iter_mut()
            .filter(|(path, _)| path.ends_with("trail/verdict.json"))
            .for_each(|(_, text)| forget(text, &aside[0]));
    }
    assert_eq!(after.differences(&before), Vec::<String>::new(), "{what}");
}

/// A verdict without what it lists of a file that was put aside.
fn forget(text: &mut Vec<u8>, aside: &str) {
    let mut verdict: serde_json::Value = serde_json::from_slice(text).unwrap();
    verdict["kept"].as_array_mut().unwrap().retain(|kept| kept["file"] != aside);
    *text = serde_json::to_vec_pretty(&verdict).unwrap();
}

#[test]
fn a_cut_turn_is_restored_from_the_reply() {
    let (scenario, stage) = played("judges-flip-earned-round-2");
    let before = stage.tree();
    let turn = "docs/forge/sadd/debate-how-shall-we-store-the-audit-log-value.md";
    let whole = before.0[turn].clone();
    let ballot = before.text(turn).rfind("  \"arguments\"").unwrap();
    for cut in (0..ballot).step_by(97) {
        std::fs::write(stage.root().join(turn), &whole[..cut]).unwrap();
        comes_back(&scenario, &stage, &before, turn, &format!("cut at byte {cut}"));
        std::fs::remove_dir_all(
            stage.root().join("docs/forge/sadd/debate-how-shall-we-store-the-audit-log-trail/aside"),
        )
        .unwrap();
    }
}

#[test]
fn a_damaged_absence_is_restored_from_the_reply() {
    for (name, turn, from, to) in [
        ("judges-insufficient", format!("{JUDGES}-risk.md"), "absence: \"crashed\"", "absence: \"bored\""),
        ("judges-insufficient", format!("{JUDGES}-value.md"), "attempts: 2", "attempts: some"),
        ("judges-one-hangs-one-garbage-repaired", format!("{JUDGES}-risk.md"), "plan: \"sha256:", "plan: \""),
    ] {
        let (scenario, stage) = played(name);
        let before = stage.tree();
        replace(&stage, &turn, from, to);
        comes_back(&scenario, &stage, &before, &turn, &format!("{name}: {to}"));
    }
}

#[test]
fn a_turn_that_was_taken_in_is_taken_in_again() {
    let (scenario, stage) = played("gate-outside-files");
    let before = stage.tree();
    let turn = "docs/forge/debate/design-20260115-143022/trail/turns/case-r1-skeptic.md";
    std::fs::write(stage.root().join(turn), "---\nforge_turn: 1\n").unwrap();
    comes_back(&scenario, &stage, &before, turn, "a damaged copy");
}

#[test]
fn an_edited_copy_of_a_turn_that_was_taken_in_is_taken_in_again() {
    let (scenario, stage) = played("gate-outside-files");
    let before = stage.tree();
    let turn = "docs/forge/debate/design-20260115-143022/trail/turns/case-r1-advocate.md";
    replace(&stage, turn, "**Chosen Option:** B", "**Chosen Option:** C");
    comes_back(&scenario, &stage, &before, turn, "an edited copy");
}

#[test]
fn an_agent_s_turn_that_claims_no_call_is_restored_from_the_reply() {
    let (scenario, stage) = played("judges-consensus-round-1");
    let before = stage.tree();
    let turn = format!("{JUDGES}-risk.md");
    replace(&stage, &turn, "attempts: 1", "attempts: 0");
    comes_back(&scenario, &stage, &before, &turn, "a turn without a call");
}

#[test]
fn a_file_that_was_taken_in_may_not_change_and_nothing_goes_on_over_it() {
    let (scenario, stage) = played("gate-outside-files");
    let file = "docs/forge/debate/design-20260115-143022/advocate.md";
    let plan = stage.debate(&scenario).layout.plan();
    let before = concluded(&stage.healthy(&scenario), &plan);
    let refused = |why: &str| {
        let error = run(&stage.healthy(&scenario), &plan).err().unwrap();
        assert!(matches!(&error, EngineError::Contradicted { what, .. } if what.contains(why)), "{error:?}");
    };
    let text = std::fs::read(stage.root().join(file)).unwrap();
    replace(&stage, file, "**Chosen Option:** B", "**Chosen Option:** C");
    refused("was changed since");
    std::fs::remove_file(stage.root().join(file)).unwrap();
    refused("is gone since");
    std::fs::write(stage.root().join(file), text).unwrap();
    assert_eq!(concluded(&stage.healthy(&scenario), &plan), before);
}

const WITH_KEY: &str = "one/sadd/debate-cache-value.md";
const WITH_KEY_TURN: &str = "one/sadd/debate-cache-trail/turns/opening-r1-value.md";

/// A debate whose one seat from outside left a file with keys: one in a sentence, one in a block.
fn held_with_keys(folder: &Path) -> (Scenario, Stage) {
    let scenario = Scenario::improvise(
        folder,
        "question: Which cache?\nprotocol: judges\noptions: [Redis, Memcached]\nid: cache\nfeature_dir: one\nseats: {value: outside}\n",
        "replies: [{ballot: {option: A}}]",
    );
    let stage = Stage::new();
    let workspace = stage.healthy(&scenario);
    let plan = workspace.open_or_create(&scenario.request(), Freshness::GoOn).unwrap().files.layout.plan();
    let file = stage.root().join(WITH_KEY);
    std::fs::write(file, format!("Our key is {}.\r\n\r\n{}\r\n\r\n# Value judge\r\n\r\n**Recommended Option:** Option B\r\n**Confidence Level:** MEDIUM\r\n\r\nWaiting has the risk that nobody counts.\r\n\r\n**Rationale:** Buying can be undone within a quarter, and building cannot.\r\n", key(), block())).unwrap();
    concluded(&workspace, &plan);
    assert!(stage.tree().text(WITH_KEY_TURN).contains("keys_removed: 2"), "{}", stage.tree().text(WITH_KEY_TURN));
    assert_eq!(wrongs(&stage, &scenario), Vec::<String>::new());
    (scenario, stage)
}

/// Put together, so that nobody who searches for leaked keys finds one here.
fn key() -> String {
    format!("{}{}a8Kq3Zt0Lm5Xw9Rb2Vn7Yc4Hd6Jf1Gs8Pk3T", "gh", "p_")
}

fn block() -> String {
    let private = ["PRIVATE", "KEY"].join(" ");
    let line = "a8Kq3Zt0Lm5Xw9Rb2Vn7Yc4Hd6Jf1Gs8".repeat(2);
    format!("-----BEGIN {private}-----\r\n{line}\r\n{line}\r\nAb3=\r\n-----END {private}-----")
}

/// What verify holds against the debate.
fn wrongs(stage: &Stage, scenario: &Scenario) -> Vec<String> {
    let report = stage.healthy(scenario).verify("cache").unwrap();
    report.discrepancies.iter().map(|one| format!("{} {}: {}", one.kind.word(), one.file, one.text)).collect()
}

#[test]
fn a_file_from_which_keys_were_taken_says_nothing_else_in_their_place() {
    let folder = tempfile::tempdir().unwrap();
    let (scenario, stage) = held_with_keys(folder.path());
    let whole = std::fs::read_to_string(stage.root().join(WITH_KEY)).unwrap();
    let ballot = "x\n\n```json\n{\"option\": \"A\", \"confidence\": 5}\n```\n\ny";
    for (from, to, stands) in [
        (key(), "(gone)", true),
        (key(), "[key removed]", true),
        (block(), "(the key was here)", true),
        (key(), "one\n\ntwo\n\nthree", false),
        (key(), ballot, false),
        (block(), ballot, false),
        (block(), "## Position", false),
        (block(), "two\nlines", false),
        ("Waiting".to_owned(), "[key removed]", false),
    ] {
        std::fs::write(stage.root().join(WITH_KEY), whole.replace(&from, to)).unwrap();
        let wrongs = wrongs(&stage, &scenario);
        let named = wrongs.iter().any(|wrong| wrong.contains(WITH_KEY));
        assert!(if stands { wrongs.is_empty() } else { named }, "{to:?}: {wrongs:?}");
    }
}

/// A turn cannot leave out more of the file that it was taken in from than keys, whatever its header says.
#[test]
fn a_turn_that_blots_out_what_was_no_key_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let (scenario, stage) = held_with_keys(folder.path());
    let whole = stage.tree().text(WITH_KEY_TURN).to_owned();
    for (from, to, count) in [
        ("Waiting has the risk that nobody counts.", "[key removed]", 3),
        ("Waiting has the risk that nobody counts.\n\n**Rationale:** Buying", "[key removed]", 3),
        ("Our key is [key removed].", "[key removed]", 2),
        ("Waiting", "[key removed]", 2),
        ("# Value judge", "[key removed]", 3),
        ("Waiting", "Waiting", 1),
        ("Waiting", "Waiting", 3),
    ] {
        assert!(whole.contains(from), "{from}");
        let text = whole.replace(from, to).replace("keys_removed: 2", &format!("keys_removed: {count}"));
        std::fs::write(stage.root().join(WITH_KEY_TURN), text).unwrap();
        let wrongs = wrongs(&stage, &scenario);
        let named = wrongs.iter().any(|wrong| wrong.contains("its words are not those of the file"));
        assert!(named, "{from:?} as {to:?}: {wrongs:?}");
    }
}

#[test]
fn a_turn_of_another_seat_or_round_is_noticed() {
    let (scenario, stage) = played("judges-flip-earned-round-2");
    let before = stage.tree();
    let home = "docs/forge/sadd/debate-how-shall-we-store-the-audit-log";
    for other in ["value", "risk-r2"] {
        let turn = format!("{home}-risk.md");
        std::fs::copy(stage.root().join(format!("{home}-{other}.md")), stage.root().join(&turn)).unwrap();
        comes_back(&scenario, &stage, &before, &turn, other);
        std::fs::remove_dir_all(stage.root().join(format!("{home}-trail/aside"))).unwrap();
    }
}

/// The same seats, the same rounds, another debate: its turns say other things.
fn another_debate_s_turn(id: [&str; 2]) {
    let folder = tempfile::tempdir().unwrap();
    let scenario = |id: &str, feature: &str, question: &str| {
        let text = format!(
            "question: {question}\nprotocol: judges\noptions: [Redis, Memcached]\nid: {id}\nfeature_dir: {feature}\n"
        );
        Scenario::improvise(folder.path(), &text, "replies: [{ballot: {option: A}}]")
    };
    let (one, two) = (scenario(id[0], "one", "Which cache now?"), scenario(id[1], "two", "Which cache next year?"));
    let stage = Stage::new();
    stage.play_calmly(&one);
    stage.play_calmly(&two);
    let before = stage.tree();
    let turn = |feature: &str, id: &str| format!("{feature}/sadd/debate-{id}-risk.md");
    let (from, to) = (turn("two", id[1]), turn("one", id[0]));
    std::fs::copy(stage.root().join(from), stage.root().join(&to)).unwrap();
    comes_back(&one, &stage, &before, &to, "another debate's turn");
}

#[test]
fn a_turn_of_another_debate_is_noticed() {
    another_debate_s_turn(["now", "later"]);
}

/// Ids are unique below one feature directory only; the plan's digest tells such debates apart.
#[test]
fn a_turn_of_a_namesake_is_noticed() {
    another_debate_s_turn(["cache", "cache"]);
}

/// A damaged decision counts as not there: once the verdict that rests on it is removed, the person can decide again.
#[test]
fn a_damaged_decision_can_be_made_again() {
    let name = "judges-flip-unearned-contested-then-decided-by-person";
    let (scenario, stage) = played(name);
    let workspace = stage.healthy(&scenario);
    let files = stage.debate(&scenario);
    let file = files.layout.path("decision.md");
    let whole = stage.tree().0[&file].clone();
    std::fs::write(stage.root().join(&file), &whole[..whole.len() / 2]).unwrap();
    std::fs::remove_file(stage.root().join(files.layout.verdict())).unwrap();
    assert!(concluded(&workspace, &files.layout.plan()).contains("outcome: contested"));
    let decided = workspace.decide(&files.plan.id, "B", "it still is the law", "Ada").unwrap();
    assert_eq!(decided.account.verdict.outcome(), Outcome::Decided);
}

/// The framer's turn is there and its options are not yet in the plan: the moment at which damage to it matters.
#[test]
fn a_damaged_framing_is_restored_from_the_reply() {
    let scenario = Scenario::load("judges-framed-options");
    let framing = "features/webhooks/sadd/debate-webhook-delivery-framing.md";
    let at = (1..).find(|at| {
        let stage = Stage::new();
        die(&stage, &scenario, *at);
        stage.root().join(framing).exists()
    });
    let stage = Stage::new();
    die(&stage, &scenario, at.unwrap());
    let turn = stage.root().join(framing);
    let whole = std::fs::read(&turn).unwrap();
    std::fs::write(&turn, &whole[..whole.len() / 2]).unwrap();
    let tale = stage.play_calmly(&scenario);
    assert!(tale.end.contains("outcome: consensus"), "{}", tale.text);
    assert_eq!(std::fs::read(&turn).unwrap(), whole);
}

fn die(stage: &Stage, scenario: &Scenario, at: usize) {
    let death = Death { at, manner: Manner::AfterRename };
    let disk: Arc<dyn Disk> = Arc::new(DyingDisk::dying(stage.disk(), death));
    stage.play(scenario, &disk, 0).unwrap_err();
}

/// A file in the way of an agent's turn is moved, whatever it is; forge never throws away what somebody wrote.
#[test]
fn a_file_in_the_way_is_kept() {
    let scenario = Scenario::load("judges-consensus-round-1");
    let stage = Stage::new();
    let plan = stage.healthy(&scenario).open_or_create(&scenario.request(), Freshness::GoOn).unwrap();
    let turn = format!("{JUDGES}-value.md");
    std::fs::write(stage.root().join(&turn), "notes to myself").unwrap();
    let end = concluded(&stage.healthy(&scenario), &plan.files.layout.plan());
    assert!(end.contains("outcome: consensus"));
    let kept = stage.root().join(format!("{JUDGES}-trail/aside/opening-r1-value.1.md"));
    assert_eq!(std::fs::read_to_string(kept).unwrap(), "notes to myself");
}

/// Derived files are written for readers and never believed.
#[test]
fn derived_files_are_put_right() {
    for name in ["judges-consensus-round-1", "challenge-fast-exit", "panel-escalated", "gate-decided"] {
        let (scenario, stage) = played(name);
        let before = stage.tree();
        let derived = |path: &str| {
            let file = Path::new(path).file_name().and_then(|name| name.to_str()).unwrap_or_default();
            ["verdict.json", "verdict.md", "state.json", "transcript.md"].contains(&file)
                || file.ends_with("result.yaml")
        };
        let paths: Vec<&str> = before.paths().into_iter().filter(|path| derived(path)).collect();
        assert!(!paths.is_empty(), "{name}");
        for (n, path) in paths.iter().enumerate() {
            let file = stage.root().join(path);
            if n % 2 == 0 { std::fs::remove_file(file).unwrap() } else { std::fs::write(file, "{}").unwrap() }
        }
        concluded(&stage.healthy(&scenario), &stage.debate(&scenario).layout.plan());
        // Without forge's verdict what lies at the place of a report may be somebody's, and is kept.
        let mut left = stage.tree().differences(&before);
        left.retain(|line| !line.contains("/trail/aside/1-"));
        assert_eq!(left, Vec::<String>::new(), "{name}");
    }
}

/// A power loss before anything was settled: files are there under their names, and nothing is in them.
#[test]
fn what_a_power_loss_left_empty_is_asked_again_and_named() {
    let scenario = Scenario::load("judges-consensus-round-1");
    let stage = Stage::new();
    let workspace = stage.healthy(&scenario);
    let files = workspace.open_or_create(&scenario.request(), Freshness::GoOn).unwrap().files;
    files.seal().unwrap();
    let trail = stage.root().join(files.layout.trail_folder());
    for (file, bytes) in [
        ("briefs/opening-r1-risk.1.md", b"".as_slice()),
        ("briefs/opening-r1-value.1.md", b"\0\0\0\0"),
        ("replies/opening-r1-value.1.md", b"\0\0\0\0\0\0"),
    ] {
        std::fs::create_dir_all(trail.join(file).parent().unwrap()).unwrap();
        std::fs::write(trail.join(file), bytes).unwrap();
    }
    let end = concluded(&workspace, &files.layout.plan());
    assert!(end.contains("outcome: consensus"), "{end}");
    let checked = workspace.verify(&files.plan.id).unwrap();
    assert!(checked.holds(), "{checked:?}");
    assert_eq!(checked.notes.iter().filter(|note| note.contains("it is empty")).count(), 3, "{checked:?}");
    assert_eq!(stage.tree().trail("briefs").len(), 5, "two seats were asked again");
}
