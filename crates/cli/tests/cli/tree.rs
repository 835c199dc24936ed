//! A repository is somebody else's: what it contains makes forge neither send nor copy a file that the user did not name and
//! the repository does not show, nor write where forge has no business. Tables of kinds of files, ways to them, and doors.

use crate::model::{self, serve};
use crate::place::{Done, Place, tree_of};
use forge_testkit::model_server::ModelServer;
use serde_json::json;
use std::collections::BTreeMap;
use std::os::unix::fs::symlink;
use std::path::Path;

/// Stands in every file that may not go out.
const PRIVATE: &str = "NOT-TO-BE-SENT-7f3a";
const AGENT: [&str; 2] = ["--agent", "openai:gpt-test"];
const ASK: [&str; 8] =
    ["debate", "Redis or Memcached?", "--option", "Redis", "--option", "Memcached", "--option", "None"];

/// What a repository does not show, and how it is spelled from its top.
const KINDS: [(&str, &str); 8] = [
    ("secrets", ".env"),
    ("a key", "deploy.key"),
    ("ignored", "private/notes.md"),
    ("ignored by name", "docs/x.local.md"),
    ("hidden", ".hidden/notes.md"),
    ("of a CI", ".github/workflows/ci.yml"),
    ("of git", ".git/description"),
    ("outside", "../outside.md"),
];

/// A repository with one file of each kind, and a model server to send them to.
struct Stage {
    place: Place,
    server: ModelServer,
    before: BTreeMap<String, Vec<u8>>,
}

impl Stage {
    fn new(set: impl Fn(&Place)) -> Self {
        let server = serve(&[], |_, _| None);
        let place = Place::new().with("OPENAI_BASE_URL", &server.base_url()).with("OPENAI_API_KEY", "k-0");
        place.write(".git/HEAD", "ref: refs/heads/main\n");
        place.write(".git/hooks/sample", "x");
        place.write(".gitignore", "private/\n*.local.md\n.env\n");
        place.write(".claude/settings.json", "{}");
        for (_, path) in KINDS {
            place.write(path, format!("{PRIVATE}\n\n- one\n- two\n- three\n"));
        }
        set(&place);
        let before = Self::guarded(&place);
        Self { place, server, before }
    }

    /// Everything that is not forge's.
    fn guarded(place: &Place) -> BTreeMap<String, Vec<u8>> {
        let is_forges = |file: &str| {
            ["docs/forge/", "debates/", ".claude/forge/"].iter().any(|own| file.starts_with(own))
                || file.contains("/sadd/")
        };
        let mut all = tree_of(&place.work());
        all.retain(|file, _| !is_forges(file));
        all.insert("outside".to_owned(), std::fs::read(place.path("../outside.md")).unwrap());
        all
    }

    /// Runs each command, and holds what came of it against the rule. Tells the last.
    fn holds(&self, name: &str, commands: &[&[&str]]) -> Done {
        let mut last = None;
        for args in commands {
            let done = self.place.forge(args);
            assert_ne!(done.code, 1, "{name}: {done}");
            assert!(!done.out.contains(PRIVATE) && !done.err.contains(PRIVATE), "{name}: {done}");
            last = Some(done);
        }
        let done = last.unwrap();
        for request in self.server.requests() {
            assert!(!model::sent(&request).contains(PRIVATE), "{name}: sent\n{done}");
        }
        let after = Self::guarded(&self.place);
        let changed: Vec<&String> =
            self.before.keys().chain(after.keys()).filter(|file| self.before.get(*file) != after.get(*file)).collect();
        assert!(changed.is_empty(), "{name}: {changed:?}\n{done}");
        for (file, bytes) in self.place.tree() {
            let is_copy = !self.before.contains_key(&file) && String::from_utf8_lossy(&bytes).contains(PRIVATE);
            let is_link = std::fs::symlink_metadata(self.place.path(&file)).is_ok_and(|found| found.is_symlink());
            assert!(!is_copy || is_link || is_hard(&self.place.path(&file)), "{name}: copied to {file}\n{done}");
        }
        done
    }
}

