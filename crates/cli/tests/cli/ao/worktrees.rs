//! Collecting from worktrees: which are searched, which are refused, and what is left alone.

use super::{ADVOCATE, DEBATE, FIRST_WAVE, HOME, OPERATOR, SKEPTIC, Stage, git, leave, lines, roles};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

#[test]
fn a_worktree_that_is_not_of_this_repository_is_refused_by_name() {
    for generation in ['A', 'B'] {
        let stage = Stage::new(generation);
        stage.open();
        let other = stage.place.around().join("other");
        std::fs::create_dir(&other).unwrap();
        git(&other, &["init", "-q"]);
        leave(&other, &[("advocate.md", ADVOCATE)]);
        // Whoever opened this would wait for ever.
        let fifo = other.join(HOME).join("skeptic.md");
        assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        let sessions = [Path::new("/etc"), Path::new("/"), &other, Path::new("other"), Path::new("../other")];
        for (number, worktree) in sessions.iter().enumerate() {
            stage.session(&format!("evil-{number}"), worktree);
        }
        let before = stage.place.tree();
        let done = stage.forge(&["continue"]).code(3);
        assert_eq!(roles(&done), FIRST_WAVE, "{done}");
        for worktree in ["/etc", "/", other.to_str().unwrap()] {
            let line = format!("refused    {worktree}: git knows no such worktree of this repository");
            assert!(done.err.lines().any(|there| there == line), "no {line:?}: {done}");
        }
        assert!(done.err.contains("refused    other: it is not an absolute path"), "{done}");
        let done = stage.forge(&["debate", "collect"]).code(0).out("no other worktree").out("  refused    /etc: git");
        assert!(!done.out.contains("taken") && !done.out.contains("next"), "{done}");
        let json = stage.forge(&["debate", "collect", "--json"]).code(0).json();
        assert_eq!((json["refused"].as_array().unwrap().len(), json["worktrees"].as_u64()), (5, Some(0)), "{json}");
        assert_eq!(stage.place.tree(), before, "nothing of it is taken");
    }
}

/// A session that is over has its metadata still, and its worktree no more.
#[test]
fn a_worktree_that_is_gone_is_not_worth_a_word() {
    let stage = Stage::new('B');
    stage.open();
    stage.session("gone", &stage.place.around().join("gone"));
    let done = stage.forge(&["continue"]).code(3);
    assert!(!done.err.contains("refused"), "{done}");
}

/// git knows the worktree, no session names it: it is somebody's own.
#[test]
fn under_ao_only_sessions_are_searched() {
    for generation in ['A', 'B'] {
        let stage = Stage::new(generation);
        stage.open();
        let tree = stage.worktree("mine", &[("advocate.md", ADVOCATE)]);
        assert_eq!(roles(&stage.forge(&["continue"]).code(3)), FIRST_WAVE);
        stage.session("mine", &tree);
        assert_eq!(roles(&stage.forge(&["continue"]).code(3)), "skeptic operator");
    }
}

#[test]
fn without_ao_all_worktrees_of_the_repository_are_searched() {
    let stage = Stage::new('B').without_ao();
    stage.open();
    stage.forge(&["debate", "collect"]).code(0).out("there is no other worktree to look at");
    stage.worktree("first", &[("advocate.md", ADVOCATE)]);
    stage.worktree("second", &[("skeptic.md", SKEPTIC)]);
    let done = stage.forge(&["continue"]).code(3);
    assert!(!done.out.contains("collected"), "without AO nobody looks unasked: {done}");
    assert_eq!(stage.waits_for(), FIRST_WAVE);
    stage.forge(&["debate", "collect"]).code(0).out("2 worktrees looked at").out("taken").out("forge continue");
    assert_eq!(stage.place.read(&format!("{HOME}/advocate.md")), ADVOCATE);
    stage.forge(&["continue"]).code(3);
    assert_eq!(stage.waits_for(), "operator");
}

