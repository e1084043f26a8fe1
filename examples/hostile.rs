//! Writes the bundles of `tests/integration/hostile/monsters.rs` into a folder, in full size or,
//! with a second argument, small, and prints
//! `name <TAB> file <TAB> what it is` for each; for `benches/hostile.sh`.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a tool for measuring, which fails loudly")]

#[expect(dead_code, reason = "what must be told is for the test")]
#[path = "../tests/integration/hostile/monsters.rs"]
mod monsters;

use std::path::PathBuf;

fn main() {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "target/hostile".to_owned()));
    let full = std::env::args().nth(2).is_none();
    std::fs::create_dir_all(&folder).unwrap();
    for monster in monsters::ALL {
        let path = folder.join(monster.name).with_extension("bundle");
        std::fs::write(&path, (monster.make)(full)).unwrap();
        println!("{}\t{}\t{}", monster.name, path.display(), monster.what);
    }
}
