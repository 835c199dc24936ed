//! Documents that other tools and people wrote: handoffs after the manner of each origin, boxes and lists in many spellings.

use forge_artifacts::formats::{handoff, phase_document, plan};
use forge_workflow::snapshot::{Checkbox, Unclear};

const BRAINSTORM: &str = include_str!("documents/origin_brainstorm_to_research.md");
const RESEARCH: &str = include_str!("documents/origin_research_to_design.md");
const DESIGN: &str = include_str!("documents/origin_design_to_plan.md");
const BUILD: &str = include_str!("documents/origin_build_to_validate.md");

fn texts(boxes: &[Checkbox]) -> Vec<(&str, bool)> {
    boxes.iter().map(|one| (one.text.as_str(), one.ticked)).collect()
}

fn line_of(text: &str, part: &str) -> usize {
    text.lines().position(|line| line.contains(part)).unwrap() + 1
}

fn notes(unclear: &[Unclear]) -> Vec<(usize, bool)> {
    unclear.iter().map(|one| (one.line, one.holds)).collect()
}

// seed: S1-70, S1-73, S1-77
#[test]
fn a_handoff_of_the_origins_full_form_is_read() {
    for text in [BRAINSTORM.to_owned(), BRAINSTORM.replace('\n', "\r\n"), format!("\u{FEFF}{BRAINSTORM}")] {
        let read = handoff::read("h.md", text.as_bytes());
        assert_eq!(
            texts(&read.todo),
            [
                ("Ask the post for its price (priority: high)", false),
                ("Count the readers with a mail address (priority: medium)", true)
            ]
        );
        assert_eq!(
            texts(&read.escalations),
            [("Fewer than half of the readers have a mail address", false), ("The post raises its price", true)]
        );
        let locked: Vec<_> =
            read.locked.iter().map(|one| (one.id.as_str(), one.title.as_str(), one.needs_debate, one.line)).collect();
        assert_eq!(
            locked,
            [
                ("D014", "Remind by digest mail", true, line_of(BRAINSTORM, "D014")),
                ("D015", "Cards stay for readers without mail", false, line_of(BRAINSTORM, "D015")),
                ("D016", "Ask before the first mail", true, line_of(BRAINSTORM, "D016")),
            ]
        );
        let wanted = [(line_of(BRAINSTORM, "red stamp"), false), (line_of(BRAINSTORM, "status: draft"), false)];
        assert_eq!(notes(&read.unclear), wanted);
    }
}

#[test]
fn handoffs_without_front_matter_and_with_other_headings_are_read() {
    let read = handoff::read("h.md", RESEARCH.as_bytes());
    assert_eq!(texts(&read.todo), [("Who answers a mail that comes back?", false), ("Which day of the week?", false)]);
    assert!(read.escalations.is_empty() && read.locked.is_empty() && read.unclear.is_empty(), "{read:?}");

    let read = handoff::read("h.md", DESIGN.as_bytes());
    assert_eq!(texts(&read.todo), [("Name the files of each step", false)]);
    assert!(read.unclear.is_empty(), "{read:?}");
    let (from, to, id, at) = handoff::header(DESIGN.as_bytes()).unwrap();
    assert_eq!((from.as_str(), to.as_str(), id, at), ("design", "plan", None, None));

    let read = handoff::read("h.md", BUILD.as_bytes());
    assert!(read.todo.is_empty(), "{read:?}");
    assert_eq!(notes(&read.unclear), [(line_of(BUILD, "stamp is printed"), false)]);
    let (from, to, ..) = handoff::header(BUILD.as_bytes()).unwrap();
    assert_eq!((from.as_str(), to.as_str()), ("build", "validate"));
    assert!(handoff::header(b"# Notes\n\ntext\n").is_none());
}

