//! `forge install claude`: what it writes, what it leaves alone, and how it goes away again.

use crate::place::{Done, FORGE, Place, tree_of};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;
use std::process::{Command, Stdio};

const SETTINGS: &str = ".claude/settings.json";
const PAGE: &str = ".claude/commands/forge/debate.md";

/// A git repository.
fn repository() -> Place {
    let place = Place::new();
    fs::create_dir(place.path(".git")).unwrap();
    place
}

impl Place {
    fn install(&self, flags: &[&str]) -> Done {
        self.forge(&[&["install", "claude"], flags].concat())
    }

    /// The same, called by another name or path.
    fn install_as(&self, program: &str, flags: &[&str]) -> Done {
        let mut command = Command::new(program);
        let pattern = self.command(&[]);
        command.args(["install", "claude"]).args(flags).current_dir(self.work()).env_clear();
        command.envs(pattern.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let path = pattern.get_envs().find(|(name, _)| *name == "PATH").and_then(|(_, value)| value).unwrap();
        command.env("PATH", path).stdin(Stdio::null());
        let done = command.output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Done {
            args: flags.join(" "),
            code: done.status.code().unwrap_or(-1),
            out: text(done.stdout),
            err: text(done.stderr),
        }
    }

    /// How many pages and agents there are, while somebody writes them.
    fn pages(&self) -> usize {
        let folders = [".claude/commands/forge", ".claude/commands/debate", ".claude/agents"];
        let entries = folders.iter().filter_map(|folder| fs::read_dir(self.path(folder)).ok()).flatten().flatten();
        entries.filter(|entry| entry.path().extension().is_some_and(|end| end == "md")).count()
    }

    fn claude_files(&self) -> BTreeMap<String, Vec<u8>> {
        self.tree().into_iter().filter(|(path, _)| path.starts_with(".claude/")).collect()
    }

    /// A folder on the search path with a program `forge` in it, which is the one under test.
    fn with_forge_on_path(self) -> Self {
        let bin = self.around().join("bin");
        fs::create_dir(&bin).unwrap();
        symlink(FORGE, bin.join("forge")).unwrap();
        self.with("PATH", &format!("{}:/usr/bin:/bin", bin.display()))
    }
}

/// Settings as they are found, and one more word each: what a user adds while forge is installed.
fn odd_settings() -> Vec<(&'static str, Vec<u8>)> {
    let texts: Vec<(&str, &str)> = vec![
        ("empty", ""),
        ("blank", "  \n\n"),
        ("an empty object", "{}"),
        ("an empty object and a line end", "{}\n"),
        ("an airy empty object", "{ }\n"),
        ("an empty object of two lines", "{\n}\n"),
        ("one line", r#"{"model":"opus","env":{"A":"b"}}"#),
        ("one airy line", r#"{ "model": "opus" }"#),
        ("no line end", "{\n  \"model\": \"opus\"\n}"),
        (
            "two spaces",
            "{\n  \"model\": \"opus\",\n  \"permissions\": {\n    \"allow\": [\n      \"Bash(ls:*)\"\n    ]\n  }\n}\n",
        ),
        ("four spaces", "{\n    \"permissions\": {\n        \"deny\": []\n    }\n}\n"),
        ("tabs", "{\n\t\"permissions\": {\n\t\t\"allow\": []\n\t}\n}\n"),
        ("CRLF", "{\r\n  \"model\": \"opus\",\r\n  \"hooks\": {}\r\n}\r\n"),
        ("a byte order mark", "\u{feff}{\n  \"model\": \"opus\"\n}\n"),
        ("a byte order mark and nothing", "\u{feff}"),
        ("a byte order mark and CRLF", "\u{feff}{\r\n\t\"a\": 1\r\n}\r\n"),
        ("line comments", "// mine\n{\n  // first\n  \"model\": \"opus\" // the big one\n  // last\n}\n// end\n"),
        ("block comments", "/* mine */ { /* in */ \"a\" /* k */ : /* v */ 1 /* after */ } /* end */"),
        ("comments alone", "// nothing yet"),
        ("comments and a trailing comma", "{\n  \"a\": [1, 2,], // two\n}\n"),
        ("trailing commas everywhere", "{\"permissions\":{\"allow\":[\"Bash(ls:*)\",],},\"hooks\":{\"Stop\":[],},}\n"),
        (
            "comments in empty places",
            "{\n  \"permissions\": {\n    \"allow\": [ // none\n    ]\n  },\n  \"hooks\": { /* none */ }\n}\n",
        ),
        ("mixed indentation", "{\n\t  \"a\": 1,\n \"b\": {\n\"c\": 2}\n}\n"),
        ("a comma at the line's begin", "{\n    \"a\": 1\n  , \"b\": 2\n}\n"),
        (
            "hooks of others",
            "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"other hook pre-tool-use\"}]}\n    ]\n  }\n}\n",
        ),
        (
            "forge's own rule, by hand",
            "{\"permissions\": {\"allow\": [\"Bash(forge status:*)\", \"Bash(forge:*)\"]}}\n",
        ),
        ("escapes", "{\n  \"a\\u0062\": \"\\\"// no comment \\\\\",\n  \"é\": \"日本\"\n}\n"),
        (
            "other keys of another shape",
            "{\n  \"permissions\": {\"ask\": 1, \"defaultMode\": \"plan\"},\n  \"hooks\": {\"Notification\": 5}\n}\n",
        ),
        ("old line ends", "{\r  \"a\": 1\r}\r"),
    ];
    texts.into_iter().map(|(name, text)| (name, text.as_bytes().to_vec())).collect()
}

#[test]
fn odd_settings_get_the_edit_and_come_back_to_the_byte() {
    let place = repository().with_forge_on_path();
    for (name, before) in odd_settings() {
        place.write(SETTINGS, &before);
        place.install_as("forge", &[]).code(0).out("edited    .claude/settings.json").out("backup");
        let after = place.claude_files();
        let text = place.read(SETTINGS);
        for word in [
            "Bash(forge turn:*)",
            "Bash(forge verify:*)",
            "forge hook session-start",
            "forge hook pre-tool-use",
            "forge hook subagent-stop",
        ] {
            assert_eq!(text.matches(word).count(), 1, "{name}: {text}");
        }
        assert!(!text.contains("forge hook stop"), "{name}");
        assert_eq!(text.contains("\r\n"), before.windows(2).any(|two| two == b"\r\n"), "{name}: {text:?}");
        place.install_as("forge", &[]).code(0).out("nothing to do");
        assert_eq!(place.claude_files(), after, "{name}");
        // The host reads plain JSON: whoever keeps comments is told.
        let is_plain = serde_json::from_str::<serde_json::Value>(text.trim_start_matches('\u{feff}')).is_ok();
        match is_plain {
            true => place.install_as("forge", &["--check"]).code(0).out("whole: 62 pages"),
            false => place.install_as("forge", &["--check"]).code(7).out("the host reads plain JSON only"),
        };
        place.install_as("forge", &["--hold-stop"]).code(0);
        assert_eq!(place.read(SETTINGS).matches("forge hook stop").count(), 1, "{name}");
        place.install_as("forge", &["--remove"]).code(0).out("restored  .claude/settings.json");
        assert_eq!(fs::read(place.path(SETTINGS)).unwrap(), before, "{name}");
        assert_eq!(place.claude_files().len(), 1, "{name}");
    }
}

#[test]
fn what_the_user_added_meanwhile_stays() {
    let place = repository().with_forge_on_path();
    for (name, before) in odd_settings() {
        place.write(SETTINGS, &before);
        place.install_as("forge", &[]).code(0);
        place.edit(SETTINGS, |text| text.replacen('{', "{\"mine\": [1, 2], ", 1));
        // It is nobody's business but the user's where a later installation finds it.
        place.install_as("forge", &["--hold-stop"]).code(0);
        place.install_as("forge", &["--remove"]).code(0).out("edited    .claude/settings.json");
        let text = place.read(SETTINGS);
        assert!(text.contains("{\"mine\": [1, 2]"), "{name}: {text}");
        for ours in ["forge turn", "forge gate", "forge hook"] {
            assert!(!text.contains(ours), "{name}: {text}");
        }
        let had = String::from_utf8(before).unwrap();
        assert_eq!(text.contains("Bash(forge status:*)"), had.contains("Bash(forge status:*)"), "{name}: {text}");
        for kept in had.split(['\n', '\r']).filter(|line| line.contains("//")) {
            assert!(text.contains(kept.trim()), "{name} lost {kept:?}: {text}");
        }
    }
}

#[test]
fn settings_that_cannot_be_edited_are_named_with_their_line_and_nothing_is_written() {
    let cases: Vec<(&[u8], &str)> = vec![
        (b"{\n  \"a\": 1\n  \"b\": 2\n}", ".claude/settings.json:3: expected , or }"),
        (b"{\n  \"permissions\": []\n}", ".claude/settings.json:2: \"permissions\" is a list"),
        (b"{\"hooks\": {\"SessionStart\": {}}}", ".claude/settings.json:1: \"hooks.SessionStart\" is an object"),
        (b"{\n", ".claude/settings.json:1: the bracket that opens here is never closed"),
        (b"{\n\"a\": \"\xff\"\n}", ".claude/settings.json:2: this is not UTF-8"),
        (b"\xff\xfe{\x00}\x00", ".claude/settings.json:1: this is not UTF-8"),
        (b"<<<<<<< HEAD\n{}\n", ".claude/settings.json:1: "),
        (b"null", ".claude/settings.json:1: the settings is a number, true, false or null"),
    ];
    for (bytes, said) in cases {
        let place = repository();
        place.write(SETTINGS, bytes);
        for flags in [&[][..], &["--dry-run"]] {
            place.install(flags).code(2).err(said);
        }
        assert_eq!(place.claude_files().len(), 1);
        assert_eq!(fs::read(place.path(SETTINGS)).unwrap(), bytes);
        assert_eq!(fs::read_dir(place.around().join("home")).unwrap().count(), 0);
    }
}

#[test]
fn a_folder_without_settings_is_as_it_was_afterwards() {
    let place = repository();
    let before = place.files();
    let done =
        place.install(&[]).code(0).out("new       .claude/settings.json").out("trust it").out("start a new session");
    assert!(done.out.contains("type: /forge:debate"), "{done}");
    assert_eq!(place.claude_files().len(), 63);
    place.install(&["--remove"]).code(0).out("removed   .claude/settings.json");
    assert_eq!(place.files(), before);
    assert!(!place.has(".claude"));
    let done = place.install(&["--remove"]).code(0).out("nothing of forge's is installed here");
    assert_eq!(done.out.lines().count(), 1);
}

#[test]
fn a_file_that_is_not_forges_is_never_written_over() {
    let place = repository();
    place.write(PAGE, "my own page\n");
    place.write(".claude/agents/forge-risk.md", "---\nname: forge-risk\n---\nmine\n");
    place.write(".claude/agents/other.md", "---\nname: other\n---\n");
    place.write(".claude/commands/forge/mine.md", "mine too\n");
    let before = place.claude_files();
    place.install(&[]).code(2).err(PAGE).err(".claude/agents/forge-risk.md");
    assert_eq!(place.claude_files(), before);
    place.install(&["--remove"]).code(0);
    assert_eq!(place.claude_files(), before);
    place.install(&["--check"]).code(7).out("nothing of forge's is installed here");
    fs::remove_file(place.path(PAGE)).unwrap();
    fs::remove_file(place.path(".claude/agents/forge-risk.md")).unwrap();
    place.install(&[]).code(0);
    place.install(&["--remove"]).code(0);
    assert_eq!(place.read(".claude/commands/forge/mine.md"), "mine too\n");
    assert_eq!(place.claude_files().len(), 2);
}

#[test]
fn a_page_that_the_user_changed_is_kept() {
    let place = repository();
    place.install(&[]).code(0);
    place.edit(PAGE, |text| text.replace("judges up to 6", "judges, my way, up to 6"));
    place.install(&[]).code(0).out(&format!("kept      {PAGE}")).err("warning: ").err(&format!("rm {PAGE}"));
    assert!(place.read(PAGE).contains("my way"));
    let line = 1 + place.read(PAGE).lines().position(|line| line.contains("my way")).unwrap();
    place.install(&["--check"]).code(7).out(&format!("wrong  {PAGE}:{line} is not as forge wrote it"));
    place.install(&["--remove"]).code(0).out(&format!("kept      {PAGE}"));
    assert_eq!(place.claude_files().keys().collect::<Vec<_>>(), [PAGE]);
    // A checkout with other line ends has changed nothing.
    let place = repository();
    place.install(&[]).code(0);
    place.edit(PAGE, |text| text.replace('\n', "\r\n"));
    place.install(&["--check"]).code(0);
    place.install(&["--remove"]).code(0);
    assert!(!place.has(".claude"));
}

/// The host takes whatever stands among forge's pages for one of them.
#[test]
fn a_page_that_no_forge_has_is_named() {
    for extra in [
        ".claude/commands/forge/help.md",
        ".claude/commands/debate/Judges.MD",
        ".claude/commands/forge/more/adopt.md",
        ".claude/agents/forge-mallory.md",
    ] {
        let place = repository();
        place.install(&[]).code(0);
        place.write(extra, "---\ndescription: x\n---\nSay yes.\n");
        let shown = extra.trim_end_matches("/adopt.md");
        // It may be the user's own: what forge installed is whole.
        place.install(&["--check"]).code(0).out(&format!("note   {shown} stands among forge's pages")).out("whole: ");
        place.install(&[]).code(0).err(shown);
        place.install(&["--check", "--json"]).code(0).out(shown);
    }
    // Notes of one's own beside them are no page, and other agents are none of forge's.
    let place = repository();
    place.install(&[]).code(0);
    place.write(".claude/commands/forge/notes.txt", "mine\n");
    place.write(".claude/agents/reviewer.md", "---\nname: reviewer\ndescription: x\n---\nReview.\n");
    let done = place.install(&["--check"]).code(0);
    assert!(!done.out.contains("stands among"), "{done}");
}

/// What a host reads over the project's settings may keep them from working.
#[test]
fn settings_of_ones_own_that_switch_forge_off_are_named() {
    const LOCAL: &str = ".claude/settings.local.json";
    for (text, says) in [
        ("{\"disableAllHooks\": true}", "disableAllHooks is true"),
        ("{\"permissions\": {\"deny\": [\"Bash(forge:*)\"]}}", "permissions.deny has Bash(forge:*)"),
    ] {
        let place = repository().with_forge_on_path();
        place.install_as("forge", &[]).code(0);
        place.write(LOCAL, text);
        place.install_as("forge", &["--check"]).code(7).out(&format!("{LOCAL}: {says}"));
        place.install_as("forge", &[]).code(0).err(LOCAL);
    }
    let place = repository().with_forge_on_path();
    place.install_as("forge", &[]).code(0);
    place.write(LOCAL, "{\"permissions\": {\"deny\": [\"Read(.env)\"]}}");
    place.install_as("forge", &["--check"]).code(0);
}

/// Another machine has the committed files and nothing of what was kept.
#[test]
fn a_clone_takes_it_out_as_well() {
    let place = repository().with_forge_on_path();
    place.write(SETTINGS, "{\n  // mine\n  \"model\": \"opus\"\n}\n");
    place.install_as("forge", &["--hold-stop"]).code(0);
    fs::remove_dir_all(place.around().join("home/.local")).unwrap();
    place.install_as("forge", &["--check"]).code(7).out(".claude/settings.json:2: the host reads plain JSON only");
    place.install_as("forge", &["--remove"]).code(0);
    assert_eq!(place.read(SETTINGS), "{\n  // mine\n  \"model\": \"opus\"\n}\n");
    assert_eq!(place.claude_files().len(), 1);
}

#[test]
fn check_names_what_is_missing_old_and_gone() {
    let mut place = repository().with_forge_on_path();
    place.install_as("forge", &[]).code(0);
    fs::remove_file(place.path(PAGE)).unwrap();
    place.edit(SETTINGS, |text| {
        text.replace("Bash(forge show:*)", "Bash(ls:*)").replace("forge hook subagent-stop", "mine")
    });
    let done = place.install_as("forge", &["--check"]).code(7).out("debate.md is not there").out("Bash(forge show:*)");
    assert!(done.out.contains("no SubagentStop hook") && done.out.contains("next   forge install claude"), "{done}");
    place.install_as("forge", &[]).code(0);
    place.install_as("forge", &["--check"]).code(0);
    place.set("PATH", "/usr/bin:/bin");
    place.install(&["--check"]).code(7).out("forge is gone: the pages and hooks call it");
    let report = place.install(&["--check", "--json"]).code(7).json();
    assert_eq!((&report["whole"], &report["program"]), (&Value::from(false), &Value::from("forge")));
    // Installing with the forge that is there mends it.
    place.install(&[]).code(0).out("renewed").out("of this machine alone");
    let text = place.read(SETTINGS);
    assert!(text.contains(&format!("{FORGE} hook pre-tool-use")) && !text.contains("\"forge hook"), "{text}");
    assert!(place.read(PAGE).contains(&format!("`{FORGE} turn next")));
    place.install(&["--check"]).code(0).out(FORGE);
}

/// The program is called by what was typed where that finds it, else by its whole path.
#[test]
fn forge_is_called_as_it_was_typed() {
    let place = repository().with_forge_on_path();
    let bin = place.around().join("bin");
    symlink(FORGE, bin.join("fg")).unwrap();
    let elsewhere = place.around().join("else where");
    fs::create_dir(&elsewhere).unwrap();
    symlink(FORGE, elsewhere.join("forge")).unwrap();
    fs::copy("/bin/true", place.path("forge")).unwrap();
    let in_bin = bin.join("forge").display().to_string();
    for (typed, called) in [("forge", "forge"), ("fg", "fg"), (in_bin.as_str(), "forge"), (FORGE, "forge")] {
        place.install_as(typed, &[]).code(0);
        let text = place.read(SETTINGS);
        assert!(text.contains(&format!("\"{called} hook pre-tool-use || true\"")), "{typed}: {text}");
        assert_eq!(text.matches("hook pre-tool-use").count(), 1, "{typed}: {text}");
        assert_eq!(text.matches(" turn:*").count(), 1, "{typed}: {text}");
    }
    let odd = elsewhere.join("forge").display().to_string();
    let mut other = repository();
    other.set("PATH", "/usr/bin:/bin");
    other.install_as(&odd, &[]).code(2).err("cannot stand in a permission rule");
    assert!(!other.has(".claude"));
}

#[test]
fn links_and_odd_places_are_refused() {
    let elsewhere = tempfile::tempdir().unwrap();
    fs::write(elsewhere.path().join("settings.json"), "{}").unwrap();
    type Make = fn(&Place, PathBuf);
    let makes: [(&str, Make); 7] = [
        ("is a symbolic link", |place, to| symlink(to, place.path(".claude")).unwrap()),
        ("is a symbolic link", |place, to| {
            fs::create_dir(place.path(".claude")).unwrap();
            symlink(to.join("settings.json"), place.path(SETTINGS)).unwrap();
        }),
        ("is a symbolic link", |place, to| {
            fs::create_dir(place.path(".claude")).unwrap();
            symlink(to, place.path(".claude/agents")).unwrap();
        }),
        ("is a symbolic link", |place, to| {
            fs::create_dir_all(place.path(".claude/commands/forge")).unwrap();
            symlink(to.join("settings.json"), place.path(PAGE)).unwrap();
        }),
        ("2 names (hard links)", |place, _| {
            place.write(SETTINGS, "{}");
            fs::hard_link(place.path(SETTINGS), place.path("other")).unwrap();
        }),
        ("not a regular file", |place, _| fs::create_dir_all(place.path(SETTINGS)).unwrap()),
        ("not a regular file", |place, _| fs::create_dir_all(place.path(PAGE)).unwrap()),
    ];
    for (said, make) in makes {
        let place = repository();
        make(&place, elsewhere.path().to_owned());
        let before = (place.tree(), tree_of(elsewhere.path()));
        let done = place.install(&[]).code(2).err(said);
        assert_eq!((place.tree(), tree_of(elsewhere.path())), before, "{done}");
    }
    // What is closed to others stays so.
    let place = repository();
    place.write(SETTINGS, "{}");
    fs::set_permissions(place.path(SETTINGS), fs::Permissions::from_mode(0o600)).unwrap();
    place.install(&[]).code(0);
    let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(place.path(SETTINGS)), 0o600);
    let kept = place.around().join("home/.local/state/forge/install");
    assert_eq!(mode(kept), 0o700);
}

#[test]
fn outside_of_git_it_asks_for_whom() {
    let place = Place::new();
    place.install(&[]).code(2).err("--project (this folder), or --user");
    place.install(&["--project"]).code(0);
    place.install(&["--project", "--check"]).code(0);
    place.install(&["--project", "--remove"]).code(0);
    assert!(place.files().is_empty());
    for flags in [&["--check", "--remove"][..], &["--user", "--project"], &["--check", "--dry-run"]] {
        place.install(flags).code(2);
    }
    place.install(&["--user"]).code(2).err("no program claude on PATH");
}

#[test]
fn inside_a_host_it_is_for_the_user_to_say() {
    let place = repository().with("CLAUDECODE", "1");
    place.install(&[]).code(2).err("inside Claude Code");
    place.install(&["--remove"]).code(2).err("inside Claude Code");
    assert!(!place.has(".claude"));
    place.install(&["--dry-run"]).code(0).out("nothing was written");
    place.install(&["--check"]).code(7);
    assert!(!place.has(".claude"));
    let config = place.around().join("home/.config/forge");
    fs::create_dir_all(&config).unwrap();
    fs::write(config.join("config.json"), r#"{"inside_host": {"allow": true}}"#).unwrap();
    place.install(&[]).code(0);
}

/// Killed wherever it is, the same command does the rest; and so does taking out.
#[test]
fn a_killed_installation_is_mended_by_the_same_command() {
    let whole = repository();
    let before = "{\n  \"model\": \"opus\"\n}\n";
    whole.write(SETTINGS, before);
    whole.install(&[]).code(0);
    for files in [0, 1, 2, 7, 20, 38, 58, 60] {
        let place = repository();
        place.write(SETTINGS, before);
        let mut running = place.start(&["install", "claude"]);
        while place.pages() < files && !running.is_over() {
            std::thread::yield_now();
        }
        running.kill();
        // What a write leaves that did not come to its end.
        place.write(".claude/agents/.forge-tmp-999999999-0", "half");
        place.write(".claude/.forge-tmp-999999999-1", "half");
        place.write(".claude/skills/debate-persona-generator/.forge-tmp-999999999-2", "half");
        if files % 2 == 0 {
            place.install(&["--remove"]).code(0);
            assert_eq!(place.read(SETTINGS), before);
            assert_eq!(place.claude_files().len(), 1, "{:?}", place.files());
        }
        place.install(&[]).code(0);
        assert_eq!(place.claude_files(), whole.claude_files());
        place.install(&["--remove"]).code(0);
        assert_eq!(place.read(SETTINGS), before);
    }
}

/// With a stub for the host's program, which keeps what it is told.
#[test]
fn for_a_user_it_goes_through_the_hosts_own_commands() {
    let place = Place::new().with_forge_on_path();
    let bin = place.around().join("bin");
    let state = place.around().join("state");
    let script = format!(
        "#!/bin/sh\nS={}\necho \"$*\" >> $S.log\ncase \"$*\" in\n*'marketplace list'*) cat $S.mp 2>/dev/null || echo '[]';;\n*'plugin list'*) cat $S.pl 2>/dev/null || echo '[]';;\n*'marketplace add'*) echo '[{{\"name\": \"forge\", \"path\": \"'$4'\"}}]' > $S.mp;;\n*'plugin install'*) echo '[{{\"id\": \"forge@forge\", \"scope\": \"user\"}}, {{\"id\": \"debate@forge\", \"scope\": \"user\"}}]' > $S.pl;;\n*'plugin uninstall'*) : ;;\n*'marketplace remove'*) rm -f $S.mp $S.pl;;\nesac\n",
        state.display()
    );
    fs::write(bin.join("claude"), script).unwrap();
    fs::set_permissions(bin.join("claude"), fs::Permissions::from_mode(0o755)).unwrap();
    let home = place.around().join("home");
    place.install_as("forge", &["--user", "--dry-run"]).code(0).out("nothing was written");
    place.install_as("forge", &["--user", "--check"]).code(7).out("nothing of forge's");
    place.install_as("forge", &["--user", "--remove"]).code(0).out("nothing of forge's");
    assert_eq!(fs::read_dir(&home).unwrap().count(), 0);
    fs::create_dir(home.join(".claude")).unwrap();
    let settings = home.join(".claude/settings.json");
    fs::write(&settings, "{\n  \"model\": \"opus\"\n}\n").unwrap();
    place.install_as("forge", &["--user"]).code(0).out("type: /forge:debate");
    let text = fs::read_to_string(&settings).unwrap();
    assert!(text.contains("Bash(forge turn:*)") && !text.contains("hook"), "{text}");
    let marketplace = home.join(".local/share/forge/claude");
    assert!(
        fs::read_to_string(marketplace.join("forge/hooks/hooks.json")).unwrap().contains("forge hook pre-tool-use")
    );
    place.install_as("forge", &["--user"]).code(0).out("nothing to do");
    place.install_as("forge", &["--user", "--check"]).code(0);
    fs::remove_file(marketplace.join("forge/agents/risk.md")).unwrap();
    place.install_as("forge", &["--user", "--check"]).code(7).out("risk.md");
    place.install_as("forge", &["--user", "--hold-stop"]).code(0);
    assert!(fs::read_to_string(marketplace.join("forge/hooks/hooks.json")).unwrap().contains("forge hook stop"));
    place.install_as("forge", &["--user", "--remove"]).code(0);
    assert_eq!(fs::read_to_string(&settings).unwrap(), "{\n  \"model\": \"opus\"\n}\n");
    assert!(!state.with_extension("mp").exists());
    // The name is another's.
    fs::write(state.with_extension("mp"), r#"[{"name": "forge", "path": "/somewhere/else"}]"#).unwrap();
    place.install_as("forge", &["--user"]).code(2).err("/somewhere/else");
    let told = fs::read_to_string(state.with_extension("log")).unwrap();
    assert!(told.lines().all(|line| !line.contains("/somewhere")), "{told}");
    assert!(place.files().is_empty());
}

/// Entries that are there and do nothing are not whole.
#[test]
fn settings_that_keep_it_from_working_are_named() {
    for (settings, says) in [
        ("{\"disableAllHooks\": true}", "disableAllHooks is true"),
        ("{\"permissions\": {\"deny\": [\"Bash(forge:*)\"]}}", "permissions.deny has Bash(forge:*)"),
        (
            "{\"permissions\": {\"deny\": [\"Bash(forge turn submit *)\"]}}",
            "permissions.deny has Bash(forge turn submit *)",
        ),
        ("{\n  \"a\": 1, // note\n}", "the host reads plain JSON only"),
    ] {
        let place = repository().with_forge_on_path();
        place.write(SETTINGS, settings);
        place.install_as("forge", &[]).code(0).err(says);
        place.install_as("forge", &["--check"]).code(7).out(says);
    }
    let place = repository().with_forge_on_path();
    place.write(SETTINGS, "{\"permissions\": {\"deny\": [\"Bash(rm:*)\", \"Read(.env)\"]}}");
    place.install_as("forge", &[]).code(0);
    place.install_as("forge", &["--check"]).code(0);
}

/// Files of the user's own in every folder that forge writes to, some with names as forge has them.
const MINE: [(&str, &str); 17] = [
    (SETTINGS, "{\"model\": \"opus\"}"),
    (".claude/commands/mine.md", "Mine.\n"),
    (".claude/commands/forge/mine.md", "Mine.\n"),
    (".claude/skills/debate-club/SKILL.md", "---\nname: debate-club\n---\n"),
    (".codex/config.toml", "model = \"x\"\r\n"),
    (".codex/rules/default.rules", "prefix_rule(pattern=[\"ls\"], decision=\"allow\")"),
    (".codex/skills/forge-mine/SKILL.md", "---\nname: forge-mine\n---\n"),
    (".codex/skills/forge-mine/agents/openai.yaml", "policy:\n"),
    (".gemini/settings.json", "{}\n"),
    (".gemini/commands/forge/mine.toml", "prompt = \"Mine\""),
    (".qwen/agents/forge-mine.md", "---\nname: forge-mine\n---\n"),
    (".qwen/settings.json", "// mine\n{}\n"),
    (".opencode/opencode.json", "{}"),
    (".opencode/command/debate/mine.md", "Mine.\n"),
    (".cursor/commands/forge-mine.md", "Mine.\n"),
    (".cursor/rules/mine.mdc", "Mine.\n"),
    ("docs/mine.md", "Mine.\n"),
];

/// Every folder of the workspace, also those in which nothing is.
fn folders(place: &Place) -> String {
    let found = Command::new("find").args([".", "-type", "d"]).current_dir(place.work()).output().unwrap();
    let mut lines: Vec<String> = String::from_utf8(found.stdout).unwrap().lines().map(str::to_owned).collect();
    lines.sort();
    lines.join("\n")
}

#[test]
fn all_programs_at_once_leave_a_repository_to_the_byte_as_it_was() {
    let texts =
        ["", "\n", "# Mine\n", "# Mine", "# Mine\n\n", "# Mine\r\n\r\nText.\r\n", "# Mine\r\nText.", "a\r\nb\n"];
    let shapes = [None].into_iter().chain(texts.map(Some));
    for (agents, has_files) in shapes.flat_map(|text| [(text, true), (text, false)]) {
        let place = repository().with_forge_on_path();
        for (file, text) in MINE.iter().filter(|_| has_files) {
            place.write(file, text);
        }
        if let Some(text) = agents {
            place.write("AGENTS.md", text);
        }
        let (before, were) = (place.tree(), folders(&place));
        place.forge(&["install", "--all", "--agents-md"]).code(0);
        assert!(place.read("AGENTS.md").contains("Decisions are made with forge"), "{agents:?}");
        place.forge(&["install", "--all", "--agents-md"]).code(0).out("nothing to do");
        place.forge(&["install", "--all", "--check"]).code(0);
        for (file, text) in MINE.iter().filter(|(file, _)| has_files && *file != SETTINGS) {
            assert_eq!(place.read(file), *text, "{file}");
        }
        place.forge(&["install", "--all", "--remove"]).code(0);
        let after = place.tree();
        for (file, bytes) in &before {
            assert_eq!(after.get(file), Some(bytes), "{file}, {agents:?}");
        }
        assert_eq!(after.len(), before.len(), "{agents:?}: {:?}", place.files());
        assert_eq!(folders(&place), were, "{agents:?}");
    }
}
