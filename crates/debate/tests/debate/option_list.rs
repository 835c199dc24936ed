//! Options as people and other tools list them: one table of whole documents, with what must come out of each.

use forge_debate::option_list::read;

/// The names joined by ` | `; `?9` for a note on line 9, `!9` for a doubt on line 9 that holds.
fn told(text: &str) -> String {
    let list = read(text, 1);
    let mut told = list.options.iter().map(|option| option.label.as_str()).collect::<Vec<_>>().join(" | ");
    for doubt in &list.doubts {
        told += &format!(" {}{}", if doubt.what.holds() { '!' } else { '?' }, doubt.line);
    }
    told.trim().to_owned()
}

const THREE: &str = "Postcard | Text message | Digest mail";

/// Each must give exactly the three.
const LISTED: &[(&str, &str)] = &[
    ("a list", "## Options\n\n- Postcard: sent weekly\n- Text message: costs 6 cents\n- Digest mail\n"),
    ("stars", "## Options\n* Postcard\n* Text message\n* Digest mail\n"),
    ("numbers", "## Options\n\n1. Postcard\n2. Text message\n3. Digest mail\n"),
    ("numbers with brackets", "## Options\n\n1) Postcard\n2) Text message\n3) Digest mail\n"),
    ("boxes", "## Options\n\n- [ ] Postcard\n- [x] Text message\n- [ ] Digest mail\n"),
    ("boxes without a blank", "## Options\n\n- [] Postcard\n- [] Text message\n- [] Digest mail\n"),
    ("boxes drawn", "## Options\n\n- ☐ Postcard\n- ☑ Text message\n- ☐ Digest mail\n"),
    (
        "bold",
        "## Options\n\n1. **Postcard** — a card by mail\n2. **Text message** — 6 cents\n3. **Digest mail** — one a week\n",
    ),
    (
        "bold without a dash",
        "## Options\n\n- **Postcard** a card by mail\n- **Text message** costs\n- **Digest mail** one a week\n",
    ),
    (
        "bold with a colon",
        "## Options\n\n- **Postcard:** a card\n- **Text message:** 6 cents\n- **Digest mail:** weekly\n",
    ),
    ("dashes of all kinds", "## Options\n\n- Postcard - a card\n- Text message – 6 cents\n- Digest mail -- weekly\n"),
    (
        "the seed's plan",
        "## Options\n\n1. **Option A**: Postcard\n2. **Option B**: Text message\n3. **Option C**: Digest mail\n",
    ),
    (
        "the seed's other plan",
        "## Options\n\n1. **Option A:** Postcard - a card\n2. **Option B:** Text message - costs 6 cents each\n3. **Option C:** Digest mail - weekly\n",
    ),
    ("Option in a list", "## Options\n\n- Option A: Postcard\n- Option B: Text message\n- Option C: Digest mail\n"),
    ("letters in a list", "## Options\n\n- A: Postcard\n- B: Text message - costs\n- C: Digest mail\n"),
    ("letters with brackets", "## Options\n\n- A) Postcard\n- B) Text message\n- C) Digest mail\n"),
    ("letters in a paragraph", "## Options\n\nA) Postcard\nB) Text message\nC) Digest mail\n"),
    ("letters in paragraphs", "## Options\n\nA. Postcard\n\nB. Text message\n\nC. Digest mail\n"),
    ("Option in a paragraph", "## Options\n\nOption A: Postcard\nOption B: Text message\nOption C: Digest mail\n"),
    ("small letters", "## Options\n\n(a) Postcard\n(b) Text message\n(c) Digest mail\n"),
    (
        "bold letters in paragraphs",
        "## Options\n\n**Option A:** Postcard\n\n**Option B:** Text message\n\n**Option C:** Digest mail\n",
    ),
    (
        "bold paragraphs",
        "## Options\n\n**Postcard**\n\nA card by mail.\n\n**Text message**\n\n6 cents each.\n\n**Digest mail**\n\nOne a week.\n",
    ),
    (
        "bold lines",
        "## Options\n\n**Postcard**\nA card by mail.\n\n**Text message**\n6 cents each.\n\n**Digest mail**\nOne a week.\n",
    ),
    (
        "bold lines with pros",
        "## Options\n\n**Postcard**\n\n**Pros:**\n- cheap\n\n**Cons:**\n- slow\n\n**Text message**\n\n**Pros:**\n- quick\n\n**Digest mail**\n\n**Pros:**\n- one mail\n",
    ),
    (
        "bold starts with lists between",
        "## Options\n\n**Postcard** by mail\n- cheap\n- slow\n\n**Text message** by phone\n- quick\n\n**Digest mail** weekly\n- calm\n",
    ),
    (
        "headings",
        "## Options\n\n### Postcard\n\nA card.\n\n### Text message\n\n6 cents.\n\n### Digest mail\n\nWeekly.\n",
    ),
    (
        "headings with pros and cons",
        "## Options\n\n### Postcard\n\n**Pros:**\n- cheap\n- known\n\n**Cons:**\n- slow\n\n### Text message\n- Pros: quick\n- Cons: dear\n\n### Digest mail\n\n#### Pros\n- calm\n\n#### Cons\n- late\n",
    ),
    (
        "headings with tables",
        "## Options\n\n### Postcard\n\n| Criterion | Score |\n|---|---|\n| Cost | 3 |\n\n### Text message\n\n| Criterion | Score |\n|---|---|\n| Cost | 1 |\n\n### Digest mail\n\nWeekly\n",
    ),
    (
        "numbered headings",
        "## Options\n\n### 1. Postcard\n\nA card.\n\n### 2. Text message\n\n6 cents.\n\n### 3. Digest mail\n\nWeekly.\n",
    ),
    (
        "section numbers",
        "## 2. Options\n\n### 2.1 Postcard\n\nA card.\n\n### 2.2 Text message\n\n6 cents.\n\n### 2.3 Digest mail\n\nWeekly.\n",
    ),
    ("lettered headings", "## Options\n\n### A. Postcard\n### B. Text message\n### C. Digest mail\n"),
    ("Roman headings", "## Options\n\n### I. Postcard\n### II. Text message\n### III. Digest mail\n"),
    ("headings with pictures", "## 🎯 Options\n\n### ✅ Postcard\n### ✅ Text message\n### ❌ Digest mail\n"),
    (
        "headings with dashes",
        "## Options\n\n### Postcard — a card\n### Text message – by phone\n### Digest mail - weekly\n",
    ),
    (
        "Option in headings",
        "## Options\n\n### Option A: Postcard\n### Option B — Text message\n### Option C (Digest mail)\n",
    ),
    (
        "Alternative in headings",
        "## Alternatives\n\n### Alternative 1: Postcard\n### Alternative 2: Text message\n### Alternative 3: Digest mail\n",
    ),
    (
        "Approach in headings",
        "## Approaches Considered\n\n### Approach A: Postcard\n### Approach B: Text message\n### Approach C: Digest mail\n",
    ),
    (
        "the origin's options document",
        "# Brainstorm Options: remind readers\n\n## Option A: Postcard\n\n**Approach:** Print a card.\n\n**Pros:**\n- known\n\n**Cons:**\n- slow\n\n**Complexity:** Low\n\n## Option B: Text message\n\n**Approach:** Send it by phone.\n\n**Pros:**\n- quick\n\n## Option C: Digest mail\n\n**Approach:** One mail.\n\n## Preliminary Tradeoff Matrix\n\n| Option | Cost | Speed |\n|---|---|---|\n| A | ★★★ | ★ |\n| B | ★ | ★★★ |\n| C | ★★ | ★★ |\n",
    ),
    (
        "the origin's phase document",
        "---\n\n# Brainstorm\n\n## Exploration\n\n### Option A: Postcard\n\n**Pros:**\n- known\n\n**Cons:**\n- slow\n\n**Estimated Effort:** 2 days\n**Confidence:** High\n\n### Option B: Text message\n\n**Pros:**\n- quick\n\n### Option C: Digest mail\n\n**Pros:**\n- calm\n\n## Debate Trigger\n\n**Options for Debate:** A, B, C\n",
    ),
    (
        "the origin's final document",
        "# Brainstorm\n\n**Selected Approach:** Digest mail\n\n## Approaches Considered (Brief)\n\n### Option A: Postcard (REJECTED)\n\nToo slow.\n\n### Option B: Text message (REJECTED)\n\nToo dear.\n\n### Option C: Digest mail (SELECTED)\n\nOne mail a week.\n",
    ),
    (
        "MADR",
        "# Remind readers\n\n## Context and Problem Statement\n\nBooks come back late.\n\n## Decision Drivers\n\n* cost\n* quiet\n\n## Considered Options\n\n* Postcard\n* Text message\n* Digest mail\n\n## Decision Outcome\n\nChosen option: \"Digest mail\", because it is calm.\n\n## Pros and Cons of the Options\n\n### Postcard\n\n* Good, because it is known\n* Bad, because it is slow\n\n### Text message\n\n* Good, because it is quick\n\n### Digest mail\n\n* Neutral, because it is weekly\n",
    ),
    (
        "MADR without its list",
        "# Remind readers\n\n## Decision Drivers\n\n* cost\n\n## Pros and Cons of the Options\n\n### Postcard\n\n* Good, because it is known\n\n### Text message\n\n* Bad, because it is dear\n\n### Digest mail\n\n* Good, because it is calm\n",
    ),
    (
        "a table",
        "## Options\n\n| Option | Description |\n|---|---|\n| Postcard | a card |\n| Text message | 6 cents |\n| Digest mail | weekly |\n",
    ),
    (
        "a table with ids",
        "## Options\n\n| ID | Name | Cost |\n|---|---|---|\n| A | Postcard | 60 |\n| B | Text message | 6 |\n| C | Digest mail | 0 |\n",
    ),
    (
        "a table with numbers",
        "## Options\n\n| # | Approach | Pros | Cons |\n|---|---|---|---|\n| 1 | Postcard | known | slow |\n| 2 | Text message | quick | dear |\n| 3 | Digest mail | calm | late |\n",
    ),
    (
        "a table whose options are letters",
        "## Options\n\n| Option | Description |\n|---|---|\n| A | Postcard |\n| B | Text message |\n| C | Digest mail |\n",
    ),
    (
        "a table without names of columns",
        "## Options\n\n| What | Why |\n|---|---|\n| Postcard | known |\n| Text message | quick |\n| Digest mail | calm |\n",
    ),
    (
        "a table of bold names",
        "## Options\n\n| Option | Cost |\n|---|---|\n| **Postcard** | 60 |\n| **Text message** | 6 |\n| **Digest mail** | 0 |\n",
    ),
    (
        "a table on its side",
        "## Options\n\n| Criterion | Postcard | Text message | Digest mail |\n|---|---|---|---|\n| Cost | 60 | 6 | 0 |\n| Speed | slow | quick | weekly |\n",
    ),
    (
        "a table with Option A in its cells",
        "## Options\n\n| Option | Cost |\n|---|---|\n| Option A: Postcard | 60 |\n| Option B: Text message | 6 |\n| Option C: Digest mail | 0 |\n",
    ),
    (
        "a list before a table of letters",
        "## Options\n\n- Postcard\n- Text message\n- Digest mail\n\n| Option | Cost |\n|---|---|\n| A | 60 |\n| B | 6 |\n| C | 0 |\n",
    ),
    (
        "a list before a table of the same",
        "## Options\n\n1. Postcard\n2. Text message\n3. Digest mail\n\n| Option | Cost |\n|---|---|\n| Postcard | 60 |\n| Text message | 6 |\n| Digest mail | 0 |\n",
    ),
    (
        "nested lists",
        "## Options\n\n- Postcard\n  - Pros: known\n  - Cons: slow\n- Text message\n  - quick\n    - very\n- Digest mail\n\n  It is weekly.\n",
    ),
    (
        "pros in the same list",
        "## Options\n\n- Postcard\n- Pros: known\n- Cons: slow\n- Text message\n- Pros: quick\n- Cons: dear\n- Digest mail\n- Pros: calm\n- Cons: late\n",
    ),
    (
        "lead-in",
        "## Options\n\nWe see three ways:\n\n- Postcard\n- Text message\n- Digest mail\n\nWhat we could not find out: the price.\n",
    ),
    ("a bold lead-in", "## Options\n\n**We see three ways:**\n\n- Postcard\n- Text message\n- Digest mail\n"),
    (
        "criteria beside them",
        "## Options\n\nCriteria:\n\n- cheap\n- quick\n\nThe options:\n\n- Postcard\n- Text message\n- Digest mail\n\nNot considered:\n\n- Fax\n",
    ),
    (
        "links",
        "## Options\n\n- [Postcard](https://post.example)\n- [Text message](https://sms.example): 6 cents\n- [Digest mail][mail]\n\n[mail]: https://mail.example\n",
    ),
    ("definitions", "## Options\n\nPostcard\n: a card by mail\n\nText message\n: 6 cents\n\nDigest mail\n: weekly\n"),
    (
        "wrapped items",
        "## Options\n\n- Postcard: a card that is printed by the\n  town and sent by mail\n- Text message: costs\n6 cents\n- Digest mail\n",
    ),
    (
        "sentences",
        "## Options\n\n- Postcard. It costs: 60 cents.\n- Text message. We pay 6 cents each.\n- Digest mail. One mail a week.\n",
    ),
    (
        "an untouched list before a filled one",
        "## Options\n\n- [Name]: [What it is]\n- [Name]: [What it is]\n\n## Considered Options\n\n- Postcard\n- Text message\n- Digest mail\n",
    ),
    (
        "a filled list before an untouched one",
        "## Options\n\n- Postcard\n- Text message\n- Digest mail\n\n## Alternatives\n\n- [Name]: [What it is]\n",
    ),
    (
        "two of one heading",
        "## Options\n\n- [Name]: [What it is]\n\n## Options\n\n- Postcard\n- Text message\n- Digest mail\n",
    ),
    (
        "template rows below",
        "## Options\n\n- Postcard: cheap\n- Text message: dear\n- Digest mail: [What it is]\n- [Name]: [What it is]\n- TBD\n- ...\n",
    ),
    (
        "template headings",
        "## Options\n\n### Option A: Postcard\n\nA card.\n\n### Option B: Text message\n\n6 cents.\n\n### Option C: Digest mail\n\n[Description]\n\n### Option D: [Name]\n\n[Description]\n",
    ),
    (
        "template rows of a table",
        "## Options\n\n| Option | Description |\n|---|---|\n| Postcard | a card |\n| Text message | 6 cents |\n| Digest mail | weekly |\n| Option D | |\n| [Option] | [Description] |\n",
    ),
    (
        "comments, code and quotations",
        "## Options\n\n<!-- - Fax: old -->\n\n- Postcard\n- Text message\n- Digest mail\n\n```\n- Pigeon\n```\n\n> - Town crier\n",
    ),
    ("struck out", "## Options\n\n- Postcard\n- ~~Fax~~\n- Text message\n- Digest mail\n"),
    (
        "rules between",
        "# Reminders\n\n## Options\n\n---\n\n### Postcard\n\nA card.\n\n---\n\n### Text message\n\n6 cents.\n\n---\n\n### Digest mail\n\nWeekly.\n",
    ),
    (
        "a rule right below",
        "# Reminders\n\n## Options\n\n- Postcard\n- Text message\n- Digest mail\n\nThat is all\n---\n\n## Next Steps\n\n- Ask the mayor\n",
    ),
    ("a title that says Options", "# Options\n\n- Postcard\n- Text message\n- Digest mail\n"),
    (
        "a title with other headings",
        "# Options for reminding readers\n\n## Context\n\nBooks are late.\n\n## Postcard\n\nA card.\n\n## Text message\n\n6 cents.\n\n## Digest mail\n\nWeekly.\n\n## Recommendation\n\nNone yet.\n",
    ),
    (
        "siblings",
        "## Options\n\n## Option A: Postcard\n\nA card.\n\n## Option B: Text message\n\n6 cents.\n\n## Option C: Digest mail\n\nWeekly.\n",
    ),
    (
        "forge's own document",
        "# Brainstorm options: Remind readers\n\nAt least 3 approaches to choose from, each as `- Name: what it is`.\n\n## Options\n\n- Postcard: a card\n- Text message: 6 cents\n- Digest mail: weekly\n",
    ),
    (
        "underlined headings",
        "Reminders\n=========\n\nOptions\n-------\n\n- Postcard\n- Text message\n- Digest mail\n\nNext\n----\n\n- Ask\n",
    ),
    (
        "a bold line for a heading",
        "# Reminders\n\n**Options:**\n\n- Postcard\n- Text message\n- Digest mail\n\n**Rules:**\n\n- be kind\n",
    ),
    (
        "a plain line for a heading",
        "# Reminders\n\nOptions:\n- Postcard\n- Text message\n- Digest mail\n\n## Rules\n\n- be kind\n",
    ),
    (
        "grouped below sub-headings",
        "## Options\n\n### Paper\n\n#### Option A: Postcard\n\nA card.\n\n### Wire\n\n#### Option B: Text message\n\n#### Option C: Digest mail\n",
    ),
    (
        "a comparison below",
        "## Options\n\n- Postcard\n- Text message\n- Digest mail\n\n### Comparison\n\n| | Cost |\n|---|---|\n| Postcard | 60 |\n",
    ),
    ("other languages", "## Betrachtete Alternativen\n\n- Postcard: günstig\n- Text message: teuer\n- Digest mail\n"),
    ("full-width colons", "## 选项\n\n- Postcard：便宜\n- Text message：快\n- Digest mail\n"),
    ("emphasis", "## Options\n\n- *Postcard*: a card\n- _Text message_: dear\n- `Digest mail`: weekly\n"),
    ("keycaps", "## Options\n\n1️⃣ Postcard\n2️⃣ Text message\n3️⃣ Digest mail\n"),
    ("deep headings", "##### Options\n\n###### Postcard\n###### Text message\n###### Digest mail\n"),
    ("closed headings", "## Options ##\n\n### Postcard ###\n### Text message ###\n### Digest mail ###\n"),
    (
        "options in an analysis",
        "# Reminders\n\n## Analysis\n\n**Option A: Postcard**\n\nA card.\n\n**Option B: Text message**\n\n6 cents.\n\n**Option C: Digest mail**\n\nWeekly.\n",
    ),
    (
        "labelled paragraphs in an analysis",
        "# Reminders\n\n## Analysis\n\n**Option A:** Postcard\n\n**Option B:** Text message\n\n**Option C:** Digest mail\n",
    ),
    (
        "rejected ones beside",
        "## Options\n\n- Postcard\n- Text message\n- Digest mail\n\n## Rejected Options\n\n- Fax\n- Pigeon\n",
    ),
];

