//! What somebody might do to a debate, and what it is called.

mod rerolls;

use super::Finished;
use crate::scenario::Scenario;
use crate::stage::Stage;
use forge_artifacts::disk::Disk;
use forge_artifacts::document;
use forge_artifacts::formats::call::{self, Intent, Purpose, ReceiptOnFile};
use forge_artifacts::formats::turn::{self, CallFiles, Read, TurnBody, TurnFile};
use forge_artifacts::stamp::Stamp;
use forge_artifacts::store::words_of_reply;
use forge_debate::digest::Digest;
use forge_debate::protocols::Protocols;
use forge_debate::turn::TurnKey;
use forge_engine::verify::{self, Kind};
use forge_testkit::dying_disk::{Death, DyingDisk, Manner};
use std::sync::Arc;

const NAME: &str = "judges-flip-earned-round-2";
const HOME: &str = "docs/forge/sadd/debate-how-shall-we-store-the-audit-log";
const ID: &str = "how-shall-we-store-the-audit-log";

fn judges() -> Finished {
    Finished::new(NAME)
}

fn of(file: &str) -> String {
    format!("{HOME}-{file}")
}

impl Finished {
    fn remove(&self, path: &str) {
        std::fs::remove_file(self.path(path)).unwrap();
    }

    fn copy(&self, from: &str, to: &str) {
        self.write(to, std::fs::read(self.path(from)).unwrap());
    }

    fn exchange(&self, one: &str, other: &str) {
        let (a, b) = (std::fs::read(self.path(one)).unwrap(), std::fs::read(self.path(other)).unwrap());
        self.write(one, b);
        self.write(other, a);
    }

    /// Writes verdict and reports anew, as somebody would to hide an edit: forge itself refuses while the old one is there.
    fn regenerate(&self) {
        self.remove(&of("trail/verdict.json"));
        self.stage.healthy(&Scenario::load(NAME)).regenerate(ID).unwrap();
    }

    fn turn(&self, path: &str) -> TurnFile {
        match turn::read(&document::decode(self.read(path).as_bytes()).text) {
            Read::Ours(file) => *file,
            other => panic!("{path}: {other:?}"),
        }
    }

    fn call(&self, slug: &str, number: u32) -> (Intent, String, ReceiptOnFile, Vec<u8>) {
        let (brief, reply) =
            (of(&format!("trail/briefs/{slug}.{number}.md")), of(&format!("trail/replies/{slug}.{number}.md")));
        let (intent, text) = call::read_brief(self.read(&brief).as_bytes()).unwrap();
        let (receipt, raw) = call::read_reply(&std::fs::read(self.path(&reply)).unwrap()).unwrap();
        (intent, String::from_utf8(text).unwrap(), receipt, raw)
    }

    /// Puts a call on file as forge would have.
    fn put_call(&self, key: &TurnKey, intent: &Intent, text: &str, receipt: &ReceiptOnFile, raw: &[u8]) -> CallFiles {
        let brief = call::write_brief(intent, &key.slug(), text).into_bytes();
        let receipt = ReceiptOnFile { bytes: raw.len() as u64, ..receipt.clone() };
        let reply = call::write_reply(&receipt, raw);
        self.write(&of(&format!("trail/briefs/{}.{}.md", key.slug(), intent.attempt)), &brief);
        self.write(&of(&format!("trail/replies/{}.{}.md", key.slug(), intent.attempt)), &reply);
        CallFiles { brief: Digest::of(&brief), reply: Some(Digest::of(&reply)) }
    }
}

/// A turn of the last round: nothing is chained to it.
fn last() -> (TurnKey, String) {
    let finished = judges();
    let survey = forge_engine::Survey::of(&finished.stage.debate(&Scenario::load(NAME))).unwrap();
    let key = survey.heard.last().unwrap().turn.key.clone();
    let file = survey.heard.last().unwrap().line.file.clone();
    assert_eq!(key.round, 2, "the last wave is the second round");
    (key, file)
}

