//! Broken input of every kind: nothing panics, nothing takes long, and what is read holds together.

use forge_artifacts::document::{Document, decode, set_front_value};
use forge_artifacts::formats::{handoff, phase_document};
use forge_artifacts::markdown::{draft, draft_of_bytes};
use proptest::prelude::*;

const DOCUMENTS: &[&str] = &[
    concat!(
        "---\n",
        "debate: brainstorm-20260101-120000\n",
        "seat: skeptic\n",
        "role: skeptic\n",
        "stage: opening\n",
        "round: 1\n",
        "agent: claude\n",
        "model_asked: opus\n",
        "attempts: 1\n",
        "tokens_in: 1200\n",
        "cost_usd: 0.0123\n",
        "brief_digest: \"sha256:0123456789abcdef\"\n",
        "---\n",
        "\n",
        "# Skeptic\n",
        "\n",
        "## 1. Core Concern\n",
        "The cache is a second source of truth. It will drift.\n",
        "\n",
        "## 2. Critical Questions\n",
        "1. Who invalidates?\n",
        "2. What is the p99 now?\n",
        "   - nested\n",
        "\n",
        "## Risk Table\n",
        "\n",
        "| Risk | Probability | Impact |\n",
        "|---|---|---|\n",
        "| drift | 2 | 3 |\n",
        "\n",
        "```json\n",
        "{\"option\": \"B\", \"confidence\": \"medium\", \"arguments\": [{\"id\": \"a1\", \"text\": \"two writers\"}]}\n",
        "```\n",
    ),
    concat!(
        "\u{FEFF}---\r\n",
        "id: \"007\"\r\n",
        "options:\r\n",
        "  - id: A\r\n",
        "    label: 'Redis, managed'\r\n",
        "  - id: B\r\n",
        "    label: |\r\n",
        "      Memcached\r\n",
        "      on our hosts\r\n",
        "note: &n {a: 1}\r\n",
        "again: *n\r\n",
        "...\r\n",
        "Spec\r\n",
        "====\r\n",
        "\r\n",
        "**Chosen Option:** B\r\n",
        "- **Confidence**: HIGH\r\n",
        "\r\n",
        "Part\r\n",
        "---\r\n",
        "> ## quoted\r\n",
        "> ```json\r\n",
        "> {}\r\n",
        "> ```\r\n",
    ),
    concat!(
        "\u{1B}[1mSure!\u{1B}[0m Here is my ballot:\n",
        "\n",
        "~~~JSON\n",
        "{\n",
        "  \"verdict\": \"partial\",\n",
        "  \"objection_strength\": \"moderate\",\n",
        "  \"evidence\": \"\\u00e9\\ud83d\\udc4d\",\n",
        "  \"n\": [1, 2.50, -3e7, null, true]\n",
        "}\n",
        "~~~\n",
        "\n",
        "<!-- ## not a heading -->\n",
        "\n",
        "    ## code\n",
        "\n",
        "## Alternative ##\n",
        "<details>\n",
        "\n",
        "### Inner\n",
        "\n",
        "</details>\n",
    ),
    include_str!("documents/origin_brainstorm_to_research.md"),
    concat!(
        "# Brainstorm Options: remind readers\n\n**Options:**\n\n- A: Postcard - a card\n- [ ] **Text message** — 6 cents\n\n",
        "## Option A: Postcard\n\n**Pros:**\n- known\n\n## Considered Options\n\n| | Postcard | Fax |\n|---|---|---|\n| Cost | 6 | 7 |\n\n",
        "A) Postcard\nB) Text `a: b`\n: what it is\n\n1️⃣ Digest mail\n",
    ),
    "{\"option\": \"A\", \"reason\": \"because\", \"nested\": {\"deep\": [[[{\"x\": \"y\"}]]]}}",
];

const SHRAPNEL: &[&[u8]] = &[
    b"---\n",
    b"...\n",
    b"```json\n",
    b"```",
    b"~~~",
    b"{",
    b"}",
    b"[",
    b"]",
    b"\"",
    b"'",
    b"\\",
    b": ",
    b"#",
    b"## ",
    b"\n",
    b"\r\n",
    b"\r",
    b"\0",
    b"\xFF",
    b"\xE2\x82",
    b"\xEF\xBB\xBF",
    b"\xFF\xFE",
    b"\x1B[",
    b"\x1B]0;",
    b"&a ",
    b"*a",
    b"<<: *a\n",
    b"!!int ",
    b"|\n",
    b">-\n",
    b"? ",
    b"- ",
    b"    ",
    b"\t",
    b"> ",
    b"<!--",
    b"-->",
    b"**",
    b"\xC2\x85",
    b"\xE2\x80\xA8",
    b"status: ",
    b"| a |\n|---|\n",
    b"\xC2\x9B",
    b"==\n",
    b"%",
    b"@",
    b"`",
];

