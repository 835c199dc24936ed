//! What looks like a key goes, and nothing else. Every key here is put together from pieces, so that nobody who searches
//! repositories for leaked keys finds one in this file.

use forge_prose::secrets::{BLOT, Source, has_key, is_redaction_of, keep_secret, keys_removed, redacted};
use proptest::prelude::*;

/// Letters of both cases and digits.
const BASE: &str = "a8Kq3Zt0Lm5Xw9Rb2Vn7Yc4Hd6Jf1Gs8Pk3Tq0Ez5Uw9Ib2On7";

fn letters(count: usize) -> String {
    BASE.chars().cycle().take(count).collect()
}

fn hex(count: usize) -> String {
    "0f1e2d3c4b5a69788796a5b4c3d2e1f0".chars().cycle().take(count).collect()
}

/// Every shape: what of it must go, put together, and what is nearly it and must stay.
fn table() -> Vec<(&'static str, String, &'static str)> {
    let from = |beginning: &str, second: &str, count: usize| format!("{beginning}{second}{}", letters(count));
    vec![
        ("OpenAI, Anthropic and others", from("s", "k-", 40), "sk-learn is a library"),
        ("Stripe", from("sk_", "live_", 24), "sk_live_x"),
        ("Stripe webhook", from("wh", "sec_", 32), "whsec_rotation_is_planned_for_may"),
        ("GitHub", from("gh", "p_", 36), "ghp_short"),
        ("GitHub, fine-grained", from("github", "_pat_", 60), "github_pat_x"),
        ("GitLab", from("gl", "pat-", 20), "glpat-x"),
        ("Slack", from("xo", "xb-", 40), "xoxb-x"),
        ("AWS id", format!("{}{}", "AK", "IAIOSFODNN7EXAMPLE"), "AKIA is a prefix"),
        ("Google key", from("AI", "za", 35), "AIzawa"),
        ("Google token", from("ya", "29.", 60), "ya29.of.the.list"),
        ("Google client", from("GOC", "SPX-", 28), "GOCSPX-short"),
        ("Hugging Face", from("h", "f_", 34), "hf_transformers_cache_dir"),
        ("xAI", from("x", "ai-", 40), "xai-explains-itself-well"),
        ("Groq", from("gs", "k_", 40), "gsk_vaccine_programme"),
        ("Perplexity", from("pp", "lx-", 40), "pplx-small-online"),
        ("Cerebras", from("cs", "k-", 48), "csk-chennai-super-kings-fans-of-many-years"),
        ("Fireworks", from("f", "w_", 24), "fw_configuration_parameters_of_the_wall"),
        ("Together", from("tgp", "_v1_", 43), "tgp_v1_migration_notes_for_the_whole_team_now"),
        ("Replicate", from("r", "8_", 37), "r8_class_of_the_ships"),
        ("npm", from("np", "m_", 36), "npm_config_user_agent_and_registry"),
        ("PyPI", from("py", "pi-", 80), "pypi-publish-on-release"),
        ("DigitalOcean", format!("dop{}{}", "_v1_", hex(64)), "dop_v1_migration"),
        ("Docker Hub", from("dckr", "_pat_", 27), "dckr_pat_x"),
        ("Databricks", format!("{}{}{}", "da", "pi", hex(32)), "dapiwork0f1e2d3c4b5a69788796a5b4c3d2"),
        ("Databricks with a number", format!("{}{}{}-3", "da", "pi", hex(32)), "dapi-3"),
        ("Grafana", format!("gl{}{}_{}", "sa_", letters(32), hex(8)), "glsa_service_account_tokens"),
        ("Linear", from("lin", "_api_", 40), "lin_api_documentation_and_examples"),
        ("Notion", from("nt", "n_", 46), "ntn_numbers_of_the_bearings_that_we_ordered_in_may"),
        ("Vault", from("hv", "s.", 90), "hvs.example.org"),
        ("SendGrid", format!("S{}{}.{}", "G.", letters(22), letters(43)), "in SG. we trust, SG.Singapore.office"),
        ("Twilio", format!("S{}{}", "K", hex(32)), "SKU0f1e2d3c4b5a69788796a5b4c3d2e1"),
        ("Mailgun", format!("ke{}{}", "y-", hex(32)), "key-value, key-value-store-with-a-long-name-here"),
        ("age", format!("AGE-SECRET{}{}", "-KEY-", letters(58)), "AGE-SECRET-KEY-x"),
        ("a signed token", format!("{}hbGci.{}zdWIi.{}", "eyJ", "eyJ", letters(30)), "eyJ.is.not-a-token"),
        (
            "a Discord bot",
            format!("M{}.{}.{}", letters(23), letters(6), letters(38)),
            "My.class.does-nothing-at-all-with-these-words",
        ),
        ("a Telegram bot", format!("123456789:{}{}", "AA", letters(33)), "12:34:56, 123456789:AAB, port 8080:AAAA"),
    ]
}