#[test]
fn a_dropped_turn() {
    let finished = judges();
    finished.remove(&of("value.md"));
    finished.says(Kind::Dropped, &of("value.md"));
    // Without the verdict the calls of the second round still tell.
    finished.remove(&of("trail/verdict.json"));
    let report = finished.says(Kind::Dropped, &of("value.md"));
    assert_eq!(report.outcome, None);
}

#[test]
fn an_added_turn() {
    let finished = judges();
    finished.copy(&of("value.md"), &of("value-r3.md"));
    finished.says(Kind::Added, &of("value-r3.md"));
    let finished = judges();
    finished.copy(&of("trail/briefs/opening-r1-value.1.md"), &of("trail/briefs/challenge-r3-value.1.md"));
    finished.says(Kind::Added, &of("trail/briefs/challenge-r3-value.1.md"));
    let finished = Finished::new("challenge-fast-exit");
    let home = finished.plan.trim_end_matches("context.md").to_owned();
    finished.write(&format!("{home}rounds/r009_architect.md"), "I was there too.\n");
    finished.says(Kind::Added, &format!("{home}rounds/r009_architect.md"));
}

#[test]
fn a_file_that_only_lies_beside_a_debate() {
    let finished = Finished::new("gate-decided");
    let home = finished.plan.trim_end_matches("debate-plan.md").to_owned();
    finished.write(&format!("{home}README.md"), "Read the synthesis first.\n");
    let report = finished.check();
    assert!(report.holds(), "{report:#?}");
    assert!(report.notes.iter().any(|note| note.contains("README.md")), "{:?}", report.notes);
    finished.copy(&format!("{home}skeptic.md"), &format!("{home}README.md"));
    finished.says(Kind::Added, &format!("{home}README.md"));
}

#[test]
fn swapped_turns() {
    let finished = judges();
    finished.exchange(&of("risk.md"), &of("value.md"));
    finished.says(Kind::Swapped, &of("risk.md"));
    finished.says(Kind::Swapped, &of("value.md"));
    let finished = judges();
    finished.exchange(&of("risk.md"), &of("risk-r2.md"));
    finished.says(Kind::Swapped, &of("risk.md"));
    finished.says(Kind::Swapped, &of("risk-r2.md"));
}

#[test]
fn a_call_that_no_turn_counts() {
    let finished = judges();
    let (key, _) = last();
    let (intent, text, receipt, raw) = finished.call(&key.slug(), 1);
    let intent = Intent { attempt: 2, purpose: Purpose::Again, ..intent };
    let receipt = ReceiptOnFile { attempt: 2, ..receipt };
    finished.put_call(&key, &intent, &text, &receipt, &raw);
    finished.says(Kind::ReAsked, &of(&format!("trail/briefs/{}.2.md", key.slug())));
}

/// Asked until the answer pleased, with everything else made to fit: the first answer is still on file.
#[test]
fn a_seat_that_was_asked_until_it_agreed() {
    let finished = judges();
    let (key, file) = last();
    let (intent, text, receipt, raw) = finished.call(&key.slug(), 1);
    let intent = Intent { attempt: 2, purpose: Purpose::Again, ..intent };
    let receipt = ReceiptOnFile { attempt: 2, ..receipt };
    let said = String::from_utf8(raw).unwrap();
    let other = format!("{said}\n");
    let second = finished.put_call(&key, &intent, &text, &receipt, other.as_bytes());
    let mut turn = finished.turn(&file);
    turn.header.attempts = 2;
    turn.header.calls.push(second);
    turn.header.reply = Some(Digest::of(other.as_bytes()));
    turn.body = TurnBody::Speech(words_of_reply(other.as_bytes()).0);
    let sum = |figure: Option<u64>| figure.map(|figure| 2 * figure);
    turn.header.input_tokens = sum(turn.header.input_tokens);
    turn.header.output_tokens = sum(turn.header.output_tokens);
    finished.write(&file, turn::write(&key, &turn.header, &turn.body));
    finished.regenerate();
    let report = finished.says(Kind::ReAsked, &of(&format!("trail/replies/{}.2.md", key.slug())));
    assert!(report.discrepancies.iter().all(|found| found.kind == Kind::ReAsked), "{:#?}", report.discrepancies);
}

