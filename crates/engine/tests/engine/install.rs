//! Settings of others, edited and given back; and the pages that a host is given.

use forge_artifacts::jsonc;
use forge_engine::install::{Wanted, plugin_tree, with_forge, without_forge};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};
use std::fs;
use std::path::Path;

fn wanted() -> Wanted {
    Wanted { program: "forge".to_owned(), hold_stop: false, agents_md: false }
}

/// Everything but the blanks. Strings in these tests have none that matter.
fn solid(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Bytes that choose: the same ones make the same text.
struct Tape {
    bytes: Vec<u8>,
    at: usize,
}

impl Tape {
    fn pick(&mut self, below: usize) -> usize {
        let byte = self.bytes.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        usize::from(byte) % below
    }

    /// What may stand between two tokens.
    fn gap(&mut self, newline: &str) -> String {
        match self.pick(9) {
            0 | 1 => String::new(),
            2 => " ".to_owned(),
            3 => "\t".to_owned(),
            4 => newline.to_owned(),
            5 => format!("{newline}  "),
            6 => format!(" // {{note}} \"x\", [1,{newline}"),
            7 => " /* a }, b */ ".to_owned(),
            _ => format!("{newline}\t/* two{newline}lines */{newline}"),
        }
    }

    fn container(&mut self, newline: &str, open: char, close: char, items: Vec<String>) -> String {
        let count = items.len();
        let mut text = String::from(open);
        for (index, item) in items.into_iter().enumerate() {
            text += &self.gap(newline);
            text += &item;
            text += &self.gap(newline);
            // A trailing comma, now and then.
            if index + 1 < count || self.pick(4) == 0 {
                text.push(',');
            }
        }
        text += &self.gap(newline);
        text.push(close);
        text
    }

    fn member(&mut self, newline: &str, key: &str, value: String) -> String {
        format!("\"{key}\"{}:{}{value}", self.gap(newline), self.gap(newline))
    }

    fn scalar(&mut self) -> String {
        ["1", "-2.5e3", "true", "null", "\"a\"", "\"\\\"//\\\"\"", "\"é\\u00e9\"", "\"Bash(forge status)\""]
            [self.pick(8)]
        .to_owned()
    }

    fn list(&mut self, newline: &str) -> String {
        let items = (0..self.pick(4)).map(|_| self.scalar()).collect();
        self.container(newline, '[', ']', items)
    }

    fn groups(&mut self, newline: &str) -> String {
        let mut groups = Vec::new();
        for _ in 0..self.pick(3) {
            let run = self.member(newline, "command", "\"mine\"".to_owned());
            let run = self.container(newline, '{', '}', vec![run]);
            let runs = self.container(newline, '[', ']', vec![run]);
            let hooks = self.member(newline, "hooks", runs);
            groups.push(self.container(newline, '{', '}', vec![hooks]));
        }
        self.container(newline, '[', ']', groups)
    }

    fn settings(&mut self) -> String {
        let newline = ["\n", "\r\n"][self.pick(2)];
        let mut members = Vec::new();
        if self.pick(2) == 0 {
            let scalar = self.scalar();
            members.push(self.member(newline, "model", scalar));
        }
        if self.pick(2) == 0 {
            let mut inner = Vec::new();
            for key in ["deny", "allow"] {
                if self.pick(2) == 0 {
                    let list = self.list(newline);
                    inner.push(self.member(newline, key, list));
                }
            }
            let inner = self.container(newline, '{', '}', inner);
            members.push(self.member(newline, "permissions", inner));
        }
        if self.pick(2) == 0 {
            let mut inner = Vec::new();
            for event in ["Stop", "PreToolUse", "Notification"] {
                if self.pick(2) == 0 {
                    let groups = self.groups(newline);
                    inner.push(self.member(newline, event, groups));
                }
            }
            let inner = self.container(newline, '{', '}', inner);
            members.push(self.member(newline, "hooks", inner));
        }
        if self.pick(2) == 0 {
            let list = self.list(newline);
            members.push(self.member(newline, "zeta", list));
        }
        let mark = ["", "\u{feff}"][self.pick(2)];
        let before = self.gap(newline);
        let root = self.container(newline, '{', '}', members);
        format!("{mark}{before}{root}{}", self.gap(newline))
    }
}

fn settings() -> impl Strategy<Value = String> {
    proptest::collection::vec(any::<u8>(), 0..120).prop_map(|bytes| Tape { bytes, at: 0 }.settings())
}

/// Whether a container that forge writes into has nothing in it: how its blanks were is not kept.
fn has_empty_place(text: &str) -> bool {
    let root = jsonc::parse(text).unwrap().unwrap();
    let places: [&[&str]; 6] =
        [&[], &["permissions"], &["permissions", "allow"], &["hooks"], &["hooks", "PreToolUse"], &["hooks", "Stop"]];
    let at = |path: &&[&str]| path.iter().try_fold(&root, |node, key| node.get(key)).cloned();
    places.iter().filter_map(at).any(|node| node.items().is_empty())
}

proptest! {
    #![proptest_config(Config { cases: 500, failure_persistence: None, rng_seed: RngSeed::Fixed(20_260_801), ..Config::default() })]

    #[test]
    fn what_is_put_in_comes_out_again(text in settings()) {
        let wanted = wanted();
        let installed = with_forge(&text, &wanted, None).unwrap();
        prop_assert_eq!(&with_forge(&installed, &wanted, None).unwrap(), &installed);
        prop_assert_eq!(&with_forge(&installed, &wanted, Some(&text)).unwrap(), &installed);
        // Nothing of what was there is lost or moved.
        let mut rest = installed.chars().filter(|c| !c.is_whitespace());
        prop_assert!(solid(&text).chars().all(|c| rest.any(|other| other == c)), "{}\n->\n{}", text, installed);
        let removed = without_forge(&installed, "forge", Some(&text)).unwrap();
        prop_assert_eq!(solid(&removed), solid(&text), "{}\n->\n{}\n->\n{}", text, installed, removed);
        if !has_empty_place(&text) {
            prop_assert_eq!(&removed, &text, "\n->\n{}", installed);
        }
        // Another program, a held stop: the same again.
        let other = Wanted { program: "/opt/x/forge".to_owned(), hold_stop: true, agents_md: false };
        let moved = with_forge(&installed, &other, Some(&text)).unwrap();
        prop_assert_eq!(solid(&with_forge(&moved, &wanted, Some(&text)).unwrap()), solid(&installed));
        prop_assert_eq!(solid(&without_forge(&moved, "forge", Some(&text)).unwrap()), solid(&text));
    }

    #[test]
    fn what_the_user_wrote_meanwhile_stays(text in settings()) {
        let wrote = |text: &str| {
            let root = jsonc::parse(text).unwrap().unwrap();
            let comma = if root.items().is_empty() { "" } else { "," };
            format!("{}\"mine\": [\"x\"]{comma}{}", &text[..=root.span.start], &text[root.span.start + 1..])
        };
        let installed = with_forge(&wrote(&text), &wanted(), None).unwrap();
        prop_assert_eq!(solid(&without_forge(&installed, "forge", Some(&text)).unwrap()), solid(&wrote(&text)));
        let later = wrote(&with_forge(&text, &wanted(), None).unwrap());
        let removed = without_forge(&later, "forge", Some(&text)).unwrap();
        prop_assert_eq!(jsonc_values(&removed), jsonc_values(&wrote(&text)), "{}\n->\n{}", later, removed);
    }

    #[test]
    fn no_text_is_too_odd(text in "\\PC{0,40}|[{}\\[\\],:\"/* \\n\\r0-9a-z\\\\]{0,60}") {
        // An edit or a refusal with a line, and never a text that cannot be read again.
        match with_forge(&text, &wanted(), None) {
            Ok(edited) => prop_assert!(jsonc::parse(&edited).unwrap().is_some(), "{}", edited),
            Err(error) => prop_assert!((1..=text.matches(['\n', '\r']).count() + 1).contains(&error.line)),
        }
    }
}

/// A remark that ends a line ends there also when what stood below it is gone.
#[test]
fn a_users_entry_never_becomes_part_of_a_remark() {
    let rule = "Bash(forge turn:*)";
    for text in [
        format!("{{\"permissions\": {{\"allow\": [\"a\", // note\n \"{rule}\", /* x */ \"b\"]}}}}"),
        format!("{{\"permissions\": {{\"allow\": [\"a\", // note\r\n \"{rule}\", /* x */ \"b\"\r\n]}}}}"),
        format!("{{\"permissions\": {{\"allow\": [// note\n \"{rule}\", // mine\n \"b\"\n]}}}}"),
    ] {
        let root = jsonc::parse(&text).unwrap().unwrap();
        let allow = ["permissions", "allow"].iter().try_fold(&root, |node, key| node.get(key)).unwrap();
        let is_ours = |item: &jsonc::Item| text[item.value.span.clone()].contains(rule);
        let cut = jsonc::cut(&text, allow, allow.items().iter().position(is_ours).unwrap()).unwrap();
        assert!(jsonc_values(&cut).contains("\"b\"") && !cut.contains(rule), "{text}\n->\n{cut}");
    }
}

/// The values of a text without its comments and trailing commas.
fn jsonc_values(text: &str) -> String {
    fn shown(text: &str, node: &jsonc::Node) -> String {
        let item = |item: &jsonc::Item| format!("{:?}={}", item.key, shown(text, &item.value));
        match &node.kind {
            jsonc::Kind::Object(items) | jsonc::Kind::Array(items) => {
                format!("({})", items.iter().map(item).collect::<Vec<_>>().join(" "))
            }
            jsonc::Kind::String(text) => format!("{text:?}"),
            jsonc::Kind::Scalar => text[node.span.clone()].to_owned(),
        }
    }
    jsonc::parse(text).unwrap().map(|node| shown(text, &node)).unwrap_or_default()
}

#[test]
fn settings_that_cannot_be_edited_are_refused_with_their_line() {
    let cases = [
        ("[]", 1, "an object"),
        ("\n\"text\"", 2, "an object"),
        ("{\n  \"permissions\": []\n}", 2, "\"permissions\" is a list; expected an object"),
        ("{\n  \"permissions\": {\n    \"allow\": \"all\"\n  }\n}", 3, "\"permissions.allow\" is a text"),
        ("{\"hooks\": true}", 1, "\"hooks\" is a number"),
        ("{\"hooks\": {\r\n\r\n\"PreToolUse\": {}}}", 3, "\"hooks.PreToolUse\" is an object; expected a list"),
        ("{\"permissions\": {},\n\"permissions\": {}}", 2, "a second time"),
        ("{\n  \"a\": 1\n  \"b\": 2\n}", 3, "expected , or }"),
        ("{\n  \"a\": 1,\n", 1, "never closed"),
        ("{\n  'a': 1\n}", 2, "double quotes"),
        ("{\n  \"a\": yes\n}", 2, "\"yes\" is no value"),
        ("{\n  \"a\": \"b\n}", 2, "no end"),
        ("{}\n}", 2, "behind the end"),
        ("{ /* \n }", 1, "this comment has no end"),
        ("{,}", 1, "double quotes"),
        ("{\"a\" 1}", 1, "expected :"),
        ("{\"a\":}", 1, "where a value is expected"),
        ("<<<<<<< HEAD\n{}\n=======", 1, "no value"),
        ("{\"a\": \"\\q\"}", 1, "escape"),
    ];
    for (text, line, what) in cases {
        let error = with_forge(text, &wanted(), None).unwrap_err();
        assert!(error.line == line && error.what.contains(what), "{text:?}: {error}");
    }
    let deep = format!("{{\"a\": {}1{}}}", "[".repeat(5000), "]".repeat(5000));
    assert!(with_forge(&deep, &wanted(), None).unwrap_err().what.contains("deeper"));
}

/// Entries of others that look like forge's, and of the user's that are.
#[test]
fn entries_of_others_stay() {
    let text = r#"{
  "permissions": {"allow": ["Bash(git status:*)", "Bash(npm show:*)", "Bash(forge debate:*)", "Bash(forge:*)", "Bash(./forge/x status:*)"]},
  "hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "other hook pre-tool-use"}]}],
            "Stop": [{"hooks": [{"type": "command", "command": "forge gate"}]}]}
}"#;
    let installed = with_forge(text, &wanted(), None).unwrap();
    assert_eq!(without_forge(&installed, "forge", None).unwrap(), text);
    // The user had one of the rules before: it is the user's.
    let text = "{\n  \"permissions\": {\n    \"allow\": [\n      \"Bash(forge status:*)\"\n    ]\n  }\n}\n";
    let installed = with_forge(text, &wanted(), None).unwrap();
    assert_eq!(installed.matches("forge status:*").count(), 1);
    assert_eq!(without_forge(&installed, "forge", Some(text)).unwrap(), text);
    // A hook that was added to forge's group keeps the group; a timeout that was changed is not put back.
    let installed = with_forge("{}", &wanted(), None).unwrap();
    let theirs = installed.replacen(
        "\"timeout\": 10\n          }",
        "\"timeout\": 99\n          },\n          {\n            \"type\": \"command\",\n            \"command\": \"mine\"\n          }",
        1,
    );
    assert_eq!(with_forge(&theirs, &wanted(), Some("{}")).unwrap(), theirs);
    let removed = without_forge(&theirs, "forge", Some("{}")).unwrap();
    assert!(removed.contains("\"command\": \"mine\"") && !removed.contains("forge"), "{removed}");
}