#[test]
fn every_shape_goes_and_what_is_nearly_it_stays() {
    for (whose, key, near) in table() {
        for text in [
            key.clone(),
            format!("the key is {key}, sorry"),
            format!("`{key}`."),
            format!("KEY={key}\nnext"),
            format!("**{key}** and _{key}_"),
            format!("{{\"because\": \"first\\n{key}\\nlast\"}}"),
            format!("ä{key}ü"),
        ] {
            let clean = redacted(&text);
            assert!(!clean.contains(&key), "{whose}: {clean}");
            assert!(clean.contains(BLOT), "{whose}: {clean}");
            assert_eq!(clean.replace(BLOT, ""), text.replace(&key, ""), "{whose}: nothing else goes");
            assert_eq!(redacted(&clean), clean, "{whose}");
        }
        assert!(!redacted(&format!("https://host/?a=%20{key}")).contains(&key), "{whose}");
        assert_eq!(redacted(near), near, "{whose}");
    }
}

/// Secrets that are known by what stands around them: before it, the secret, after it.
#[test]
fn what_a_name_or_an_address_announces_goes_and_the_rest_stays() {
    let secret = letters(40);
    let code = format!("{}==", letters(86));
    for (before, secret, after) in [
        ("aws_secret_access_key = ", &secret, "\n"),
        ("AWS_SECRET_ACCESS_KEY=", &secret, "\nexport X=1"),
        ("{\"SecretAccessKey\": \"", &secret, "\", \"x\": 1}"),
        ("AccountName=a;AccountKey=", &code, ";EndpointSuffix=core.windows.net"),
        ("Authorization: Bearer ", &secret, "\r\nAccept: */*"),
        ("curl -H 'authorization: bearer ", &secret, "' https://host"),
        ("Authorization: Basic ", &"dXNlcjpwYXNzd29yZA==".to_owned(), "\n"),
        ("api-key: ", &secret, ""),
        ("X-Api-Key: ", &hex(32), " # of the gateway"),
        ("\"api_key\" : \"", &secret, "\""),
        ("{\\\"api_key\\\": \\\"", &secret, "\\\"}"),
        ("TWILIO_AUTH_TOKEN=", &hex(32), "\n"),
        ("client_secret: ", &secret, "\n"),
        ("clientSecret: '", &secret, "',"),
        ("//registry/:_authToken=", &secret, "\n"),
        ("DB_PASSWORD=", &secret, "\n"),
        ("GEMINI_API_KEY=", &format!("AQ.{}", letters(40)), "\n"),
        ("ZAI_API_KEY=", &format!("{}.{}", hex(32), letters(16)), " # ends. Here"),
        ("https://hooks.slack.com/services/", &format!("T0AB/B0CD/{}", letters(24)), " posts"),
        ("https://discord.com/api/webhooks/", &format!("1234567890/{}", letters(68)), ""),
        ("postgres://app:", &"hunter2".to_owned(), "@db.internal:5432/x?y=1"),
        ("amqps://a:", &"p@ss".to_owned(), "@host"),
        ("https://me:", &"pä$s".to_owned(), "@host/path"),
    ] {
        let text = format!("{before}{secret}{after}");
        assert_eq!(redacted(&text), format!("{before}{BLOT}{after}"));
        assert_eq!(redacted(&redacted(&text)), redacted(&text));
    }
}

