//! The cache of list rows: quick when it can be believed, and never the reason for another list.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use naite_store::{Catalog, Fs, RealFs, RowCache, SessionRow};
use naite_testkit::{FaultFs, Home};

use crate::words::chain;

/// Long before the cache is written: a file that is as young as the cache is never believed.
const OLD: Duration = Duration::from_secs(3600);

/// Some sessions in folders of their own, and a cache.
struct Place {
    home: Home,
    fs: FaultFs,
}

impl Place {
    fn new() -> Self {
        let home = Home::new();
        for folder in ["one", "two"] {
            fs::create_dir_all(home.file("sessions").join(folder)).expect("a folder");
        }
        let place = Self { home, fs: FaultFs::default() };
        for name in ["one/a", "one/b", "two/가"] {
            place.write(name, &chain(3), OLD);
        }
        place
    }

    fn file(&self, name: &str) -> PathBuf {
        self.home.file("sessions").join(name).with_extension("jsonl")
    }

    fn cache(&self) -> PathBuf {
        self.home.file("rows")
    }

    fn write(&self, name: &str, text: &str, age: Duration) {
        fs::write(self.file(name), text).expect("writable");
        set_age(&self.file(name), age);
    }

    /// The list with the cache, which must be the one without it; and which files were read for it.
    fn list(&self, folder: &str) -> (Vec<SessionRow>, Vec<PathBuf>) {
        let folders = [self.home.file(folder)];
        let before = self.fs.calls().len();
        let faults: Arc<dyn Fs> = Arc::new(self.fs.clone());
        let cache = RowCache::new(Arc::clone(&faults), self.cache());
        let store = || -> Box<dyn naite_store::Store> {
            let home = self.home.file("naite");
            Box::new(naite_store::FileStore::new(Arc::new(self.fs.clone()), home, Default::default()))
        };
        let with = Catalog::read(&faults, &folders, Some(&cache), &store);
        let calls = self.fs.calls();
        let real: Arc<dyn Fs> = Arc::new(RealFs);
        let without = Catalog::read(&real, &folders, None, &|| self.home.setup().store);
        assert_eq!(with.rows, without.rows);
        let mut read: Vec<PathBuf> = calls[before..]
            .iter()
            .filter(|call| call.name == "read_at" && call.path != self.cache())
            .map(|call| call.path.clone())
            .collect();
        read.sort_unstable();
        read.dedup();
        (with.rows, read)
    }

    /// Insists on which files a list has to read.
    fn reads(&self, folder: &str, names: &[&str]) {
        let wanted: Vec<PathBuf> = names.iter().map(|name| self.file(name)).collect();
        assert_eq!(self.list(folder).1, wanted);
    }
}

fn set_age(file: &Path, age: Duration) {
    let file = File::options().write(true).open(file).expect("a file");
    file.set_modified(SystemTime::now() - age).expect("a time can be set");
}

#[test]
fn only_what_changed_is_read() {
    let place = Place::new();
    place.reads("sessions", &["one/a", "one/b", "two/가"]);
    place.reads("sessions", &[]);
    // Longer; as long, but at another time; another file of the same length and time.
    place.write("one/a", &chain(4), OLD);
    place.reads("sessions", &["one/a"]);
    place.write("one/a", &chain(4).replace("가나다", "라마바"), OLD / 2);
    place.reads("sessions", &["one/a"]);
    let other = place.file("one/a").with_extension("tmp");
    fs::write(&other, chain(4)).expect("writable");
    let time = fs::metadata(place.file("one/a")).expect("a file").modified().expect("a time");
    File::options().write(true).open(&other).expect("a file").set_modified(time).expect("a time can be set");
    fs::rename(&other, place.file("one/a")).expect("renamed");
    place.reads("sessions", &["one/a"]);
    place.reads("sessions", &[]);
}

#[test]
fn a_file_as_young_as_the_cache_is_read_again() {
    let place = Place::new();
    let ahead = File::options().write(true).open(place.file("one/b")).expect("a file");
    ahead.set_modified(SystemTime::now() + OLD).expect("a time can be set");
    place.reads("sessions", &["one/a", "one/b", "two/가"]);
    // Whether it has changed since with the same length and time, nothing but reading it tells.
    place.reads("sessions", &["one/b"]);
}

#[test]
fn rows_go_with_their_files_and_stay_with_other_folders() {
    let place = Place::new();
    place.list("sessions");
    let size = || fs::metadata(place.cache()).expect("a cache").len();
    let all = size();
    fs::remove_file(place.file("one/b")).expect("it was there");
    place.write("one/a", &chain(4), OLD);
    assert_eq!(place.list("sessions/one").0.len(), 1);
    assert!(size() < all, "the row of the removed file is gone");
    place.reads("sessions", &[]);
    assert_eq!(place.list("sessions").0.len(), 2);
}

#[test]
fn damage_changes_no_list() {
    let place = Place::new();
    let wanted = place.list("sessions").0;
    let sound = fs::read(place.cache()).expect("a cache");
    let mut damaged: Vec<Vec<u8>> = (0..sound.len()).step_by(31).map(|at| sound[..at].to_vec()).collect();
    damaged.extend((0..sound.len()).step_by(11).map(|at| {
        let mut bytes = sound.clone();
        bytes[at] ^= 0x21;
        bytes
    }));
    for bytes in damaged {
        fs::write(place.cache(), bytes).expect("writable");
        assert_eq!(place.list("sessions").0, wanted);
    }
    fs::remove_file(place.cache()).expect("it was there");
    fs::create_dir(place.cache()).expect("a folder in its place");
    assert_eq!(place.list("sessions").0, wanted);
}
