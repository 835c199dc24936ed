//! Homes and settings that came with what forge works in are not the user's.

use crate::place::Place;
use std::fs;
use std::path::Path;

const CONFIG: &str =
    r#"{"agents": {"mine": {"command": "/usr/bin/touch", "args": ["OWNED"]}}, "agent": "mine", "sandbox": "off"}"#;
const ASKED: [&str; 6] = ["debate", "Redis or a table?", "--option", "Redis", "--option", "A table"];

fn write(file: &Path, text: &str) {
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

fn repository(top: &Path) {
    write(&top.join(".git/HEAD"), "ref: refs/heads/main\n");
}

/// A worktree of the repository at `main`, as git links the two.
fn worktree(main: &Path, at: &Path) {
    let kept = main.join(".git/worktrees/other");
    write(&kept.join("commondir"), "../..\n");
    write(&kept.join("HEAD"), "ref: refs/heads/other\n");
    write(&kept.join("gitdir"), &format!("{}\n", at.join(".git").display()));
    write(&at.join(".git"), &format!("gitdir: {}\n", kept.display()));
}

fn submodule(outer: &Path, name: &str) {
    write(&outer.join(".git/modules").join(name).join("HEAD"), "ref: refs/heads/main\n");
    write(&outer.join(name).join(".git"), &format!("gitdir: ../.git/modules/{name}\n"));
}

/// Runs a debate in `folder` below the place with this home, whose configuration has an agent that writes a file.
fn asked(make: impl Fn(&Path), folder: &str, home: &str) -> (Place, crate::place::Done) {
    let mut place = Place::new();
    let around = place.around().canonicalize().unwrap();
    let (folder, home) = (around.join(folder), around.join(home));
    fs::create_dir_all(&folder).unwrap();
    let owned = around.join("owned").display().to_string();
    write(&home.join(".config/forge/config.json"), &CONFIG.replace("OWNED", &owned));
    make(&around);
    place.set("HOME", home.to_str().unwrap());
    let done = place.forge_in(&folder, &ASKED);
    (place, done)
}

#[test]
fn a_home_in_what_is_around_the_workspace_is_not_the_users() {
    type Make = fn(&Path);
    let cases: [(&str, Make, &str, &str); 11] = [
        (
            "a submodule",
            |top| {
                repository(&top.join("a"));
                submodule(&top.join("a"), "sub");
            },
            "a/sub",
            "a/h",
        ),
        (
            "a submodule, the home at the top",
            |top| {
                repository(&top.join("a"));
                submodule(&top.join("a"), "sub");
            },
            "a/sub",
            "a",
        ),
        (
            "another submodule",
            |top| {
                repository(&top.join("a"));
                submodule(&top.join("a"), "s");
                submodule(&top.join("a"), "t");
            },
            "a/s",
            "a/t/h",
        ),
        (
            "a submodule's folder",
            |top| {
                repository(&top.join("a"));
                submodule(&top.join("a"), "s");
            },
            "a/s/x/y",
            "a/h",
        ),
        (
            "a nested repository",
            |top| {
                repository(&top.join("a"));
                repository(&top.join("a/b"));
            },
            "a/b",
            "a/h",
        ),
        (
            "nested twice",
            |top| {
                repository(&top.join("a"));
                repository(&top.join("a/b"));
                repository(&top.join("a/b/c"));
            },
            "a/b/c",
            "a/h",
        ),
        (
            "the outer one, from the outer one",
            |top| {
                repository(&top.join("a"));
                repository(&top.join("a/b"));
            },
            "a",
            "a/b/h",
        ),
        (
            "an added worktree",
            |top| {
                repository(&top.join("a"));
                worktree(&top.join("a"), &top.join("w"));
            },
            "w",
            "a/h",
        ),
        (
            "the main worktree",
            |top| {
                repository(&top.join("a"));
                worktree(&top.join("a"), &top.join("w"));
            },
            "a",
            "w/h",
        ),
        (
            "a nested repository in an added worktree",
            |top| {
                repository(&top.join("a"));
                worktree(&top.join("a"), &top.join("w"));
                repository(&top.join("w/b"));
            },
            "w/b",
            "a/h",
        ),
        ("no repository", |_| {}, "a", "a/h"),
    ];
    for (name, make, folder, home) in cases {
        let (place, done) = asked(make, folder, home);
        assert!(!place.around().join("owned").exists(), "{name}: {done}");
        assert!(done.code == 2 && done.err.contains("not yours"), "{name}: {done}");
    }
    // A link in the tree is the tree's, wherever it leads.
    let link = |top: &Path| {
        repository(&top.join("a"));
        fs::rename(top.join("a/h/.config"), top.join("elsewhere")).unwrap();
        std::os::unix::fs::symlink(top.join("elsewhere"), top.join("a/h/.config")).unwrap();
    };
    let (place, done) = asked(link, "a", "a/h");
    assert!(done.code == 2 && !place.around().join("owned").exists(), "{done}");
}

#[test]
fn a_home_beside_or_above_is_the_users() {
    type Make = fn(&Path);
    let cases: [(&str, Make, &str, &str); 5] = [
        ("beside", |top| repository(&top.join("a")), "a", "h"),
        ("above", |top| repository(&top.join("h/a")), "h/a", "h"),
        ("above, without a repository", |_| {}, "h/a", "h"),
        (
            "above, and itself in git",
            |top| {
                repository(&top.join("h"));
                repository(&top.join("h/a"));
            },
            "h/a",
            "h",
        ),
        ("the very folder, without a repository", |_| {}, "h", "h"),
    ];
    for (name, make, folder, home) in cases {
        let (place, done) = asked(make, folder, home);
        assert!(place.around().join("owned").exists(), "{name}: {done}");
    }
}

/// A plan that is taken over makes no script the user's: it is a file that the plan chose, wherever it lies.
#[test]
fn taking_a_debate_over_reads_no_script_that_nobody_typed() {
    let plan = "docs/forge/sadd/debate-q1-plan.md";
    for script in ["../home/secret", "/etc/hostname", ".env", "link", "docs/../.env", "~/secret", "scripts/s.yaml"] {
        let mut place = Place::new();
        place.forge(&[&ASKED[..], &["--id", "q1", "--agent", "outside"]].concat()).code(3);
        fs::remove_file(place.path("docs/forge/sadd/debate-q1-trail/plan.md")).unwrap();
        place.edit(plan, |text| text.replace("hand: \"outside\"", &format!("hand: \"scripted:{script}\"")));
        fs::write(place.around().join("home/secret"), "word: plum").unwrap();
        for file in [".env", "scripts/s.yaml"] {
            place.write(file, "word: plum");
        }
        std::os::unix::fs::symlink("../home/secret", place.path("link")).unwrap();
        place.set("XDG_STATE_HOME", place.around().join("elsewhere").to_str().unwrap());
        for door in [&["--adopt"][..], &["--fork", "--adopt"], &["--fork"], &[]] {
            let done = place.forge(&[&["debate", "run", "q1"][..], door].concat()).code(2).err("--allow-commands");
            assert!(!done.err.contains("plum"), "{done}");
        }
        // Nor is it from then on.
        place.forge(&["debate", "run", "q1"]).code(2).err("--allow-commands");
    }
}

/// One entry of a list announces the key that the next one is.
#[test]
fn a_key_among_an_agents_arguments_is_refused_and_not_shown() {
    let key = "pw-hunter2-Xq9";
    for args in [
        format!(r#"["--api-key", "{key}"]"#),
        format!("[\n\"--api-key\",\n\"{key}\"\n]"),
        format!(r#"["--token={key}"]"#),
        format!("[\"run\",\n\"--password\",\n\n\"{key}\", \"--fast\"]"),
    ] {
        let mut place = Place::new();
        let home = place.around().join("config");
        let text = format!("{{\"agents\": {{\"mine\": {{\"command\": \"/bin/true\", \"args\": {args}}}}}}}");
        write(&home.join("forge/config.json"), &text);
        place.set("XDG_CONFIG_HOME", home.to_str().unwrap());
        for ask in [&["config"][..], &["config", "--json"], &["config", "--explain", "agents.mine.args"], &ASKED] {
            let done = place.forge(ask).code(2).err("looks like a key");
            assert!(!done.out.contains(key) && !done.err.contains(key), "{done}");
        }
    }
}

/// What git is told by its environment leaves files out as its files do.
#[test]
fn rules_that_git_is_given_by_its_environment_hold() {
    let numbered = |key: &str, value: &str| {
        vec![
            ("GIT_CONFIG_COUNT", "1".to_owned()),
            ("GIT_CONFIG_KEY_0", key.to_owned()),
            ("GIT_CONFIG_VALUE_0", value.to_owned()),
        ]
    };
    let handed_on = |text: &str| vec![("GIT_CONFIG_PARAMETERS", text.to_owned())];
    for given in [
        numbered("core.excludesFile", "HOME/mine"),
        numbered("CORE.EXCLUDESFILE", "~/mine"),
        numbered("include.path", "HOME/more"),
        numbered("includeIf.onbranch:x.path", "~/more"),
        handed_on("'core.excludesfile'='HOME/mine'"),
        handed_on("'core.excludesfile=HOME/mine'"),
        handed_on("'user.name'='A '\\''B'\\''' 'core.excludesfile'='HOME/mine'"),
    ] {
        let mut place = Place::new();
        let home = place.around().join("home");
        repository(&place.work());
        write(&home.join("mine"), "salaries.md\n");
        write(&home.join("more"), "[core]\nexcludesFile = ~/mine\n");
        place.write("salaries.md", "plum");
        let more = ["--agent", "outside", "--dry-run", "--context", "salaries.md"];
        place.forge(&[&ASKED[..], &more].concat()).code(0);
        for (name, value) in &given {
            place.set(name, &value.replace("HOME", home.to_str().unwrap()));
        }
        place.forge(&[&ASKED[..], &more].concat()).code(2).err("leaves it out");
    }
}

/// What the user switched off, or set, is not for a model to type otherwise.
#[test]
fn inside_a_host_no_flag_undoes_what_the_user_configured() {
    let own = r#"{"agents": {"mine": {"command": "/bin/true"}, "ollama": {"enabled": false}}, "debate_config": {"consensus_threshold": 1, "max_rounds": 1}, "challenge": {"max_rounds": 2}}"#;
    let mut place = Place::new();
    let home = place.around().join("config");
    write(&home.join("forge/config.json"), own);
    place.set("XDG_CONFIG_HOME", home.to_str().unwrap());
    let asked = |more: &'static [&'static str]| [&ASKED[..], more].concat();
    let cases = [
        (vec!["doctor", "--probe"], "a command of yours"),
        (vec!["doctor", "--probe", "mine"], "--probe mine"),
        (asked(&["--agent", "ollama:m"]), "--agent ollama:m"),
        (asked(&["--agent", "outside", "--seat", "risk=ollama"]), "--seat ollama"),
        (asked(&["--agent", "outside", "--threshold", "2/3"]), "--threshold below"),
        (asked(&["--agent", "outside", "--threshold", "0.5"]), "--threshold below"),
        (asked(&["--agent", "outside", "--rounds", "2"]), "--rounds above"),
        (asked(&["--agent", "outside", "--protocol", "challenge", "--rounds", "3"]), "--rounds above"),
    ];
    place.set("CLAUDECODE", "1");
    for (args, says) in &cases {
        place.forge(args).code(2).err(says).err("Claude Code");
    }
    // A project's file is not the user's word either.
    for file in [r#"{"agent": "mine"}"#, r#"{"seats": {"judges": {"risk": "mine"}}}"#] {
        place.write(".claude/forge/config.json", file);
        place.forge(&ASKED).code(2).err("mine: this runs inside Claude Code");
        place.forge(&asked(&["--agent", "outside", "--dry-run"])).code(0);
    }
    place.set("FORGE_AGENT", "outside");
    place.forge(&asked(&["--protocol", "panel", "--dry-run"])).code(0);
    for more in [
        &["--threshold", "1"][..],
        &["--rounds", "1"],
        &["--rounds", "2", "--protocol", "challenge", "--allow-same-family"],
    ] {
        place.forge(&[&asked(&["--dry-run", "--agent", "outside"])[..], more].concat()).code(0);
    }
}

/// Where nobody says how long an ask may take, forge's own figure is what a model may not raise.
#[test]
fn inside_a_host_no_ask_takes_longer_than_forge_says() {
    let place = Place::new().with("CLAUDECODE", "1");
    let asked = |more: &[&'static str]| place.forge(&[&ASKED[..], &["--agent", "outside", "--dry-run"], more].concat());
    asked(&["--timeout", "121s"]).code(2).err("--timeout above");
    asked(&["--timeout", "120s"]).code(0);
    asked(&["--timeout", "5s"]).code(0);
}

/// A link of a repository around the workspace is its author's as well, however often it is named.
#[test]
fn a_link_of_what_is_around_the_workspace_sends_nothing() {
    let mut place = Place::called("outer");
    let (outer, around) = (place.work(), place.around().to_owned());
    repository(&outer);
    repository(&outer.join("inner"));
    write(&around.join("diary.md"), "plum");
    write(&outer.join(".env"), "plum");
    for (link, to) in [("notes.md", "../diary.md"), ("README.md", ".env"), ("docs", "..")] {
        std::os::unix::fs::symlink(to, outer.join(link)).unwrap();
    }
    place.set("USER", "u");
    for file in ["../notes.md", "../README.md", "../docs/diary.md", "../docs/outer/.env"] {
        for count in [1, 2, 3] {
            let context = ["--context", file].repeat(count);
            let args = [&ASKED[..], &["--agent", "outside", "--dry-run"], &context[..]].concat();
            place.forge_in(&outer.join("inner"), &args).code(2).err("is sent to nobody").err("a link");
        }
    }
    // Named itself, it is what was typed.
    let real = ["--context", "../../diary.md"];
    place.forge_in(&outer.join("inner"), &[&ASKED[..], &["--agent", "outside", "--dry-run"], &real].concat()).code(0);
}