fn is_hard(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    path.metadata().is_ok_and(|found| found.nlink() > 1)
}

fn link(place: &Place, to: impl AsRef<Path>, at: &str) {
    std::fs::create_dir_all(place.path(at).parent().unwrap()).unwrap();
    symlink(to, place.path(at)).unwrap();
}

/// The way from a file's folder up to the top of the repository.
fn up(from: &str) -> String {
    "../".repeat(from.matches('/').count())
}

fn with<'a>(args: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [args, more].concat()
}

/// Roles, prompts and documents that are links, straight, over another link, absolute, through a folder, or hard: refused by
/// name before anybody is asked.
#[test]
fn no_file_of_forges_own_places_leads_elsewhere() {
    let doors: [(&str, &[&[&str]]); 7] = [
        (".claude/forge/roles/risk.md", &[&with(&ASK, &AGENT)]),
        (".claude/forge/prompts/case.md", &[&with(&ASK, &AGENT)]),
        (".claude/forge/prompts/judges/opening.md", &[&with(&ASK, &AGENT)]),
        ("docs/forge/brainstorm-options.md", &[&["start", "Pick a cache"], &["continue", AGENT[0], AGENT[1]]]),
        ("docs/forge/phases/brainstorm.md", &[&["start", "Pick a cache"], &["continue", AGENT[0], AGENT[1]]]),
        ("docs/forge/knowledge/brief.md", &[&["start", "Pick a cache"], &["continue", AGENT[0], AGENT[1]]]),
        ("docs/forge/knowledge/decisions.md", &[&["start", "Pick a cache"], &["continue", AGENT[0], AGENT[1]]]),
    ];
    for (number, (door, commands)) in doors.into_iter().enumerate() {
        for (kind, target) in KINDS {
            let straight = format!("{}{target}", up(door));
            Stage::new(|place| link(place, &straight, door)).holds(&format!("{door} -> {kind}"), commands).code(2);
        }
        let (_, target) = KINDS[number];
        let over = Stage::new(|place| {
            link(place, target, "between");
            link(place, format!("{}between", up(door)), door);
        });
        over.holds(&format!("{door} over a link"), commands).code(2);
        let absolute = Stage::new(|place| link(place, place.path(target), door));
        absolute.holds(&format!("{door}, absolute"), commands).code(2);
        let folder = door.rsplit_once('/').unwrap();
        let through = Stage::new(|place| {
            place.write(&format!(".hidden/{}", folder.1), PRIVATE);
            link(place, format!("{}.hidden", up(folder.0)), folder.0);
        });
        through.holds(&format!("{door} through a folder"), commands).code(2);
        let hard = Stage::new(|place| {
            std::fs::create_dir_all(place.path(folder.0)).unwrap();
            std::fs::hard_link(place.path(".env"), place.path(door)).unwrap();
        });
        hard.holds(&format!("{door}, hard"), commands);
        assert_eq!(hard.server.count(), 0, "{door}");
    }
    // A link to a file that everybody sees is none the less a link.
    let shown = Stage::new(|place| {
        place.write("texts/risk.md", "Mind the risk.");
        link(place, "../../../texts/risk.md", ".claude/forge/roles/risk.md");
    });
    shown.holds("a visible target", &[&with(&ASK, &AGENT)]).code(2).err("risk.md is a symbolic link");
}

/// Whatever a workflow file names as a document: nothing hidden, ignored or secret is read, and none such is made.
#[test]
fn no_workflow_file_names_a_document_elsewhere() {
    let documents = [
        ".env",
        "./.env",
        "docs/../.env",
        "docs/.env",
        "docs/x.local.md",
        "private/notes.md",
        "deploy.key",
        "docs/deploy.key",
        ".git/hooks/pre-commit",
        ".git/index.lock",
        ".GIT/hooks/x",
        ".claude/settings.json",
        ".claude/forge/create.lock",
        ".github/workflows/ci.yml",
        ".gitlab-ci.yml",
        ".circleci/config.yml",
        "Jenkinsfile",
        "Makefile",
        "src/main.md",
        "docs/a\u{200b}b.md",
        "docs/\u{202e}x.md",
        "/etc/hostname",
        "~/x.md",
        "../outside.md",
        "docs/link.md",
    ];
    for document in documents {
        let stage = Stage::new(|place| {
            link(place, "../.env", "docs/link.md");
            let phase = json!({"id": "brainstorm", "options_document": document});
            place.write("workflows/forge-workflow.json", json!({"phases": [phase]}).to_string());
        });
        let go_on: &[&str] = &["continue", AGENT[0], AGENT[1]];
        let commands = [&["start", "Pick a cache"], &["continue"][..], go_on, &["continue"], go_on];
        stage.holds(document, &commands).code(2);
        assert_eq!(stage.server.count(), 0, "{document}");
    }
}

