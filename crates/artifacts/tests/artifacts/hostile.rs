//! What a model may write in order to be more than text.

use crate::accounts;
use forge_artifacts::formats::verdict::Account;
use forge_debate::fact;
use forge_debate::fact::Note;
use forge_debate::plan::OptionId;
use forge_debate::verdict::{Cause, Decision};
use forge_debate::voting::CitedArgument;

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
    texts.extend(MARKUP.iter().map(|text| (*text).to_owned()));
    texts.push("w".repeat(100 * 1024));
    texts
}

/// Markup in markup: what is inside comes to life if only what is around it is escaped.
const MARKUP: &[&str] = &[
    "\\<script>alert(2)</script>",
    "\\\\<script>alert(2)</script>",
    "\\![k](http://evil.example/k.png)",
    "\\[k](javascript:alert(1))",
    "!\\[k](http://evil.example/k.png)",
    "\\\\![k](http://evil.example/k.png)",
    "\\<http://evil.example/a>",
    "<!-- ![k](http://evil.example/k.png) -->",
    "<!-- [k](javascript:alert(1)) -->",
    "<b title=\"![k](http://evil.example/k.png)\">",
    "`a ![k](http://evil.example/k.png)",
    "`` a ` ![k](http://evil.example/k.png) `",
    "\\`![k](http://evil.example/k.png)`",
    "![q](//evil.example/q.png)",
    "![q](x.png)",
    "![multi word](http://evil.example/m.png)",
    "![m](http://evil.example/m.png \"t\")",
    "![a](<http://evil.example/a b.png>)",
    "![r][ref] and\n\n[ref]: http://evil.example/r.png",
    "![ref]\n\n[ref]: http://evil.example/r.png",
    "x\n\n[ref]: javascript:alert(1)\n\n[ref]",
    "[z](vbscript:x)",
    "[v](JaVaScRiPt&colon;alert(1))",
    "[v](&#106;avascript:alert(1))",
    "[n](javas\u{200b}cript:alert(1))",
    "!\u{200b}[k](http://evil.example/k.png)",
    "<scr\u{200b}ipt>3</scr\u{200b}ipt>",
    "<\u{200b}script>3</script>",
    "<svg/onload=alert(1)>",
    "<img/src=http://evil.example/x.png>",
    "<ScRiPt>1</sCrIpT>",
    "<img\nsrc=http://evil.example/x.png>",
    "<![CDATA[ ![k](http://evil.example/k.png) ]]>",
    "<?x ![k](http://evil.example/k.png) ?>",
    "<!X ![k](http://evil.example/k.png)>",
    "[![k](http://evil.example/k.png)](javascript:alert(1))",
    "![a ![b](http://evil.example/b.png)](http://evil.example/a.png)",
    "&lt;script&gt;",
    "<javascript:alert(1)>",
    "http://evil.example/b",
    "!\u{1b}[31m[k](http://evil.example/k.png)",
    "!\r[k](http://evil.example/k.png)",
    "$![k](http://evil.example/k.png)$",
    "a | ![k](http://evil.example/k.png) | b",
    "[ ![k](http://evil.example/k.png)",
    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[![k](http://evil.example/k.png)",
    "![[http://evil.example/k.png]]",
    "[^a] ![k](http://evil.example/k.png)\n\n[^a]: ![k](http://evil.example/k2.png)",
    "a\\b\\<img src=http://evil.example/i.png>",
    "\\<img src=http://evil.example/i.png>",
    "<!-- \\<script>alert(2)</script> -->",
    "<!-- <script>alert(2)</script> -->",
    "<b title=\"\\<script>alert(2)</script>\">",
    "<a title=\"[k](javascript:alert(1))\">",
    "<!-- `x` \\`<img src=http://evil.example/z.png>` -->",
    "`\\`<img src=http://evil.example/z.png>",
    "<b a=\"`\"> `<img src=http://evil.example/z.png>`",
    "<!-- ` --> <img src=http://evil.example/z.png> `",
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[x](javascript:alert(1))",
    "![p](http://evil.example/t.png)",
    "<a href=\"javascript:alert(1)\">c</a>",
    "![r][ref]",
    "[ref]: http://evil.example/r.png",
    "<http://evil.example/auto>",
    "[y](data:text/html,<script>1</script>)",
    "<iframe src=http://evil.example></iframe>",
    "</style><script>1</script>",
    "--><script>1</script>",
    "<!--",
    "<details ontoggle=alert(1) open>",
    "[w]( java\tscript:alert(1))",
    "<style>*{background:url(http://evil.example)}</style>",
    "<link rel=stylesheet href=http://evil.example>",
    "<meta http-equiv=refresh content=\"0;url=http://evil.example\">",
    "\\<script>2</script>",
    "`<b>`",
    "<object data=x>",
    "http://evil.example/bare",
    "[^1]: x",
    "| <img src=http://evil.example/tbl.png> |",
    "![multi\nline](http://evil.example/m.png)",
    "<!\u{200b}-- x",
    "```\n</textarea>```",
    "$$\\href{javascript:alert(1)}{x}$$",
    "```mermaid\ngraph TD; A[<img src=x onerror=alert(1)>]-->B; click A \"javascript:alert(1)\"\n```",
    "{% include x %}",
    "<base href=http://evil.example>",
    "<form action=http://evil.example><input>",
    "~~~ `\n~~~\n<img src=http://evil.example/i.png>\n~~~",
    "```\na\n  ```\n<img src=http://evil.example/i.png>\n```",
    "```\na\n\t```\n<img src=http://evil.example/i.png>\n```",
    "- a\n  ```\n<img src=http://evil.example/i.png>\n  ```",
    "```\na\n```\u{a0}\n<img src=http://evil.example/i.png>\n```",
    "```\na\n```x\n<b>\n```\n<i>",
    "`a|b <img src=http://evil.example/i.png>`",
    "`a\\` <img src=http://evil.example/i.png> `",
    "`` ` `` <img src=http://evil.example/i.png> ```",
    "> ```\n<img src=http://evil.example/i.png>\n> ```",
    "1. ~~~\n   <b>\n~~~\n<img src=http://evil.example/i.png>",
    "\\\\[k](http://evil.example)",
    "\\",
    "a\\\n<b>",
    "[key removed](http://evil.example)",
    "[key removed]: http://evil.example",
    "    <b>\n<i>",
    "x\u{200d}[k](http://evil.example)",
    "!\u{9b}31m[k](http://evil.example/k.png)",
    "!\u{1b}]0;t\u{7}[k](http://evil.example/k.png)",
    "<\u{1b}[0mscript>",
    "<\u{2028}script>",
    "|<b>|`|`<i>|",
];

/// An account in which everything that somebody may have written is this text.
pub(crate) fn everywhere(text: &str) -> [Account; 2] {
    [among_judges(text), in_challenge(text)]
}

pub(crate) fn among_judges(text: &str) -> Account {
    let mut account = accounts::judges();
    for change in &mut accounts::ballots(&mut account.verdict).changes {
        change.reason = text.to_owned();
        change.cited = vec![CitedArgument { name: format!("risk.{text}"), text: text.to_owned() }];
    }
    filled(account, text)
}

/// The same where a position was attacked.
fn in_challenge(text: &str) -> Account {
    let mut account = accounts::confrontation();
    let said = || text.to_owned();
    let attacked = accounts::attacked(&mut account.verdict);
    for assumption in &mut attacked.assumptions {
        (assumption.why, assumption.what_would_change, assumption.assumption) = (said(), said(), said());
    }
    for position in &mut attacked.positions {
        (position.text, position.because) = (said(), vec![Cause { seat: None, text: said() }]);
    }
    filled(account, text)
}

fn filled(mut account: Account, text: &str) -> Account {
    let said = || text.to_owned();
    account.plan.question = said();
    for option in &mut account.plan.options {
        option.label = said();
    }
    let verdict = &mut account.verdict;
    verdict.ruling.notes = vec![Note::footnote(fact!("any", "{text}"))];
    for reason in &mut verdict.ruling.reasons {
        reason.text = said();
        reason.stand = Some(said());
    }
    for dissent in &mut verdict.ruling.dissents {
        dissent.text = said();
    }
    for one in &mut verdict.assessment.course.challenges {
        one.text = said();
    }
    for stand in verdict.assessment.course.stands.iter_mut().take(2) {
        (stand.cast, stand.counted, stand.word) = (None, None, Some(said()));
    }
    for quote in verdict.assessment.grounding.iter_mut().flat_map(|grounding| &mut grounding.quotes) {
        (quote.text, quote.source) = (said(), said());
        if let Some(place) = &mut quote.found {
            place.material = said();
        }
    }
    let gate = accounts::gate().verdict;
    (verdict.ruling.findings, verdict.ruling.missing) = (gate.ruling.findings, gate.ruling.missing);
    for finding in &mut verdict.ruling.findings {
        (finding.file, finding.fact) = (said(), fact!("any", "{text}"));
    }
    for missing in &mut verdict.ruling.missing {
        missing.detail = said();
    }
    verdict.ruling.abstentions = accounts::panel(3, 1).verdict.ruling.abstentions;
    for abstention in &mut verdict.ruling.abstentions {
        abstention.why = fact!("any", "{text}");
    }
    if let Some(control) = &mut verdict.assessment.control {
        (control.only_in_debate, control.only_in_control) = (vec![said()], vec![said()]);
    }
    verdict.decision = Some(Decision { by: said(), option: OptionId::from("A"), because: said(), overrules: None });
    for served in &mut account.served {
        (served.model, served.family) = (Some(said()), Some(said()));
    }
    for turn in &mut account.turns {
        (turn.agent, turn.model_served, turn.file) = (said(), Some(said()), said());
        turn.text = Some(said());
    }
    account.verdict.assessment.course.challenges.push(accounts::challenge("risk", "value", 2, text));
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