// seed: S1-78
#[test]
fn a_ticked_escalation_counts_however_it_is_ticked() {
    for item in [
        "- [x] Costs rise",
        "- [X] Costs rise",
        "* [x] Costs rise",
        "1. [x] Costs rise",
        "- [✓] Costs rise",
        "- [✔] Costs rise",
        "- [✔️] Costs rise",
        "- [✅] Costs rise",
        "- [☑] Costs rise",
        "- [ x ] Costs rise",
        "- [x]Costs rise",
        "- ✅ Costs rise",
        "- ☑ Costs rise",
        "- ✔️ Costs rise",
        "[x] Costs rise",
        "- first\n  - [x] Costs rise",
        "| | Condition |\n|---|---|\n| [x] | Costs rise |",
        "| Condition | Come true |\n|---|---|\n| Costs rise | ✅ |",
        "### Money\n\n- [x] Costs rise",
        "    - [x] Costs rise",
        "\t- [x] Costs rise",
        "- first\n\n    - [x] Costs rise",
        "| Condition | Tripped |\n|---|---|\n| Costs rise | Yes |",
    ] {
        for heading in [
            "## Escalation Conditions",
            "## Escalation Triggers (tick what came true)",
            "## 5. Escalation ⚠️",
            "## Escalations",
            "**Escalation Conditions:**",
        ] {
            if heading.starts_with("**") && item.starts_with("###") {
                continue;
            }
            let text = format!("# Handoff\n\n{heading}\n\nConditions:\n\n{item}\n\n## Sign-off\n\nYes\n");
            let read = handoff::read("h.md", text.as_bytes());
            assert_eq!(texts(&read.escalations), [("Costs rise", true)], "{text}");
        }
    }
}

#[test]
fn a_sign_off_holds_unless_it_says_yes_to_all_of_it() {
    let holds = |said: &str| {
        let text =
            format!("# Handoff\n\n## Sign-off\n\nPhase completed: {said}\nBlocked by: None\nReady to proceed: Yes\n");
        handoff::read("h.md", text.as_bytes()).unclear.iter().any(|one| one.holds)
    };
    for said in [
        "No",
        "Partial",
        "Partially",
        "Partly done",
        "Mostly",
        "Almost",
        "80%",
        "90 % done",
        "In progress",
        "Yes, but the load test is open",
        "Yes, except the load test",
        "Yes, the load test is still open",
        "Yes - load test missing",
        "Teilweise",
        "Fast fertig",
        "Partiellement",
        "Parcial",
        "Gedeeltelijk",
        "Частично",
        "部分完成",
    ] {
        assert!(holds(said), "{said}");
    }
    for said in [
        "Yes",
        "yes.",
        "Yes, all of it",
        "✅ Yes",
        "[x]",
        "100%",
        "Yes (100 %)",
        "Yes (signed by Ann, 2026-02-01)",
        "Yes, by Ann and Bob",
        "Done",
        "Ja",
        "Oui",
        "Sí",
        "Да",
        "是",
        "Complete",
    ] {
        assert!(!holds(said), "{said}");
    }
}

// seed: S1-62, S1-78
#[test]
fn a_box_that_cannot_be_read_holds() {
    for item in [
        "- [y] Costs rise",
        "- [?] Costs rise",
        "- (x) Costs rise",
        "- ( ) Costs rise",
        "- [-] Costs rise",
        "- [yes] Costs rise",
        "- [done] Costs rise",
        "- [✗] Costs rise",
        "- ❌ Costs rise",
        "- ☒ Costs rise",
        "1. [*] Costs rise",
        "| [?] | Costs rise |",
    ] {
        let head = if item.starts_with('|') { "| | Condition |\n|---|---|\n" } else { "\n\n" };
        for heading in ["## Escalation Conditions", "## TODO List for Next Phase", "## TODO"] {
            let text = format!("# Handoff\n\n{heading}\n\n{head}{item}\n");
            let read = handoff::read("h.md", text.as_bytes());
            assert_eq!(notes(&read.unclear), [(7, true)], "{text}");
            assert!(read.unclear[0].text.contains("- [x]") && read.todo.is_empty() && read.escalations.is_empty());
        }
        let text = format!("# Design\n\n## TODO\n\n{head}{item}\n");
        assert_eq!(notes(&phase_document::read("p.md", text.as_bytes()).unclear), [(7, true)], "{text}");
    }
}

