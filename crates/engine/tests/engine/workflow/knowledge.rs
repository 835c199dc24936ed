//! The knowledge files: what people wrote in them stays as it is, and what forge adds it adds once.

use super::walk::{Act, DECISIONS, OBJECTIVE, RISKS, Walked, finish, reach_the_archive, story, when};
use super::{STATE, blockers, drive, staged};
use crate::stage::Stage;
use forge_artifacts::diff::{self, Change};
use forge_engine::workflow::{StartSettings, TaskWord};

const CONSTRAINTS: &str = "docs/forge/knowledge/constraints.md";
const ASSUMPTIONS: &str = "docs/forge/knowledge/assumptions.md";
const ALL: [&str; 4] = [DECISIONS, CONSTRAINTS, ASSUMPTIONS, RISKS];

fn begun() -> Stage {
    let stage = Stage::new();
    let start = StartSettings { objective: OBJECTIVE.to_owned(), abandon: false };
    stage.well(when(0)).start_workflow(&start, &drive()).unwrap();
    stage
}

fn bytes(stage: &Stage, path: &str) -> Vec<u8> {
    std::fs::read(stage.root().join(path)).unwrap()
}

/// Lines of the first text that are not in the second, in their order.
fn lost(before: &str, after: &str) -> Vec<String> {
    let removed = diff::lines(before, after).into_iter().filter(|(change, _)| *change == Change::Removed);
    removed.map(|(_, line)| line.to_owned()).collect()
}

/// In research, just after brainstorm's debate was recorded.
fn after_brainstorm() -> (Stage, usize) {
    let after = story().iter().position(|act| matches!(act, Act::Enter("research", _))).unwrap() + 1;
    (staged(Walked::of(story()[..after].to_vec()).end()), after)
}

const PEOPLE: [(&str, &str); 4] = [
    (
        DECISIONS,
        "\n  Prose with two trailing blanks.  \n\n## D7: We stay in one region\n\n- Status: locked\n- Rationale:\twe pay for it   \n- Kill-switch: the law changes\n\n* D3 — an older one, as a bullet\n\n```\n## D99: an example, not a decision\n```\n\n<!-- ## D98: neither is this -->\n### Why not more?\nBecause.\n",
    ),
    (CONSTRAINTS, "| C9 | No cookies | policy of 2024 | a lawyer | | |\n"),
    (ASSUMPTIONS, "\n## Ours\n\n- A12: Everybody reads this\n- [ ] A4 is to be checked by Ada\n"),
    (RISKS, "| R4 | Ada leaves | Low | Low | 1 | Bob | active | |\n\nBelow the table: a word.\n"),
];

#[test]
fn what_people_wrote_survives_the_whole_way() {
    let stage = begun();
    let mut before = Vec::new();
    for (path, text) in PEOPLE {
        stage.put(path, stage.said(path) + text);
        before.push((path, stage.said(path)));
    }
    reach_the_archive(&stage, 1);
    for (path, text) in &before {
        assert_eq!(lost(text, &stage.said(path)), Vec::<String>::new(), "{path}");
        assert!(stage.said(path).len() > text.len() || *path == ASSUMPTIONS, "{path}: nothing was added");
    }
    // The next numbers are one more than the highest that somebody used.
    assert!(stage.said(DECISIONS).contains("\n## D8: "), "{}", stage.said(DECISIONS));
    assert!(!stage.said(DECISIONS).contains("\n## D9: "), "once");
    assert!(stage.said(CONSTRAINTS).contains("\n| C10 | "), "{}", stage.said(CONSTRAINTS));
    assert!(stage.said(CONSTRAINTS).contains("| D8 | Reopen debate |"), "{}", stage.said(CONSTRAINTS));
    assert!(stage.said(RISKS).contains("\n| R5 | "), "{}", stage.said(RISKS));
}

