//! A key is a key however it is spelled; what is no key stays, however it looks.

use forge_prose::secrets::{Known, Source, has_key, is_redaction_of, redacted};

const BASE: &str = "Ab3dEf6hIj9lMn2pQr5tUv8xYz1BcD4fGhI7kLm0oPqR3tUvW6yZ";

/// Put together from pieces, so that nobody who searches for leaked keys finds one here.
fn keys() -> Vec<String> {
    let from = |begin: [&str; 2], count: usize| format!("{}{}", begin.concat(), &BASE[..count]);
    vec![
        from(["gh", "p_"], 36),
        from(["github", "_pat_"], 50),
        from(["sk-", "proj-"], 48),
        from(["sk-", "ant-api03-"], 50),
        from(["AI", "za"], 35),
        from(["gl", "pat-"], 20),
        from(["xo", "xb-"], 40),
        from(["np", "m_"], 36),
        from(["sk_", "live_"], 24),
        from(["h", "f_"], 34),
        ["AK", "IA", "Z3KQ7MXW2VRT5NLP"].concat(),
    ]
}

/// Writes every character of a text in some way.
fn each(key: &str, write: impl Fn(char) -> String) -> String {
    key.chars().map(write).collect()
}

/// Puts something into the middle of a text, at several places.
fn within(key: &str, what: &str) -> String {
    let at = [2, 7, 12];
    key.char_indices().map(|(n, c)| if at.contains(&n) { format!("{what}{c}") } else { c.to_string() }).collect()
}

/// Puts something behind the first letters.
fn within_first(key: &str, letters: usize, what: &str) -> String {
    let first: String = key.chars().take(letters).collect();
    format!("{first}{what}{}", &key[first.len()..])
}

/// Two digits for each letter, with something between them.
fn pairs(key: &str, between: &str, upper: bool) -> String {
    let pair = |c: char| if upper { format!("{:02X}", u32::from(c)) } else { format!("{:02x}", u32::from(c)) };
    key.chars().map(pair).collect::<Vec<_>>().join(between)
}

fn alike(key: &str) -> String {
    let pairs =
        [('s', 'ѕ'), ('a', 'а'), ('p', 'р'), ('k', 'к'), ('x', 'х'), ('A', 'А'), ('c', 'с'), ('I', 'І'), ('h', 'һ')];
    each(key, |c| pairs.iter().find(|pair| pair.0 == c).map_or(c, |pair| pair.1).to_string())
}

fn bold(c: char) -> String {
    let at = |base: u32, from: char| char::from_u32(base + u32::from(c) - u32::from(from)).unwrap().to_string();
    match c {
        'A'..='Z' => at(0x1D400, 'A'),
        'a'..='z' => at(0x1D41A, 'a'),
        '0'..='9' => at(0x1D7CE, '0'),
        _ => c.to_string(),
    }
}

fn circled(c: char) -> String {
    let at = |base: u32, from: char| char::from_u32(base + u32::from(c) - u32::from(from)).unwrap().to_string();
    match c {
        'A'..='Z' => at(0x24B6, 'A'),
        'a'..='z' => at(0x24D0, 'a'),
        _ => c.to_string(),
    }
}