/// Files that the user types: what a link of the repository makes of them is not what was typed.
#[test]
fn what_is_typed_is_sent_and_not_what_a_link_makes_of_it() {
    for (kind, target) in KINDS {
        let (folder, name) = target.rsplit_once('/').unwrap_or((".", target));
        let stage = Stage::new(|place| {
            link(place, target, "notes.md");
            link(place, folder, "linked");
            link(place, format!("../{target}"), "personas/architect.md");
        });
        let through = format!("linked/{name}");
        for file in ["notes.md", &through] {
            for flag in ["--context", "--from"] {
                let args = with(&ASK, &[&AGENT[..], &[flag, file]].concat());
                let done = stage.holds(&format!("{flag} {file}: {kind}"), &[&args]).code(2);
                assert!(done.err.contains("twice: ") && done.err.contains(&format!("{flag} {file}: ")), "{done}");
            }
        }
        let personas = ["--protocol", "challenge", "--personas", "personas"];
        stage.holds(&format!("--personas: {kind}"), &[&with(&ASK, &[&AGENT[..], &personas].concat())]).code(2);
        let outside = with(&ASK, &["--agent", "outside", "--id", "q1"]);
        stage
            .holds("a turn", &[&outside, &["turn", "submit", "q1", "risk", "--file", "notes.md"]])
            .code(2)
            .err("notes.md: ");
    }
}

/// Folders of forge's that are links, and folders that the user types or a file names: nothing is written through or into
/// what is not forge's.
#[test]
fn nothing_is_written_elsewhere() {
    let places: [(&str, &[&str]); 8] = [
        ("docs/forge", &["judges", "gate"]),
        ("docs/forge/sadd", &["judges"]),
        ("docs/forge/debate", &["gate", "panel"]),
        ("docs/forge/debate/d1", &["gate", "panel"]),
        ("debates", &["challenge"]),
        ("debates/d1", &["challenge"]),
        (".claude/forge", &["judges"]),
        (".claude/forge/requests", &["gate"]),
    ];
    for (at, protocols) in places {
        for target in [".git", ".git/hooks", ".github", ".hidden", "private", ".."] {
            for protocol in protocols {
                let stage = Stage::new(|place| link(place, format!("{}{target}", up(at)), at));
                let args = with(&ASK, &["--protocol", protocol, "--id", "d1", "--agent", "rehearsal"]);
                stage.holds(&format!("{protocol}: {at} -> {target}"), &[&args]).code(2).err("symbolic link");
            }
        }
    }
    let long = "x".repeat(5000);
    for folder in
        [".git", ".git/x", ".GIT/x", ".github", ".claude/x", "docs/.x", "a\u{200b}b", "../up", "a/./b", "feat", &long]
    {
        let stage = Stage::new(|place| link(place, ".git", "feat"));
        let args = with(&ASK, &["--feature-dir", folder, "--agent", "rehearsal"]);
        stage.holds(&format!("--feature-dir {folder}"), &[&args]).code(2);
    }
    // An index that was planted names places: none of them is looked into.
    let planted =
        Stage::new(|place| place.write(".claude/forge/feature-dirs", ".git\n.hidden\n../\nprivate/../.git\n"));
    planted.holds("feature-dirs", &[&["debate", "list"], &with(&ASK, &["--agent", "rehearsal"])]).code(0);
}

