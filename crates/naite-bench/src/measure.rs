//! Measures time and memory: medians of interleaved runs, and the peak that the system itself keeps.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

/// Runs something once; gives milliseconds and its result.
pub(crate) fn time<T>(act: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let result = black_box(act());
    (start.elapsed().as_secs_f64() * 1e3, result)
}

/// Milliseconds that something took, and for how many of them its thread had a processor.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Took {
    pub(crate) all: f64,
    /// Counted in ticks of the system, often 4 ms. Where the system does not tell, all time counts.
    pub(crate) busy: f64,
}

/// Runs something once; gives what it took and its result. On a busy machine only the time on the processor says
/// something about the slowest of many runs.
pub(crate) fn busy_time<T>(act: impl FnOnce() -> T) -> (Took, T) {
    let before = on_processor();
    let (all, result) = time(act);
    let busy = before.zip(on_processor()).map(|(before, after)| (after - before) / 1e6);
    (Took { all, busy: busy.unwrap_or(all) }, result)
}

/// Nanoseconds that this thread had a processor so far.
fn on_processor() -> Option<f64> {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    told.split_whitespace().next()?.parse().ok()
}

/// The middle value; of an even number the mean of the two middle ones.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        len if len % 2 == 1 => sorted[len / 2],
        len => f64::midpoint(sorted[len / 2 - 1], sorted[len / 2]),
    }
}

/// The smallest and the largest value.
pub(crate) fn extent(values: &[f64]) -> (f64, f64) {
    values.iter().fold((f64::INFINITY, 0.0), |(low, high), value| (value.min(low), value.max(high)))
}

/// The most memory in MB that this process ever had; `None` where the system does not say.
pub(crate) fn own_peak() -> Option<f64> {
    peak_in(Path::new("/proc/self/status"))
}

/// The most memory in MB that another running process ever had.
pub(crate) fn peak_of(process: u32) -> Option<f64> {
    peak_in(Path::new(&format!("/proc/{process}/status")))
}

fn peak_in(status: &Path) -> Option<f64> {
    let status = std::fs::read_to_string(status).ok()?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(peak.trim().strip_suffix("kB")?.trim().parse::<f64>().ok()? * 1024.0 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::{extent, median};

    #[test]
    fn medians() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median(&[]).is_nan());
        assert_eq!(extent(&[3.0, 1.0, 2.0]), (1.0, 3.0));
    }
}
