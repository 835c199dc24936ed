//! The stand-in for `llama-server`, as a program.

fn main() -> std::io::Result<()> {
    forge_testkit::llama_server::run()
}
