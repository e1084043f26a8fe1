//! CRE rules (Common Reliability Enumerations) as rules of our own language.
//!
//! [`read`] takes the file of such rules apart and checks them, [`sources`] says which logs of a bundle
//! their products write, [`write`] makes the text of an ordinary rule. Nothing here looks at logs.

mod read;
mod regex;
mod sources;
mod write;

use crate::rule::Source;
use read::Cre;
use sources::Products;

/// A rule that was made from a CRE rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// `cre-2025-0020`.
    pub id: String,
    pub area: String,
    /// The file of the CRE rule.
    pub origin: String,
    pub text: String,
}

/// A CRE rule that cannot be made one of ours.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
#[error("{file}:{line}: {message}")]
pub struct Invalid {
    pub file: String,
    /// 1-based.
    pub line: u64,
    pub message: String,
}

/// What became of the CRE rules of some files.
#[derive(Debug, Default)]
pub struct Import {
    /// Sorted by id.
    pub rules: Vec<Imported>,
    /// In the order of files and lines.
    pub invalid: Vec<Invalid>,
}

/// Makes ordinary rules of all CRE rules in these files.
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
            let message = format!("{} is a rule of {} already", cre.id, other.origin);
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