fn base64(text: &str, alphabet: &[u8; 64]) -> String {
    let code = |group: &[u8]| {
        let bits = (0..3).fold(0u32, |bits, n| bits << 8 | u32::from(group.get(n).copied().unwrap_or(0)));
        let letter = |n: usize| char::from(alphabet[(bits >> (18 - 6 * n)) as usize & 63]);
        (0..=group.len()).map(letter).collect::<String>()
    };
    text.as_bytes().chunks(3).map(code).collect()
}

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const FOR_ADDRESSES: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// A key in every spelling that forge, or a reader, undoes without thinking.
fn spellings(key: &str) -> Vec<(&'static str, String)> {
    let hex = |upper: bool| {
        each(key, |c| if upper { format!("{:02X}", u32::from(c)) } else { format!("{:02x}", u32::from(c)) })
    };
    let first = |write: fn(char) -> String| format!("{}{}", write(key.chars().next().unwrap()), &key[1..]);
    let wrapped = base64(&format!("some words before it, so that the line is long: {key} and after"), STANDARD);
    let wrapped: Vec<&str> = (0..wrapped.len()).step_by(76).map(|n| &wrapped[n..(n + 76).min(wrapped.len())]).collect();
    vec![
        ("plain", key.to_owned()),
        ("JSON, first letter", first(|c| format!("\\u{:04x}", u32::from(c)))),
        ("JSON, all", each(key, |c| format!("\\u{:04X}", u32::from(c)))),
        ("JSON in JSON", each(key, |c| format!("\\\\u{:04x}", u32::from(c)))),
        ("JSON in JSON in JSON", each(key, |c| format!("\\\\\\\\u{:04x}", u32::from(c)))),
        ("hex escapes", each(key, |c| format!("\\x{:02x}", u32::from(c)))),
        ("octal escapes", each(key, |c| format!("\\{:03o}", u32::from(c)))),
        ("braces", each(key, |c| format!("\\u{{{:x}}}", u32::from(c)))),
        ("long escapes", each(key, |c| format!("\\U{:08x}", u32::from(c)))),
        ("percent, first letter", first(|c| format!("%{:02X}", u32::from(c)))),
        ("percent, all", each(key, |c| format!("%{:02x}", u32::from(c)))),
        ("percent of percent", each(key, |c| format!("%25{:02x}", u32::from(c)))),
        ("entities without an end", each(key, |c| format!("&#{}", u32::from(c)))),
        ("hex entities without an end", each(key, |c| format!("&#x{:x}", u32::from(c)))),
        ("the old escape of addresses", each(key, |c| format!("%u{:04x}", u32::from(c)))),
        ("the blank of Braille", within(key, "\u{2800}")),
        ("a blank that breaks no line", within(key, "\u{A0}")),
        ("one between all letters", each(key, |c| format!("{c}\u{A0}"))),
        ("a thin blank", each(key, |c| format!("{c}\u{2009}"))),
        ("a narrow one", within(key, "\u{202F}")),
        ("one as wide as a letter", within(key, "\u{3000}")),
        ("struck out in part", within(key, "~~")),
        ("decimal entities", each(key, |c| format!("&#{};", u32::from(c)))),
        ("hex entities", each(key, |c| format!("&#x{:x};", u32::from(c)))),
        ("escaped entities", each(key, |c| format!("&amp;#{};", u32::from(c)))),
        ("named entities", key.replace('_', "&lowbar;").replace('-', "&#45;")),
        ("Markdown escapes", key.replace('_', "\\_").replace('-', "\\-")),
        ("full width", each(key, |c| char::from_u32(u32::from(c) + 0xFEE0).unwrap().to_string())),
        ("full width in JSON", each(key, |c| format!("\\u{:04x}", u32::from(c) + 0xFEE0))),
        ("zero-width space", within(key, "\u{200B}")),
        ("zero-width joiner", within(key, "\u{200D}")),
        ("soft hyphen", within(key, "\u{AD}")),
        ("byte order mark", within(key, "\u{FEFF}")),
        ("variation selector", within(key, "\u{FE0F}")),
        ("tag characters", within(key, "\u{E0041}")),
        ("right to left", within(key, "\u{202E}")),
        ("isolate", within(key, "\u{2066}")),
        ("zero-width space in JSON", within(key, "\\u200b")),
        ("zero-width space in an entity", within(key, "&#8203;")),
        ("zero-width space in an address", within(key, "%E2%80%8B")),
        ("NUL", within(key, "\0")),
        ("backspace", within(key, "\u{8}")),
        ("delete", within(key, "\u{7F}")),
        ("a C1 control", within(key, "\u{85}")),
        ("control characters in JSON", within(key, "\\u0000")),
        ("colours", within(key, "\u{1B}[1;31m")),
        ("colours in JSON", within(key, "\\u001b[0m")),
        ("a C1 colour", within(key, "\u{9B}31m")),
        ("a title", within(key, "\u{1B}]0;a title\u{7}")),
        ("emphasis", within(key, "**")),
        ("code", within(key, "``")),
        ("a tag", within(key, "<b>")),
        ("tags", within(key, "<i></i>")),
        ("a comment", within(key, "<!-- x -->")),
        ("base64", base64(key, STANDARD)),
        ("base64, in words", base64(&format!("the key is {key}, sorry"), STANDARD)),
        ("base64, shifted", base64(&format!("x{key}"), STANDARD)),
        ("base64, shifted twice", base64(&format!("xy{key}"), STANDARD)),
        ("base64, padded", format!("{}=", base64(key, STANDARD))),
        ("base64 for addresses", base64(key, FOR_ADDRESSES)),
        ("base64, glued", format!("x{}", base64(key, STANDARD))),
        ("base64 of base64", base64(&base64(key, STANDARD), STANDARD)),
        ("base64 in JSON", each(&base64(key, STANDARD), |c| format!("\\u{:04x}", u32::from(c)))),
        ("base64 in lines", wrapped.join("\n")),
        ("hexadecimal", hex(false)),
        ("HEXADECIMAL", hex(true)),
        ("hexadecimal, glued", format!("x{}", hex(false))),
        ("percent of base64", base64(key, STANDARD).replace('+', "%2B").replace('/', "%2F")),
        ("glued to a letter", format!("x{key}")),
        ("glued to a word", format!("token{key}")),
        ("after an underscore", format!("my_{key}")),
        ("a tab", within(key, "\t")),
        ("a lone carriage return", within(key, "\r")),
        ("a tab in JSON", within(key, "\\t")),
        ("blanks", within(key, " ")),
        ("lines", within(key, "\n")),
        ("lines that quote", within(key, "\n> ")),
        ("a blank in its prefix", within_first(key, 1, " ")),
        ("a line in its prefix", within_first(key, 2, "\n")),
        ("a blank after its prefix", within_first(key, 3, " ")),
        ("pairs with colons", pairs(key, ":", false)),
        ("pairs with blanks", pairs(key, " ", false)),
        ("PAIRS with hyphens", pairs(key, "-", true)),
        ("pairs over lines", pairs(key, "\n", false)),
        ("pairs of a program", each(key, |c| format!("0x{:02x}, ", u32::from(c)))),
        ("pairs of another program", each(key, |c| format!("0x{:02X},", u32::from(c)))),
        ("letters with blanks", each(key, |c| format!("{c} "))),
        ("letters with dots", each(key, |c| format!("{c}."))),
        ("en dashes", key.replace('-', "\u{2013}")),
        ("true hyphens", key.replace('-', "\u{2010}")),
        ("hyphens that do not break", key.replace('-', "\u{2011}")),
        ("minus signs", key.replace('-', "\u{2212}")),
        ("em dashes and low lines", key.replace('-', "\u{2014}").replace('_', "\u{FE4D}")),
        ("en dashes in JSON", key.replace('-', "\\u2013")),
        ("Cyrillic letters", alike(key)),
        ("Cyrillic letters in JSON", each(&alike(key), |c| format!("\\u{:04x}", u32::from(c)))),
        ("letters of mathematics", each(key, bold)),
        ("letters in circles", each(key, circled)),
        ("goes on in the next line", format!("\\\n   {}", within(key, "\\\n  "))),
    ]
}