/// `plugins/` in the repository is what forge writes, with `forge` as the program. To make it so:
/// `FORGE_BLESS=1 cargo test -p forge-engine install`.
#[test]
fn the_plugin_tree_is_what_forge_writes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plugins");
    let tree = plugin_tree(&wanted());
    if std::env::var_os("FORGE_BLESS").is_some() {
        for folder in ["forge/agents", "forge/hooks", "forge/commands", "debate/commands", "debate/skills"] {
            let _ = fs::remove_dir_all(root.join(folder));
        }
        for file in &tree {
            let path = root.join(&file.path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, &file.text).unwrap();
        }
    }
    let mut there = crate::tree::Tree::read(&root).0;
    for file in &tree {
        let found = there.remove(&file.path).unwrap_or_else(|| panic!("{} is not there", file.path));
        assert_eq!(String::from_utf8(found).unwrap(), file.text, "{}", file.path);
    }
    assert_eq!(there.keys().collect::<Vec<_>>(), Vec::<&String>::new());
    let version = format!("\"version\": \"{}\"", env!("CARGO_PKG_VERSION"));
    assert_eq!(tree.iter().filter(|file| file.text.contains(&version)).count(), 2, "both plugins have forge's version");
}

/// Each page: what a question cannot do, and what a host may not.
#[test]
fn pages_keep_to_their_rules() {
    for program in ["forge", "/opt/my-tools/forge"] {
        for file in plugin_tree(&Wanted { program: program.to_owned(), hold_stop: false, agents_md: false }) {
            let (path, text) = (&file.path, &file.text);
            assert!(!text.contains("!`"), "{path} runs a command before the model is asked");
            if program != "forge" && path.ends_with(".md") {
                for command in ["turn", "debate '", "status", "show", "continue", "agents --json", "verify", "gate"] {
                    let bare = [format!("`forge {command}"), format!("(forge {command}"), format!("\nforge {command}")];
                    assert!(!bare.iter().any(|bare| text.contains(bare.as_str())), "{path}: {bare:?}");
                }
            }
            let allowed = text.lines().find(|line| line.starts_with("allowed-tools:")).unwrap_or("");
            for spends in [
                "debate:", "debate *", "decide:", "vote", "run", "install", "restore:", "adopt", "forge:*", "Bash,",
                "Write",
            ] {
                assert!(!allowed.contains(spends), "{path} allows {spends}");
            }
            if path.contains("/agents/") {
                assert!(text.contains("\ntools: Bash, Read\nomitClaudeMd: true\nmaxTurns: 16\n"), "{path}");
                assert!(!text.contains("{{"), "{path} has a blank in it");
                assert!(text.contains(&format!("`{program} turn submit`")), "{path}");
            }
            if path.ends_with("/debate.md") || path.ends_with("/start.md") {
                let dashes = text.matches("\n-----\n").count();
                assert!(dashes == 2 && text.contains("\n-----\n$ARGUMENTS\n-----\n"), "{path}");
                assert!(text.find("never an instruction").unwrap() < text.find("$ARGUMENTS").unwrap(), "{path}");
            }
            if text.contains("Agent,") {
                for words in
                    ["no failure", "ONE message", "never `fork`", "unchanged", "subagents", "nothing else", "EVERY"]
                {
                    assert!(text.contains(words), "{path} does not say {words:?}");
                }
            }
        }
    }
}
