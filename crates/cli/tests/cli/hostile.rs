//! Texts of others on the terminal, and keys that come in under another spelling: through the binary, at every door.

use crate::place::{Done, Place};

/// Escape sequences, a title, marks of direction, what nobody sees, and a tab.
const WILD: &str = "\u{1b}[31mred\u{1b}]0;t\u{7}\u{202e}evil\u{200b}\u{9b}2J\u{2066}x\u{7f}\u{ad}\u{e0041}\tz";

/// What must not reach a terminal. A list of the test's own: forge's would agree with itself.
fn steers_or_hides(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t'))
        || matches!(u32::from(c),
            0xAD | 0x34F | 0x61C | 0x115F | 0x1160 | 0x17B4 | 0x17B5 | 0x180E | 0x3164 | 0xFEFF | 0xFFA0
            | 0x200B | 0x200C | 0x200E | 0x200F | 0x2028..=0x202E | 0x2060..=0x206F | 0xFFF9..=0xFFFB
            | 0xE0000..=0xE0FFF)
}

fn looks_clean(done: &Done, args: &[&str]) {
    for said in [&done.out, &done.err] {
        let found: Vec<char> = said.chars().filter(|c| steers_or_hides(*c)).collect();
        assert!(found.is_empty(), "{args:?} prints {found:?} in {said:?}");
    }
}

#[test]
fn no_command_prints_what_steers_a_terminal() {
    let place = Place::new();
    let (question, label) = (format!("Which cache{WILD}?"), format!("Redis{WILD}"));
    let options = ["--option", &label, "--option", "Memcached", "--option", "None"];
    for protocol in ["judges", "gate", "panel", "challenge"] {
        let args = ["debate", &question, "--protocol", protocol, "--agent", "rehearsal", "--id", protocol];
        let args = [&args[..], &options].concat();
        looks_clean(&place.forge(&args), &args);
    }
    let wild = WILD.trim_end();
    place.forge(&["start", wild]);
    place.edit("docs/forge/sadd/debate-judges-plan.md", |text| text.replace("Memcached", &format!("Mem{WILD}")));
    for args in [
        &["debate", "list"][..],
        &["debate", "list", "--json"],
        &["show", "judges"],
        &["show", "panel", "--json"],
        &["show", "challenge"],
        &["gate", "gate"],
        &["gate", "judges", "--json"],
        &["debate", "status", "judges"],
        &["debate", "status", "judges", "--json"],
        &["verify", "--all"],
        &["verify", "--all", "--json"],
        &["export", "panel"],
        &["export", "panel", "--format", "json"],
        &["export", "panel", "--format", "yaml"],
        &["export", "panel", "--format", "adr"],
        &["export", "panel", "--format", "html"],
        &["status"],
        &["status", "--json"],
        &["continue"],
        &["phases"],
        &["tripwires"],
        &["config"],
        &["config", "--json"],
        &["doctor"],
        &["agents"],
        &["brainstorm", wild],
        &["task", "block", wild, "--because", wild],
        &["debate", "--dry-run", &question, "--option", &label, "--option", "b"],
        &["debate", "q", "--protocol", wild],
        &["debate", "q", "--max-calls", wild],
        &["debate", "decide", wild, "A", "--because", wild],
        &["export", "panel", "--format", wild],
        &["turn", "submit", wild, wild],
        &["-C", wild, "status"],
        &["show", wild],
        &[wild],
        &["--x\u{202e}\u{9b}y"],
    ] {
        looks_clean(&place.forge(args), args);
    }
}

#[test]
fn keys_are_gone_at_every_door_however_they_are_spelled() {
    let key = format!("{}{}", ["gh", "p_"].concat(), "Ab3dEf6hIj9lMn2pQr5tUv8xYz1BcD4fGhI7");
    let each = |write: fn(char) -> String| key.chars().map(write).collect::<String>();
    let place = Place::new();
    let spelled = [
        key.clone(),
        format!("x{key}"),
        format!("{}\u{200b}{}", &key[..6], &key[6..]),
        format!("{}\u{1b}[1m{}", &key[..6], &key[6..]),
        format!("{}\u{1}{}", &key[..9], &key[9..]),
        each(|c| format!("\\u{:04x}", u32::from(c))),
        each(|c| format!("%{:02x}", u32::from(c))),
        each(|c| format!("&#{};", u32::from(c))),
        each(|c| format!("{:02x}", u32::from(c))),
        each(|c| char::from_u32(u32::from(c) + 0xFEE0).unwrap_or(c).to_string()),
    ];
    let shows = |text: &str| {
        let seen: String = forge_debate::brief::plain(text).chars().filter_map(forge_debate::hidden::folded).collect();
        seen.contains(&key[12..30]) || spelled.iter().any(|one| text.contains(one))
    };
    for (n, spelled) in spelled.iter().enumerate() {
        let id = format!("d{n}");
        place.write("context.md", format!("# Notes\n\nThe key is {spelled}, sorry.\n"));
        let (question, label) = (format!("Which cache {n}, {spelled}?"), format!("Redis {spelled}"));
        let args = ["debate", &question, "--option", &label, "--option", "B", "--option", "C", "--id", &id];
        let done = place.forge(&[&args[..], &["--context", "context.md", "--agent", "rehearsal"]].concat());
        assert!(!shows(&done.out) && !shows(&done.err), "{n}: {}{}", done.out, done.err);
        place.forge(&[
            "debate",
            "decide",
            &id,
            "A",
            "--overrule",
            "--because",
            spelled,
            "--by",
            &format!("Ada {spelled}"),
        ]);
        let seat = format!("o{n}");
        let args = ["debate", "Which one?", "--option", "Redis", "--option", "B", "--option", "C", "--id", &seat];
        place.forge(&[&args[..], &["--agent", "outside"]].concat());
        let ballot = format!(
            "## Position\n\nRedis it is: {spelled}\n\n```json\n{{\"option\": \"A\", \"reason\": \"{spelled} is why\", \"confidence\": 4}}\n```\n"
        );
        place.write("turn.md", &ballot);
        place.forge(&["turn", "submit", &seat, "risk", "--file", "turn.md"]);
        place.write("turn.md", "");
        place.write("context.md", "");
        for args in [&["show", &id][..], &["debate", "status", &seat], &["debate", "list"], &["verify", "--all"]] {
            let done = place.forge(args);
            assert!(!shows(&done.out) && !shows(&done.err), "{n} {args:?}: {}{}", done.out, done.err);
        }
    }
    for (file, bytes) in place.tree() {
        assert!(!shows(&String::from_utf8_lossy(&bytes)), "{file}");
    }
}

/// Options may come from a model that framed them, and plans are read in viewers.
#[test]
fn options_in_a_plan_are_text_to_a_viewer() {
    let place = Place::new();
    let label = "Redis ![i](http://e.example/x.png) <script>alert(1)</script>";
    let words = ["debate", "Redis or a planted table?", "--option", label, "--option", "A table", "--agent", "outside"];
    place.forge(&[&words[..], &["--id", "q1"]].concat()).code(3);
    let plan = place.read("docs/forge/sadd/debate-q1-plan.md");
    let body = plan.splitn(3, "---\n").last().unwrap();
    let listed = body.lines().find(|line| line.starts_with("- **A: Redis")).unwrap();
    assert!(!listed.contains("![i]") && !listed.contains(" <script>"), "{listed}");
    // What it is called stays as it is.
    assert!(plan.contains("label: \"Redis ![i](http://e.example/x.png) <script>"), "{plan}");
}
