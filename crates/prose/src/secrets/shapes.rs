//! What keys look like, one line per shape. Each has a beginning, a least length and an alphabet, so that words, hashes,
//! identifiers and encoded pictures are not taken for keys.
//!
//! Verification depends on none of this: a text is held against these shapes once, when it enters the record.

/// The characters that a key is made of, after its beginning.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Alphabet {
    /// Letters, digits, `-` and `_`.
    Word,
    /// The same with more than small letters among them: `npm_config_user_agent` is a name.
    Mixed,
    /// Letters and digits, not small letters alone.
    Letters,
    /// Digits and `a` to `f`, and exactly as many as said.
    Hex,
    /// Parts with dots between them, each a [`Alphabet::Word`] of at least so many characters.
    Parts(&'static [Part]),
}

/// One of the parts between dots: how it begins, and how many characters it has at least and at most.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Part(pub(super) &'static str, pub(super) usize, pub(super) usize);

/// A key that is known by how it begins.
pub(super) struct Shape {
    pub(super) beginning: &'static str,
    /// The least that follows the beginning.
    pub(super) least: usize,
    pub(super) alphabet: Alphabet,
    /// How many letters and digits follow the beginning, where every key has as many; else 0.
    pub(super) whole: usize,
}

impl Shape {
    /// Whether a key that was broken over lines is still known as one: by a beginning that no word has.
    pub(super) fn goes_on(&self) -> bool {
        matches!(self.alphabet, Alphabet::Word | Alphabet::Mixed | Alphabet::Letters) && self.beginning.len() > 3
    }
}

const fn shape(beginning: &'static str, least: usize, alphabet: Alphabet) -> Shape {
    Shape { beginning, least, alphabet, whole: 0 }
}

const fn whole(beginning: &'static str, whole: usize, least: usize) -> Shape {
    Shape { beginning, least, alphabet: Alphabet::Word, whole }
}

const LONG: usize = usize::MAX;

/// Keys that are known by how they begin.
pub(super) const SHAPES: &[Shape] = &[
    // Names of styles begin so too; they have no digits, or are short.
    shape("sk-", 16, Alphabet::Mixed),
    // What follows is no name of a style: known also where it is broken over lines.
    shape("sk-ant-", 16, Alphabet::Mixed),
    shape("sk-proj-", 16, Alphabet::Mixed),
    shape("sk_live_", 8, Alphabet::Word),
    shape("sk_test_", 8, Alphabet::Word),
    shape("rk_live_", 8, Alphabet::Word),
    shape("rk_test_", 8, Alphabet::Word),
    shape("whsec_", 20, Alphabet::Mixed),
    shape("ghp_", 12, Alphabet::Word),
    shape("gho_", 12, Alphabet::Word),
    shape("ghu_", 12, Alphabet::Word),
    shape("ghs_", 12, Alphabet::Word),
    shape("ghr_", 12, Alphabet::Mixed),
    shape("github_pat_", 12, Alphabet::Word),
    shape("glpat-", 12, Alphabet::Word),
    shape("xoxb-", 12, Alphabet::Word),
    shape("xoxp-", 12, Alphabet::Word),
    shape("xoxa-", 12, Alphabet::Word),
    shape("xoxs-", 12, Alphabet::Mixed),
    shape("xoxe-", 12, Alphabet::Mixed),
    shape("xapp-", 12, Alphabet::Mixed),
    whole("AKIA", 16, 12),
    whole("ASIA", 16, 12),
    whole("AIza", 35, 12),
    shape("ya29.", 20, Alphabet::Parts(&[Part("", 20, LONG)])),
    shape("ya29", 20, Alphabet::Mixed),
    shape("GOCSPX-", 20, Alphabet::Word),
    shape("hf_", 13, Alphabet::Mixed),
    shape("xai-", 13, Alphabet::Mixed),
    shape("gsk_", 12, Alphabet::Mixed),
    shape("pplx-", 12, Alphabet::Mixed),
    shape("csk-", 32, Alphabet::Letters),
    shape("fw_", 20, Alphabet::Letters),
    shape("tgp_v1_", 32, Alphabet::Mixed),
    shape("r8_", 13, Alphabet::Mixed),
    shape("sess-", 12, Alphabet::Mixed),
    shape("shpat_", 10, Alphabet::Mixed),
    shape("AGE-SECRET-KEY-", 12, Alphabet::Word),
    shape("npm_", 20, Alphabet::Letters),
    shape("pypi-", 12, Alphabet::Mixed),
    shape("dop_v1_", 12, Alphabet::Mixed),
    shape("dckr_pat_", 20, Alphabet::Word),
    shape("dapi", 32, Alphabet::Hex),
    shape("glsa_", 20, Alphabet::Mixed),
    shape("glc_", 32, Alphabet::Mixed),
    shape("lin_api_", 20, Alphabet::Letters),
    shape("ntn_", 32, Alphabet::Letters),
    shape("hvs.", 20, Alphabet::Parts(&[Part("", 20, LONG)])),
    shape("hvb.", 20, Alphabet::Parts(&[Part("", 20, LONG)])),
    shape("SG.", 33, Alphabet::Parts(&[Part("", 16, 32), Part("", 16, 64)])),
    shape("SK", 32, Alphabet::Hex),
    shape("key-", 32, Alphabet::Hex),
    // Signed tokens: three parts, of which the first two begin with `{"` in base64.
    shape("eyJ", 16, Alphabet::Parts(&[Part("", 0, LONG), Part("eyJ", 3, LONG), Part("", 16, LONG)])),
];