#[test]
fn words_hashes_code_and_pictures_stay() {
    let picture = format!("data:image/png;base64,iVBORw0KGgo{}", format!("{}+/", letters(50)).repeat(40));
    for plain in [
        "",
        "ein Schlüssel – nein",
        "ask-me-anything-you-like-today",
        "sk-text-repr-fallback, sk-container-id-1, sk-toggleable__control and sk-estimator-doc-link",
        "password: it is asked for at the door",
        "password = config.database.password_of_2024",
        "commit 3f2a1b0c9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "id 123e4567-e89b-12d3-a456-426614174000",
        "api_key = os.environ[\"OPENAI_API_KEY\"]",
        "api_key = settings.oauth2_v3_key_of_2024",
        "access_token = get_oauth2_access_token()",
        "let access_token := compute2345678901234567890abc",
        "if api_key == other345678901234567890abc",
        "the api key: it is rotated every month",
        "api-key: YOUR_API_KEY_GOES_HERE",
        "Authorization: Bearer <token>",
        "Authorization: Bearer $TOKEN",
        "Authorization: Basic authentication is enough",
        "Authorization: bearer tokens are what we use everywhere",
        "postgres://$USER:$PASSWORD@host/x",
        "postgres://user:{password}@host/x",
        "postgres://user:***@host/x",
        "https://user@host:8080/a:b@c",
        "http://[::1]:8080/@x",
        "see https://hooks.slack.com/services/ for how",
        "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----\n",
        "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmQEN\n-----END PGP PUBLIC KEY BLOCK-----\n",
        picture.as_str(),
    ] {
        assert_eq!(redacted(plain), plain);
        assert!(!has_key(plain));
    }
}

#[test]
fn private_keys_go_as_a_whole() {
    let block = |kind: &str, body: &str| format!("-----BEGIN {kind}-----\n{body}\n-----END {kind}-----");
    let private = ["PRIVATE", "KEY"].join(" ");
    let lines = format!("{}\n{}\n{}", letters(64), letters(64), letters(20));
    let pgp = format!("Version: GnuPG v2\nComment: mine\n\n{lines}\n=Ab3D");
    for key in [
        block(&private, &lines),
        block(&format!("RSA {private}"), &format!("Proc-Type: 4,ENCRYPTED\nDEK-Info: AES\n\n{lines}")),
        block(&format!("OPENSSH {private}"), &lines),
        block(&format!("PGP {private} BLOCK"), &pgp),
    ] {
        assert_eq!(redacted(&format!("a\n{key}\nb")), format!("a\n{BLOT}\nb"));
        let escaped = format!("{{\"private_key\": \"{}\\n\", \"x\": 1}}", key.replace('\n', "\\n"));
        assert_eq!(redacted(&escaped), format!("{{\"private_key\": \"{BLOT}\\n\", \"x\": 1}}"));
        for quote in ["> ", "# ", "| ", "  ", "> > ", "// ", "+"] {
            let quoted = format!("{quote}{}\n\n## Position\n", key.replace('\n', &format!("\n{quote}")));
            assert_eq!(redacted(&quoted), format!("{quote}{BLOT}\n\n## Position\n"));
        }
        let item = format!("* {}\nend", key.replace('\n', "\n  "));
        assert_eq!(redacted(&item), format!("* {BLOT}\nend"));
        let carried = format!("a\r\n{}\r\nb", key.replace('\n', "\r\n"));
        assert_eq!(redacted(&carried), format!("a\r\n{BLOT}\r\nb"));
        // Cut off, in lines and on one line.
        let cut = &key[..key.len() - 40];
        assert!(!redacted(cut).contains(&letters(20)), "{}", redacted(cut));
        let cut = format!("{{\"key\": \"{}\"}}", cut.replace('\n', "\\n"));
        assert!(!redacted(&cut).contains(&letters(20)), "{}", redacted(&cut));
        assert!(redacted(&cut).ends_with("\"}"), "{}", redacted(&cut));
    }
    for joint in [" ", "%0A", "<br>", "\r"] {
        let one_line = block(&private, &lines).replace('\n', joint);
        assert_eq!(redacted(&format!("KEY={one_line} x")), format!("KEY={BLOT} x"));
    }
    let open = format!("-----BEGIN {private}-----\n{}\n\nThanks\n\n# Position\n", letters(24));
    assert_eq!(redacted(&open), format!("{BLOT}\n\nThanks\n\n# Position\n"));
}