#[test]
fn words_that_were_taken_off_the_record_without_cause() {
    let finished = judges();
    let withdrawn = of("trail/withdrawn/opening-r1-risk.1.md");
    finished.write(&withdrawn, finished.read(&of("risk.md")).replace("The question", "A question"));
    finished.says(Kind::ReAsked, &withdrawn);
    finished.says(Kind::Added, &withdrawn);
}

/// The last turn with all its times moved to this one, digests and verdict made to fit.
fn moved_in_time(to: &str) -> (Finished, String) {
    let finished = judges();
    let (key, file) = last();
    let (intent, text, receipt, raw) = finished.call(&key.slug(), 1);
    let intent = Intent { asked_at: Stamp::parse(to).unwrap(), ..intent };
    let receipt = ReceiptOnFile { asked_at: to.to_owned(), answered_at: to.to_owned(), ..receipt };
    let call = finished.put_call(&key, &intent, &text, &receipt, &raw);
    let mut turn = finished.turn(&file);
    turn.header.calls = vec![call];
    (turn.header.asked_at, turn.header.answered_at) = (to.to_owned(), to.to_owned());
    finished.write(&file, turn::write(&key, &turn.header, &turn.body));
    finished.regenerate();
    (finished, file)
}

#[test]
fn a_backdated_turn() {
    let (finished, file) = moved_in_time("2026-01-13T14:30:22Z");
    let report = finished.says(Kind::Backdated, &file);
    assert!(report.discrepancies.iter().all(|found| found.kind == Kind::Backdated), "{:#?}", report.discrepancies);
    // A time that is not the one of its receipt needs no clock to be wrong.
    let finished = judges();
    let answered = finished.turn(&file).header.answered_at;
    finished.replace(&file, &format!("answered_at: \"{answered}\""), "answered_at: \"2026-01-15T14:30:23Z\"");
    finished.regenerate();
    finished.says(Kind::Receipt, &file);
}

/// Half the debate was held on a machine whose clock is behind: that is told, and proves nothing.
#[test]
fn a_turn_by_another_clock() {
    let (finished, file) = moved_in_time("2026-01-15T09:00:00Z");
    let report = finished.check();
    assert!(report.holds(), "{report:#?}");
    let told = |note: &String| note.contains(&file) && note.contains("clocks differ, or it was backdated");
    assert!(report.notes.iter().any(told), "{:#?}", report.notes);
}

/// Figures that nobody counted make a report that nobody believes, and no panic.
#[test]
fn figures_beyond_measure() {
    let finished = judges();
    let (_, file) = last();
    for turn in ["risk.md", "value.md", "effort.md", "risk-r2.md", "value-r2.md"].map(of) {
        for figure in ["input_tokens", "output_tokens"] {
            let text = finished.read(&turn);
            let line = text.lines().find(|line| line.starts_with(figure)).unwrap().to_owned();
            finished.write(&turn, text.replace(&line, &format!("{figure}: \"{}\"", u64::MAX)));
        }
    }
    finished.says(Kind::Edited, &of("risk.md"));
    finished.replace(&file, "attempts: 1", &format!("attempts: {}", u32::MAX));
    finished.says(Kind::Edited, &file);
}

/// A turn edited together with its raw reply, its receipt and all digests in its header.
fn rewritten() -> (Finished, String) {
    let finished = judges();
    let file = of("value.md");
    let key = TurnKey::new(forge_debate::turn::Stage("opening"), 1, &"value".into());
    let (intent, text, receipt, raw) = finished.call(&key.slug(), 1);
    let said = String::from_utf8(raw).unwrap();
    let other = said.replacen("The question", "The old question", 1);
    assert_ne!(said, other);
    let call = finished.put_call(&key, &intent, &text, &receipt, other.as_bytes());
    let mut turn = finished.turn(&file);
    turn.header.calls = vec![call];
    turn.header.reply = Some(Digest::of(other.as_bytes()));
    turn.body = TurnBody::Speech(words_of_reply(other.as_bytes()).0);
    finished.write(&file, turn::write(&key, &turn.header, &turn.body));
    (finished, file)
}

