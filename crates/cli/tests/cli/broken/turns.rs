//! What may stand in a turn's place: half files, foreign files, no files at all.

use super::{Row, check, judged, row, waiting};
use crate::place::Place;
use std::process::Command;

const ADVOCATE: &str = include_str!("../../data/advocate.md");
const TURN: &str = "docs/forge/debate/g1/advocate.md";

/// Something in the place of an outside seat's turn that is no turn yet: the debate waits, and says why.
fn not_yet(name: &str, says: &[&str], set: impl Fn(&Place) + 'static) -> Row {
    row(&format!("not yet: {name}"), &["debate", "run", "g1"], &[3], &[&["WAITING for advocate", TURN], says].concat())
        .set(move |place| {
            waiting(place);
            set(place);
        })
        .then(|place, _| {
            place.forge(&["debate", "status", "g1"]).code(0).out(TURN);
            place.forge(&["gate", "g1"]).code(3).out(TURN);
            place.forge(&["debate", "list"]).code(0);
        })
}

fn bytes(name: &str, says: &[&str], bytes: impl AsRef<[u8]> + 'static) -> Row {
    not_yet(name, says, move |place| place.write(TURN, &bytes))
}

#[test]
fn files_that_are_no_turn_yet() {
    let other_debate = "---\nforge_turn: 1\ndebate: \"g2\"\nseat: \"advocate\"\nrole: \"advocate\"\nstage: \"case\"\nround: 1\nkind: \"speech\"\nagent: \"outside\"\nrehearsal: false\nmodel_asked: null\nmodel_served: null\nasked_at: \"2026-01-01T00:00:00Z\"\nanswered_at: \"2026-01-01T00:00:00Z\"\nattempts: 0\ninput_tokens: null\noutput_tokens: null\ncost: null\nbrief: null\nreply: null\ncalls: \"\"\nplan: \"sha256:0000000000000000000000000000000000000000000000000000000000000000\"\nprevious: \"sha256:0000000000000000000000000000000000000000000000000000000000000000\"\n---\n\n";
    check(vec![
        bytes("empty", &["not a turn yet"], ""),
        bytes("blank", &["not a turn yet"], " \n\n\t\n"),
        bytes("half a line", &["at least 100"], "# Advo"),
        bytes("binary", &["UTF-8"], vec![0xff; 500]),
        bytes("NUL", &["line 3", "NUL"], ADVOCATE.replacen("## Core", "## \0Core", 1)),
        bytes("not UTF-8", &["UTF-8"], [ADVOCATE.as_bytes(), b"\n\xc3\x28\n"].concat()),
        bytes(
            "UTF-16",
            &["UTF-16"],
            [0xFF, 0xFE].into_iter().chain(ADVOCATE.encode_utf16().flat_map(u16::to_le_bytes)).collect::<Vec<u8>>(),
        ),
        bytes("600 KB", &["524288"], format!("{ADVOCATE}\n{}", "and more ".repeat(70_000))),
        bytes("9 MB", &["8 MiB"], vec![b'x'; 9_000_000]),
        not_yet("a folder", &["not a regular file"], |place| std::fs::create_dir_all(place.path(TURN)).unwrap()),
        not_yet("a fifo", &["not a regular file"], |place| {
            let made = Command::new("/usr/bin/mkfifo").arg(place.path(TURN)).status().unwrap();
            assert!(made.success());
        }),
        not_yet("a link that leads nowhere", &[], |place| {
            std::os::unix::fs::symlink("nowhere.md", place.path(TURN)).unwrap()
        }),
        bytes("a turn of another debate", &["g2"], format!("{other_debate}{ADVOCATE}")),
        bytes("front matter that is not closed", &[], "---\nforge_turn: 1\ndebate: \"g1\"\n"),
    ]);
}

