//! Money: counted by whose word, kept under its cap over crashes, and added up offline.

use crate::scenario::Scenario;
use crate::stage::Stage;
use crate::tree::Tree;
use forge_artifacts::disk::Disk;
use forge_artifacts::formats::call::{self, ReceiptOnFile};
use forge_artifacts::formats::turn::{self, Read};
use forge_artifacts::formats::verdict::Spent;
use forge_debate::digest::Digest;
use forge_debate::protocols::Protocols;
use forge_engine::verify::{self, Kind};
use forge_engine::{Estimate, MAX_OUTPUT_TOKENS};
use forge_testkit::dying_disk::{Death, DyingDisk, Manner};
use std::path::Path;
use std::sync::Arc;

/// 3,000 tokens a turn, at a dollar a million: 0.003 USD.
const SCRIPT: &str = "replies: [{ballot: {option: A}, input_tokens: 2000, output_tokens: 1000}]";
const TURN: u64 = 3000;

fn judges(folder: &Path, more: &str, script: &str) -> Scenario {
    let text = format!("question: Which cache?\nprotocol: judges\noptions: [Redis, Memcached]\n{more}");
    Scenario::improvise(folder, &text, script)
}

fn spent(stage: &Stage, scenario: &Scenario) -> Spent {
    let files = stage.debate(scenario);
    stage.healthy(scenario).survey(&files).unwrap().account(&files).unwrap().spent
}

fn receipts(stage: &Stage) -> Vec<ReceiptOnFile> {
    stage.tree().trail("replies").iter().map(|(_, _, bytes)| call::read_reply(bytes).unwrap().0).collect()
}

/// What each call cost or may have cost: what its receipt says, or else what was set aside.
pub(crate) fn used(tree: &Tree) -> Vec<u64> {
    let replies = tree.trail("replies");
    let of_call = |(turn, attempt, brief): &(String, u32, &[u8])| {
        let reply = replies.iter().find(|(one, number, _)| one == turn && number == attempt);
        let told = reply.and_then(|(_, _, bytes)| call::read_reply(bytes)?.0.cost_microdollars);
        told.unwrap_or_else(|| call::read_intent(brief).unwrap().reserved_cost.unwrap())
    };
    tree.trail("briefs").iter().map(of_call).collect()
}

/// The most that is set aside for one call.
fn set_aside(folder: &Path) -> u64 {
    let stage = Stage::new();
    stage.play_calmly(&judges(folder, "price: 1000000\n", SCRIPT));
    let tree = stage.tree();
    let intents = tree.trail("briefs").into_iter().map(|(_, _, bytes)| call::read_intent(bytes).unwrap());
    let most = intents.map(|intent| intent.reserved_cost.unwrap()).max().unwrap();
    assert!(most > 8192 && most < 20_000, "an answer of 8192 tokens and a brief: {most}");
    most
}

#[test]
fn money_is_counted_and_every_receipt_says_by_whose_price() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = judges(folder.path(), "price: 1000000\n", SCRIPT);
    let stage = Stage::new();
    stage.play_calmly(&scenario);
    let spent = spent(&stage, &scenario);
    assert_eq!(spent.cost_microdollars, Some(3 * TURN));
    assert_eq!(spent.cost_by.into_iter().collect::<Vec<_>>(), ["configured"]);
    for receipt in receipts(&stage) {
        assert_eq!(receipt.cost_microdollars, Some(TURN));
        assert_eq!(receipt.cost_by.as_deref(), Some("configured"));
        assert_eq!(receipt.cost_rates.as_deref(), Some("input 1, output 1, cached_input 1"));
    }
    let verdict = stage.tree().text("docs/forge/sadd/debate-which-cache-trail/verdict.json");
    let verdict: serde_json::Value = serde_json::from_str(&verdict).unwrap();
    assert_eq!(verdict["spent"]["cost_usd"], "0.009000");
    assert_eq!(verdict["spent"]["cost_by"], serde_json::json!(["configured"]));
    assert_eq!(verdict["spent_per_seat"][0]["cost_usd"], "0.003000");
    assert_eq!(verdict["turns"][2]["cost_by"], "configured");
}

#[test]
fn without_prices_nothing_is_said_about_money() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = judges(folder.path(), "", SCRIPT);
    let stage = Stage::new();
    stage.play_calmly(&scenario);
    let verdict = stage.tree().text("docs/forge/sadd/debate-which-cache-trail/verdict.json");
    let verdict: serde_json::Value = serde_json::from_str(&verdict).unwrap();
    assert!(verdict["spent"].get("cost_usd").is_none() && verdict["spent"].get("cost_by").is_none());
    assert!(receipts(&stage).iter().all(|receipt| receipt.cost_by.is_none() && receipt.cost_microdollars.is_none()));
}