#[test]
fn from_names_the_folders_that_are_searched() {
    for generation in ['B', '-'] {
        let mut stage = Stage::new('B');
        stage.set_ao(generation == 'B');
        stage.open();
        let first = stage.worktree("first", &[("advocate.md", ADVOCATE)]);
        stage.worktree("second", &[("skeptic.md", SKEPTIC)]);
        // No repository at all: whoever names it means it.
        let plain = stage.place.around().join("plain");
        leave(&plain, &[("operator.md", "# Operator\n\nnot yet\n")]);
        let before = stage.place.tree();
        stage.forge(&["debate", "collect", DEBATE, "--from", "nowhere"]).code(2).err("--from nowhere").err("no such");
        stage.forge(&["debate", "collect", DEBATE, "--from", "docs/forge/knowledge/brief.md"]).code(2).err("--from");
        stage.forge(&["debate", "collect", "no-such-debate", "--from", "."]).code(2).err("no-such-debate");
        let done = stage.forge(&["debate", "collect", DEBATE, "--from", "."]).code(0);
        assert!(!done.out.contains("taken"), "{done}");
        assert_eq!(stage.place.tree(), before);
        let done = stage
            .forge(&["debate", "collect", "--from", first.to_str().unwrap(), "--from", "../plain"])
            .code(0)
            .out("2 worktrees looked at")
            .out(&format!("taken      {HOME}/advocate.md from {}\n", first.display()))
            .out("not yet");
        assert!(!done.out.contains("skeptic"), "only these: {done}");
        assert!(stage.has_turn("advocate.md") && !stage.has_turn("operator.md"));
    }
}

#[test]
fn without_a_debate_collect_says_which_it_needs() {
    let stage = Stage::new('B');
    stage.forge(&["debate", "collect"]).code(2).err("forge debate collect DEBATE");
    stage.forge(&["start", "Sessions for the shop"]).code(0);
    stage.forge(&["debate", "collect"]).code(2).err("no phase waits for a debate here");
}

#[test]
fn of_two_texts_none_is_taken_and_the_command_to_choose_is_given() {
    let stage = Stage::new('B');
    let first = lines(&stage.open());
    let longer = format!("{ADVOCATE}\nAnd one thing more.\n");
    for (name, text) in [("one", ADVOCATE), ("two", longer.as_str()), ("three", ADVOCATE)] {
        let tree = stage.worktree(name, &[("advocate.md", text)]);
        stage.session(name, &tree);
    }
    let choose = format!("forge turn submit {DEBATE} advocate --file FILE");
    let done = stage.forge(&["continue"]).code(3).err("conflict").err(&choose);
    assert!(["one", "two", "three"].iter().all(|name| done.err.contains(&format!("/{name}/{HOME}/advocate.md"))));
    assert_eq!(lines(&done), first);
    stage.forge(&["debate", "collect"]).code(3).out("advocate wrote different texts").out(&choose);
    assert!(!stage.has_turn("advocate.md"));
    let file = stage.place.around().join("two").join(HOME).join("advocate.md");
    stage.forge(&["turn", "submit", DEBATE, "advocate", "--file", file.to_str().unwrap()]).code(0);
    assert_eq!(roles(&stage.forge(&["continue"]).code(3)), "skeptic operator");
    for (seat, text) in [("skeptic", SKEPTIC), ("operator", OPERATOR)] {
        stage.place.write("words.md", text);
        stage.forge(&["turn", "submit", DEBATE, seat, "--file", "words.md"]).code(0);
    }
    assert_eq!(stage.place.read(&format!("{HOME}/advocate.md")), longer);
}

/// Role files that are links, pipes or folders, and a worktree into which AO linked `docs/forge`.
#[test]
fn no_link_leads_out_of_a_worktree() {
    let stage = Stage::new('B');
    stage.open();
    let secret = stage.place.around().join("secret.md");
    std::fs::write(&secret, ADVOCATE).unwrap();
    let tree = stage.worktree("links", &[]);
    stage.session("links", &tree);
    let home = tree.join(HOME);
    std::os::unix::fs::symlink(&secret, home.join("advocate.md")).unwrap();
    assert!(Command::new("mkfifo").arg(home.join("skeptic.md")).status().unwrap().success());
    std::fs::create_dir(home.join("operator.md")).unwrap();
    let done = stage.forge(&["continue"]).code(3).err("refused");
    assert_eq!(roles(&done), FIRST_WAVE, "{done}");
    assert!(!stage.has_turn("advocate.md"), "{done}");

    let stage = Stage::new('B');
    stage.open();
    let tree = stage.worktree("linked", &[]);
    stage.session("linked", &tree);
    std::fs::remove_dir_all(tree.join("docs")).unwrap();
    std::fs::create_dir(tree.join("docs")).unwrap();
    std::os::unix::fs::symlink(stage.place.path("docs/forge"), tree.join("docs/forge")).unwrap();
    let done = stage.forge(&["continue"]).code(3);
    assert!(!done.err.contains("refused"), "AO's own `symlinks: [docs/forge]`: {done}");
    std::fs::write(tree.join(HOME).join("advocate.md"), ADVOCATE).unwrap();
    assert_eq!(roles(&stage.forge(&["continue"]).code(3)), "skeptic operator");
}