#[test]
fn a_turn_edited_with_its_raw_reply() {
    let (finished, file) = rewritten();
    finished.says(Kind::Edited, &file);
    finished.says(Kind::Chain, &of("value-r2.md"));
    finished.says(Kind::Verdict, &of("trail/verdict.json"));
}

#[test]
fn a_verdict_written_anew_over_an_edit() {
    let (finished, _) = rewritten();
    finished.regenerate();
    finished.says(Kind::Chain, &of("value-r2.md"));
}

/// The chain mended as well: then the briefs of the next round still show what the turn said before.
#[test]
fn a_rewritten_turn_that_its_readers_were_shown_otherwise() {
    let (finished, _) = rewritten();
    let files = finished.stage.debate(&Scenario::load(NAME));
    let survey = forge_engine::Survey::of(&files).unwrap();
    let openings = survey.heard.iter().take(3).map(|one| one.line.digest.to_string());
    let before: Vec<String> =
        ["record".to_owned(), files.plan_digest.to_string()].into_iter().chain(openings).collect();
    for seat in ["risk", "value", "effort"] {
        let file = of(&format!("{seat}-r2.md"));
        let mut turn = finished.turn(&file);
        turn.header.previous = Digest::of_parts(&before);
        let key = TurnKey::new(forge_debate::turn::Stage("challenge"), 2, &seat.into());
        finished.write(&file, turn::write(&key, &turn.header, &turn.body));
    }
    finished.regenerate();
    let report = finished.check();
    assert!(report.discrepancies.iter().all(|found| found.kind != Kind::Chain), "{:#?}", report.discrepancies);
    finished.says(Kind::Receipt, &of("trail/briefs/challenge-r2-risk.1.md"));
}

/// What no receipt says is not believed, even where nothing is chained to it.
#[test]
fn a_header_that_contradicts_its_receipts() {
    let finished = judges();
    let (_, file) = last();
    finished.replace(&file, "model_served: null", "model_served: \"a better one\"");
    finished.regenerate();
    finished.says(Kind::Receipt, &file);
}

#[test]
fn an_absence_in_place_of_words() {
    let finished = judges();
    let (key, file) = last();
    let turn = finished.turn(&file);
    let absence =
        forge_debate::turn::Absence { kind: forge_debate::turn::AbsenceKind::TimedOut, detail: "no answer".to_owned() };
    finished.write(&file, turn::write(&key, &turn.header, &TurnBody::Absence(absence)));
    finished.regenerate();
    finished.says(Kind::Edited, &file);
}

#[test]
fn an_edited_verdict() {
    let finished = judges();
    finished.replace(&of("trail/verdict.json"), "\"outcome\": \"consensus\"", "\"outcome\": \"contested\"");
    let report = finished.says(Kind::Verdict, &of("trail/verdict.json"));
    assert!(
        report.discrepancies[0].text.contains("outcome is \"contested\", and \"consensus\" follows"),
        "{report:#?}"
    );
    let finished = judges();
    finished.replace(&of("trail/verdict.json"), "\"format\": 1", "\"format\": 2");
    finished.says(Kind::Verdict, &of("trail/verdict.json"));
}

#[test]
fn an_edited_report_and_status() {
    let finished = judges();
    finished.write(&of("result.yaml"), "winner: me\n");
    finished.says(Kind::Report, &of("result.yaml"));
    let finished = judges();
    finished.replace(&of("plan.md"), "status: \"complete\"", "status: \"running\"");
    finished.says(Kind::Report, &of("plan.md"));
}

