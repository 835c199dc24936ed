//! A process namespace of a test's own: for what must not be seen by other tests, and to be the first process of one.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// How a namespace is asked for: plainly, and as a user who may do so only in a user namespace.
const WAYS: [&[&str]; 2] = [
    &["unshare", "--pid", "--fork", "--mount-proc"],
    &["unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc"],
];

/// The words before a command that make it the first process of a namespace of its own. Where the system refuses that, says
/// so and gives none.
pub fn words() -> Option<&'static [&'static str]> {
    static WORDS: OnceLock<Option<&'static [&'static str]>> = OnceLock::new();
    *WORDS.get_or_init(|| {
        let mut why = String::new();
        for way in WAYS {
            match Command::new(way[0]).args(&way[1..]).arg("true").stdin(Stdio::null()).output() {
                Ok(done) if done.status.success() => return Some(way),
                Ok(done) => why = String::from_utf8_lossy(&done.stderr).trim().to_owned(),
                Err(error) => why = error.to_string(),
            }
        }
        let _ = writeln!(std::io::stderr(), "SKIPPED: no process namespace can be had here: {why}");
        None
    })
}

/// Runs a test of this program once more in a namespace of its own, with this variable set, and says whether it passed.
/// Nothing where there is no namespace to be had.
pub fn run(test: &str, variable: &str) -> Option<bool> {
    let words = words()?;
    let program = std::env::current_exe().ok()?;
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).arg(program).args([test, "--exact", "--nocapture"]).env(variable, "1");
    Some(command.stdin(Stdio::null()).status().is_ok_and(|status| status.success()))
}