#[test]
fn what_is_no_box_is_none() {
    for item in [
        "- Costs rise",
        "- [D014] is in doubt",
        "- [1] see there",
        "- [high] Costs rise",
        "- [a page](https://a.example)",
        "- (a) first",
        "> - [x] Costs rise",
        "```\n- [x] Costs rise\n```",
        "<!-- - [x] Costs rise -->",
        "- [ ] [condition]",
        "- [ ] ...",
    ] {
        let text = format!("# Handoff\n\n## Escalation Conditions\n\n{item}\n");
        let read = handoff::read("h.md", text.as_bytes());
        assert!(read.escalations.iter().all(|one| !one.ticked), "{text}");
        assert!(read.unclear.iter().all(|one| !one.holds), "{text}: {:?}", read.unclear);
    }
    // A list without boxes cannot be ticked, and that is said.
    let read = handoff::read("h.md", b"## TODO\n\n- Ask the post\n- Count\n");
    assert_eq!(notes(&read.unclear), [(3, false)]);
}

#[test]
fn boxes_below_sub_headings_and_over_several_lines_are_whole() {
    let text = "## TODO\n\n### Soon\n\n- [ ] Ask the post for its price, which\n  was raised in May\n- [ ] TODO: call the mayor\n\n### Later\n\n- [x] `task-02`: **count**\n\n## Other\n\n- [ ] no\n";
    let read = phase_document::read("p.md", text.as_bytes());
    assert_eq!(
        texts(&read.todo),
        [
            ("Ask the post for its price, which was raised in May", false),
            ("TODO: call the mayor", false),
            ("`task-02`: **count**", true)
        ]
    );
}

fn front(lines: &str) -> (usize, Vec<String>, Vec<(usize, bool)>) {
    let text = format!("---\nphase: design\ngenerated_at: 2026-05-01\nstatus: exploring\n{lines}\n---\n\n# Design\n");
    let read = phase_document::read("p.md", text.as_bytes());
    (read.components.len(), read.challenges, notes(&read.unclear))
}

#[test]
fn components_in_every_form() {
    for (lines, count) in [
        ("based_on: research", 0),
        ("components: []", 0),
        ("components:", 0),
        ("components: none", 0),
        ("components: [mailer, catalogue, stamp, desk]", 4),
        ("components: [api, api, API, ui]", 2),
        ("components:\n  - mailer\n  - catalogue", 2),
        ("components: mailer, catalogue, stamp and desk", 4),
        ("components: mailer; catalogue", 2),
        ("components: 5", 5),
        ("components: \"5\"", 5),
        ("components: 7 parts", 7),
        ("components: four", 4),
        ("components: Five components", 5),
        ("components: four seasons, desk", 2),
        ("components: mailer / catalogue / stamp / desk", 4),
        ("components: [\"mailer, catalogue, stamp, desk\"]", 4),
        ("components: [the catalogue of all branches, mailer]", 2),
        ("components: session store", 1),
        ("components:\n  mailer: sends\n  catalogue: lists", 2),
        ("components:\n  - name: mailer\n  - catalogue: lists", 2),
        ("Components: [mailer]", 1),
        ("component: mailer", 1),
        ("components: [\"[name]\", mailer]", 1),
    ] {
        assert_eq!(front(lines), (count, Vec::new(), Vec::new()), "{lines}");
    }
    for lines in [
        "components: true",
        "components: TBD",
        "components: -3",
        "components: mailer catalogue stamp desk",
        "components: [mailer (with catalogue, stamp and desk)]",
        "components: several",
        "components: \"3 + 1 optional\"",
        "components: 2 services and a database",
        "components: 3-4",
        "components: 2.5",
        "components: [[a, b], c]",
        "components: \"[list them]\"",
    ] {
        assert_eq!(front(lines).2, [(5, true)], "{lines}");
    }
}

