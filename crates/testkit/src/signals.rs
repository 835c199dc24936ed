//! Signals that a test's programs inherit as ignored: `nohup` and a shell's background jobs do that to whatever they start.

use std::io::Write as _;

/// Whether a program that is started from here ends by this signal, as far as it does nothing about it. Where it would be
/// ignored, says so and gives no: a test that sent it would wait for ever.
pub fn ends_by(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    let ends = ignored & (1 << (signal - 1)) == 0;
    if !ends {
        let _ = writeln!(std::io::stderr(), "SKIPPED: signal {signal} is ignored by whatever is started from here");
    }
    ends
}
