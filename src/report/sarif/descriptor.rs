//! Reporting descriptors of rules.

use serde::Serialize;
use serde_json::{Value, json};

use crate::model::RuleFacts;
use crate::report::words;

use super::elements::{level, text};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Descriptor<'a> {
    id: &'a str,
    short_description: Value,
    full_description: Value,
    help: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    help_uri: Option<&'a str>,
    default_configuration: Value,
    properties: Value,
}

impl<'a> Descriptor<'a> {
    /// Describes the rule; its first link that is a web address is the help address.
    pub fn of(rule: &'a RuleFacts) -> Self {
        let links = rule.links.iter().map(String::as_str).filter(|link| words::is_web_address(link));
        let mut help = vec![rule.cause.as_str()];
        help.extend(links.clone());
        Self {
            id: &rule.id,
            short_description: text(&rule.name),
            full_description: text(&rule.impact),
            help: text(&help.join("\n")),
            help_uri: links.clone().next(),
            default_configuration: json!({"level": level(rule.class, rule.severity)}),
            properties: json!({
                "class": rule.class.as_str(),
                "severity": rule.severity.as_str(),
                "confidence": rule.confidence.as_str(),
                "tags": [rule.area],
            }),
        }
    }
}