/// Whatever can be read is read, however it was saved.
#[test]
fn files_that_are_turns() {
    let taken = |name: &str, text: String| {
        row(
            &format!("a turn: {name}"),
            &["debate", "run", "g1"],
            &[3],
            &["WAITING for skeptic, operator", "here       advocate"],
        )
        .set(move |place| {
            waiting(place);
            place.write(TURN, &text);
        })
    };
    check(vec![
        taken("as it should be", ADVOCATE.to_owned()),
        taken("with a mark", format!("\u{feff}{ADVOCATE}")),
        taken("with CRLF", ADVOCATE.replace('\n', "\r\n")),
        taken("with front matter", format!("---\nauthor: dana\n---\n{ADVOCATE}")),
        taken("with a line of 100 KB", format!("{ADVOCATE}\n{}\n", "x".repeat(100_000))),
        taken("with escapes", format!("{ADVOCATE}\n\u{1b}[2J\u{202e}\n")),
        taken("with a rule on top", format!("---\n\n{ADVOCATE}")),
        taken("without a final line end", ADVOCATE.trim_end().to_owned()),
        taken(
            "with a bomb for a ballot",
            format!("{ADVOCATE}\n```json\n{}{}\n```\n", "[".repeat(100_000), "]".repeat(100_000)),
        ),
        taken("with unknown sections", format!("{ADVOCATE}\n## Appendix\n\nMore.\n")),
    ]);
}

#[test]
fn forged_turns_do_not_count_as_forges_own() {
    // An outside writer may not declare a seat absent, nor speak in another's name.
    let place = Place::new();
    waiting(&place);
    place.write(
        TURN,
        "---\nforge_turn: 1\ndebate: \"g1\"\nseat: \"skeptic\"\nrole: \"skeptic\"\nstage: \"case\"\nround: 1\nkind: \"speech\"\nagent: \"outside\"\nrehearsal: false\nasked_at: \"\"\nanswered_at: \"\"\nattempts: 0\ncalls: \"\"\nplan: \"sha256:0000000000000000000000000000000000000000000000000000000000000000\"\nprevious: \"sha256:0000000000000000000000000000000000000000000000000000000000000000\"\n---\n\nNothing.\n",
    );
    place.forge(&["debate", "run", "g1"]).code(3).out("WAITING").out("advocate");
}

#[test]
fn headings_in_fences_are_no_headings() {
    let place = Place::new();
    waiting(&place);
    place.write(
        TURN,
        format!(
            "# Advocate\n\nThis is only a sketch, and what stands in the fence is an example.\n\n```\n{ADVOCATE}\n```\n"
        ),
    );
    let done = place.forge(&["debate", "run", "g1"]).code(3);
    place.write("docs/forge/debate/g1/skeptic.md", include_str!("../../data/skeptic.md"));
    place.write("docs/forge/debate/g1/operator.md", include_str!("../../data/operator.md"));
    place.write("docs/forge/debate/g1/synthesis.md", include_str!("../../data/synthesis.md"));
    let after = place.forge(&["debate", "run", "g1"]);
    let told = format!("{}{}", done.err, after.out);
    for section in ["Core Argument", "Key Strengths", "Risk Acceptance"] {
        assert!(told.contains(&format!("{section}\" is missing")), "{section}: {after}");
    }
}

#[test]
fn duplicated_headings_are_told_with_their_line() {
    let place = Place::new();
    waiting(&place);
    let twice = format!("{ADVOCATE}\n## Core Argument\n\nOr rather build it.\n");
    let line = twice.lines().position(|line| line == "## Core Argument").unwrap() + 1;
    let again = twice.lines().count() - 2;
    place.write(TURN, twice);
    let done = place.forge(&["turn", "submit", "g1", "skeptic", "--file", TURN]);
    assert!(matches!(done.code, 0 | 2), "{done}");
    let place = Place::new();
    waiting(&place);
    place.write("turn.md", format!("{ADVOCATE}\n## Core Argument\n\nOr rather build it.\n"));
    let done = place.forge(&["turn", "submit", "g1", "advocate", "--file", "turn.md"]).code(2);
    assert!(
        done.err.contains(&format!("line {again}: section \"Core Argument\" stands here again (first on line {line})")),
        "{done}"
    );
}

/// A turn on record that was damaged is made again from the raw reply, and nobody is asked for it.
fn mended(name: &str, says: &[&str], damage: impl Fn(&Place, &str) + 'static) -> Row {
    const RISK: &str = "docs/forge/sadd/debate-q1-risk.md";
    row(&format!("mended: {name}"), &["debate", "run", "q1"], &[0], &[&[RISK], says].concat())
        .set(move |place| {
            judged(place);
            damage(place, RISK);
        })
        .then(|place, done| {
            assert!(!done.err.contains("thinking"), "nobody is asked again: {done}");
            let verdict = place.json("docs/forge/sadd/debate-q1-trail/verdict.json");
            assert_eq!(verdict["spent"]["calls"], 3, "{done}");
            assert_eq!(verdict["outcome"], "consensus");
            assert!(place.read(RISK).contains("\"option\": \"A\""));
        })
}