#[test]
fn a_cap_lets_as_many_speak_as_it_has_money_for() {
    let folder = tempfile::tempdir().unwrap();
    let one = set_aside(folder.path());
    for (most, spoke) in [(8192, 0), (one + TURN, 2), (one + 2 * TURN, 3)] {
        let scenario = judges(folder.path(), &format!("price: 1000000\nmax_cost: {most}\n"), SCRIPT);
        let stage = Stage::new();
        let end = stage.play_calmly(&scenario).end;
        assert_eq!(used(&stage.tree()), vec![TURN; spoke], "{most}: {end}");
        let missing = end.lines().filter(|line| line.starts_with("missing: ") && line.ends_with(" budget"));
        assert_eq!(missing.count(), 3 - spoke, "{most}: {end}");
        assert_eq!(spent(&stage, &scenario).cost_microdollars, (spoke > 0).then_some(spoke as u64 * TURN));
    }
}

/// A try that was cut off within a call may have been paid: it counts like a whole one, in this run and in the next.
#[test]
fn tries_that_told_nothing_count_against_the_cap() {
    let folder = tempfile::tempdir().unwrap();
    let one = set_aside(folder.path());
    let script = SCRIPT.replace("}]", ", untold_tries: 1}]");
    let scenario = judges(folder.path(), &format!("price: 1000000\nmax_cost: {}\n", 2 * one + TURN), &script);
    let stage = Stage::new();
    let end = stage.play_calmly(&scenario).end;
    assert_eq!(end.lines().filter(|line| line.ends_with(" budget")).count(), 1, "{end}");
    let tree = stage.tree();
    let intents = tree.trail("briefs").into_iter().map(|(_, _, bytes)| call::read_intent(bytes).unwrap());
    let charged: u64 = intents.map(|intent| intent.reserved_cost.unwrap() + TURN).sum();
    assert_eq!(stage.debate(&scenario).cost_used().unwrap(), charged, "read back from receipts");
    assert!(receipts(&stage).iter().all(|receipt| receipt.untold_tries == 1 && receipt.tries == 2));
    let spent = spent(&stage, &scenario);
    assert_eq!((spent.cost_microdollars, spent.calls_without_cost), (Some(2 * TURN), 2));
}

/// A sum that lacks what may have been paid says so.
#[test]
fn a_cost_that_is_not_whole_says_what_it_lacks() {
    let folder = tempfile::tempdir().unwrap();
    let script = SCRIPT.replace("replies: [", "replies: [{attempt: 1, do: garbage}, ");
    let scenario = judges(folder.path(), "price: 1000000\n", &script);
    let stage = Stage::new();
    stage.play_calmly(&scenario);
    let files = stage.debate(&scenario);
    let account = stage.healthy(&scenario).survey(&files).unwrap().account(&files).unwrap();
    assert_eq!((account.spent.cost_microdollars, account.spent.calls_without_cost), (Some(3 * TURN), 3));
    let said = forge_artifacts::formats::summary::spent(&account);
    assert!(said.contains("; and 3 calls of which nobody says what they cost"), "{said}");
    let disk: Arc<dyn Disk> = stage.disk();
    assert!(verify::debate(&disk, Protocols::default(), &files.layout.plan()).unwrap().holds());
    // Whoever lowers the figure is found.
    let tree = stage.tree();
    let (path, bytes) =
        tree.0.iter().find(|(_, bytes)| String::from_utf8_lossy(bytes).contains("\ncalls_without_cost: 1\n")).unwrap();
    let text = String::from_utf8_lossy(bytes).replace("calls_without_cost: 1", "calls_without_cost: 7");
    std::fs::write(stage.root().join(path), text).unwrap();
    let report = verify::debate(&disk, Protocols::default(), &files.layout.plan()).unwrap();
    assert!(report.discrepancies.iter().any(|one| one.text.contains("differ in calls_without_cost")));
}

/// No call is set aside for more than the estimate had for it.
#[test]
fn reservations_are_within_the_estimate() {
    let folder = tempfile::tempdir().unwrap();
    for protocol in ["judges", "panel"] {
        let text =
            format!("question: Which cache?\nprotocol: {protocol}\noptions: [Redis, Memcached]\nprice: 1000000\n");
        let scenario = Scenario::improvise(folder.path(), &text, "replies: [{input_tokens: 1, output_tokens: 1}]");
        let stage = Stage::new();
        stage.play_calmly(&scenario);
        let files = stage.debate(&scenario);
        let workspace = stage.healthy(&scenario);
        let estimate = Estimate::of(&workspace, &files.plan, files.protocol, &files.texts, MAX_OUTPUT_TOKENS).unwrap();
        let tree = stage.tree();
        let intents: Vec<_> =
            tree.trail("briefs").into_iter().map(|(_, _, bytes)| call::read_intent(bytes).unwrap()).collect();
        let dearest = intents.iter().map(|intent| intent.reserved_cost.unwrap()).max().unwrap();
        for seat in &estimate.seats {
            let per_call = seat.cost.unwrap().1 / u64::from(2 * seat.calls.1.max(1));
            assert!(dearest <= per_call, "{protocol}: {dearest} is set aside, of {per_call}");
        }
        // Every brief may hold everybody's longest words, and every repair the seat's own too.
        let (seats, answer) = (files.plan.seats.len() as u64, u64::from(MAX_OUTPUT_TOKENS));
        let shown = if protocol == "panel" { 3 } else { 1 };
        let words = 2 * (shown * seats * answer + answer) + answer;
        assert!(estimate.tokens.1 > words * u64::from(estimate.total.max_calls), "{protocol}");
    }
}

