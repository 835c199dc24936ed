//! The handoff: the described sample is read, a box is ticked and nothing else, and cells come back as they went.

use forge_artifacts::formats::handoff::{header, read, write};
use forge_artifacts::formats::phase_document::tick;
use forge_workflow::extract::passages::{lines, table_at};
use forge_workflow::handoff::Handoff;
use forge_workflow::knowledge::{Constraint, Decision};
use forge_workflow::snapshot::Checkbox;

const DESCRIBED: &str = include_str!("documents/described_handoff.md");

fn line_of(text: &str) -> usize {
    DESCRIBED.lines().position(|line| line.contains(text)).unwrap() + 1
}

fn open(text: &str) -> Checkbox {
    Checkbox { text: text.to_owned(), ticked: false, line: line_of(text) }
}

// seed: S1-70
#[test]
fn the_described_sample_is_read_and_ticked() {
    let found = read("docs/forge/handoffs/brainstorm-to-research.md", DESCRIBED.as_bytes());
    assert_eq!(
        found.todo,
        [
            open("Validate OAuth2 provider capabilities"),
            open("Research JWT libraries for our stack"),
            open("Verify refresh token rotation patterns"),
            open("Document security considerations"),
        ]
    );
    assert_eq!(
        found.escalations,
        [
            open("OAuth2 provider doesn't support required flows"),
            open("JWT libraries have critical vulnerabilities"),
            open("Performance requirements exceed JWT capabilities"),
        ]
    );
    let said = header(DESCRIBED.as_bytes()).unwrap();
    assert_eq!((said.0.as_str(), said.1.as_str()), ("brainstorm", "research"));
    assert_eq!(said.2.as_deref(), Some("forge-20260127-143022"));

    for one in found.todo.iter().chain(&found.escalations) {
        let ticked = tick(DESCRIBED, one.line);
        assert_eq!(ticked, DESCRIBED.replace(&format!("[ ] {}", one.text), &format!("[x] {}", one.text)));
        let again = read("", ticked.as_bytes());
        let boxes: Vec<&Checkbox> = again.todo.iter().chain(&again.escalations).filter(|one| one.ticked).collect();
        assert_eq!(boxes, [&Checkbox { ticked: true, ..one.clone() }]);
    }
}

fn handoff(decisions: Vec<Decision>, constraints: Vec<Constraint>) -> Handoff {
    let name = |name: &str| (name.to_lowercase(), name.to_owned());
    Handoff {
        from: name("Design"),
        to: name("Build"),
        generated_at: "2026-01-27T15:00:00Z".to_owned(),
        workflow_id: "forge-1".to_owned(),
        summary: vec!["Looked\raround.".to_owned(), "Overview: one\nstore".to_owned()],
        outcomes: Vec::new(),
        time_spent: "1 hour".to_owned(),
        warnings: Vec::new(),
        rehearsed: false,
        skipped: None,
        decisions,
        assumptions: Vec::new(),
        constraints,
        todo: vec!["one\u{202E}\u{85}two".to_owned()],
        escalations: Vec::new(),
        ticked: Vec::new(),
        risks: Vec::new(),
        artifacts: Vec::new(),
    }
}

#[test]
fn cells_come_back_as_they_went() {
    for words in ["a | b", "a\\|b", "ends with \\", "a<br>b", "\\\\|\\"] {
        let decision = Decision { id: "D1".to_owned(), title: words.to_owned(), ..Decision::default() };
        let constraint = Constraint { id: "C1".to_owned(), text: words.to_owned(), ..Constraint::default() };
        let text = write(&handoff(vec![decision], vec![constraint]));
        let lines = lines(&text).all;
        let tables = (0..lines.len()).filter_map(|at| table_at(&lines, at));
        let second: Vec<String> = tables.take(2).map(|table| table.rows[0].1[1].clone()).collect();
        assert_eq!(second, [words, words], "{text}");
    }
}

#[test]
fn line_ends_part_words() {
    let text = write(&handoff(Vec::new(), Vec::new()));
    assert!(text.contains("\nLooked around.\n") && text.contains("1. [ ] one two\n"), "{text}");
}