/// Whoever only writes about such blocks keeps all of the text but the marker.
#[test]
fn a_mention_of_a_private_key_takes_nothing_along() {
    let marker = format!("-----BEGIN RSA {}-----", ["PRIVATE", "KEY"].join(" "));
    let last = marker.replace("BEGIN", "END");
    for text in [
        format!("never commit `{marker}`\n\n## Position\n\nB\n"),
        format!("never commit {marker}\n\n## Position\n\nB\n"),
        format!("> {marker}\n\n# Position\n\n* Yes\n* No\n"),
        format!("## {marker}\n\n## Position\n\nBuild\n"),
        format!("`{marker}` is how it starts.\n\n```json\n{{}}\n```\n"),
        format!("{marker}\n```json\n{{\"option\": \"B\"}}\n```\n"),
        format!("{{\"option\": \"B\", \"because\": \"{marker} is in git\", \"confidence\": 4}}"),
        format!("{{\"option\": \"B\", \"because\": \"no {marker}\\nBut\"}}"),
        format!("{{\"because\": \"from `{marker}`\", \"option\": \"B\", \"until\": \"`{last}`\"}}"),
        format!("{{\n  \"because\": \"{marker}\",\n  \"option\": \"B\"\n}}"),
        format!("| {marker} |\n|---|\n| Position |\n"),
        marker.clone(),
    ] {
        let clean = redacted(&text);
        assert_eq!(clean, text.replace(&marker, BLOT));
        assert_eq!(redacted(&clean), clean);
        for state in [Source::AsLeft, Source::Cleaned] {
            assert!(is_redaction_of(&clean, &text, state), "{text}");
        }
    }
}

#[test]
fn a_redaction_is_known_without_any_shape() {
    for (clean, source, expected) in [
        ("a [key removed] b", "a secret b", true),
        ("a [key removed] b", "a [key removed] b", true),
        ("[key removed]", "", true),
        ("a", "a", true),
        ("a", "ab", false),
        ("a [key removed] b", "a secret c", false),
        ("x [key removed] b", "a secret b", false),
        ("1 [key removed] 2 [key removed] 3", "1 x 2 y 3", true),
        ("1 [key removed] 2 [key removed] 3", "1 x 3", false),
        ("[key removed]b[key removed]b", "xbyb", true),
        ("[key removed]b[key removed]b", "xb", false),
        // The first place at which a piece is found need not be its own.
        ("[key removed]a[key removed]\nb", "xaya\nb", true),
        ("[key removed]\na [key removed]", "x\na y", true),
        ("a [key removed] b", "a x\ny b", false),
        ("a\n[key removed]\nb", "a\n#x\nb", false),
        ("a\n[key removed]\nb", "a\n```\nb", false),
    ] {
        for state in [Source::AsLeft, Source::Cleaned] {
            assert_eq!(is_redaction_of(clean, source, state), expected, "{clean:?} of {source:?}, {state:?}");
        }
    }
    let long = "a b ".repeat(2000);
    for (stand_in, as_left, cleaned) in [
        ("(gone, ask Dana)", false, true),
        ("one\n\ntwo\n\nthree", false, false),
        ("x\n```json\n{\"option\": \"B\"}\n```\n", false, false),
        (long.as_str(), false, false),
        (letters(9000).as_str(), true, true),
    ] {
        let source = format!("key: {stand_in}.");
        assert_eq!(is_redaction_of("key: [key removed].", &source, Source::AsLeft), as_left, "{stand_in}");
        assert_eq!(is_redaction_of("key: [key removed].", &source, Source::Cleaned), cleaned, "{stand_in}");
    }
}

#[test]
fn what_a_block_stands_for_is_a_block() {
    let private = ["PRIVATE", "KEY"].join(" ");
    let block = format!("-----BEGIN {private}-----\n{}\n{}\n-----END {private}-----", letters(64), letters(20));
    let held = |source: &str, clean: &str| is_redaction_of(clean, source, Source::AsLeft);
    assert!(held(&format!("a\n{block}\nb"), &format!("a\n{BLOT}\nb")));
    assert!(held(&format!("> {}\nb", block.replace('\n', "\n> ")), &format!("> {BLOT}\nb")));
    assert!(!held(&format!("a\n{block}\nsome words\nb"), &format!("a\n{BLOT}\nb")), "more than the block");
    let words = block.replace(&letters(20), "some words\n\n## Position");
    assert!(!held(&format!("a\n{words}\nb"), &format!("a\n{BLOT}\nb")), "words between its lines");
}

#[test]
fn removed_keys_are_counted_by_their_blots() {
    for (clean, source, count) in [
        ("a", "a", 0),
        ("[key removed]", "x", 1),
        ("[key removed] [key removed]", "x y", 2),
        ("[key removed] [key removed]", "x [key removed]", 1),
        ("[key removed]", "x[key removed]", 1),
    ] {
        assert_eq!(keys_removed(clean, source), count, "{clean:?} of {source:?}");
    }
}

/// Whoever makes a record so that holding it against its source takes for ever is told that it is none.
#[test]
fn holding_a_text_against_its_source_ends() {
    let text = format!("{}!", "[key removed]a".repeat(20_000));
    assert!(!is_redaction_of(&text, &"a".repeat(200_000), Source::Cleaned));
    assert!(!is_redaction_of(&text, &"-----BEGIN PRIVATE KEY-----\na".repeat(8_000), Source::AsLeft));
}