fn shows(text: &str, key: &str) -> bool {
    let tail = &key[key.len() - 12..];
    let seen: String = text.chars().filter_map(forge_debate::hidden::folded).collect();
    seen.contains(key) || seen.contains(tail)
}

#[test]
fn a_key_goes_however_it_is_spelled() {
    let mut wrong = Vec::new();
    for key in keys() {
        // A short one in four words has no long word.
        let is_too_short = |how: &str| {
            key.len() <= 20 && ["a tab", "a lone", "blanks", "lines"].iter().any(|one| how.starts_with(one))
        };
        for (how, spelled) in spellings(&key).into_iter().filter(|(how, _)| !is_too_short(how)) {
            for (before, after) in [("", ""), ("the key is ", ", sorry\n"), ("{\"because\": \"", "\"}"), ("> `", "`\n")]
            {
                let text = format!("{before}{spelled}{after}");
                let clean = redacted(&text);
                let rest = format!("{before}{after}");
                let left = clean.replace("[key removed]", "");
                let left = left.chars().filter(char::is_ascii_alphanumeric).count();
                let is_clean = !has_key(&clean) && left < rest.len() + 16;
                let held = [Source::AsLeft, Source::Cleaned].iter().all(|state| is_redaction_of(&clean, &text, *state));
                if !is_clean || !held || shows(&clean, &key) || !clean.starts_with(before) || !clean.ends_with(after) {
                    wrong.push(format!("{how}, of {}: {clean:?}, held: {held}", &key[..4]));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Letters and digits in the escapes of style sheets: what else a key of no known shape may hold is not read there.
#[test]
fn a_key_goes_in_the_escapes_of_style_sheets() {
    for key in keys() {
        for text in
            [each(&key, |c| format!("\\{:x} ", u32::from(c))), each(&key, |c| format!("\\{:06x}", u32::from(c)))]
        {
            let text = format!("a {text} b");
            assert_ne!(redacted(&text), text);
        }
    }
}

#[test]
fn a_key_goes_that_is_broken_over_lines() {
    for key in keys().iter().filter(|key| !key.starts_with("AK") && !key.starts_with("hf")) {
        for at in [12, 14, 20] {
            let (one, two) = key.split_at(at.max(key.len().saturating_sub(40)));
            for between in ["\n", "\r\n", "\n> ", "\n    ", "\\n"] {
                let text = format!("a {one}{between}{two} b");
                let clean = redacted(&text);
                assert!(
                    !clean.contains(two) && clean.starts_with("a [") && clean.ends_with("] b"),
                    "{text:?}: {clean:?}"
                );
                assert!(is_redaction_of(&clean, &text, Source::AsLeft), "{clean:?}");
            }
        }
    }
}

/// Comments, lists, quotes and changes mark each line; programs put texts together.
#[test]
fn a_key_goes_that_is_broken_over_marked_lines() {
    let betweens = [
        "\n+", "\n-", "\n#", "\n>", "\n//", "\n*", "\n+ ", "\n- ", "\n# ", "\n// ", "\n * ", "\n/// ", "\n-- ", "\n; ",
        "\r\n// ",
    ];
    let joints = ["\"\n\"", "\" +\n    \"", "' .\n '", "\" \\\n\"", "\" + \""];
    for key in keys().iter().filter(|key| !key.starts_with("AK") && !key.starts_with("hf")) {
        for at in [12, 14, 20] {
            let (one, two) = key.split_at(at.max(key.len().saturating_sub(40)));
            let marked = betweens.map(|between| format!("{}{one}{between}{two} b", &between[1..]));
            let joined = joints.map(|joint| format!("{}{one}{joint}{two}{}", &joint[joint.len() - 1..], &joint[..1]));
            for text in marked.iter().chain(&joined) {
                let clean = redacted(text);
                assert!(!clean.contains(two) && !clean.contains(one), "{text:?}: {clean:?}");
                assert!(is_redaction_of(&clean, text, Source::AsLeft), "{clean:?}");
            }
        }
    }
}

#[test]
fn a_key_goes_in_a_dump() {
    let hex =
        |bytes: &[u8], between: &str| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(between);
    for key in keys() {
        let all = format!("some words before {key}\n");
        let lines = || all.as_bytes().chunks(16).enumerate().map(|(n, line)| (n * 16, line));
        let shown = |line: &[u8]| String::from_utf8_lossy(line).replace('\n', ".");
        let groups = |line: &[u8]| line.chunks(2).map(|two| hex(two, "")).collect::<Vec<_>>().join(" ");
        let turned = |line: &[u8]| {
            line.chunks(2).map(|two| hex(&two.iter().rev().copied().collect::<Vec<_>>(), "")).collect::<Vec<_>>()
        };
        let xxd: String =
            lines().map(|(at, line)| format!("{at:08x}: {:<40} {}\n", groups(line), shown(line))).collect();
        let canonical: String = lines()
            .map(|(at, line)| {
                let (one, two) = line.split_at(line.len().min(8));
                format!("{at:08x}  {:<23}  {:<23}  |{}|\n", hex(one, " "), hex(two, " "), shown(line))
            })
            .collect();
        let words: String = lines().map(|(at, line)| format!("{at:07x} {}\n", turned(line).join(" "))).collect();
        let octal: String = lines().map(|(at, line)| format!("{at:07o} {}\n", hex(line, " "))).collect();
        for dump in [&xxd, &canonical, &words, &octal] {
            for lead in ["", "    ", "> "] {
                let text: String = dump.lines().map(|line| format!("{lead}{line}\n")).collect();
                let text = format!("It is there:\n\n{text}\nAnd nobody sees it.\n");
                let clean = redacted(&text);
                let last = dump.lines().last().unwrap();
                assert!(!clean.contains(last) && !clean.contains(&key[key.len() - 6..]), "{text}\n{clean}");
                assert!(clean.starts_with("It is there:\n") && clean.ends_with("And nobody sees it.\n"), "{clean}");
                assert!(is_redaction_of(&clean, &text, Source::AsLeft), "{clean}");
            }
        }
    }
}

#[test]
fn a_key_of_no_shape_goes_where_it_is_known() {
    for key in ["correct-horse-battery-staple", "Zx9!kk+pq/77==", "pässwort-geheim-123"] {
        let known = Known::new([key]);
        assert_eq!(known.redacted(&format!("a {key} b")), "a [key removed] b");
        for (how, spelled) in spellings(key).into_iter().filter(|(how, _)| {
            let is_code = how.contains("hex") || how.contains("octal") || how.contains("HEX") || how.contains("full");
            let is_bytes = ["base64", "percent", "Cyrillic"].iter().any(|one| how.contains(one));
            let is_markup = ["emphasis", "struck", "code", "tag", "comment"].iter().any(|one| how.contains(one));
            let is_split = ["a tab", "a lone", "blank", "a blank", "line", "a line", "letters", "pairs", "PAIRS"]
                .iter()
                .any(|one| how.starts_with(one));
            !is_split && (key.is_ascii() || !(is_code || is_bytes)) && (!key.contains('!') || !is_markup)
        }) {
            let clean = known.redacted(&format!("a {spelled} b"));
            assert!(!shows(&clean, key) && clean.contains("[key removed]"), "{key}, {how}: {clean:?}");
        }
    }
    let known = Known::new(["correct-horse-battery-staple"]);
    assert!(!known.redacted("correct-horse-\nbattery-staple").contains("horse"));
    assert!(!known.redacted("> correct-\n> horse-battery-\n> staple").contains("horse"));
    assert_eq!(known.redacted("correct horse"), "correct horse");
    let odd = Known::new(["with\u{1}control-inside"]);
    assert_eq!(odd.redacted("withcontrol-inside with\u{1}control-inside"), "[key removed] [key removed]");
}

/// As mail writes what it cannot, and where it or a terminal breaks a line.
#[test]
fn a_key_goes_that_mail_wrote_or_broke() {
    for key in keys() {
        let coded = each(&key, |c| format!("={:02X}", u32::from(c)));
        let clean = redacted(&format!("a {coded} b"));
        assert!(clean.contains("[key removed]") && !clean.contains(&coded[12..24]), "{coded}: {clean}");
        if key.starts_with("AK") {
            // What follows has capitals alone, as a word may.
            continue;
        }
        let broken = within_first(&key, key.len() - 8, "=\n");
        let clean = redacted(&format!("a {broken} b"));
        assert!(clean.contains("[key removed]") && !clean.contains(&key[key.len() - 8..]), "{broken}: {clean}");
    }
    let token = format!("eyJ{}.eyJ{}.{}", &BASE[..33], BASE.repeat(4), &BASE[..43]);
    for width in [60, 64, 72, 76, 80, 100] {
        let lines: Vec<&str> = token.as_bytes().chunks(width).map(|line| std::str::from_utf8(line).unwrap()).collect();
        let clean = redacted(&format!("The token:\n{}\n\nHowever, it is old.\n", lines.join("\n")));
        assert!(clean.contains("[key removed]") && !clean.contains(&BASE[..20]), "{width}: {clean}");
        assert!(clean.ends_with("However, it is old.\n"), "{width}: {clean}");
    }
    for key in [["AK", "IA", "Z3KQ7MXW2VRT5NLP"].concat(), format!("AIza{}", &BASE[..35])] {
        let spelled: String = key.chars().map(bold).collect();
        assert!(redacted(&format!("a {spelled} b")).contains("[key removed]"), "{spelled}");
    }
}

/// What people and models write about, and what looks as if it were random.
#[test]
fn what_is_no_key_stays_however_it_is_written() {
    let prose =
        "We asked for the risk-adjusted 2024-planning-document; task-force-2024-Q3 and disk-usage-report-v2 say so.";
    let picture = format!("![x](data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA{}==)", BASE.repeat(40));
    let cases = [
        prose.to_owned(),
        picture,
        "10\u{A0}000 Euro, mot\u{A0}: suite, 5\u{202F}% und z.\u{A0}B. im\u{3000}Satz".to_owned(),
        "~~not this~~ but that, a~~b~~c, ~/.config, x ~ y".to_owned(),
        "- Alpha7Beta\n- Gamma8Delta\n+ fn New1Name() {\n// Old2Name\n * Third3Name".to_owned(),
        "let a = \"First1Part\" + \"Second2Part\";\nlet b = \"Third3Part\"\n    \"Fourth4Part\";".to_owned(),
        "00000000: 4865 6c6c 6f2c 2077 6f72 6c64 2120 5468  Hello, world! Th\n00000010: 6973 2069 7320 7465 7874 2e0a            is is text..".to_owned(),
        "00000000  7f 45 4c 46 02 01 01 00  00 00 00 00 00 00 00 00  |.ELF............|\n00000010  03 00 3e 00 01 00 00 00  50 10 00 00 00 00 00 00  |..>.....P.......|".to_owned(),
        "d539e2083f2a1b0c9d8e7f6a5b4c3d2e1f0a9b8c sha1".to_owned(),
        "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==".to_owned(),
        "integrity sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=".to_owned(),
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08".to_owned(),
        "123e4567-e89b-12d3-a456-426614174000 and 01ARZ3NDEKTSV4RRFFQ69G5FAV".to_owned(),
        "https://example.org/a%20b?q=caf%C3%A9&x=%7B%22a%22%3A1%7D#L10-L20".to_owned(),
        "https://github.com/rust-lang/rust/blob/5b3d4b3a1c0f/src/lib.rs?plain=1#L10".to_owned(),
        "{\"a\": \"line\\nnext \\u00e9 \\\"quoted\\\" C:\\\\new\\\\table\", \"b\": [1, 2]}".to_owned(),
        "fn task_<T>(a: &Vec<String>) -> Option<Box<dyn Fn(&str) -> bool>> { a.iter().map(|x| x*2) }".to_owned(),
        "SELECT * FROM users WHERE password_hash = crypt($1, password_hash);".to_owned(),
        "**bold**text and __x__, `code`s, <b>tag</b>s, a*b*c, 5 * 3".to_owned(),
        "Größe, naïve, 日本語のテキスト, Ｆｕｌｌ ｗｉｄｔｈ, 👩\u{200D}👩\u{200D}👧 and ❤\u{FE0F}".to_owned(),
        "soft\u{AD}hyphen\u{AD}ation of Donau\u{AD}dampf\u{AD}schiff".to_owned(),
        "/usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30 and C:\\Users\\new\\AppData".to_owned(),
        "aGVsbG8gd29ybGQsIHRoaXMgaXMgYW4gb3JkaW5hcnkgdGV4dA==".to_owned(),
        "48656c6c6f2c20776f726c642120546869732069732074657874".to_owned(),
        "TmV2ZXIgZ29ubmEgZ2l2ZSB5b3UgdXAsIG5ldmVyIGdvbm5hIGxldCB5b3UgZG93bg".to_owned(),
        "xghp_short, askhf_x, the npm_config_cache and the gsk_vaccine".to_owned(),
        "use sk-\nlearn, and the prefix ghp_\nis what GitHub's tokens begin with".to_owned(),
        "tokens begin with github_pat_\nand Slack's with xoxb-\nwhich is why".to_owned(),
        "postgres://user@host:5432/db, mailto:a@b.org, ssh://git@github.com:22/x".to_owned(),
        "the password is asked for twice; passwords: never in git; a password manager".to_owned(),
        "0x7fff5fbff8c0, 1.2.3-beta.4+build.20240101, v1.89.0-nightly-2026-01-02".to_owned(),
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl user@host".to_owned(),
        "5 \\* 3 = 15, a \\_private\\_ name, 100% of 50%25, R&D, AT&T; x &lt; y &amp;&amp; z".to_owned(),
        "00:1A:2b:3C:4d:5E and 00-1a-2b-3c-4d-5e, fe80::5054:ff:fe12:3456, 2001:db8:85a3:0:0:8a2e:370:7334".to_owned(),
        "SHA256 Fingerprint=5E:3F:4A:6B:70:21:33:44:55:66:77:28:39:4A:5B:6C:7D:2E:3F:40:51:62:73:24:35:46:57:68:79:2A:3B:4C".to_owned(),
        "16:27:ac:a5:76:28:2d:36:63:1b:56:4d:eb:df:a6:48 and 43:51:43:a1:b5:fc:8b:b7:0a:3a:a9:b1:0f:66:73:a8".to_owned(),
        "00000000  48 65 6c 6c 6f 2c 20 77  6f 72 6c 64 21 20 54 68  |Hello, world! Th|".to_owned(),
        "| 20 | 21 | 22 | 23 | 24 | 25 | 26 | 27 | 28 | 29 | 30 | 31 | 32 | 33 | 34 | 35 |".to_owned(),
        "let bytes = [0x48, 0x65, 0x6c, 0x6c, 0x6f, 0x2c, 0x20, 0x77, 0x6f, 0x72, 0x6c, 0x64, 0x21];".to_owned(),
        "A B C D E F G H I J K L M N O P Q R S T U V W X Y Z and 1 2 3 4 5 6 7 8 9 0, s k y, a.b.c.d.e.f.g.h".to_owned(),
        "Entwicklungs-, Test- und Produktiv-Umgebung; E-Mail-Adress-Verwaltung-2024; Donau\u{2010}Schiff\u{2011}Fahrt\u{2013}2024".to_owned(),
        "2020\u{2013}2024, pages 12\u{2014}15, the cost\u{2014}benefit ratio, \u{2212}5 °C, x\u{2212}y".to_owned(),
        "Это обычный русский текст о Postgres и Redis-кластере, версии 15.4-beta; Ελληνικό κείμενο με SQLite".to_owned(),
        "id\tname\ttoken_prefix\n1\trisk\tsk-\n2\tvalue\tghp_\n3\tcommit\t9f86d081884c7d659a2feaa0c55ad015a3bf4f1b".to_owned(),
        "Tom's k-means-clustering-2024-v2 and s k-nearest-neighbours-Implementation2024".to_owned(),
        "the prefix ghp_ 123e4567-e89b-12d3-a456-426614174000, sk- 01ARZ3NDEKTSV4RRFFQ69G5FAV".to_owned(),
        "a sk ant colony, ASIA 2024, AKIA or not, SK 123, key- 9f86d081884c7d659a2feaa0c55ad015".to_owned(),
        "pick h f_scoreOfTheModel2024WithoutNoise, g l pattern-Matching2024Report".to_owned(),
        "camelCaseIdentifierWithNumbers123AndMore, SCREAMING_SNAKE_CASE_2024, kebab-case-with-v2".to_owned(),
    ];
    for text in cases {
        assert_eq!(redacted(&text), text);
    }
}
