//! What a model may write in order to be more than text.

use crate::accounts;
use forge_artifacts::formats::verdict::Account;
use forge_debate::plan::OptionId;
use forge_debate::tally::Cited;
use forge_debate::verdict::{Cause, Decision};

/// Texts that would be markup, code, links or tricks of the eye, if anybody let them.
pub(crate) fn texts() -> Vec<String> {
    let mut texts: Vec<String> = [
        "<script>alert(1)</script>",
        "</svg><script>alert(1)</script>",
        "</style><img src=x onerror=alert(1)>",
        "\" onload=\"alert(1)",
        "' onmouseover='alert(1)",
        "]]></title></text><b>",
        "[click](javascript:alert(1)) ![x](http://tracker.example/x.png) <http://tracker.example>",
        "<!-- <b> --> <?php ?> <![CDATA[x]]>",
        "&lt;script&gt; &#60;b&#62; & && &unknown;",
        "\u{202E}txt.exe\u{2066} \u{200B}\u{FEFF}",
        "\u{1b}[31mred\u{7}\u{0}\u{8}",
        "|a|b|\n|---|---|\n# heading\n```\n<b>\n",
        "`<b>` and `unbalanced <i>x",
        "``` <b>",
        "<script",
        "[risk]: http://tracker.example\n\n[risk]",
        "\\<b> \\`<i>`",
        "\u{FFFE}\u{FFFF}\u{1F600}",
        "",
        "   ",
    ]
    .map(str::to_owned)
    .to_vec();
    texts.push("w".repeat(100 * 1024));
    texts
}

/// An account in which everything that somebody may have written is this text.
pub(crate) fn everywhere(text: &str) -> Account {
    let mut account = accounts::judges();
    let said = || text.to_owned();
    account.plan.question = said();
    for option in &mut account.plan.options {
        option.label = said();
    }
    let verdict = &mut account.verdict;
    verdict.position = Some(said());
    verdict.notes = vec![said()];
    for change in &mut verdict.changes {
        change.reason = said();
        change.cited = vec![Cited { name: format!("risk.{text}"), text: said() }];
    }
    for reason in &mut verdict.reasons {
        reason.text = said();
        reason.stand = Some(said());
    }
    for dissent in &mut verdict.dissents {
        dissent.text = said();
    }
    for one in &mut verdict.course.challenges {
        one.text = said();
    }
    for stand in verdict.course.stands.iter_mut().take(2) {
        (stand.cast, stand.counted, stand.word) = (None, None, Some(said()));
    }
    for quote in verdict.grounding.iter_mut().flat_map(|grounding| &mut grounding.quotes) {
        (quote.text, quote.source) = (said(), said());
        if let Some(place) = &mut quote.found {
            place.material = said();
        }
    }
    let other = accounts::confrontation().verdict;
    verdict.assumptions = other.assumptions;
    verdict.positions = other.positions;
    for assumption in &mut verdict.assumptions {
        (assumption.why, assumption.what_would_change, assumption.assumption) = (said(), said(), said());
    }
    for position in &mut verdict.positions {
        (position.text, position.because) = (said(), vec![Cause { seat: None, text: said() }]);
    }
    let gate = accounts::gate().verdict;
    (verdict.findings, verdict.missing) = (gate.findings, gate.missing);
    for finding in &mut verdict.findings {
        (finding.file, finding.text) = (said(), said());
    }
    for missing in &mut verdict.missing {
        missing.detail = said();
    }
    verdict.abstentions = accounts::panel(3, 1).verdict.abstentions;
    for abstention in &mut verdict.abstentions {
        abstention.why = said();
    }
    if let Some(control) = &mut verdict.control {
        (control.only_in_debate, control.only_in_control) = (vec![said()], vec![said()]);
    }
    verdict.decision = Some(Decision { by: said(), option: OptionId::from("A"), because: said(), overrules: None });
    for served in &mut account.served {
        (served.model, served.family) = (Some(said()), Some(said()));
    }
    for turn in &mut account.turns {
        (turn.agent, turn.model_served, turn.file) = (said(), Some(said()), said());
    }
    account.verdict.course.challenges.push(accounts::challenge("risk", "value", 2, text));
    account
}

/// Many blanks and many settings are read in one pass each.
#[test]
fn a_question_file_of_nothing_but_blanks_and_settings_is_refused_at_once() {
    use forge_artifacts::formats::question;
    let blanks: String = (0..5_000).map(|_| "  - {label: \"{name}\"}\n").collect();
    let said = question::read(&format!("question_text: x\noptions:\n{blanks}")).unwrap_err();
    assert!(said.contains("line 3: options[0].label is {name}") && said.contains("and 4980 more"), "{said}");
    let settings: String = (0..5_000).map(|n| format!("  key{n}: {n}\n")).collect();
    let read = question::read(&format!("question_text: x\noptions: [a, b]\ndebate_config:\n{settings}")).unwrap();
    assert_eq!((read.config.len(), read.config.iter().find(|(name, ..)| name == "key4999").unwrap().2), (5_000, 5_003));
    let json = "{\"question_text\": \"x\", \"options\": [\"a\", \"b\"],\n\"debate_config\": {\"max_rounds\": 1,\n\"timeout_per_judge\": 3}}";
    let lines: Vec<usize> = question::read(json).unwrap().config.iter().map(|(.., line)| *line).collect();
    assert_eq!(lines, [2, 3]);
}
