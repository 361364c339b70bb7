/// By how many KiB a conversation of ten thousand calls may grow a process: a leak of one answer (2 KiB)
/// for each call would be 19 MiB.
pub(crate) const MAX_GROWTH: u64 = 8 << 10;

/// The resident set of a process, in KiB.
pub(crate) fn resident(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}
