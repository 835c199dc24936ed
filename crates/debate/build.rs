//! Embeds every Markdown file of `prompts/` and `roles/`, so that adding a text means adding a file and nothing else.

#![allow(clippy::disallowed_methods, reason = "a build script reads and writes files; the crate does not")]

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?);
    let mut entries = Vec::new();
    for folder in ["prompts", "roles"] {
        println!("cargo::rerun-if-changed={folder}");
        collect(&root, &root.join(folder), &mut entries)?;
    }
    entries.sort();
    let rows: String =
        entries.iter().map(|(name, path)| format!("    ({name:?}, include_str!({path:?})),\n")).collect();
    let out = PathBuf::from(env::var("OUT_DIR").map_err(io::Error::other)?);
    fs::write(out.join("texts.rs"), format!("static EMBEDDED: &[(&str, &str)] = &[\n{rows}];\n"))
}

fn collect(root: &Path, folder: &Path, entries: &mut Vec<(String, String)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(root, &path, entries)?;
        } else if path.extension().is_some_and(|extension| extension == "md") {
            let name = path.strip_prefix(root).unwrap_or(&path).with_extension("");
            entries.push((name.to_string_lossy().replace('\\', "/"), path.to_string_lossy().into_owned()));
        }
    }
    Ok(())
}
