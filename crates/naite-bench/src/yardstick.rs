//! The work that every figure is compared with: parsing the same bytes as JSON values and dropping them.

use std::fs::File;
use std::hint::black_box;
use std::io::{self, Read};
use std::path::Path;

use serde_json::Value;

use crate::generator::{Recipe, Shape, generate};
use crate::measure::time;

/// Bytes of the window that a file is read in: as many as Naite reads at once.
const WINDOW: usize = 512 * 1024;

/// Reads a file once and drops it, so that the runs that follow find it in the system's cache.
pub(crate) fn warm_up(path: &Path) -> io::Result<()> {
    each_line(path, |line| {
        black_box(line);
    })
}

/// Parses each line of a file as a value; returns how many there are.
pub(crate) fn parse_lines(path: &Path) -> io::Result<usize> {
    let mut count = 0;
    each_line(path, |line| count += usize::from(is_object(line)))?;
    Ok(count)
}

/// Parses each text as a value; returns how many there are.
pub(crate) fn parse_texts(texts: &[String]) -> usize {
    texts.iter().filter(|text| is_object(text.as_bytes())).count()
}

fn is_object(json: &[u8]) -> bool {
    serde_json::from_slice::<Value>(json).is_ok_and(|value| value.is_object())
}

/// Hands over each line of a file, read in one window that is used again and again.
fn each_line(path: &Path, mut each: impl FnMut(&[u8])) -> io::Result<()> {
    let mut file = File::open(path)?;
    let mut window = vec![0; WINDOW];
    let mut filled = 0;
    loop {
        if filled == window.len() {
            window.resize(window.len() * 2, 0);
        }
        let read = file.read(&mut window[filled..])?;
        filled += read;
        let mut used = 0;
        for end in memchr::memchr_iter(b'\n', &window[..filled]) {
            each(&window[used..end]);
            used = end + 1;
        }
        if read == 0 {
            if used < filled {
                each(&window[used..filled]);
            }
            return Ok(());
        }
        window.copy_within(used..filled, 0);
        filled -= used;
    }
}

/// A document of 1 MB: a measure for the speed of this machine at this moment.
#[derive(Debug)]
pub(crate) struct Megabyte(Vec<u8>);

impl Megabyte {
    /// An array of the records of a generated session.
    pub(crate) fn new() -> io::Result<Self> {
        let mut log = Vec::new();
        let recipe = Recipe { shape: Shape::Mixed, entries: 500, bytes: 1_250_000, seed: 1, giant: 0 };
        generate(&recipe, &mut log)?;
        log.truncate(1_000_000 - 1);
        let end = memchr::memrchr(b'\n', &log).unwrap_or(0);
        log.truncate(end);
        for byte in log.iter_mut().filter(|byte| **byte == b'\n') {
            *byte = b',';
        }
        log.insert(0, b'[');
        log.resize(1_000_000 - 1, b' ');
        log.push(b']');
        Ok(Self(log))
    }

    /// Milliseconds that parsing it as a value takes now: the median of some rounds.
    pub(crate) fn time(&self) -> f64 {
        let rounds: Vec<f64> = (0..9).map(|_| time(|| serde_json::from_slice::<Value>(&self.0)).0).collect();
        crate::measure::median(&rounds)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{Megabyte, WINDOW, parse_lines};

    #[test]
    fn the_megabyte_is_one_document() {
        let Megabyte(json) = Megabyte::new().unwrap();
        assert_eq!(json.len(), 1_000_000);
        let value: serde_json::Value = serde_json::from_slice(&json).unwrap();
        assert!(value.as_array().unwrap().len() > 300);
    }

    #[test]
    fn lines_longer_than_the_window_count_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines");
        let long = format!("{{\"a\":\"{}\"}}", "x".repeat(3 * WINDOW));
        fs::write(&path, format!("{{}}\n{long}\n{long}\n[]\n{{}}")).unwrap();
        assert_eq!(parse_lines(&path).unwrap(), 4);
    }
}