/// Whatever dies, and however often: what was and what may have been spent is never more than the cap.
#[test]
fn the_cap_on_money_holds_over_many_deaths() {
    let folder = tempfile::tempdir().unwrap();
    let most = set_aside(folder.path()) + TURN;
    let scenario = judges(folder.path(), &format!("price: 1000000\nmax_cost: {most}\n"), SCRIPT);
    for at in 1..=12 {
        for manner in [Manner::Before, Manner::AfterRename] {
            let stage = Stage::new();
            for _ in 0..6 {
                let disk = Arc::new(DyingDisk::dying(stage.disk(), Death { at, manner }));
                let shared: Arc<dyn Disk> = Arc::clone(&disk) as Arc<dyn Disk>;
                let lived = stage.play(&scenario, &shared, 0).is_ok();
                let sum: u64 = used(&stage.tree()).iter().sum();
                assert!(sum <= most, "{sum} of {most}, dying at write {at} ({manner:?})");
                if lived {
                    break;
                }
            }
            let end = stage.play_calmly(&scenario).end;
            assert!(used(&stage.tree()).iter().sum::<u64>() <= most, "dying at write {at} ({manner:?})");
            assert!(end.contains(" budget"), "{end}");
        }
    }
}

/// A call whose reply was lost may have been paid: what was set aside for it stays set aside.
#[test]
fn a_crash_between_brief_and_reply_keeps_the_reservation() {
    let folder = tempfile::tempdir().unwrap();
    // Enough for all three judges, and not for one more call.
    let most = set_aside(folder.path()) + 2 * TURN;
    let scenario = judges(folder.path(), &format!("price: 1000000\nmax_cost: {most}\n"), SCRIPT);
    let mut lost = 0;
    for at in 1..200 {
        let stage = Stage::new();
        let disk = Arc::new(DyingDisk::dying(stage.disk(), Death { at, manner: Manner::AfterRename }));
        let shared: Arc<dyn Disk> = Arc::clone(&disk) as Arc<dyn Disk>;
        if stage.play(&scenario, &shared, 0).is_ok() {
            break;
        }
        let open = stage.tree().trail("briefs").len() - stage.tree().trail("replies").len();
        let end = stage.play_calmly(&scenario).end;
        assert_eq!(end.contains(" budget"), open > 0, "{open} calls were lost, dying at write {at}: {end}");
        lost += open;
    }
    assert!(lost > 0, "no death was between a brief and its reply");
}

/// A receipt that names a smaller cost than its tokens come to is found, even where everything else was made to fit.
#[test]
fn a_receipt_must_add_up() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = judges(folder.path(), "price: 1000000\n", SCRIPT);
    let stage = Stage::new();
    stage.play_calmly(&scenario);
    let plan = stage.debate(&scenario).layout.plan();
    let disk: Arc<dyn Disk> = stage.disk();
    assert!(verify::debate(&disk, Protocols::default(), &plan).unwrap().holds());
    let tree = stage.tree();
    let (path, bytes) = tree.0.iter().find(|(path, _)| path.contains("/replies/")).unwrap();
    let (receipt, raw) = call::read_reply(bytes).unwrap();
    let reply = call::write_reply(&ReceiptOnFile { cost_microdollars: Some(11), ..receipt }, &raw);
    std::fs::write(stage.root().join(path), &reply).unwrap();
    let said = |text: &str| {
        let report = verify::debate(&disk, Protocols::default(), &plan).unwrap();
        report.discrepancies.iter().any(|one| one.kind == Kind::Receipt && one.text.contains(text))
    };
    assert!(said("differ in cost") && said("it is not the file that"));
    // The turn is made to fit.
    let survey = stage.healthy(&scenario).survey(&stage.debate(&scenario)).unwrap();
    let one = survey.heard.iter().find(|one| path.contains(&one.turn.key.slug())).unwrap();
    let Read::Ours(mut file) = turn::read(&tree.text(&one.line.file)) else { panic!("{}", one.line.file) };
    file.header.cost_microdollars = Some(11);
    file.header.calls[0].reply = Some(Digest::of(&reply));
    let text = turn::write(&one.turn.key, &file.header, &file.body);
    std::fs::write(stage.root().join(&one.line.file), text).unwrap();
    assert!(!said("differ in cost") && said("is not what its tokens come to"));
}
