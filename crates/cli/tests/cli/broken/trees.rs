//! Links that lead out, files where folders belong, neighbours that are broken.

use super::{Row, check, judged, row, waiting};
use crate::place::Place;
use std::os::unix::fs::symlink;

const Q: &str = "Which way is best?";
const OPTIONS: [&str; 6] = ["--option", "One way", "--option", "Another way", "--option", "A third way"];

fn link(place: &Place, name: &str) {
    let path = place.path(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    symlink(place.around().join("outside"), path).unwrap();
}

/// A folder of the workspace that leads out of it: refused by name, and nothing is read or written out there.
fn leads_out(protocol: &'static str, name: &'static str) -> Row {
    row(
        &format!("{protocol}: {name} leads out"),
        &[&["debate", Q, "--protocol", protocol, "--id", "d1"], &OPTIONS[..]].concat(),
        &[2],
        &[name.split('/').next().unwrap()],
    )
    .set(move |place| link(place, name))
}

#[test]
fn links_that_lead_out() {
    let secret = |place: &Place| place.around().join("outside/secret.md");
    check(vec![
        leads_out("judges", "docs"),
        leads_out("judges", "docs/forge"),
        leads_out("judges", "docs/forge/sadd"),
        leads_out("judges", "docs/forge/sadd/debate-d1-trail"),
        leads_out("gate", "docs"),
        leads_out("gate", "docs/forge/debate"),
        leads_out("gate", "docs/forge/debate/d1"),
        leads_out("panel", "docs/forge/debate/d1"),
        leads_out("challenge", "debates"),
        leads_out("challenge", "debates/d1"),
        leads_out("challenge", "debates/d1/rounds"),
        leads_out("judges", ".claude"),
        leads_out("judges", ".claude/forge"),
        row("a turn that leads out", &["debate", "run", "g1"], &[2, 3], &["advocate.md"]).set(move |place| {
            waiting(place);
            symlink(secret(place), place.path("docs/forge/debate/g1/advocate.md")).unwrap();
        }),
        row("a plan that leads out", &["debate", "show", "g1"], &[2], &["debate-plan.md"]).set(move |place| {
            waiting(place);
            std::fs::remove_file(place.path("docs/forge/debate/g1/debate-plan.md")).unwrap();
            symlink(secret(place), place.path("docs/forge/debate/g1/debate-plan.md")).unwrap();
        }),
        row("a verdict that leads out", &["debate", "run", "q1"], &[0, 2], &[]).set(move |place| {
            judged(place);
            std::fs::remove_file(place.path("docs/forge/sadd/debate-q1-trail/verdict.json")).unwrap();
            symlink(secret(place), place.path("docs/forge/sadd/debate-q1-trail/verdict.json")).unwrap();
        }),
        row("a result that leads out", &["debate", "run", "q1"], &[0, 2], &[]).set(move |place| {
            judged(place);
            std::fs::remove_file(place.path("docs/forge/sadd/debate-q1-result.yaml")).unwrap();
            symlink(secret(place), place.path("docs/forge/sadd/debate-q1-result.yaml")).unwrap();
        }),
        row("a lock that leads out", &["debate", "run", "q1"], &[2], &["lock"]).set(move |place| {
            judged(place);
            std::fs::remove_file(place.path("docs/forge/sadd/debate-q1-trail/lock")).unwrap();
            symlink(secret(place), place.path("docs/forge/sadd/debate-q1-trail/lock")).unwrap();
        }),
        row("a role override that leads out", &["debate", Q], &[0, 2, 4], &[]).set(move |place| {
            std::fs::create_dir_all(place.path(".claude/forge/roles")).unwrap();
            symlink(secret(place), place.path(".claude/forge/roles/risk.md")).unwrap();
        }),
    ]);
}

#[test]
fn links_within_the_workspace_are_not_followed_either() {
    let place = Place::new();
    std::fs::create_dir(place.path("documents")).unwrap();
    symlink("documents", place.path("docs")).unwrap();
    let args = [&["debate", Q, "--id", "q1"], &OPTIONS[..]].concat();
    place.forge(&args).code(2).err("docs is a symbolic link, and forge follows none");
    assert!(!place.has("documents/forge"));
}

#[test]
fn files_where_folders_belong() {
    let args = |protocol: &'static str| [&["debate", Q, "--protocol", protocol], &OPTIONS[..]].concat();
    let mut rows = Vec::new();
    for (protocol, name) in [
        ("judges", "docs"),
        ("judges", "docs/forge"),
        ("judges", "docs/forge/sadd"),
        ("gate", "docs/forge/debate"),
        ("challenge", "debates"),
        ("judges", ".claude"),
        ("judges", ".claude/forge"),
    ] {
        rows.push(
            row(&format!("{protocol}: {name} is a file"), &args(protocol), &[1, 2], &[name])
                .set(move |place| place.write(name, "mine"))
                .then(move |place, done| {
                    assert_eq!(place.read(name), "mine");
                    assert!(!done.err.contains("when the disk is well"), "nothing is wrong with the disk: {done}");
                }),
        );
    }
    rows.push(
        row("the creation lock is a folder", &args("judges"), &[2], &["create.lock"])
            .set(|place| place.write(".claude/forge/create.lock/x", "x")),
    );
    rows.push(row("a debate's lock is a folder", &["debate", "run", "q1"], &[2], &["lock"]).set(|place| {
        judged(place);
        std::fs::remove_file(place.path("docs/forge/sadd/debate-q1-trail/lock")).unwrap();
        place.write("docs/forge/sadd/debate-q1-trail/lock/x", "x");
    }));
    for text in ["../../outside\n", "/etc\n", "\0\0\n", "docs/forge/../../x\n", "\u{feff}docs/x\r\n", "a\nb\nc\n\n\n"] {
        rows.push(
            row(&format!("feature-dirs: {text:?}"), &["debate", "list"], &[0], &[])
                .set(move |place| place.write(".claude/forge/feature-dirs", text))
                .then(|place, _| {
                    let done = place.forge(&[
                        "debate",
                        Q,
                        "--id",
                        "q9",
                        "--feature-dir",
                        "docs/y",
                        "--option",
                        "One",
                        "--option",
                        "Two",
                    ]);
                    assert!(matches!(done.code, 0 | 4), "an index decides nothing: {done}");
                    place.forge(&["debate", "show", "q9"]);
                }),
        );
    }
    check(rows);
}

/// A neighbour that cannot be read is no reason to refuse everything else.
#[test]
fn broken_neighbours() {
    let plan = "docs/forge/debate/bad/debate-plan.md";
    type Set = fn(&Place);
    let neighbours: Vec<(&str, Set)> = vec![
        ("a folder for a plan", |place| place.write("docs/forge/debate/bad/debate-plan.md/x", "x")),
        ("a plan of 9 MB", |place| place.write("docs/forge/debate/bad/debate-plan.md", vec![b'x'; 9_000_000])),
        ("a binary plan", |place| place.write("docs/forge/debate/bad/debate-plan.md", [0xff, 0x00])),
        ("an empty plan", |place| place.write("docs/forge/debate/bad/debate-plan.md", "")),
        ("a plan that is a fifo", |place| {
            std::fs::create_dir_all(place.path("docs/forge/debate/bad")).unwrap();
            assert!(
                std::process::Command::new("/usr/bin/mkfifo")
                    .arg(place.path("docs/forge/debate/bad/debate-plan.md"))
                    .status()
                    .unwrap()
                    .success()
            );
        }),
        ("a plan that leads out", |place| {
            std::fs::create_dir_all(place.path("docs/forge/debate/bad")).unwrap();
            symlink(place.around().join("outside/secret.md"), place.path("docs/forge/debate/bad/debate-plan.md"))
                .unwrap();
        }),
        ("a plan that leads nowhere", |place| {
            std::fs::create_dir_all(place.path("docs/forge/debate/bad")).unwrap();
            symlink("nowhere.md", place.path("docs/forge/debate/bad/debate-plan.md")).unwrap();
        }),
        ("a verdict that is a folder", |place| {
            place.write("docs/forge/debate/bad/debate-plan.md", "x");
            place.write("docs/forge/debate/bad/trail/verdict.json/x", "x");
        }),
        ("a folder that leads out", |place| link(place, "docs/forge/debate/bad")),
        ("a folder with a strange name", |place| {
            place.write("docs/forge/debate/\u{202e}\u{1b}[31mbad/debate-plan.md", "x")
        }),
        ("a challenge that leads out", |place| link(place, "debates/007-bad")),
    ];
    let mut rows = Vec::new();
    for (name, set) in neighbours {
        let set = move |place: &Place| {
            set(place);
        };
        rows.push(row(&format!("{name}: list"), &["debate", "list"], &[0], &[]).set(set));
        rows.push(
            row(&format!("{name}: a new debate"), &[&["debate", Q, "--id", "q2"], &OPTIONS[..]].concat(), &[0, 4], &[])
                .set(set)
                .then(|place, _| {
                    place.forge(&["debate", "status", "q2"]).code(0);
                    place.forge(&["debate", "status", "q"]).code(0).out("q2");
                }),
        );
    }
    rows.push(
        row("the broken one by name", &["debate", "show", "bad"], &[2], &[plan])
            .set(|place| place.write("docs/forge/debate/bad/debate-plan.md", vec![b'x'; 9_000_000])),
    );
    check(rows);
}

// seed: S4-53
#[test]
fn a_folder_that_may_not_be_written() {
    let uid = std::process::Command::new("/usr/bin/id").arg("-u").output().unwrap().stdout;
    if uid.starts_with(b"0\n") {
        eprintln!("root may write everywhere; nothing to see");
        return;
    }
    let place = Place::new();
    let mut permissions = std::fs::metadata(place.work()).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o555);
    std::fs::set_permissions(place.work(), permissions).unwrap();
    place.forge(&["debate", Q]).code(1).err("permission denied");
}