/// However a file was saved, it is added to in its own way.
#[test]
fn line_ends_and_marks_stay() {
    let stage = begun();
    let mut before = Vec::new();
    for (path, text) in PEOPLE {
        let windows = format!("\u{FEFF}{}", (stage.said(path) + text).replace('\n', "\r\n"));
        stage.put(path, &windows);
        before.push((path, windows));
    }
    reach_the_archive(&stage, 1);
    for (path, text) in &before {
        let after = String::from_utf8(bytes(&stage, path)).unwrap();
        assert_eq!(lost(text, &after), Vec::<String>::new(), "{path}");
        let unlike = after.lines().count() - after.matches("\r\n").count();
        assert_eq!(unlike, 0, "{path}: {unlike} lines end otherwise");
    }
    assert!(stage.said(DECISIONS).contains("\r\n## D8: "), "{}", stage.said(DECISIONS));
}

#[test]
fn a_file_that_is_no_text_is_named_and_left_alone() {
    let (stage, after) = after_brainstorm();
    finish(&stage, "research", "\n## Risks\n\n- Prices change (probability: low, impact: high)\n");
    let odd = [bytes(&stage, RISKS).as_slice(), b"\nCaf\xE9 is closed\n"].concat();
    stage.put(RISKS, &odd);
    let error = stage.well(when(after)).continue_workflow(&drive()).unwrap_err().to_string();
    let line = odd.iter().filter(|byte| **byte == b'\n').count();
    assert!(error.contains(&format!("{RISKS}:{line}: ")) && error.contains("UTF-8"), "{error}");
    assert_eq!(bytes(&stage, RISKS), odd);
    stage.put(RISKS, String::from_utf8_lossy(&odd).into_owned());
    reach_the_archive(&stage, after);
    assert!(stage.said(RISKS).contains("| R2 | Prices change |"), "{}", stage.said(RISKS));
}

#[test]
fn what_is_extracted_twice_is_there_once() {
    let (stage, after) = after_brainstorm();
    finish(
        &stage,
        "research",
        "\n## Assumptions\n\n- A1: validated, because it was tried\n- Small sessions.\n\n## Decisions\n\n- Thirty minutes\n\n## Risks\n\n- Prices change (probability: low, impact: high)\n",
    );
    stage.well(when(after)).continue_workflow(&drive()).unwrap();
    let known = ALL.map(|path| stage.said(path));
    assert!(known[0].contains("Thirty minutes") && known[2].contains("| A1 | validated |"), "{known:#?}");
    for phase in ["research", "brainstorm", "research", "init"] {
        let workspace = stage.well(when(after + 1));
        workspace.continue_in(phase, &drive()).unwrap();
        workspace.mark_task("revisit", &TaskWord::Done, &drive()).unwrap();
        let progress = workspace.continue_workflow(&drive()).unwrap();
        assert_eq!(ALL.map(|path| stage.said(path)), known, "back in {phase}: {:?}", progress.log.done);
    }
    stage.delete(STATE);
    stage.well(when(after + 2)).continue_workflow(&drive()).unwrap();
    assert_eq!(ALL.map(|path| stage.said(path)), known, "after the state was lost");
}

