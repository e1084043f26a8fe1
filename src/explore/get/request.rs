//! What is asked: types, names, namespace, selectors and order.

use super::jsonpath::{JsonPath, JsonPathError};
use super::selector::{FieldSelector, LabelSelector, SelectorError};
use crate::explore::types::{TypeCatalogue, TypeError};
use crate::resource::TypeName;

/// Objects of one type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    pub type_: TypeName,
    /// Empty for all.
    pub names: Vec<String>,
    /// True if the type was asked for as a part of `all`.
    pub is_of_category: bool,
}

/// Conditions on the objects.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// None for all namespaces.
    pub namespace: Option<String>,
    pub labels: LabelSelector,
    pub fields: FieldSelector,
}

/// A question.
#[derive(Clone, Debug)]
pub struct Request {
    pub asked: Vec<Asked>,
    pub filter: Filter,
    pub sort_by: Option<JsonPath>,
    /// True if names and labels are asked for as the view shows them, false if as the bundle has them.
    pub as_shown: bool,
}

/// Why a question cannot be asked.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    #[error("name the type of the objects, such as pods; gleaner analyze shows what is wrong in the bundle")]
    NoType,
    #[error("`{0}` has no name behind the slash; write TYPE/NAME")]
    NoName(String),
    #[error("`{0}` is no TYPE/NAME; either all objects are named so, or none")]
    Mixed(String),
    #[error("names cannot be given with -l or --field-selector; leave out one of both")]
    NamesAndSelector,
    #[error(transparent)]
    Type(#[from] TypeError),
    #[error(transparent)]
    Selector(#[from] SelectorError),
    #[error("cannot sort: {0}")]
    Sort(JsonPathError),
    #[error("cannot sort: no object has the field `{0}`")]
    NothingToSort(String),
}

impl Filter {
    /// Reads the selectors.
    ///
    /// # Errors
    /// One is wrong.
    pub fn new(namespace: Option<String>, labels: &str, fields: &str) -> Result<Self, RequestError> {
        Ok(Self { namespace, labels: LabelSelector::parse(labels)?, fields: FieldSelector::parse(fields)? })
    }
}

impl Request {
    /// Reads a question.
    ///
    /// # Errors
    /// The order is no path, or names are given with a selector.
    pub fn new(asked: Vec<Asked>, filter: Filter, sort_by: Option<&str>) -> Result<Self, RequestError> {
        let is_named = asked.iter().any(|asked| !asked.names.is_empty());
        if is_named && !(filter.labels.is_empty() && filter.fields.is_empty()) {
            return Err(RequestError::NamesAndSelector);
        }
        let sort_by = sort_by.map(JsonPath::relaxed).transpose().map_err(RequestError::Sort)?;
        Ok(Self { asked, filter, sort_by, as_shown: false })
    }

    /// Returns true if exactly one object is asked for by its name.
    pub fn is_of_one(&self) -> bool {
        matches!(self.asked.as_slice(), [Asked { names, .. }] if names.len() == 1)
    }
}

/// Reads `TYPE[,TYPE] [NAME...]` or `TYPE/NAME...`.
///
/// # Errors
/// A type is not known, or the arguments are neither.
pub fn asked(catalogue: &TypeCatalogue, arguments: &[String]) -> Result<Vec<Asked>, RequestError> {
    let (first, names) = arguments.split_first().ok_or(RequestError::NoType)?;
    if !arguments.iter().any(|argument| argument.contains('/')) {
        let mut found: Vec<Asked> = Vec::new();
        for type_ in first.split(',').filter(|type_| !type_.is_empty()) {
            let (types, is_of_category) = (catalogue.find(type_)?, type_ == "all");
            found.extend(types.into_iter().map(|type_| Asked { type_, names: names.to_vec(), is_of_category }));
        }
        return if found.is_empty() { Err(RequestError::NoType) } else { Ok(found) };
    }
    let mut found: Vec<Asked> = Vec::new();
    for argument in arguments {
        let (type_, name) = argument.split_once('/').ok_or_else(|| RequestError::Mixed(argument.clone()))?;
        if name.is_empty() {
            return Err(RequestError::NoName(argument.clone()));
        }
        for type_ in catalogue.find(type_)? {
            match found.iter_mut().find(|asked| asked.type_ == type_) {
                Some(asked) => asked.names.push(name.to_owned()),
                None => found.push(Asked { type_, names: vec![name.to_owned()], is_of_category: false }),
            }
        }
    }
    Ok(found)
}
