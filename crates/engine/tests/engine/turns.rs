//! Seats that somebody outside moves: given out once, heard together, and read by nobody before all have spoken.

use crate::scenario::{Scenario, moment};
use crate::stage::Stage;
use forge_artifacts::disk::{Disk, Durability, WorkspaceDisk};
use forge_artifacts::formats::commitment::Host;
use forge_artifacts::formats::summary;
use forge_artifacts::stamp::Stamp;
use forge_debate::verdict::Outcome;
use forge_engine::{
    EngineError, Freshness, GivingOut, HandIn, Next, Refused, Strictness, Submitted, Vault, Vote, VoteState, Wave,
    Words, Workspace,
};
use forge_testkit::dying_disk::{Death, DyingDisk, Manner};
use std::sync::Arc;

/// A debate whose seats are all moved outside, and the user's state folder.
struct Outside {
    stage: Stage,
    scripts: tempfile::TempDir,
    state: tempfile::TempDir,
}

impl Outside {
    fn with(options: &str) -> Self {
        Self::seated(options, "risk: outside, value: outside, effort: outside")
    }

    fn seated(options: &str, seats: &str) -> Self {
        let text = format!(
            "question: Rewrite the parser?\nprotocol: judges\nid: q1\n{options}same_family: true\nseats: {{{seats}}}\n"
        );
        let scripts = tempfile::tempdir().unwrap();
        let scenario = Scenario::improvise(scripts.path(), &text, "replies: []\n");
        let outside = Self { stage: Stage::new(), scripts, state: tempfile::tempdir().unwrap() };
        outside.workspace().open_or_create(&scenario.request(), Freshness::GoOn).unwrap();
        outside
    }

    fn new() -> Self {
        Self::with("options: [Rewrite it, Keep it, Buy one]\n")
    }

    fn workspace(&self) -> Workspace {
        self.workspace_on(self.stage.disk(), self.state())
    }

    fn workspace_on(&self, disk: Arc<dyn Disk>, state: Arc<dyn Disk>) -> Workspace {
        let workspace = self.stage.workspace(disk, self.scripts.path());
        Workspace { made: Some(Arc::clone(&state)), vault: Some(state), ..workspace }
    }

    fn state(&self) -> Arc<dyn Disk> {
        Arc::new(WorkspaceDisk::open(self.state.path(), Durability::None).unwrap())
    }

    fn submit(&self, handed: HandIn<'_>) -> Result<Submitted, EngineError> {
        self.workspace().submit("q1", &handed)
    }

    fn hand_in(&self, seat: &str, option: &str) -> Result<Submitted, EngineError> {
        self.submit(HandIn::new(seat, turn(seat, option).as_bytes(), &salt()))
    }

    fn next(&self) -> Next {
        self.workspace().next_turns("q1", GivingOut::Free, "a test").unwrap()
    }

    fn wave(&self) -> Wave {
        match self.next() {
            Next::Open(wave) => wave,
            other => panic!("{other:?}"),
        }
    }

    fn is_said(&self, word: &str) -> bool {
        let read = |path: &str| std::fs::read(self.stage.root().join(path)).unwrap_or_default();
        self.stage.tree().paths().iter().any(|path| String::from_utf8_lossy(&read(path)).contains(word))
    }

    fn holds(&self) -> Vec<String> {
        let report = self.workspace().verify("q1").unwrap();
        report.discrepancies.iter().map(|found| format!("{found:?}")).collect()
    }
}

fn salt() -> String {
    "5a".repeat(32)
}

/// A turn whose words only this seat uses.
fn turn(seat: &str, option: &str) -> String {
    let section = match seat {
        "risk" => "What Can Go Wrong",
        "value" => "What Is Lost",
        _ => "What It Costs",
    };
    format!(
        "## Assessment\n\nThe {seat}-heron has counted the nights that the old parser cost.\n\n## Recommendation\n\nOption {option}: the {seat}-heron saw it fail twice this spring.\n\n## {section}\n\nThe grammar has corners that no test reaches.\n\n```json\n{{\"option\": \"{option}\", \"confidence\": \"HIGH\", \"reason\": \"The {seat}-heron saw the parser fail twice this spring\", \"arguments\": [{{\"id\": \"a1\", \"text\": \"It failed twice this spring, says the {seat}-heron\"}}]}}\n```\n"
    )
}

fn seats(wave: &Wave) -> Vec<(&str, bool)> {
    wave.seats.iter().map(|seat| (seat.seat.as_str(), seat.taken.is_some())).collect()
}