/// A small generator with a fixed seed: the same run everywhere.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit.max(1)
    }
}

fn mutate(bytes: &mut Vec<u8>, dice: &mut Dice) {
    let at = dice.below(bytes.len() + 1);
    let end = at + dice.below((bytes.len() - at).min(40) + 1);
    match dice.below(6) {
        0 => bytes.truncate(at),
        1 => drop(bytes.drain(at..end)),
        2 => {
            let copy = bytes[at..end].to_vec();
            let to = dice.below(bytes.len() + 1);
            bytes.splice(to..to, copy);
        }
        3 if at < bytes.len() => bytes[at] = u8::try_from(dice.below(256)).unwrap(),
        _ => drop(bytes.splice(at..at, SHRAPNEL[dice.below(SHRAPNEL.len())].iter().copied())),
    }
}

fn read_every_way(bytes: &[u8]) {
    let decoded = decode(bytes);
    assert!(!decoded.text.contains(['\r', '\0']));
    let document = Document::parse(&decoded.text);
    assert!(decoded.text.ends_with(&document.body));
    let lines_before = decoded.text[..decoded.text.len() - document.body.len()].matches('\n').count();
    assert_eq!(document.body_line, lines_before + 1);
    let last_line = decoded.text.matches('\n').count() + 1;
    for limit in [bytes.len(), bytes.len() / 2] {
        let draft = draft_of_bytes(bytes, limit);
        assert!(draft.sections.iter().all(|section| (1..=last_line).contains(&section.line)));
        assert!(draft.ballot.is_none() || draft.ballot_problem.is_none());
    }
    for heading in [&b""[..], b"## Options\n\n", b"## TODO\n\n", b"## Escalation\n\n", b"## Locked Decisions\n\n"] {
        let bytes = [heading, bytes].concat();
        // However lines end.
        let last = bytes.iter().filter(|byte| matches!(byte, b'\n' | b'\r')).count() + 2;
        let options = phase_document::read_options("o.md", Some(&bytes));
        let mut told = options.unclear.clone();
        told.extend(phase_document::read("p.md", &bytes).unclear);
        told.extend(handoff::read("h.md", &bytes).unclear);
        assert!(told.iter().all(|one| (1..=last).contains(&one.line)), "{told:?}");
        assert!(options.options.iter().all(|option| !option.label.trim().is_empty()));
    }
    let whole = draft(&decoded.text, 1);
    assert!(whole.text.len() <= decoded.text.len());
    let raw = String::from_utf8_lossy(bytes);
    for text in [decoded.text.as_str(), &raw] {
        let set = set_front_value(text, "status", "done");
        if let Some(fields) = Document::parse(text).fields() {
            let after = Document::parse(&set);
            let mut expected = fields.clone();
            expected.insert("status".to_owned(), "done".into());
            assert_eq!(after.fields(), Some(&expected), "{text:?}\n{set:?}");
            assert_eq!(after.body, Document::parse(text).body, "{text:?}\n{set:?}");
        }
    }
}

#[test]
fn mutated_documents_are_read() {
    let mut dice = Dice(42);
    for round in 0..1_500 {
        let mut bytes = DOCUMENTS[round % DOCUMENTS.len()].as_bytes().to_vec();
        for _ in 0..=dice.below(6) {
            mutate(&mut bytes, &mut dice);
        }
        read_every_way(&bytes);
    }
}

#[test]
fn repeated_shrapnel_is_read_in_no_time() {
    for piece in SHRAPNEL {
        let bytes = piece.repeat(40_000 / piece.len());
        let _ = draft_of_bytes(&bytes, bytes.len());
        let listed = [b"## Options\n\n", bytes.as_slice()].concat();
        let _ = phase_document::read_options("o.md", Some(&listed));
        let _ = handoff::read("h.md", &listed);
        let framed = [b"---\na: ", bytes.as_slice(), b"\n---\n"].concat();
        let _ = Document::parse(&decode(&framed).text);
    }
}

proptest! {
    #![proptest_config(crate::config(300))]

    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        read_every_way(&bytes);
    }

    #[test]
    fn any_text_is_read(text in any::<String>()) {
        read_every_way(text.as_bytes());
    }

    #[test]
    fn any_shrapnel_is_read(pieces in proptest::collection::vec(proptest::sample::select(SHRAPNEL), 0..60)) {
        read_every_way(&pieces.concat());
    }
}