/// Each with what must come out.
const OTHERS: &[(&str, &str, &str)] = &[
    ("an untouched document", "## Options\n\n- [Name]: [What it is]\n- [Name]: [What it is]\n", ""),
    (
        "an untouched phase document",
        "## Options\n\nOnly needed if this phase debates: the approaches to choose from.\n\n- [Name]: [What it is]\n",
        "",
    ),
    (
        "untouched headings",
        "## Options\n\n### Option A: {{OPTION_A}}\n\n[Description]\n\n### Option B: <name>\n\n...\n",
        "",
    ),
    ("untouched rows", "## Options\n\n| Option | Description |\n|---|---|\n| Option A | |\n| Option B | |\n", ""),
    (
        "a matrix of letters alone",
        "## Options\n\n| Option | Cost | Speed |\n|---|---|---|\n| A | ★★★ | ★ |\n| B | ★ | ★★★ |\n",
        "",
    ),
    (
        "a second list with a lead-in",
        "## Options\n\n- Postcard\n- Text message\n- Digest mail\n\nWe judge them by:\n\n- reach\n- cost\n",
        "Postcard | Text message | Digest mail !9",
    ),
    (
        "a second list of details",
        "## Options\n\n- Postcard\n- Text message\n- Digest mail\n\nNotes:\n\n- reach\n- cost\n",
        "Postcard | Text message | Digest mail",
    ),
    ("nothing", "", ""),
    ("no heading of options", "# Reminders\n\n## Findings\n\n- Books are late\n- Readers forget\n", ""),
    ("options of a program", "# Reminders\n\n## Configuration options\n\n- verbose: more\n- quiet: less\n", ""),
    ("prose", "## Options\n\nWe have not found any that we like. The mayor will be asked.\n", ""),
    ("signs", "## Options\n\n- Use `§`\n- Use `%`\n- Use `&`\n", "Use § | Use % | Use &"),
    ("languages", "## Options\n\n- C: small\n- C++: large\n- C#: managed\n", "C | C++ | C#"),
    ("comparisons", "## Options\n\n- `<=`\n- `>=`\n- `<`\n", "<= | >= | <"),
    ("versions", "## Options\n\n- v1.2\n- v12\n- v1-2\n", "v1.2 | v12 | v1-2"),
    ("flags", "## Options\n\n- `--force`\n- `force`\n- `-force`\n", "--force | force | -force"),
    ("short names", "## Options\n\n- Go: simple\n- Rust: safe\n- C: known\n", "Go | Rust | C"),
    (
        "todo is a name",
        "## Options\n\n- Todo board: shared\n- To be read later pile: quiet\n- Placeholder page\n",
        "Todo board | To be read later pile | Placeholder page",
    ),
    (
        "releases",
        "## Options\n\n- 1.2 release\n- 1.3 release\n- 2.0 release\n",
        "1.2 release | 1.3 release | 2.0 release",
    ),
    (
        "doing nothing",
        "## Options\n\n- Do nothing\n- None of them\n- Keep it as it is: free\n",
        "Do nothing | None of them | Keep it as it is",
    ),
    (
        "descriptions tell them apart",
        "## Options\n\n- Postcard: weekly\n- Postcard: monthly\n- Text message\n",
        "Postcard: weekly | Postcard: monthly | Text message",
    ),
    (
        "the same twice",
        "## Options\n\n- Postcard\n- Text message\n- postcard\n- Digest mail\n",
        "Postcard | Text message | Digest mail ?5",
    ),
    (
        "the same heading twice",
        "## Options\n\n### Postcard\n\nA card.\n\n### Text message\n\n### Postcard\n\nCheap.\n",
        "Postcard | Text message !9",
    ),
    (
        "a name in brackets",
        "## Options\n\n- [Postcard]: sent weekly\n- Text message: 6 cents\n- Digest mail\n",
        "Text message | Digest mail !3",
    ),
    (
        "a half-filled heading",
        "## Options\n\n### Option A: [Name]\n\nA card by mail.\n\n### Option B: Text message\n",
        "Text message !3",
    ),
    (
        "a row half filled",
        "## Options\n\n| Option | Description |\n|---|---|\n| [Option] | a card by mail |\n| Text message | 6 cents |\n",
        "Text message !5",
    ),
    (
        "headings without names",
        "## Options\n\n### Option A\n\nA card by mail.\n\n### Option B\n\n**Name:** Text message\n",
        "Option A | Text message",
    ),
    ("running text", "## Options\n\nPostcard, text message or digest mail\n", "!3"),
    ("labelled lines", "## Options\n\nPostcard: a card by mail.\nText message: 6 cents.\nDigest mail: weekly.\n", "!3"),
    ("a label with its options", "## Notes\n\n**Options:** Postcard, Text message\n", ""),
    ("in a fence", "## Options\n\n```\n- Postcard\n- Text message\n```\n", "!3"),
    ("all in a fence", "```markdown\n## Options\n\n- Postcard\n- Text message\n```\n", "!2"),
    ("in a quotation", "## Options\n\n> - Postcard\n> - Text message\n", "!3"),
    ("in a quotation with its heading", "> ## Options\n>\n> - Postcard\n", "!1"),
    ("indented code", "## Options\n\n    - Postcard\n    - Text message\n", "!3"),
    ("one option", "## Options\n\n- Postcard\n", "Postcard"),
    (
        "one worded option with reasons",
        "## Options\n\n**Option A:** Postcard\n\n- Pros: cheap\n- Cons: slow\n",
        "Postcard",
    ),
    (
        "a list of criteria before headings",
        "## Options\n\n- cheap\n- quick\n\n### Postcard\n\n### Text message\n",
        "Postcard | Text message ?3",
    ),
    (
        "other alternatives",
        "## Options\n\n- Postcard\n- Text message\n\n## Alternatives\n\n- Fax\n- Pigeon\n",
        "Postcard | Text message ?6",
    ),
    (
        "more options further down",
        "## Options\n\n- Postcard\n- Text message\n\n## Options\n\n- Fax\n",
        "Postcard | Text message !6",
    ),
    (
        "one id twice",
        "## Options\n\n### Option A: Postcard\n\n### Option A: Text message\n\n### Option B: Digest mail\n",
        "Postcard | Text message | Digest mail ?5",
    ),
    (
        "names that stand for details",
        "## Options\n\n- Comments: below each book\n- Ratings: one to five\n- Polls: each week\n",
        "Comments | Ratings | Polls",
    ),
    (
        "one name with two descriptions",
        "## Options\n\n| Option | Description |\n|---|---|\n| Postcard | weekly |\n| Postcard | monthly |\n",
        "Postcard !6",
    ),
    (
        "a dash tells them apart",
        "## Options\n\n### Postcard\n### Postcard (weekly)\n### Postcard - monthly\n",
        "Postcard | Postcard (weekly) | Postcard - monthly",
    ),
    (
        "a heading of an id with its name below",
        "## Options\n\n### Option 1\n**Postcard** - a card\n\n### Option 2\nText message\n",
        "Postcard | Text message",
    ),
    ("letters that are names", "## Options\n\n- X: the platform\n- R: the language\n- S: the other one\n", "X | R | S"),
    (
        "letters, and one without",
        "## Options\n\n- A: Postcard\n- B: Text message\n- Do nothing\n",
        "Postcard | Text message | Do nothing",
    ),
    (
        "a remark beside ids",
        "## Options\n\n- Option A: Postcard\n- Option B: Text message\n\nAll prices without tax.\n\n- Note: prices of May\n",
        "Postcard | Text message",
    ),
    ("none", "## Alternatives\n\n- None.\n", ""),
    (
        "text below an item's name",
        "## Options\n\n1. Postcard\n   Pros:\n   - known\n2. Text message\n   It costs 6 cents.\n",
        "Postcard | Text message",
    ),
    ("emojis tell apart", "## Options\n\n- 👍 reaction\n- 👎 reaction\n", "👍 reaction | 👎 reaction"),
    (
        "names with colons in code",
        "## Options\n\n- Add `* Category: X` below the heading\n- Add `Category: X` to the front matter: simple\n",
        "Add * Category: X below the heading | Add Category: X to the front matter",
    ),
    (
        "addresses",
        "## Options\n\n- https://a.example/x: theirs\n- https://b.example\n",
        "https://a.example/x | https://b.example",
    ),
    ("in French", "## Options considérées\n\n- Carte\n- SMS\n- Courriel\n", "Carte | SMS | Courriel"),
    ("in Japanese", "## オプション\n\n- はがき\n- メール\n", "はがき | メール"),
    (
        "in Chinese",
        "## 方案\n\n### 方案一：明信片\n纸\n### 方案二：短信\n快\n### 方案三：邮件\n",
        "明信片 | 短信 | 邮件",
    ),
    ("in Swedish", "## Möjliga alternativ\n\n- Vykort\n- SMS\n", "Vykort | SMS"),
    ("in Polish", "## Rozważane opcje\n\n1. Pocztówka\n2. SMS\n", "Pocztówka | SMS"),
    ("in Dutch", "## Opties\n\n- Kaart\n- SMS\n", "Kaart | SMS"),
    (
        "in Spanish",
        "## Opciones consideradas\n\n- **Opción A: Postal**: papel\n- **Opción B: SMS**: texto\n",
        "Postal | SMS",
    ),
    ("in German", "## Lösungsansätze\n\n- Postkarte\n- SMS\n", "Postkarte | SMS"),
    ("in Russian", "## Варианты решения\n\n- Открытка\n- СМС\n", "Открытка | СМС"),
    ("a plan is no option", "## 方案一览表说明\n\nText.\n", ""),
    ("times", "## Options\n\n- At 10:30 - early\n- At 12:00\n", "At 10:30 | At 12:00"),
    ("nothing but reasons", "## Options\n\n- Good, because it is cheap\n- Bad, because it is slow\n", ""),
];