#[test]
fn a_locked_decision_without_an_id_is_named_by_its_title() {
    for (head, row, wanted) in [
        ("Title | Challenge Requires Debate", "Remind by mail | Yes", Err("\"Remind by mail\" has no id")),
        ("Decision | Title", "D1 | Remind by mail", Ok(("D1", "Remind by mail"))),
        ("Decision ID | Title | Rationale", "D001 | Remind by mail | cheap", Ok(("D001", "Remind by mail"))),
        ("Decision | Rationale", "Remind by mail | cheap", Err("\"Remind by mail\" has no id")),
    ] {
        let rule = "---|".repeat(head.matches('|').count() + 1);
        let found = read("x.md", format!("## Locked Decisions\n\n| {head} |\n|{rule}\n| {row} |\n").as_bytes());
        let locked: Vec<_> = found.locked.iter().map(|one| (one.id.as_str(), one.title.as_str())).collect();
        match wanted {
            Ok(one) => assert_eq!(locked, [one], "{head}"),
            Err(words) => assert!(found.unclear.iter().any(|one| one.text.contains(words)), "{head}: {found:?}"),
        }
    }
}

#[test]
fn drafts_templates_and_stubs_say_nothing() {
    use forge_artifacts::formats::proof;
    let stubs = [
        "",
        "# Handoff\n",
        "# Handoff\n\nTBD\n",
        "# Übergabe\n\nNoch zu schreiben.\n",
        "# Transfert\n\n- À faire\n",
        "# Entrega\n\nPor hacer\n",
        "# 引き継ぎ\n\n作成中\n",
        "# 交接\n\n待完成\n",
        "# Handoff\n\n**From:** \n**To:** \n",
        "# Handoff\n\n| ID | Decision |\n|---|---|\n| D001 | |\n| D002 | [what] |\n",
        "# Handoff\n\n- [ ] [Task]\n- [ ] ...\n",
        "# Handoff\n\n<!-- the summary -->\n",
        "# Handoff\n\nLorem ipsum dolor sit amet.\n",
        "# Handoff\n\n{{SUMMARY}}\n",
        "# Handoff\n\nThis will be added later.\n",
        "# Handoff\n\nThe summary is not written yet.\n",
        "# Handoff\n\n- Phase output: `docs/forge/phases/research.md`\n",
        "# Handoff\n\nReady to proceed: Yes/No\n",
    ];
    for text in stubs {
        assert_eq!(proof::of(text.as_bytes()).said, 0, "{text}");
    }
    for text in [
        "# Handoff\n\nDone.\n",
        "| ID | Decision |\n|---|---|\n| D2 | Print |\n",
        "- [x] Print ten cards\n",
        "Choice: Mail\n",
    ] {
        assert!(proof::of(text.as_bytes()).said > 0, "{text}");
    }
    for (status, is_draft) in [
        ("draft", true),
        ("WIP", true),
        ("Entwurf", true),
        ("in_progress", true),
        ("final", false),
        ("complete", false),
    ] {
        let text = format!("---\nstatus: {status}\n---\n\nDone.\n");
        assert_eq!(proof::of(text.as_bytes()).is_draft, is_draft, "{status}");
    }
    for (line, skips) in [
        ("> **DEBATE SKIPPED: brainstorm called for one (always) and was left with --no-debate.**", true),
        ("The debate was skipped.", true),
        ("No debate was held.", true),
        ("Chose mail. The phase was run with --no-debate.", true),
        ("Chose mail without a debate.", true),
        ("Mail gewählt. Die Debatte entfiel.", true),
        ("Choisi sans débat.", true),
        ("Debate ID: none", true),
        ("- **Debate status:** pending", true),
        ("**Debate:** not held", true),
        ("**Debate:** skipped", true),
        ("| Debate | skipped |", true),
        ("---\nstatus: final\ndebate_skipped: true\n---\nChose mail.", true),
        ("---\ndebate_gate_passed: false\n---\nChose mail.", true),
        ("---\ndebate_id: null\ndebate_skipped: false\ndebate_gate_passed: true\n---\nChose mail.", false),
        ("Debate ID: brainstorm-20260201-100000", false),
        ("**Debate status:** completed", false),
        ("Debate ID: [id]", false),
        ("The debate chose mail.", false),
        ("D1 must not be changed without a debate.", false),
        ("D1 darf nicht ohne Debatte geändert werden.", false),
        ("Changing D1 needs a debate.", false),
        ("Never change D1 without a debate.", false),
    ] {
        assert_eq!(proof::of(line.as_bytes()).is_without_debate, skips, "{line}");
    }
}

