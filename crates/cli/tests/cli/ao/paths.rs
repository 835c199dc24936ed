//! Folders with names that a shell would take for something else.

use super::{GENERATIONS, HOME, NOW, OPTIONS, Stage, lines, roles};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::process::Command;

const NAMES: [&str; 5] = [
    "it's my ''shop''",
    "$HOME ${PATH} $(touch sprung) `touch sprung` a&b;c|d>e<f #g *?[h]!~",
    r"größe Ω 日本 🦀 back\slash\n",
    "-rf",
    r#"it's "quoted" $HOME"#,
];

/// The words that a shell reads from a line.
fn words(line: &str) -> Vec<String> {
    let script = format!("ao() {{ for word; do printf '%s\\n' \"$word\"; done; }}\n{line}");
    let done = Command::new("sh").args(["-c", &script]).output().unwrap();
    assert!(done.status.success() && done.stderr.is_empty(), "{line}\n{done:?}");
    String::from_utf8(done.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn printed_lines_work_in_any_folder() {
    for name in NAMES {
        for generation in GENERATIONS {
            let stage = Stage::called(name, generation);
            let opened = stage.open();
            let root = stage.place.work().canonicalize().unwrap().to_str().unwrap().to_owned();
            assert_eq!(lines(&opened).len(), 3, "{opened}");
            for line in lines(&opened) {
                let words = words(&line);
                let prompt = words.last().unwrap();
                assert!(prompt.contains(&format!("--plan={root}/{HOME}/debate-plan.md ")), "{line}");
                assert!(prompt.contains(&format!("to the file \"{root}/{HOME}/")), "{line}");
                match generation {
                    'A' => assert_eq!(words[words.len() - 2], name, "{line}"),
                    'B' => assert_eq!(words.len(), 3, "{line}"),
                    _ => assert_eq!(words.len(), 7, "{line}"),
                }
            }
            let json = stage.forge(&["continue", "--json"]).code(3).json();
            assert_eq!(json["spawn"]["commands"], serde_json::json!(lines(&opened)));
            // One generation is enough: the others have the same words. The stand-in reads a path up to a quotation mark.
            if generation == 'A' && !name.contains('"') {
                stage.spawn(&lines(&opened), "worktree");
                assert_eq!(roles(&stage.forge(&["continue"]).code(3)), "synthesizer", "{name}");
            }
            let all = crate::place::tree_of(stage.place.around());
            assert!(!all.keys().any(|file| file.ends_with("sprung")), "{name}");
        }
    }
}

/// What a terminal would show as another path is not printed at all.
#[test]
fn a_folder_that_cannot_be_put_on_one_line_gets_no_lines() {
    for name in ["two\nlines", "hidden\u{202e}gnirts", "tab\there"] {
        let stage = Stage::called(name, 'B');
        let done = stage.open().err("no spawn line for advocate").err("cannot be put on one line");
        assert!(!done.out.contains("ao spawn"), "{done}");
    }
}

#[test]
fn a_folder_whose_name_is_not_utf_8_gets_no_lines() {
    let stage = Stage::new('B');
    let folder = stage.place.around().join(OsStr::from_bytes(b"caf\xe9"));
    std::fs::create_dir(&folder).unwrap();
    let forge = |args: &[&str]| {
        let done = stage.place.command(args).current_dir(&folder).env("FORGE_NOW", NOW).output().unwrap();
        (done.status.code(), String::from_utf8(done.stdout).unwrap(), String::from_utf8(done.stderr).unwrap())
    };
    assert_eq!(forge(&["start", "Sessions for the shop"]).0, Some(0));
    assert_eq!(forge(&["continue"]).0, Some(0));
    std::fs::write(folder.join("docs/forge/brainstorm-options.md"), OPTIONS).unwrap();
    let (code, out, err) = forge(&["continue"]);
    assert_eq!(code, Some(3), "{err}");
    assert!(!out.contains("ao spawn") && err.contains("no spawn lines") && err.contains("not UTF-8"), "{out}\n{err}");
}

/// A long path leaves room for what must be said, and for nothing else.
#[test]
fn a_long_path_costs_explanations_and_then_the_line() {
    let name = "n".repeat(250);
    let stage = Stage::new('B');
    let deep = |depth: usize| {
        let mut path = stage.place.work();
        path.extend(std::iter::repeat_n(&name, depth));
        std::fs::create_dir_all(&path).unwrap();
        path.to_str().unwrap().to_owned()
    };
    for (depth, is_printed) in [(3, true), (6, false)] {
        let folder = deep(depth);
        let forge = |args: &[&str]| stage.forge(&[&["--workspace", &folder], args].concat());
        forge(&["start", "Sessions for the shop"]).code(0);
        forge(&["continue"]).code(0);
        std::fs::write(format!("{folder}/docs/forge/brainstorm-options.md"), OPTIONS).unwrap();
        let done = forge(&["continue"]).code(3);
        assert_eq!(lines(&done).len(), if is_printed { 3 } else { 0 }, "{done}");
        assert_eq!(done.err.contains("work in a folder with a shorter path"), !is_printed, "{done}");
        assert!(lines(&done).iter().all(|line| words(line).last().unwrap().chars().count() < 4096));
    }
}