#[test]
fn entries_in_a_header_hold() {
    for lines in [
        "risks:\n  - name: Fire\n    probability: High\n    impact: High",
        "Risks: [Fire (high)]",
        "decisions:\n  - Text messages for all (supersedes D1)",
        "supersedes: [D1]",
        "supersedes: D1",
        "risks: {R9: Fire}",
    ] {
        assert_eq!(front(lines).2, [(5, true)], "{lines}");
    }
    for lines in ["risks: 2", "risks: []", "decisions: [D1, D2]", "decisions: none", "supersedes:", "risk: R1"] {
        assert_eq!(front(lines).2, [], "{lines}");
    }
}

#[test]
fn a_challenge_may_stand_in_the_body() {
    let challenged = |body: &str| {
        let text = format!("---\nphase: design\n---\n# Design\n\n{body}\n");
        forge_artifacts::formats::phase_document::read("design.md", text.as_bytes()).challenges
    };
    for body in [
        "## Challenges\n\n- D1",
        "## Challenged Decisions\n\n- D1: it is slow",
        "## Challenged decisions\n\n- **D1** (it is slow)",
        "## Decisions challenged\n\n| ID | Why |\n|---|---|\n| D1 | slow |",
        "## Decisions we challenge\n\nD1, because it is slow",
        "## Findings\n\n**Challenges:** D1",
        "## Findings\n\nChallenged decisions: D1",
    ] {
        assert_eq!(challenged(body), ["D1"], "{body}");
    }
    for body in [
        "## Challenges\n\n- The database is slow\n- S3 is dear",
        "## Findings\n\nD1 was no challenge.",
        "## Challenges\n\nNone",
    ] {
        assert!(challenged(body).is_empty(), "{body}");
    }
}

#[test]
fn challenges_in_every_form() {
    for (lines, ids) in [
        ("challenges: []", &[][..]),
        ("challenges: none", &[]),
        ("challenges: [D1]", &["D1"]),
        ("challenges: [D014, D-build-4, DB1, auth/D2]", &["D014", "D-build-4", "DB1", "auth/D2"]),
        ("challenges: D1, D2", &["D1", "D2"]),
        ("challenges: D1 and D2", &["D1", "D2"]),
        ("challenges: \"D1 (because it is slow, and dear), D2\"", &["D1", "D2"]),
        ("challenges: [\"D1: it is slow\"]", &["D1"]),
        ("challenges: [D1: it is slow]", &["D1"]),
        ("challenges:\n  - D1: it is slow\n  - D2", &["D1", "D2"]),
        ("challenges:\n  D1: it is slow", &["D1"]),
        ("challenges:\n  - id: D1\n    reason: it is slow", &["D1"]),
        ("challenges: \"D1 - it is slow\"", &["D1"]),
        ("challenges: d1", &["D1"]),
        ("Challenges: [D1, D1]", &["D1"]),
        ("challenge: D1", &["D1"]),
        ("challenged_decisions: [D1]", &["D1"]),
        ("challenges: []\nchallenged_decisions: [D1]", &["D1"]),
        ("challenged: D1", &["D1"]),
    ] {
        let ids: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
        assert_eq!(front(lines), (0, ids, Vec::new()), "{lines}");
    }
    for lines in [
        "challenges: true",
        "challenges: 14",
        "challenges: the mail decision",
        "challenges: [the stamp]",
        "challenges: [[D1]]",
    ] {
        let (_, ids, unclear) = front(lines);
        assert_eq!((ids, unclear), (Vec::new(), vec![(5, true)]), "{lines}");
    }
}