/// Texts that are made of what the shapes are made of, in any order.
fn pieces() -> impl Strategy<Value = String> {
    let words: Vec<String> = [
        "sk-",
        "gh",
        "p_",
        "fw_",
        "hf_",
        "eyJ",
        "SG.",
        "hvs.",
        "ya29.",
        "key-",
        "SK",
        "da",
        "pi",
        "M",
        "://",
        ":",
        "@",
        "/",
        "=",
        " ",
        "\n",
        "\\n",
        "\"",
        ".",
        "_",
        "-",
        "[",
        "]",
        "%20",
        "api_key",
        "api-key: ",
        "Authorization: Bearer ",
        "ä",
        "\u{200b}",
        "hooks.slack.com/services/",
        "-----BEGIN ",
        "PRIVATE",
        " KEY-----",
        " KEY BLOCK-----",
        "-----END ",
        "\n> ",
        "\n## ",
        "Proc-Type: 4",
        "[key removed]",
        "12345678",
        "AA",
    ]
    .map(str::to_owned)
    .into_iter()
    .chain([letters(6), letters(23), letters(33), letters(40), hex(32), "abcdefghijklmnopqrstuvwxyz".to_owned()])
    .collect();
    prop::collection::vec(prop::sample::select(words), 0..24).prop_map(|words| words.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn doing_it_twice_is_doing_it_once_and_the_rest_stays(text in prop_oneof![pieces(), any::<String>()]) {
        let clean = redacted(&text);
        prop_assert_eq!(redacted(&clean), clean.clone());
        for state in [Source::AsLeft, Source::Cleaned] {
            prop_assert!(is_redaction_of(&clean, &text, state), "{:?} is not {:?} with parts blotted out", clean, text);
        }
    }

    #[test]
    fn a_key_goes_wherever_it_stands(n in 0usize..36, before in "[ -~]{0,20}[ \n\"'(=,;|<>]", after in "[ \n\"').,;|<>][ -~]{0,20}") {
        let (whose, key, _) = table().swap_remove(n);
        let clean = redacted(&format!("{before}{key}{after}"));
        prop_assert!(!clean.contains(&key), "{}: {:?}", whose, clean);
    }
}

/// A secret may be announced before one that was looked for already: each ends with its own run.
#[test]
fn a_blot_never_reaches_over_a_blank() {
    let text = "api-key:  KEY BLOCK-----a8Kq3Zhooks.slack.com/services/";
    assert!(is_redaction_of(&redacted(text), text, Source::AsLeft), "{}", redacted(text));
}

/// A key that hides behind another one goes too.
#[test]
fn keys_of_this_process_go_whatever_their_shape() {
    let (shapeless, letters) = ("Zq7Lm2Xw9Rt4Vb6Kp1Hs3Yd8", "abcdefghijklmnopqrstuvwx");
    keep_secret([shapeless, letters, "confidence", "short-1", "two words 12345", " padded-key-99 \n"]);
    let code: String = shapeless.bytes().map(|byte| format!("%{byte:02x}")).collect();
    for (text, clean) in [
        (format!("a {shapeless} b"), "a [key removed] b"),
        (format!("a {letters}."), "a [key removed]."),
        (format!("{}\n> {}", &shapeless[..10], &shapeless[10..]), "[key removed]\n[key removed] [key removed]"),
        (code, "[key removed]"),
        ("padded-key-99".to_owned(), "[key removed]"),
        ("confidence short-1 two words 12345".to_owned(), "confidence short-1 two words 12345"),
    ] {
        assert_eq!(redacted(&text), clean);
        assert_eq!(has_key(&text), clean.contains(BLOT));
        assert!(is_redaction_of(clean, &text, Source::AsLeft), "{text}");
    }
}

#[test]
fn a_private_key_goes_whatever_is_written_around_its_lines() {
    let line = letters(64);
    let (begin, end) = (format!("{}BEGIN RSA {}", "-----", "PRIVATE KEY-----"), "-----END RSA PRIVATE KEY-----");
    for between in [
        format!("\n1 {line}\n2 {line}\n3 "),
        format!("\n| {line} |\n| {line} |\n| "),
        format!("\n\"{line}\",\n\"{line}\",\n\""),
        format!("<br>\n{line}<br>\n{line}<br>\n"),
        format!("\n{line} <- the first line\nand now\n{line}\n"),
        format!("\n{}\n{}\n", &line[..9], &line[9..15]),
    ] {
        let text = format!("before\n{begin}{between}{end}\nafter");
        let clean = redacted(&text);
        assert_eq!(clean, "before\n[key removed]\nafter");
        assert!(is_redaction_of(&clean, &text, Source::AsLeft), "{text}");
    }
}

#[test]
fn keys_in_code_over_lines_and_glued_tokens_go() {
    let key = format!("{}{}", "sk-", letters(60));
    let code = base64(key.as_bytes());
    let token = format!("{}hbGciOiJI.{}zdWIiOiIx.{}", "eyJ", "eyJ", letters(30));
    let broken = |width: usize, between: &str| {
        let lines: Vec<String> =
            code.as_bytes().chunks(width).map(|c| String::from_utf8_lossy(c).into_owned()).collect();
        lines.join(between)
    };
    for text in [
        broken(76, "\n"),
        broken(20, "\n"),
        broken(20, "\r\n"),
        broken(40, "\n> "),
        broken(24, "\n    "),
        format!("token{token}"),
        format!("{}\n    {}", &key[..30], &key[30..]),
        format!("> {}\n> {}", &key[..30], &key[30..]),
    ] {
        let clean = redacted(&text);
        assert!(!clean.contains(&code[8..16]) && !clean.contains(&key[40..48]), "{text}\n{clean}");
        assert!(!clean.contains(&token[12..20]), "{text}\n{clean}");
    }
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let group = |three: &[u8]| {
        let bits = three.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - three.len()));
        let digit = move |n: usize| char::from(DIGITS[(bits >> (18 - 6 * n)) as usize & 63]);
        (0..=three.len()).map(digit).collect::<String>()
    };
    bytes.chunks(3).map(group).collect()
}