fn refused<T: std::fmt::Debug>(result: Result<T, EngineError>) -> Refused {
    match result {
        Err(EngineError::Turn(refused)) => *refused,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_wave_is_given_out_once_and_heard_together() {
    let outside = Outside::new();
    let wave = outside.wave();
    assert_eq!(seats(&wave), [("risk", false), ("value", false), ("effort", false)]);
    assert_eq!(wave.turns_limit, 6);
    let prompt = wave.seats[0].prompt(&wave.debate);
    assert_eq!(prompt, format!("forge-seat q1 risk {}", wave.seats[0].ask));
    let ask = std::fs::read_to_string(outside.stage.root().join(&wave.seats[0].ask)).unwrap();
    assert!(ask.contains("forge turn submit q1 risk --turn opening-r1-risk --file - <<'END_OF_TURN'"), "{ask}");
    assert!(!ask.contains("You need no tools and no files"), "{ask}");
    assert_eq!(seats(&outside.wave()), [("risk", true), ("value", true), ("effort", true)]);

    for (seat, left) in [("risk", 2), ("value", 1)] {
        assert!(outside.hand_in(seat, "A").unwrap().is_sealed);
        assert!(!outside.is_said(&format!("{seat}-heron")), "{seat} can be read");
        let wave = outside.wave();
        assert_eq!((wave.seats.len(), wave.handed_in.len()), (left, 3 - left));
    }
    let again = outside.workspace().next_turns("q1", GivingOut::Again, "a test").unwrap();
    let Next::Open(again) = again else { panic!("{again:?}") };
    assert_eq!(seats(&again), [("effort", false)]);

    let done = outside.hand_in("effort", "B").unwrap();
    assert!(!done.taken_in.is_empty(), "{done:?}");
    assert!(["risk", "value", "effort"].iter().all(|seat| outside.is_said(&format!("{seat}-heron"))));
    let Next::Over(account) = outside.next() else { panic!("it is over") };
    assert_eq!(account.verdict.outcome(), Outcome::Consensus);
    assert_eq!(outside.holds(), [""; 0]);
    assert_eq!(
        std::fs::read_dir(outside.state.path())
            .unwrap()
            .filter(|one| one.as_ref().is_ok_and(|one| one.path().is_file()))
            .count(),
        0,
        "words are left behind"
    );
}

#[test]
fn a_seat_that_was_given_out_is_free_again_after_its_time() {
    let outside = Outside::new();
    outside.wave();
    let workspace = outside.workspace();
    let limit = i64::from(workspace.open("q1").unwrap().plan.limits.timeout_seconds);
    for (after, is_taken) in [(limit - 1, true), (limit, false)] {
        let later = Workspace { clock: Arc::new(move || Stamp(moment().0 + after)), ..workspace.clone() };
        let Next::Open(wave) = later.next_turns("q1", GivingOut::Free, "another").unwrap() else { panic!() };
        assert_eq!(wave.seats[0].taken.is_some(), is_taken, "after {after} s");
    }
}

#[test]
fn what_is_refused_says_why_in_a_word() {
    let outside = Outside::new();
    outside.wave();
    let words = turn("risk", "A");
    let salt = salt();
    let risk = HandIn::new("risk", words.as_bytes(), &salt);
    let code = |handed: HandIn<'_>| refused(outside.submit(handed)).code();
    assert_eq!(code(HandIn { words: b"junk", ..risk }), "form_missed");
    assert_eq!(code(HandIn { seat: "rsk", ..risk }), "unknown_seat");
    assert_eq!(code(HandIn { turn: Some("challenge-r2-risk"), ..risk }), "wave_closed");
    let missed = refused(outside.workspace().check_turn("q1", &HandIn { words: b"junk", ..risk }));
    let Refused::FormMissed { required, .. } = &missed else { panic!("{missed:?}") };
    assert!(required.len() > 1, "everything at once: {missed}");
    assert!(outside.workspace().check_turn("q1", &risk).is_ok());
    assert_eq!(outside.wave().handed_in.len(), 0, "a check hands nothing in");

    outside.submit(risk).unwrap();
    outside.submit(risk).unwrap();
    let other = turn("risk", "B");
    assert_eq!(code(HandIn { words: other.as_bytes(), ..risk }), "other_text");
    outside.submit(HandIn { words: other.as_bytes(), replaces: true, ..risk }).unwrap();
    outside.hand_in("value", "B").unwrap();
    outside.hand_in("effort", "B").unwrap();
    // Too late: the first one's subagent wakes up when the wave is closed.
    assert_eq!(code(HandIn { turn: Some("opening-r1-risk"), ..risk }), "other_text");
    assert_eq!(code(risk), "wave_closed");
    let late = HandIn { words: other.as_bytes(), turn: Some("opening-r1-risk"), ..risk };
    assert_eq!(outside.submit(late).unwrap().notes, ["it is on record already"]);
    assert_eq!(outside.holds(), [""; 0]);
}

#[test]
fn as_it_is_takes_what_falls_short() {
    let outside = Outside::new();
    let bare = "**Chosen Option:** Option A\n\n**Reason:** The heron has seen the old parser fail twice this spring.\n";
    let (words, salt) = (bare.as_bytes(), salt());
    assert_eq!(refused(outside.submit(HandIn::new("risk", words, &salt))).code(), "form_missed");
    let handed = HandIn { strictness: Strictness::AsIs, ..HandIn::new("risk", words, &salt) };
    assert!(!outside.submit(handed).unwrap().shortcomings.is_empty());
}

#[test]
fn words_on_another_machine_are_asked_for_again() {
    let outside = Outside::new();
    outside.hand_in("risk", "A").unwrap();
    let elsewhere = Outside { state: tempfile::tempdir().unwrap(), stage: outside.stage, scripts: outside.scripts };
    assert_eq!(seats(&elsewhere.wave()).len(), 3);
    let files = elsewhere.workspace().open("q1").unwrap();
    let survey = elsewhere.workspace().survey(&files).unwrap();
    assert!(survey.open.iter().all(|open| !elsewhere.workspace().has_spoken(&files, open).unwrap()));
    for seat in ["value", "effort"] {
        elsewhere.hand_in(seat, "B").unwrap();
    }
    assert_eq!(seats(&elsewhere.wave()), [("risk", true)], "it waits for the words that are not here");
    assert!(!elsewhere.is_said("value-heron"), "risk has not spoken here");
    let another_salt = "7c".repeat(32);
    elsewhere.submit(HandIn::new("risk", turn("risk", "B").as_bytes(), &another_salt)).unwrap();
    let Next::Over(account) = elsewhere.next() else { panic!("it is over") };
    assert_eq!(account.verdict.outcome(), Outcome::Consensus);
    assert_eq!(elsewhere.holds(), [""; 0]);
}

#[test]
fn a_seat_that_does_not_come_is_on_record_and_the_rest_goes_on() {
    let outside = Outside::new();
    outside.hand_in("risk", "A").unwrap();
    let workspace = outside.workspace();
    assert!(workspace.absent("q1", "risk", None, "it died").is_err(), "it has spoken");
    assert!(workspace.absent("q1", "effort", None, " ").is_err(), "no reason");
    assert_eq!(refused(workspace.absent("q1", "rsk", None, "it died")).code(), "unknown_seat");
    workspace.absent("q1", "effort", None, "its subagent stopped at its limit").unwrap();
    outside.hand_in("value", "A").unwrap();
    let Next::Over(account) = outside.next() else { panic!("it is over") };
    assert_eq!(account.verdict.outcome(), Outcome::Consensus);
    assert_eq!(account.verdict.ruling.missing[0].detail, "its subagent stopped at its limit");
    assert_eq!(outside.holds(), [""; 0]);
    assert!(workspace.absent("q1", "effort", Some("opening-r1-effort"), "again").is_ok(), "it is done already");
    assert_eq!(refused(workspace.absent("q1", "risk", None, "again")).code(), "wave_closed");
}

#[test]
fn options_are_proposed_by_a_seat_of_their_own() {
    let outside = Outside::with("");
    let wave = outside.wave();
    assert_eq!(seats(&wave), [("framer", false)]);
    assert_eq!(wave.turns_limit, 7);
    let options = "```json\n{\"options\": [{\"label\": \"Rewrite it\", \"description\": \"Anew\"}, {\"label\": \"Keep it\", \"description\": \"As it is\"}, {\"label\": \"Buy one\", \"description\": \"From a shop\"}]}\n```\n";
    outside.submit(HandIn::new("framer", options.as_bytes(), &salt())).unwrap();
    assert_eq!(outside.workspace().open("q1").unwrap().plan.options.len(), 3);
    for seat in ["risk", "value", "effort"] {
        outside.hand_in(seat, "A").unwrap();
    }
    assert!(matches!(outside.next(), Next::Over(_)));
    assert_eq!(outside.holds(), [""; 0]);
}

#[test]
fn the_verdict_says_whose_subagents_spoke_and_whether_they_were_kept_apart() {
    for (guarded, says) in [
        (vec!["risk", "value", "effort"], "its guard kept each to its own ask"),
        (vec![], "not sealed: seats could read each other's transcripts"),
        (vec!["risk", "value"], "its guard kept risk, value to their own asks; not sealed: effort could read"),
    ] {
        let outside = Outside::new();
        for seat in ["risk", "value", "effort"] {
            let subagent = guarded.contains(&seat).then(|| format!("forge-{seat}/1"));
            let host = Host { name: "Claude Code".to_owned(), subagent, shell: None };
            let words = turn(seat, "A");
            outside.submit(HandIn { host: Some(&host), ..HandIn::new(seat, words.as_bytes(), &salt()) }).unwrap();
        }
        let Next::Over(account) = outside.next() else { panic!("it is over") };
        let cautions = summary::of(&account).cautions;
        let said = cautions.iter().find(|row| row.label == "ONE HOST").map(|row| row.text.as_str()).unwrap();
        assert!(said.starts_with("Claude Code spoke for risk, value, effort: one family of models"), "{said}");
        assert!(said.contains("nobody proves who wrote the words") && said.contains(says), "{said}");
    }
}

/// Whatever dies while seats hand in, the same commands again come to the same verdict, and nobody's words lie open before.
#[test]
fn handing_in_survives_a_death_at_every_write() {
    let expected = {
        let outside = Outside::new();
        ["risk", "value", "effort"].iter().for_each(|seat| drop(outside.hand_in(seat, "A").unwrap()));
        outside.holds()
    };
    assert_eq!(expected, [""; 0]);
    for in_state in [false, true] {
        for at in 1.. {
            let outside = Outside::new();
            let death = Death { at, manner: Manner::ALL[at % Manner::ALL.len()] };
            let dying: Arc<dyn Disk> = if in_state {
                Arc::new(DyingDisk::dying(outside.state(), death))
            } else {
                Arc::new(DyingDisk::dying(outside.stage.disk(), death))
            };
            let workspace = if in_state {
                outside.workspace_on(outside.stage.disk(), dying)
            } else {
                outside.workspace_on(dying, outside.state())
            };
            let salt = salt();
            let mut died = false;
            for seat in ["risk", "value", "effort"] {
                let words = turn(seat, "A");
                died |= workspace.submit("q1", &HandIn::new(seat, words.as_bytes(), &salt)).is_err();
                if died {
                    assert!(
                        seat == "effort" || !outside.is_said(&format!("{seat}-heron")),
                        "at {at}: {seat} can be read"
                    );
                    break;
                }
            }
            for seat in ["risk", "value", "effort"] {
                outside
                    .hand_in(seat, "A")
                    .unwrap_or_else(|error| panic!("at {at} in state {in_state}: {seat}: {error}"));
            }
            let Next::Over(account) = outside.next() else { panic!("at {at}: it is over") };
            assert_eq!(account.verdict.outcome(), Outcome::Consensus);
            assert_eq!(outside.holds(), [""; 0], "at {at} in state {in_state}");
            if !died {
                break;
            }
            assert!(at < 1000);
        }
    }
}

/// Whoever has yet to speak for an outside seat sits in the folder: a person's vote lies there no sooner.
#[test]
fn a_persons_vote_is_not_shown_before_outside_seats_have_spoken() {
    let outside =
        Outside::seated("options: [Rewrite it, Keep it, Buy one]\n", "risk: human, value: outside, effort: outside");
    let workspace = outside.workspace();
    let vote =
        Vote { option: "A".to_owned(), because: "The risk-heron saw it fail twice".to_owned(), ..Vote::default() };
    let (state, salt) = (outside.state(), salt());
    let voted = workspace.vote("q1", None, &Words::Vote(&vote), &Vault { disk: state.as_ref(), salt: &salt }).unwrap();
    assert_eq!(voted.state, VoteState::Sealed);
    outside.wave();
    outside.hand_in("value", "A").unwrap();
    assert!(!outside.is_said("risk-heron") && !outside.is_said("value-heron"), "effort can read it");
    outside.hand_in("effort", "A").unwrap();
    assert!(outside.is_said("risk-heron") && outside.is_said("effort-heron"));
    assert!(matches!(outside.next(), Next::Over(_)));
    assert_eq!(outside.holds(), [""; 0]);
}

/// A tree may bring debates along: only those that were made here are gone on with unnamed.
#[test]
fn a_strangers_debate_waits_until_it_is_named() {
    let outside = Outside::new();
    outside.wave();
    assert_eq!(outside.workspace().waiting_debate().unwrap().as_deref(), Some("q1"));
    let elsewhere = Outside { state: tempfile::tempdir().unwrap(), stage: outside.stage, scripts: outside.scripts };
    assert_eq!(elsewhere.workspace().waiting_debate().unwrap(), None);
    assert_eq!(elsewhere.wave().seats.len(), 3);
}