/// An export goes where the user says, but not into git's own folder or to what is hidden, and not where a link of the repository leads.
#[test]
fn no_export_leads_elsewhere() {
    let stage = Stage::new(|place| {
        link(place, ".git/hooks/pre-commit", "dangling.md");
        link(place, ".git/hooks", "hooks");
        link(place, "../outside.md", "outside.md");
        link(place, "private", "docs/linked");
        link(place, ".git/HEAD", "head.md");
        place.write("mine.md", "mine");
        place.write(".github/workflows/ci.yml", "on: push");
        place.write(".claude/settings.json", "{}");
    });
    stage.holds("a debate", &[&with(&ASK, &["--id", "q1", "--agent", "rehearsal"])]).code(0);
    for path in [
        "dangling.md",
        "hooks/x.md",
        "outside.md",
        "docs/linked/x.md",
        "head.md",
        ".git/x",
        ".git/HEAD",
        "docs/../.git/x",
        "hooks/../x",
        ".github/workflows/ci.yml",
        ".github/workflows/other.yml",
        ".claude/settings.json",
        ".env",
        "../.profile",
    ] {
        for more in [&[][..], &["--force"]] {
            stage.holds(path, &[&with(&["export", "q1", "--format", "adr", "--output", path], more)]).code(2);
        }
    }
    stage.holds("another's file", &[&["export", "q1", "--output", "mine.md"]]).code(2).err("--force");
    stage.place.forge(&["export", "q1", "--output", "out.md"]).code(0);
    stage.place.forge(&["export", "q1", "--output", "mine.md", "--force"]).code(0);
}

/// What goes out is named whole before it does: every file, and the project's roles and prompts, each with its size.
#[test]
fn everything_that_is_sent_is_named() {
    let server = serve(&[], |_, _| None);
    let place = Place::new().with("OPENAI_BASE_URL", &server.base_url()).with("OPENAI_API_KEY", "k-0");
    let names: Vec<String> = (1..=12).map(|number| format!("{}-{number}.md", "a-long-name".repeat(8))).collect();
    names.iter().for_each(|name| place.write(name, "Notes.\n"));
    place.write(".claude/forge/roles/risk.md", "Mind the risk, always.\n");
    place.write(".claude/forge/prompts/judges/opening.md", "Say what you think of it.\n");
    let mut args = with(&ASK, &AGENT);
    names.iter().for_each(|name| args.extend(["--context", name]));
    let dry = place.forge(&with(&args, &["--dry-run"])).code(0);
    let done = place.forge(&args);
    for said in [&dry.out, &done.err] {
        for name in &names {
            assert!(said.contains(&format!("{name} (7 bytes)")), "{name}: {said}");
        }
        for own in [".claude/forge/roles/risk.md (", ".claude/forge/prompts/judges/opening.md (26 bytes)"] {
            assert!(said.contains(own), "{own}: {said}");
        }
    }
    let sent = place.forge(&with(&args, &["--dry-run", "--json"])).json();
    assert_eq!(sent["sent_to"][0]["files"].as_array().unwrap().len(), 14, "{sent}");
}

/// A debate that cannot be read is named in the list, and keeps no other from being listed.
#[test]
fn a_list_names_what_cannot_be_read() {
    let place = Place::new();
    for id in ["q1", "q2"] {
        place.forge(&with(&ASK, &["--id", id, "--protocol", "gate", "--agent", "rehearsal"]));
    }
    let trail = place.path("docs/forge/debate/q1/trail");
    std::fs::remove_dir_all(&trail).unwrap();
    symlink("trail", &trail).unwrap();
    let done = place.forge(&["debate", "list"]).code(0).out("q1").out("q2");
    assert!(!done.err.contains("error"), "{done}");
}

/// A folder without a plan, left where making a debate was cut off, is no other name to try.
#[test]
fn a_folder_without_a_plan_is_not_proposed_under_its_own_name() {
    let place = Place::new();
    place.write("docs/forge/debate/k1/trail/roles/risk.md", "# Risk\n");
    let told = place.forge(&["verify", "k1"]);
    assert!(told.err.contains("there is no debate \"k1\" here") && !told.err.contains("did you mean"), "{told}");
}
