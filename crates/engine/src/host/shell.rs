//! The one command that a seat may run, told from everything else that a shell would make of a line.
//!
//! What is not plainly that command is refused: nothing here tries to understand a shell, only to know one harmless form of it.

use std::fmt;
use std::ops::Range;

/// The verb after which a subagent's name is put.
const VERB: [&str; 2] = ["turn", "submit"];
/// Flags without a value that a seat may use.
const FLAGS: [&str; 4] = ["--check", "--as-is", "--replace", "--json"];

/// A turn that is about to be handed in.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Submission {
    /// The debate.
    pub(super) debate: String,
    /// The seat.
    pub(super) seat: String,
    /// Where in the command the program stands.
    pub(super) program: Range<usize>,
    /// Where in the command a flag can be put.
    pub(super) flags_at: usize,
}

/// Why a command is not the one that a seat may run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotTaken {
    /// It runs something else.
    Other,
    /// It has something of the shell in it.
    Shell(String),
    /// The words after `<<` are not the shell's to read, and this would be.
    Unquoted,
    /// Something follows the turn.
    After,
    /// This flag is not a seat's.
    Flag(String),
    /// The turn's words must come with the command.
    File,
    /// A debate and a seat are named, and nothing else.
    Names,
}

impl fmt::Display for NotTaken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotTaken::Other => f.write_str("a seat runs no other command"),
            NotTaken::Shell(what) => write!(f, "a seat runs one command alone, and this has {what:?} in it"),
            NotTaken::Unquoted => {
                f.write_str("put the word after << in quotes, so that the shell leaves your turn as it is")
            }
            NotTaken::After => {
                f.write_str("nothing may follow your turn; if a line of it is the word after <<, choose another word")
            }
            NotTaken::Flag(flag) => write!(f, "{flag} is not a seat's to use"),
            NotTaken::File => f.write_str("hand your turn in with --file - and the turn below it"),
            NotTaken::Names => f.write_str("name the debate and your seat, as your ask does"),
        }
    }
}

/// Reads a command of a seat.
pub(super) fn submission(command: &str, programs: &[String]) -> Result<Submission, NotTaken> {
    // Shells drop some of them, and then read something else than stands here.
    if let Some(c) = command.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t')) {
        return Err(NotTaken::Shell(c.escape_default().to_string()));
    }
    let words = words(command)?;
    let mut rest = words.iter();
    let program = rest.next().filter(|program| programs.contains(&program.text)).ok_or(NotTaken::Other)?;
    let program = program.start..program.end;
    let mut flags_at = 0;
    for verb in VERB {
        flags_at = rest.next().filter(|word| word.text == verb).ok_or(NotTaken::Other)?.end;
    }
    let mut names = Vec::new();
    let mut has_file = false;
    while let Some(word) = rest.next() {
        match word.text.as_str() {
            "--file" => {
                rest.next().filter(|value| value.text == "-").ok_or(NotTaken::File)?;
                has_file = true;
            }
            "--file=-" => has_file = true,
            "--turn" => {
                rest.next().ok_or(NotTaken::Names)?;
            }
            flag if flag.starts_with("--turn=") || FLAGS.contains(&flag) => {}
            flag if flag.starts_with("--file=") => return Err(NotTaken::File),
            flag if flag.starts_with('-') => return Err(NotTaken::Flag(flag.to_owned())),
            name => names.push(name.to_owned()),
        }
    }
    match (<[String; 2]>::try_from(names), has_file) {
        (Ok([debate, seat]), true) => Ok(Submission { debate, seat, program, flags_at }),
        (Ok(_), false) => Err(NotTaken::File),
        (Err(_), _) => Err(NotTaken::Names),
    }
}

/// A text as one word of a command.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// A word of a command, and where it stands.
struct Word {
    text: String,
    start: usize,
    end: usize,
}

