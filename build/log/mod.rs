//! The part of the program's module `log` that finds literals, under the same name: it names its files by their paths in the program.

pub mod pattern;
