//! Imports CRE rules (Common Reliability Enumerations) as ordinary rules. No shipped rule uses this module: it serves
//! `rules import` and `rules test --from cre` only, and nothing but `cli` depends on it.
//!
//! [`read`] reads and checks files of CRE rules, [`sources`] names the logs of a bundle that their products write, [`write`]
//! writes the text of an ordinary rule. The module never sees a bundle; the rules it makes are compiled like all others.

mod outcome;
mod read;
mod regex;
mod sources;
mod write;

pub use outcome::{Import, Imported, Invalid};
pub use write::MADE;

use crate::rule::Source;
use read::Cre;
use sources::Products;

/// Converts all CRE rules in these files to ordinary rules.
pub fn import(files: &[Source]) -> Import {
    let products = Products::ours();
    let mut import = Import::default();
    for file in files {
        for rule in read::rules(file) {
            match rule {
                Ok(cre) => import.add(file, &cre, &products),
                Err(invalid) => import.invalid.push(invalid),
            }
        }
    }
    import.rules.sort_by(|a, b| a.id.cmp(&b.id));
    import
}

impl Import {
    fn add(&mut self, file: &Source, cre: &Cre, products: &Products) {
        let id = cre.id.to_ascii_lowercase();
        if let Some(other) = self.rules.iter().find(|rule| rule.id == id) {
            let message = format!("{} is already a rule of {}", cre.id, other.origin);
            self.invalid.push(Invalid { file: file.file.clone(), line: cre.line, message });
            return;
        }
        let product = products.of(&cre.source);
        let text = write::rule(cre, &product);
        self.rules.push(Imported { id, area: product.area, origin: file.file.clone(), text });
    }
}
#[cfg(test)]
mod tests;