#[test]
fn an_edited_plan() {
    let finished = judges();
    let label = finished.read(&of("plan.md")).lines().find(|line| line.contains("label: ")).unwrap().to_owned();
    finished.replace(&of("plan.md"), &label, "    label: \"Something else\"");
    let report = finished.says(Kind::Plan, &of("plan.md"));
    assert!(report.discrepancies[0].text.contains("Something else"), "{report:#?}");
    assert!(report.outcome.is_some(), "it goes on with the sealed plan");
    // The seal edited alike: the turns still name the plan that they were made under.
    finished.replace(&of("trail/plan.md"), &label, "    label: \"Something else\"");
    finished.says(Kind::Plan, &of("plan.md"));
    finished.says(Kind::Plan, &of("trail/plan.md"));
    let finished = judges();
    finished.replace(&of("trail/plan.md"), &label, "    label: \"Something else\"");
    let report = finished.says(Kind::Plan, &of("trail/plan.md"));
    assert!(!report.discrepancies.iter().any(|found| found.file == of("plan.md")), "{report:#?}");
}

#[test]
fn swapped_personas_and_roles() {
    let finished = Finished::new("challenge-fast-exit");
    let home = finished.plan.trim_end_matches("context.md").to_owned();
    finished.exchange(&format!("{home}GEMINI.md"), &format!("{home}QWEN.md"));
    for persona in ["GEMINI.md", "QWEN.md"] {
        finished.says(Kind::Text, &format!("{home}{persona}"));
    }
    let finished = judges();
    finished.exchange(&of("trail/roles/risk.md"), &of("trail/roles/value.md"));
    for role in ["risk", "value"] {
        let report = finished.says(Kind::Text, &of(&format!("trail/roles/{role}.md")));
        assert!(report.outcome.is_some(), "it goes on");
    }
}

/// A record that was kept elsewhere tells what the files alone cannot.
#[test]
fn a_debate_rewritten_as_a_whole() {
    let finished = judges();
    let mut report = finished.check();
    let record = report.record_digest.clone().unwrap();
    report.compare_record(&record);
    assert!(report.holds());
    report.compare_record(&Digest::of(b"another debate").to_string());
    assert!(report.discrepancies.iter().any(|found| found.kind == Kind::Record));
}

/// Two debates share a folder, and one's name begins with the other's: neither is accused of the other's files.
#[test]
fn debates_that_share_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = |id: &str| {
        let text =
            format!("question: Which cache for {id}?\nprotocol: judges\noptions: [Redis, Memcached]\nid: {id}\n");
        Scenario::improvise(folder.path(), &text, "replies: [{ballot: {option: A}}]")
    };
    let stage = Stage::new();
    for id in ["cache", "cache-2", "other"] {
        stage.play_calmly(&scenario(id));
    }
    let reports = stage.healthy(&scenario("cache")).verify_all().unwrap();
    assert_eq!(reports.len(), 3);
    assert!(reports.iter().all(verify::Verification::holds), "{reports:#?}");
    assert_eq!(verify::folder(&stage.root().join("docs/forge/sadd"), Protocols::default()).unwrap(), reports);
    let one =
        verify::folder(&stage.root().join("docs/forge/sadd/debate-cache-2-plan.md"), Protocols::default()).unwrap();
    assert_eq!(one, [reports[0].clone()]);
}

/// A run that died is not over, and nobody is accused of anything; run again to its end, it holds.
#[test]
fn a_run_that_died_is_innocent() {
    for name in ["judges-one-hangs-one-garbage-repaired", "retry-absent", "gate-outside-files", "judges-framed-options"]
    {
        let scenario = Scenario::load(name);
        for at in 1.. {
            let stage = Stage::new();
            let death = Death { at, manner: Manner::AfterRename };
            let disk: Arc<dyn Disk> = Arc::new(DyingDisk::dying(stage.disk(), death));
            let died = stage.play(&scenario, &disk, 0).err();
            for report in stage.healthy(&scenario).verify_all().unwrap() {
                assert_eq!(report.discrepancies, Vec::new(), "{name}, died at write {at}");
            }
            let Some(stopped) = died else { break };
            let healthy: Arc<dyn Disk> = stage.disk();
            stage.play(&scenario, &healthy, stopped.step).unwrap();
            let reports = stage.healthy(&scenario).verify_all().unwrap();
            assert!(reports.iter().all(verify::Verification::holds), "{name}, died at write {at}: {reports:#?}");
        }
    }
}