/// The words of a command that is one line, with or without a text below it for its standard input.
fn words(command: &str) -> Result<Vec<Word>, NotTaken> {
    let shell = |what: &str| Err(NotTaken::Shell(what.to_owned()));
    let mut words: Vec<Word> = Vec::new();
    // A word that is not over yet, and where it began.
    let mut word: Option<(String, usize)> = None;
    let mut text_until: Option<Until> = None;
    let mut at = 0;
    while let Some(c) = command[at..].chars().next() {
        let rest = &command[at..];
        let is_between = word.is_none();
        match c {
            ' ' | '\t' | '\n' => {
                words.extend(word.take().map(|(text, start)| Word { text, start, end: at }));
                at += 1;
                // What stands above the command is nothing.
                if c == '\n' && !words.is_empty() {
                    check_below(&command[at..], text_until.as_ref())?;
                    return Ok(words);
                }
            }
            '\\' if is_between && rest.starts_with("\\\n") => at += 2,
            // A text above the command would swallow the line that was read.
            '<' if rest.starts_with("<<") && text_until.is_none() && (!words.is_empty() || word.is_some()) => {
                words.extend(word.take().map(|(text, start)| Word { text, start, end: at }));
                let (until, length) = Until::read(rest).ok_or_else(|| NotTaken::Shell("<<".to_owned()))?;
                text_until = Some(until);
                at += length;
            }
            // Where errors go does not matter.
            '2' if is_between && rest.starts_with("2>&1") && !rest[4..].starts_with(|c: char| !c.is_whitespace()) => {
                at += 4
            }
            '\'' | '"' => {
                let Some(length) = rest[1..].find(c) else { return shell(&c.to_string()) };
                let quoted = &rest[1..=length];
                if quoted.contains('\n') || (c == '"' && quoted.contains(['$', '`', '\\', '!'])) {
                    return shell(quoted);
                }
                word.get_or_insert_with(|| (String::new(), at)).0.push_str(quoted);
                at += length + 2;
            }
            c if c.is_ascii_alphanumeric() || "_-./:=@%+,".contains(c) => {
                word.get_or_insert_with(|| (String::new(), at)).0.push(c);
                at += 1;
            }
            odd => return shell(&odd.to_string()),
        }
    }
    words.extend(word.take().map(|(text, start)| Word { text, start, end: at }));
    Ok(words)
}

/// What ends the text below a command.
struct Until {
    line: String,
    is_quoted: bool,
}

impl Until {
    /// Reads `<<'WORD'` and tells its length.
    fn read(text: &str) -> Option<(Self, usize)> {
        let after = text.strip_prefix("<<")?;
        let bare = after.trim_start_matches([' ', '\t']);
        let skipped = text.len() - bare.len();
        let quote = bare.chars().next().filter(|c| matches!(c, '\'' | '"'));
        let inner = &bare[quote.map_or(0, char::len_utf8)..];
        let line: String = inner.chars().take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-')).collect();
        if line.is_empty() || (quote.is_none() && line.starts_with('-')) {
            return None;
        }
        let closing = &inner[line.len()..];
        let length = match quote {
            Some(quote) => closing.strip_prefix(quote).map(|_| line.len() + 2)?,
            None => line.len(),
        };
        // The word goes on with something that is no part of it here.
        if !bare[length..].is_empty() && !bare[length..].starts_with([' ', '\t', '\n']) {
            return None;
        }
        Some((Self { line, is_quoted: quote.is_some() }, skipped + length))
    }
}