#[test]
fn keys_that_are_glued_together_all_go() {
    let text = "fw_a8Kq3Zt0Lm5Xw9Rb2Vn7Yc4_sk-key-12345678api_key";
    let clean = redacted(text);
    assert!(!clean.contains("a8Kq3Zt0Lm5Xw9Rb2Vn7Yc4"), "{clean}");
    assert_eq!(redacted(&clean), clean);
}

/// Run with `--nocapture` to see the times: they grow with the length and with nothing else.
#[test]
#[allow(clippy::disallowed_methods, reason = "the time is printed and decides nothing")]
fn long_adversarial_texts_are_read_in_one_go() {
    let size = if cfg!(debug_assertions) { 1 << 17 } else { 10 << 20 };
    for piece in [
        "fw_",
        "hf_",
        "sk-a ",
        "eyJ.",
        "eyJ0.\n",
        "eyJa.eyJ",
        "SG.a",
        "M.",
        "://",
        "a://b:",
        "a://b:c@",
        "api_key=",
        "api_key=A1b2",
        "api_key=A1b2c3d4e5f6g7h8i9j0(",
        "Authorization: Bearer ",
        "-----BEGIN ",
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\n",
        "-----BEGIN PRIVATE KEY-----\n\nWord\n",
        "-----BEGIN PRIVATE KEY-----\nComment: -----BEGIN PRIVATE KEY-----\n",
        "-----BEGIN PRIVATE KEY-----a-----END PRIVATE",
        "12345678:AA",
        "hooks.slack.com/services/",
        "a",
        " ",
        "_",
        "-",
        "key-0123456789abcdef",
        "[key removed]",
        "ä",
    ] {
        let began = std::time::Instant::now();
        let text = piece.repeat(size / piece.len());
        let clean = redacted(&text);
        println!("{piece:?}: {} ms for {} KiB", began.elapsed().as_millis(), size >> 10);
        assert_eq!(redacted(&clean), clean);
    }
    // With an end that each of them has to look at.
    for piece in [
        "eyJ.",
        "\\",
        "\\\\x",
        "AKIA",
        "aAKIA",
        "eyJ_",
        "dapi",
        "hf_a",
        "glpat-",
        "c2stYW50LTAxMjM0NTY3ODlhYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5eg\n",
        "-----BEGIN PRIVATE KEY-----\n\n-----END PRIVATE",
    ] {
        let began = std::time::Instant::now();
        let text = piece.repeat(size / piece.len() / 2) + &"_".repeat(size / 2);
        let clean = redacted(&text);
        println!("{piece:?}: {} ms for {} KiB", began.elapsed().as_millis(), size >> 10);
        assert!(is_redaction_of(&clean, &text, Source::AsLeft), "{piece:?}");
    }
}
