//! A case as it runs.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::Value;

use super::expectation::Expect;
use super::layout::Layout;
use super::release::Release;
use crate::resource::types::{TypeName, resolve};
use crate::rule::Streams;

/// A case including everything inherited from another one.
#[derive(Clone, Debug)]
pub struct Case {
    pub name: String,
    pub layout: Layout,
    pub now: Option<Timestamp>,
    pub versions: BTreeMap<String, String>,
    pub objects: Vec<Value>,
    pub files: BTreeMap<String, String>,
    pub releases: Vec<Release>,
    pub missing: Vec<String>,
    pub expect: Expect,
}

impl Case {
    /// The word in `missing` for all types that the collector of the layout does not take.
    pub const LEFT_OUT: &str = "layout";

    /// Returns the types that `missing` names, each with its namespace if one is given.
    ///
    /// # Errors
    ///
    /// If `missing` has an entry that is no stream, path or type.
    pub fn missing_types(&self, streams: &Streams) -> Result<Vec<(TypeName, Option<String>)>, String> {
        let is_type =
            |m: &&String| *m != Self::LEFT_OUT && streams.get(m).is_none() && !m.contains('*') && !m.contains(".log");
        let types = self.missing.iter().filter(is_type);
        types
            .map(|text| {
                let (name, namespace) = text.split_once('/').map_or((text.as_str(), None), |(n, ns)| (n, Some(ns)));
                let resolved = resolve(name);
                // Types of unknown groups are accepted; an unknown bare word is a typo.
                if !resolved.known && resolved.name.group.is_empty() {
                    return Err(format!(
                        "missing: {text} is neither a type such as pods, a stream nor the path of a log"
                    ));
                }
                Ok((resolved.name, namespace.map(str::to_owned)))
            })
            .collect()
    }
}
