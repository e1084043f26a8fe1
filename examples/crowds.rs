//! Writes the bundles of `tests/integration/hostile/crowds.rs` into a folder, each in the given sizes, and prints
//! `name <TAB> size <TAB> file <TAB> what it is` for each; for `benches/hostile.sh`.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a tool for measuring, which fails loudly")]

#[path = "../tests/integration/hostile/crowds.rs"]
mod crowds;

use std::path::PathBuf;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().unwrap_or_else(|| "target/crowds".to_owned()));
    let sizes: Vec<usize> = arguments.map(|size| size.parse().unwrap()).collect();
    std::fs::create_dir_all(&folder).unwrap();
    for crowd in crowds::ALL {
        for &size in &sizes {
            let path = folder.join(format!("{}-{size}.zip", crowd.name));
            std::fs::write(&path, crowds::bundle(crowd, size)).unwrap();
            println!("{}\t{size}\t{}\t{}", crowd.name, path.display(), crowd.what);
        }
    }
}