#[test]
fn a_synthesis_shows_a_debate_only_if_it_decides() {
    use forge_artifacts::formats::proof;
    let summary =
        "# Synthesis\n\n## Debate Summary\n\nAll three spoke of costs. The desk counted, the server copes.\n\n";
    let after = "\n\n## Fallback Plan\n\nPostcards.\n\n## Action Items\n\n| # | Action | Owner |\n|---|---|---|\n| 1 | Build | Ann |\n";
    for (decision, decides) in [
        ("**Selected:** Option C - Digest mail", true),
        ("**Decision:** Digest mail, not postcards", true),
        ("**Choice:** C", true),
        ("Option C - Digest mail", true),
        ("We choose the digest mail, because it costs nothing.", true),
        ("The digest mail is chosen.", true),
        ("Wir haben uns für die Mail entschieden.", true),
        ("| Option | Verdict |\n|---|---|\n| Mail | Selected |\n| Postcard | Rejected |", true),
        ("**Decision:** DEFER\n\nWe could not decide.", false),
        ("**Decision:** REJECT\n\nNone of the options is good enough.", false),
        ("**Selected:** none", false),
        ("**Selected:** [Option]", false),
        ("**Selected:** mail, pending the legal review", false),
        ("**Status:** deferred\n\n**Selected:** mail", false),
        ("We are leaning towards mail, pending the legal review.", false),
        ("No decision was made.", false),
        ("Vertagt.", false),
        ("Mail or postcard?", false),
        ("", false),
    ] {
        let text = format!("{summary}## Final Decision\n\n{decision}{after}");
        assert_eq!(proof::synthesis(text.as_bytes()).is_some(), decides, "{decision}");
    }
    for (text, decides) in [
        (format!("{summary}{after}"), false),
        ("# Synthesis\n\nWe choose postcards: the desk prints them at no cost.\n".to_owned(), true),
        (format!("{summary}## Final Decision: Digest mail{after}"), true),
        (format!("{summary}## Entscheidung\n\n**Gewählt:** Mail{after}"), true),
        ("# S\n\nlorem ipsum lorem ipsum lorem ipsum\n".to_owned(), false),
    ] {
        assert_eq!(proof::synthesis(text.as_bytes()).is_some(), decides, "{text}");
    }
    for (decision, chosen) in [
        ("**Selected:** Option C - Digest mail", "Digest mail"),
        ("**Selected:** Option C — Digest mail (cheap)", "Digest mail"),
        ("**Decision:** Digest mail, not postcards", "Digest mail"),
        ("**Decision:** PROCEED\n\n**Choice:** B: Text message", "Text message"),
        ("**Choice:** C", "C"),
        ("**Choice:** Option C\n\nOption C: Digest mail", "Digest mail"),
        ("We choose the digest mail, because it costs nothing.", "We choose the digest mail"),
        ("| Option | Verdict |\n|---|---|\n| Mail | Selected |\n| Postcard | Rejected |", "Mail"),
    ] {
        let text = format!("{summary}## Final Decision\n\n{decision}{after}");
        assert_eq!(proof::synthesis(text.as_bytes()).map(|one| one.chosen).as_deref(), Some(chosen), "{decision}");
    }
    let open = "# Brainstorm\n\n**Selected Approach:** [Name]\n\n### Option A: [Name] (REJECTED)\nslow\n";
    assert!(proof::of(open.as_bytes()).is_draft);
    assert!(!proof::of(open.replace("[Name]", "Mail").as_bytes()).is_draft);
}

/// What is written beside or below an open condition belongs to it, and one that lost its box is asked about.
#[test]
fn words_beside_an_open_condition_are_kept() {
    let conditions = "# Phase Handoff: a → b\n\n## Escalation Conditions\n\n- [ ] A1 turns out wrong: x\n  - this is now the case\n- [ ] A2 turns out wrong: y\n";
    let found = read("docs/forge/handoffs/a-to-b.md", conditions.as_bytes()).escalations;
    let texts: Vec<&str> = found.iter().map(|one| one.text.as_str()).collect();
    assert_eq!(texts, ["A1 turns out wrong: x this is now the case", "A2 turns out wrong: y"]);
    let unboxed = conditions.replace("- [ ] A2 turns", "- A2 turned");
    let found = read("docs/forge/handoffs/a-to-b.md", unboxed.as_bytes()).unclear;
    assert!(found.iter().any(|one| one.holds && one.line == 7), "{found:#?}");
    let signed = "# Phase Handoff: a → b\n\n## Sign-off\n\nReady to proceed: ⚠️ Yes, once Petra is back\n";
    assert!(read("docs/forge/handoffs/a-to-b.md", signed.as_bytes()).unclear.iter().any(|one| one.holds));
    for plain in ["✅ Yes", "⚠️ Yes", "Yes"] {
        let signed = format!("# Phase Handoff: a → b\n\n## Sign-off\n\nReady to proceed: {plain}\n");
        assert_eq!(read("docs/forge/handoffs/a-to-b.md", signed.as_bytes()).unclear, [], "{plain}");
    }
}