/// An entry is known by its source. Its number and its words are people's to change.
#[test]
fn entries_that_people_reword_or_renumber_are_not_added_again() {
    let (stage, after) = after_brainstorm();
    stage.edit(DECISIONS, "## D1: Pick a session store: Files", "## D41: Files, and nothing else");
    stage.edit(
        DECISIONS,
        "- Rationale: The first option, because a mistake in it is cheap.",
        "- Rationale: Ada said so",
    );
    stage.edit(CONSTRAINTS, "| C2 | No new service is run. | D1 |", "| C20 | Nothing new runs here | D41 |");
    stage.edit(ASSUMPTIONS, "| A1 | The backup can be restored. |", "| A15 | Backups work |");
    stage.edit(RISKS, "| R1 | The figures mislead | High | Medium | 6 |", "| R9 | Figures lie | Low | Low | 1 |");
    let edited = ALL.map(|path| stage.said(path));
    for phase in ["brainstorm", "research"] {
        let workspace = stage.well(when(after));
        workspace.continue_in(phase, &drive()).unwrap();
        workspace.mark_task("revisit", &TaskWord::Done, &drive()).unwrap();
        workspace.continue_workflow(&drive()).unwrap();
    }
    assert_eq!(ALL.map(|path| stage.said(path)), edited);
    finish(
        &stage,
        "research",
        "\n## Assumptions\n\n- Small sessions.\n\n## Decisions\n\n- Thirty minutes\n\n## Constraints\n\n- One region\n\n## Risks\n\n- Prices change (probability: low, impact: high)\n",
    );
    stage.well(when(after)).continue_workflow(&drive()).unwrap();
    for (path, entry) in ALL.iter().zip([
        "\n## D42: Thirty minutes\n",
        "\n| C21 | One region |",
        "\n| A16 | Small sessions. |",
        "\n| R10 | Prices change |",
    ]) {
        assert!(stage.said(path).contains(entry), "{path}: {entry}\n{}", stage.said(path));
    }
    assert!(stage.said("docs/forge/handoffs/research-to-design.md").contains("| D41 | Files, and nothing else |"));
}

// seed: S1-47
#[test]
fn files_that_are_deleted_or_odd_do_not_stop_the_workflow() {
    type Oddity = (&'static str, fn(&Stage));
    let oddities: [Oddity; 5] = [
        ("deleted", |stage| stage.delete(super::KNOWLEDGE)),
        ("empty", |stage| ALL.iter().for_each(|path| stage.put(path, ""))),
        ("an open fence", |stage| ALL.iter().for_each(|path| stage.put(path, stage.said(path) + "\n```\nopen"))),
        ("an open comment", |stage| ALL.iter().for_each(|path| stage.put(path, stage.said(path) + "\n<!-- open"))),
        ("without tables", |stage| ALL.iter().for_each(|path| stage.put(path, "Nothing but prose, no line end"))),
    ];
    for (name, make_odd) in oddities {
        let (stage, after) = after_brainstorm();
        make_odd(&stage);
        let odd: Vec<String> = ALL.iter().map(|path| stage.said(path)).collect();
        finish(
            &stage,
            "research",
            "\n## Assumptions\n\n- Small sessions.\n\n## Decisions\n\n- Thirty minutes\n\n## Constraints\n\n- One region\n\n## Risks\n\n- Prices change (probability: low, impact: high)\n",
        );
        reach_the_archive(&stage, after);
        for ((path, before), word) in
            ALL.iter().zip(&odd).zip(["Thirty minutes", "One region", "Small sessions", "Prices change"])
        {
            let now = stage.said(path);
            assert!(now.starts_with(before.as_str()) || lost(before, &now).is_empty(), "{name}: {path}\n{now}");
            assert_eq!(now.matches(word).count(), 1, "{name}: {path}\n{now}");
        }
        let known = stage.well(when(after)).knowledge().unwrap();
        assert!(known.decisions.iter().any(|one| one.title == "Thirty minutes"), "{name}: {known:#?}");
        assert!(known.risks.iter().any(|one| one.text == "Prices change"), "{name}: {known:#?}");
    }
}

/// A prior decision that a document challenges must be there.
#[test]
fn a_challenge_of_nothing_is_told() {
    let (stage, after) = after_brainstorm();
    finish(&stage, "research", "");
    stage.edit("docs/forge/phases/research.md", "challenges: [] #", "challenges: [D77] #");
    let progress = stage.well(when(after)).continue_workflow(&drive()).unwrap();
    let held = blockers(&progress);
    assert!(held.iter().any(|line| line.contains("D77") && line.contains(DECISIONS)), "{held:?}");
    stage.edit("docs/forge/phases/research.md", "challenges: [D77] #", "challenges: [] #");
    reach_the_archive(&stage, after);
}