#[test]
fn damaged_turns_are_mended_from_the_raw_reply() {
    check(vec![
        mended("cut short", &["aside"], |place, risk| place.edit(risk, |text| text[..text.len() / 2].to_owned())),
        mended("cut in its header", &["aside"], |place, risk| place.edit(risk, |text| text[..120].to_owned())),
        mended("overwritten", &["aside"], |place, risk| place.write(risk, "I was here.")),
        mended("emptied", &["aside"], |place, risk| place.write(risk, "")),
        mended("binary", &["aside"], |place, risk| place.write(risk, [0xff; 99])),
        mended("another seat's", &["aside", "opening-r1-value"], |place, risk| {
            let other = place.read("docs/forge/sadd/debate-q1-value.md");
            place.write(risk, other);
        }),
        mended("from another debate", &["aside", "q2"], |place, risk| {
            place.edit(risk, |text| text.replacen("debate: \"q1\"", "debate: \"q2\"", 1))
        }),
        mended("without its ballot", &["aside"], |place, risk| {
            place.edit(risk, |text| text.split("```json").next().unwrap().to_owned())
        }),
    ]);
}

#[test]
fn a_removed_turn_is_written_again_from_its_reply() {
    let place = Place::new();
    judged(&place);
    let before = place.tree();
    std::fs::remove_file(place.path("docs/forge/sadd/debate-q1-risk.md")).unwrap();
    let done = place.forge(&["debate", "run", "q1"]).code(0);
    assert!(!done.err.contains("thinking"), "{done}");
    assert_eq!(place.tree(), before);
}

/// What stands in an agent's way and is no file is not removed; whoever put it there is told.
#[test]
fn what_stands_in_an_agents_way() {
    let args = ["debate", "Which way is best?", "--id", "q1", "--option", "One way", "--option", "Another way"];
    const RISK: &str = "docs/forge/sadd/debate-q1-risk.md";
    check(vec![
        row("in the way: a folder", &args, &[2], &[RISK, "from before this debate"])
            .set(|place| place.write(&format!("{RISK}/mine.txt"), "mine")),
        row("in the way: a fifo", &args, &[2], &[RISK, "from before this debate"]).set(|place| {
            std::fs::create_dir_all(place.path("docs/forge/sadd")).unwrap();
            assert!(Command::new("/usr/bin/mkfifo").arg(place.path(RISK)).status().unwrap().success());
        }),
        row("in the way: 9 MB", &args, &[2], &[RISK, "from before this debate"])
            .set(|place| place.write(RISK, vec![b'x'; 9_000_000])),
        row("in the way: a note", &args, &[2], &[RISK, "from before this debate"])
            .set(|place| place.write(RISK, "my own notes"))
            .then(|place, _| assert_eq!(place.read(RISK), "my own notes")),
        row("in the way: a folder for the verdict", &args, &[2], &["verdict.json"])
            .set(|place| place.write("docs/forge/sadd/debate-q1-trail/verdict.json/x", "x")),
        row("in the way: a folder for the result", &args, &[2], &["result.yaml"])
            .set(|place| place.write("docs/forge/sadd/debate-q1-result.yaml/x", "x")),
        row("in the way: a file for the trail", &args, &[1, 2], &["debate-q1-trail"])
            .set(|place| place.write("docs/forge/sadd/debate-q1-trail", "x")),
        row("in the way: an old brief", &args, &[2], &["from before this debate"])
            .set(|place| place.write("docs/forge/sadd/debate-q1-trail/briefs/opening-r1-risk.1.md", "x")),
        row("in the way: an old reply that is garbage", &args, &[2], &["from before this debate"]).set(|place| {
            place.write("docs/forge/sadd/debate-q1-trail/briefs/opening-r1-risk.1.md", "x");
            place.write("docs/forge/sadd/debate-q1-trail/replies/opening-r1-risk.1.md", [0xff, 0x00]);
        }),
    ]);
}