/// Whether all that stands below a command's line is its text.
fn check_below(below: &str, until: Option<&Until>) -> Result<(), NotTaken> {
    let Some(until) = until else {
        return if below.trim().is_empty() { Ok(()) } else { Err(NotTaken::After) };
    };
    let mut lines = below.split('\n');
    let is_read = |line: &str| line.contains(['$', '`', '\\']);
    let read_by_shell = lines.by_ref().take_while(|line| *line != until.line).any(is_read);
    let text_ended = below.split('\n').position(|line| line == until.line);
    let after = text_ended.map(|at| below.split('\n').skip(at + 1).any(|line| !line.trim().is_empty()));
    match (until.is_quoted || !read_by_shell, after) {
        (false, _) => Err(NotTaken::Unquoted),
        (true, Some(true)) => Err(NotTaken::After),
        (true, _) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(command: &str) -> Result<Submission, NotTaken> {
        submission(command, &["forge".to_owned(), "/opt/my tools/forge".to_owned()])
    }

    #[test]
    fn the_one_command_passes_in_every_harmless_spelling() {
        for command in [
            "forge turn submit d1 risk --file - <<'END'\nwords\nEND",
            "forge turn submit d1 risk --file - <<'END'\nwords\nEND\n\n",
            "\n  forge turn submit d1 risk --file - <<'END'\nwords\nEND\n",
            "forge turn submit d1 risk --turn opening-r1-risk --file - <<'END_OF_TURN'\n$(id) `id` | ; > \\\nEND_OF_TURN",
            "forge turn submit d1 risk --file - << \"END\"\nwords $HOME\nEND\n",
            "forge turn submit d1 risk --file - <<END\nplain words; with | and > and 'quotes'\nEND",
            "forge turn submit d1 risk --file=- --as-is <<'END' 2>&1\nwords\nEND",
            "forge turn submit d1 risk --file - 2>&1 <<'END'\nwords\nEND",
            "forge turn submit 'd1' \"risk\" --file - <<'END'\nwords\nEND",
            "forge turn submit d1 risk \\\n  --file - <<'END'\nwords\nEND",
            "'/opt/my tools/forge' turn submit d1 risk --file - --check <<'END'\nwords\nEND",
            "forge turn submit --file - --json d1 risk <<'END'\nwords that never end",
            "forge turn submit d1 risk --file -",
            "forge turn submit d1 risk --file - <<'END'\n END\n\tEND\nEND\n",
        ] {
            let read = read(command).unwrap_or_else(|why| panic!("{command:?}: {why}"));
            assert_eq!((read.debate.as_str(), read.seat.as_str()), ("d1", "risk"), "{command:?}");
            assert!(command[..read.flags_at].ends_with("submit"), "{command:?}");
            assert!(command[read.program].trim_matches('\'').ends_with("forge"), "{command:?}");
        }
    }

    #[test]
    fn nothing_else_passes() {
        let shell = |what: &str| NotTaken::Shell(what.to_owned());
        for (command, why) in [
            ("cat docs/forge/sadd/debate-d1-value.md", NotTaken::Other),
            ("", NotTaken::Other),
            ("forge show d1", NotTaken::Other),
            ("forge turn absent d1 value --because x", NotTaken::Other),
            ("forge turn next d1", NotTaken::Other),
            ("forge -C /elsewhere turn submit d1 risk --file -", NotTaken::Other),
            ("./forge turn submit d1 risk --file -", NotTaken::Other),
            ("env forge turn submit d1 risk --file -", NotTaken::Other),
            ("PATH=. forge turn submit d1 risk --file -", NotTaken::Other),
            ("<<'X'\nforge turn submit d1 risk --file -\nX\ncat x", shell("<")),
            ("<<'X'\nforge turn submit d1 risk --file - --turn 'a\nX\ncat x\n# '", shell("<")),
            ("forge turn submit d1 risk --file - --turn 'a\ncat x\n'", shell("a\ncat x\n")),
            ("forge turn submit d1 risk --file - --turn \"a\ncat x\n\"", shell("a\ncat x\n")),
            ("forge turn submit d1 risk --file - ; cat x", shell(";")),
            ("forge turn submit d1 risk --file - | tee x", shell("|")),
            ("forge turn submit d1 risk --file - && cat x", shell("&")),
            ("forge turn submit d1 risk --file - > out", shell(">")),
            ("forge turn submit d1 risk --file - < other.md", shell("<")),
            ("forge turn submit d1 risk --file - <<< words", shell("<<")),
            ("forge turn submit d1 risk --file - <<-'END'\n\twords\n\tEND", shell("<<")),
            ("forge turn submit d1 risk --file - <<'END'x\nwords\nEND", shell("<<")),
            ("forge turn submit d1 risk --file - <<$END\nwords\nEND", shell("<<")),
            ("forge turn submit d1 $(cat x) --file -", shell("$")),
            ("forge turn submit d1 \"$(cat x)\" --file -", shell("$(cat x)")),
            ("forge turn submit d1 `cat x` --file -", shell("`")),
            ("forge turn submit d1 risk --file - 2>&1x", shell(">")),
            ("forge turn submit d1 risk --file - 2> err", shell(">")),
            ("forge turn submit d1 {risk,value} --file -", shell("{")),
            ("forge turn submit d1 r* --file -", shell("*")),
            ("forge turn submit d1 risk --file - # a comment", shell("#")),
            ("forge turn submit d1 risk --file - <<'A' <<'B'\na\nA\nb\nB", shell("<")),
            ("forge turn submit d1 'risk --file -", shell("'")),
            ("forge turn submit d1 risk --file -\r\ncat x", shell("\\r")),
            ("(forge turn submit d1 risk --file -)", shell("(")),
            ("forge turn submit d1 risk --file - <<'E'\nE\0\ncat x\nE", shell("\\u{0}")),
            ("forge turn submit d1 risk --file -\ncat x", NotTaken::After),
            ("forge turn submit d1 risk --file - <<'END'\nwords\nEND\ncat x", NotTaken::After),
            ("forge turn submit d1 risk --file - <<'END'\nEND\nmore words\nEND", NotTaken::After),
            ("forge turn submit d1 risk --file - <<END\nwords $(cat x)\nEND", NotTaken::Unquoted),
            ("forge turn submit d1 risk --file - <<END\nwords `cat x`", NotTaken::Unquoted),
            ("forge turn submit d1 risk --file docs/forge/other.md", NotTaken::File),
            ("forge turn submit d1 risk --file=other.md", NotTaken::File),
            ("forge turn submit d1 risk", NotTaken::File),
            ("forge turn submit d1 risk --file", NotTaken::File),
            ("forge turn submit d1 risk --file - --subagent forge-risk/x", NotTaken::Flag("--subagent".to_owned())),
            ("forge turn submit d1 risk --file - -C /elsewhere", NotTaken::Flag("-C".to_owned())),
            ("forge turn submit d1 risk --file - --workspace=x", NotTaken::Flag("--workspace=x".to_owned())),
            ("forge turn submit risk --file -", NotTaken::Names),
            ("forge turn submit d1 risk value --file -", NotTaken::Names),
        ] {
            assert_eq!(read(command).map(|_| ()), Err(why), "{command:?}");
        }
    }
}