/// `symlinks: [docs/forge]` and `.claude/forge`: a session reads and writes the one debate from its own worktree.
#[test]
fn folders_that_are_linked_to_the_main_worktree_are_shared() {
    for places in [&["docs/forge"][..], &["docs/forge", ".claude/forge"], &["docs/forge", ".claude/forge", "debates"]] {
        let mut stage = Stage::new('B');
        std::fs::create_dir_all(stage.place.path("debates")).unwrap();
        stage.open();
        let tree = stage.worktree("linked", &[]);
        std::fs::remove_dir_all(tree.join("docs")).unwrap();
        for place in places {
            std::fs::create_dir_all(tree.join(place).parent().unwrap()).unwrap();
            symlink(stage.place.path(place), tree.join(place)).unwrap();
        }
        stage.set_ao(false);
        let there = |args: &[&str]| stage.place.forge_in(&tree, args);
        there(&["debate", "list"]).code(0).out(DEBATE);
        there(&["debate", "collect", DEBATE]).code(0);
        std::fs::write(tree.join("words.md"), ADVOCATE).unwrap();
        there(&["turn", "submit", DEBATE, "advocate", "--file", "words.md"]).code(0);
        assert!(stage.place.has(&format!("{HOME}/trail/sealed/case-r1-advocate.md")), "{places:?}");
        let ask = ["debate", "Which cache?", "--option", "A", "--option", "B", "--option", "C", "--agent", "rehearsal"];
        for protocol in ["gate", "challenge"] {
            there(&[&ask[..], &["--protocol", protocol, "--id", protocol]].concat()).code(0);
        }
        assert!(stage.place.has("docs/forge/debate/gate/debate-plan.md"), "{places:?}");
        assert_eq!(stage.place.has("debates/challenge"), places.contains(&"debates"));
        assert!(there(&["debate", "list"]).code(0).out.contains("challenge"));
    }
}

/// Whatever else a link of forge's folders leads to, and whoever claims to be a worktree.
#[test]
fn no_other_link_is_shared() {
    let stage = Stage::new('B').without_ao();
    stage.open();
    let other = stage.place.around().join("other");
    std::fs::create_dir_all(other.join("docs/forge")).unwrap();
    git(&other, &["init", "-q"]);
    let main = stage.place.work().canonicalize().unwrap();
    std::fs::create_dir_all(main.join("docs/forge/debate/x/docs/forge")).unwrap();
    let ask = ["debate", "Which cache?", "--option", "A", "--option", "B", "--option", "C", "--agent", "rehearsal"];
    let refused = |folder: &Path, target: &Path, place: &str| {
        let link = folder.join(place);
        let _ = std::fs::remove_dir_all(folder.join(place.split('/').next().unwrap()));
        std::fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(target, &link).unwrap();
        for args in [&["debate", "list"][..], &ask] {
            let done = stage.place.forge_in(folder, args);
            assert!(done.err.contains("symbolic link"), "{} -> {}: {done}", link.display(), target.display());
        }
        std::fs::remove_file(link).unwrap();
    };
    let tree = stage.worktree("tree", &[]);
    for target in ["docs", ".git", "docs/forge/debate", ".claude/forge", "docs/forge/debate/x/docs/forge"] {
        refused(&tree, &main.join(target), "docs/forge");
    }
    refused(&tree, &other.join("docs/forge"), "docs/forge");
    // A repository that is no added worktree: its links came with it.
    refused(&other, &main.join("docs/forge"), "docs/forge");
    // One that only says so: git's list has another folder under that name.
    let liar = stage.place.around().join("liar");
    std::fs::create_dir(&liar).unwrap();
    std::fs::copy(tree.join(".git"), liar.join(".git")).unwrap();
    refused(&liar, &main.join("docs/forge"), "docs/forge");
    std::fs::write(liar.join(".git"), format!("gitdir: {}/.git\n", main.display())).unwrap();
    refused(&liar, &main.join("docs/forge"), "docs/forge");
}