/// What stands before a secret that has no shape of its own, and what the secret is made of.
pub(super) struct LeadIn {
    /// In small letters, with `_` for `-` and `_`.
    pub(super) words: &'static str,
    pub(super) then: Then,
    /// The least length of the secret.
    pub(super) least: usize,
}

/// What comes between the words and the secret.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Then {
    /// `:` or `=`, with spaces and quotes around it.
    Sign,
    /// The same, and a word that says what kind of secret it is.
    Scheme(&'static str),
    /// Nothing.
    Nothing,
}

const fn lead_in(words: &'static str, then: Then, least: usize) -> LeadIn {
    LeadIn { words, then, least }
}

/// Secrets that are known by what stands before them. Names may have others before them: `x-api-key`, `TWILIO_AUTH_TOKEN`.
pub(super) const LEAD_INS: &[LeadIn] = &[
    lead_in("secret_access_key", Then::Sign, 16),
    lead_in("secretaccesskey", Then::Sign, 16),
    lead_in("session_token", Then::Sign, 20),
    lead_in("accountkey", Then::Sign, 16),
    lead_in("account_key", Then::Sign, 16),
    lead_in("sharedaccesskey", Then::Sign, 16),
    lead_in("sharedaccesssignature", Then::Sign, 16),
    lead_in("api_key", Then::Sign, 16),
    lead_in("apikey", Then::Sign, 16),
    lead_in("auth_token", Then::Sign, 16),
    lead_in("authtoken", Then::Sign, 16),
    lead_in("accesstoken", Then::Sign, 16),
    lead_in("refreshtoken", Then::Sign, 16),
    lead_in("clientsecret", Then::Sign, 16),
    lead_in("secretkey", Then::Sign, 16),
    lead_in("password", Then::Sign, 8),
    lead_in("passwd", Then::Sign, 8),
    lead_in("access_token", Then::Sign, 16),
    lead_in("refresh_token", Then::Sign, 16),
    lead_in("bot_token", Then::Sign, 16),
    lead_in("client_secret", Then::Sign, 16),
    lead_in("secret_key", Then::Sign, 16),
    lead_in("authorization", Then::Scheme("bearer"), 16),
    lead_in("authorization", Then::Scheme("token"), 16),
    lead_in("authorization", Then::Scheme("basic"), 12),
    lead_in("hooks.slack.com/services/", Then::Nothing, 20),
    lead_in("hooks.slack.com/workflows/", Then::Nothing, 20),
    lead_in("discord.com/api/webhooks/", Then::Nothing, 40),
    lead_in("discordapp.com/api/webhooks/", Then::Nothing, 40),
];
