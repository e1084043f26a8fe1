//! Pages about an archive of bundles: an overview, and a page for each rule, cluster, customer and bundle. Like the report they
//! are self-contained; they need no script and link to each other by [`names`]. Long lists are limited and give the
//! number of items left out.

mod bars;
mod bundle;
mod cards;
mod cluster;
mod customer;
mod facts;
mod heat;
mod index;
pub mod names;
mod row;
mod rule;

use std::io::Write;

use minijinja::value::{Serde, Value};
use minijinja::{Environment, context};
use serde::Serialize;

pub use facts::{
    Again, Alike, Bundle, BundleDetail, Change, ChangeCounts, Cluster, ClusterLine, Counts, CustomerBundle,
    CustomerLine, Failure, FindingLine, Hit, Month, NotComparable, Overview, Problem, Product, Quarter, Quiet,
    RelatedRule, Rule, RuleDetail, Step, TemplateLine, TicketFacts, UnansweredReason, Version,
};

use super::{RenderError, html, template};
use row::T;

const TEMPLATES: [template::Source; 12] = [
    ("archive/page.html", include_str!("../../../templates/archive/page.html")),
    ("archive/index.html", include_str!("../../../templates/archive/index.html")),
    ("archive/rule.html", include_str!("../../../templates/archive/rule.html")),
    ("archive/cluster.html", include_str!("../../../templates/archive/cluster.html")),
    ("archive/bundle.html", include_str!("../../../templates/archive/bundle.html")),
    ("archive/customer.html", include_str!("../../../templates/archive/customer.html")),
    ("archive/_cards.html", include_str!("../../../templates/archive/_cards.html")),
    ("archive/_bars.html", include_str!("../../../templates/archive/_bars.html")),
    ("archive/_heat.html", include_str!("../../../templates/archive/_heat.html")),
    ("archive/_links.html", include_str!("../../../templates/archive/_links.html")),
    ("archive/_templates.html", include_str!("../../../templates/archive/_templates.html")),
    ("archive/_silence.html", include_str!("../../../templates/archive/_silence.html")),
];
const STYLE: &str =
    concat!(include_str!("../../../templates/report.css"), include_str!("../../../templates/archive/archive.css"));

/// Renderer of the pages; writes any number of them.
pub struct Pages {
    environment: Environment<'static>,
}

impl Pages {
    /// Prepares the templates.
    ///
    /// # Errors
    /// A fault in a template; the methods below also return the errors of the writer.
    pub fn new() -> Result<Self, RenderError> {
        let templates: Vec<template::Source> = TEMPLATES.iter().chain(&html::TEMPLATES).copied().collect();
        Ok(Self { environment: template::environment(T, &templates)? })
    }

    /// Writes the overview.
    pub fn index(&self, overview: &Overview, out: &mut dyn Write) -> Result<(), RenderError> {
        self.page("index", "", &index::Index::of(overview), out)
    }

    /// Writes the page of a rule of the overview.
    pub fn rule(
        &self,
        overview: &Overview,
        rule: &Rule,
        detail: &RuleDetail,
        out: &mut dyn Write,
    ) -> Result<(), RenderError> {
        self.page("rule", "../", &rule::Page::of(overview, rule, detail), out)
    }

    /// Writes the page of a cluster.
    pub fn cluster(&self, cluster: &Cluster, out: &mut dyn Write) -> Result<(), RenderError> {
        self.page("cluster", "../", &cluster::Page::of(cluster), out)
    }

    /// Writes the page of a customer.
    pub fn customer(
        &self,
        customer: &CustomerLine,
        bundles: &[CustomerBundle],
        out: &mut dyn Write,
    ) -> Result<(), RenderError> {
        self.page("customer", "../", &customer::Page::of(customer, bundles), out)
    }

    /// Writes the page of a bundle, from what is stored of it.
    pub fn bundle(&self, detail: &BundleDetail, again: &Again, out: &mut dyn Write) -> Result<(), RenderError> {
        self.page("bundle", "../", &bundle::Page::of(detail, again), out)
    }

    /// Renders a template; `root` leads to the folder of the overview.
    fn page(&self, name: &str, root: &str, page: &impl Serialize, out: &mut dyn Write) -> Result<(), RenderError> {
        let page = context! {
            page => Value::from(Serde(page)),
            root => root,
            index => format!("{root}{}", names::INDEX),
            version => env!("CARGO_PKG_VERSION"),
            policy => template::policy(STYLE, None),
            style => Value::from_safe_string(STYLE.to_owned()),
        };
        template::render(&self.environment, &format!("archive/{name}.html"), page, out)
    }
}