// seed: S0-6, S0-23
#[test]
fn plans_written_by_hand_list_their_options_in_every_form() {
    let front =
        "---\ndebate_id: brainstorm-x\nphase: brainstorm\nstatus: pending\ncreated_at: 2026-05-01T10:00:00Z\n---\n";
    let head = "\n# Debate Plan\n\n**Objective:** Remind readers\n**Context:** A town library\n\n## Options Under Consideration\n\n";
    let tail = "\n## Debate Structure\n\n### Roles\n\n**Advocate:** argues\n\n**Skeptic:** doubts\n\n## Debate Rules\n\n- one option\n";
    let read = |listed: &str| {
        plan::read(&format!("{front}{head}{listed}{tail}"), forge_debate::protocols::Protocols::default())
    };
    for listed in [
        "1. **Option A:** Postcard - a card\n2. **Option B:** Text message - costs 6 cents each\n3. **Option C:** Digest mail\n",
        "1. **Option A**: Postcard\n2. **Option B**: Text message\n3. **Option C**: Digest mail\n",
        "1. Postcard\n2. Text message\n3. Digest mail\n",
        "- A: Postcard - a card\n- B: Text message\n- C: Digest mail\n",
        "### Option A: Postcard\n\nA card.\n\n### Option B: Text message\n\nSms.\n\n### Option C: Digest mail\n\nWeekly.\n",
        "| Option | Description |\n|---|---|\n| Postcard | a card |\n| Text message | sms |\n| Digest mail | weekly |\n",
    ] {
        let plan = read(listed).unwrap().plan;
        let options: Vec<(&str, &str)> =
            plan.options.iter().map(|option| (option.id.as_str(), option.label.as_str())).collect();
        assert_eq!(options, [("A", "Postcard"), ("B", "Text message"), ("C", "Digest mail")], "{listed}");
        assert_eq!(plan.question, "Remind readers");
    }
    // Their own ids stay, and what differs in a sign is different.
    let plan = read("- Option C: Use `§`\n- Option A: Use `%`\n- Option D: Use `&`\n").unwrap().plan;
    let ids: Vec<String> = plan.options.iter().map(|option| format!("{}={}", option.id, option.label)).collect();
    assert_eq!(ids, ["C=Use §", "A=Use %", "D=Use &"]);
    assert!(plan.defects().is_empty(), "{:?}", plan.defects());
    // A plan is sealed: what could be meant otherwise is told first.
    for (listed, wanted) in [
        ("- Postcard\n- Text message\n- Postcard\n", "line 15 already"),
        ("- [Postcard]: a card\n- Text message\n- Digest mail\n", "left open"),
        ("Postcard, text message or digest mail\n", "cannot be read"),
    ] {
        let defect = read(listed).unwrap_err();
        assert!(defect.text.contains(wanted) && defect.line >= 15, "{listed}: {defect:?}");
    }
}

#[test]
fn what_is_made_cuts_nothing() {
    let definition = forge_artifacts::formats::workflow_file::ten();
    let long = "Ask every branch of the library, by telephone and in writing, whether its readers would rather have a card or a mail, and count.";
    let objective = "Remind readers\n\n## Options\n\n- Fax";
    let text =
        phase_document::template(&definition.phases[2], "w", objective, &[long.to_owned()], "2026-05-01T10:00:00Z");
    assert!(text.contains(&format!("- [ ] {long}\n")) && !text.contains('…'), "{text}");
    let read = phase_document::read_options("p.md", Some(text.as_bytes()));
    assert!(read.options.is_empty() && read.unclear.is_empty(), "the objective lists no options: {read:?}");
}

#[test]
fn a_condition_that_says_that_there_is_none_calls_for_nothing() {
    for none in ["None of these apply", "N/A", "none", "~~Costs rise~~", "Keine davon", "なし"] {
        let text = format!("# Handoff: plan to test\n\n## Escalation Conditions\n\n- [ ] Costs rise\n- [x] {none}\n");
        let read = handoff::read("h.md", text.as_bytes());
        assert_eq!(texts(&read.escalations), [("Costs rise", false)], "{none}");
    }
    let text = "## Escalation Conditions\n\n- [x] None of the suppliers delivers\n";
    assert_eq!(texts(&handoff::read("h.md", text.as_bytes()).escalations), [("None of the suppliers delivers", true)]);
}

#[test]
fn a_handoff_that_cannot_be_read_holds() {
    for (bytes, line) in [
        (&b"# Handoff: plan to test\n\n## TODO\n\n- [ ] Ring M\xfcller\n"[..], 5),
        (b"a\0b", 1),
        (b"---\nstatus: \"final\nworkflow_id: w\n---\n\n## TODO\n\n- [x] one\n", 3),
    ] {
        let read = handoff::read("h.md", bytes);
        assert!(read.unclear.iter().any(|one| one.holds && one.line == line), "{read:?}");
    }
}