#[test]
fn a_list_below_a_heading_that_is_not_known_is_named() {
    let passed = |text: &str| forge_debate::option_list::read(text, 1).passed_over;
    assert_eq!(passed("# B\n\n## Gyvenimo keliai\n\n- Atvirukas\n- SMS\n"), Some((3, "Gyvenimo keliai".to_owned())));
    assert_eq!(passed("# B\n\n## Pros\n\n- cheap\n- known\n"), None);
    assert_eq!(passed("## Options\n\n- Postcard\n- SMS\n\n## Steps\n\n- one\n- two\n"), None);
    assert_eq!(passed("## TODO\n\n- [ ] one\n- [ ] two\n"), None);
}

// seed: S0-6
#[test]
fn three_options_in_every_form() {
    let wrong: Vec<String> = LISTED
        .iter()
        .filter(|(_, text)| told(text) != THREE)
        .map(|(name, text)| format!("{name}: {}", told(text)))
        .collect();
    assert!(wrong.is_empty(), "{} of {} are wrong:\n{}", wrong.len(), LISTED.len(), wrong.join("\n"));
}

#[test]
fn what_is_no_option_what_differs_and_what_is_in_doubt() {
    let wrong: Vec<String> = OTHERS
        .iter()
        .filter(|(_, text, wanted)| told(text) != *wanted)
        .map(|(name, text, wanted)| format!("{name}: {:?}, not {wanted:?}", told(text)))
        .collect();
    assert!(wrong.is_empty(), "{} of {} are wrong:\n{}", wrong.len(), OTHERS.len(), wrong.join("\n"));
}

#[test]
fn a_letter_that_stands_twice_is_a_letter_all_the_same() {
    let listed = "## Options\n\n- A: Postcard\n- A: Text message - costs\n- C: Digest mail\n";
    assert_eq!(told(listed), format!("{THREE} ?4"));
    // Without a second A these are names.
    assert_eq!(told("## Options\n\n- C: fast\n- D: safe\n- Zig: small\n"), "C | D | Zig");
}
