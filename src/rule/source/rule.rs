//! A rule as its author wrote it, before anything is resolved.
//!
//! Values that could not be read are none or left out and have been reported; the rest goes on to [`super::super::compile`], so
//! that one run reports everything that is wrong with a file.

use crate::model::{ComponentKind, Confidence, FindingClass, Severity};
use crate::rule::source::basis::BasisSource;
use crate::rule::source::fact::FactSource;
use crate::rule::source::reader::Written;
use crate::rule::source::texts::{RemedySource, TextsSource, TranslationSource};

/// A rule file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleSource {
    pub id: Option<Written>,
    pub aliases: Vec<Written>,
    /// Short plain title.
    pub name: Option<Written>,
    pub class: Option<FindingClass>,
    pub severity: Option<Severity>,
    pub confidence: Option<Confidence>,
    pub area: Option<&'static str>,
    /// Product and range.
    pub affects: Vec<(&'static str, Written)>,
    /// Product and versions.
    pub fixed_in: Vec<(&'static str, String)>,
    pub find: Vec<FactSource>,
    pub unless: Vec<FactSource>,
    pub when: Option<Written>,
    pub about: Option<Vec<Written>>,
    pub relate: Vec<Written>,
    pub adjust: Vec<AdjustSource>,
    pub explains: Vec<ExplainsSource>,
    pub breaks: Vec<ComponentSource>,
    pub needs: Vec<ComponentSource>,
    pub texts: TextsSource,
    pub remedy: Vec<RemedySource>,
    pub i18n: Vec<TranslationSource>,
    pub basis: Vec<BasisSource>,
    pub links: Vec<Written>,
}

impl RuleSource {
    /// Names of all facts.
    pub fn fact_names(&self) -> Vec<&str> {
        self.find.iter().chain(&self.unless).map(|fact| fact.name.as_str()).collect()
    }

    /// Conditions of facts and of the whole rule.
    pub fn conditions(&self) -> impl Iterator<Item = &Written> {
        let facts = self.find.iter().flat_map(|fact| std::iter::once(fact).chain(fact.alternatives()));
        facts.filter_map(|fact| fact.condition.as_ref()).chain(&self.when)
    }

    /// All texts, which are templates, translations included.
    pub fn templates(&self) -> impl Iterator<Item = &Written> {
        let steps = self.remedy.iter().flat_map(|step| [Some(&step.action), step.run.as_ref(), step.caution.as_ref()]);
        let own = self.texts.all().into_iter().chain(steps).flatten();
        own.chain(self.i18n.iter().flat_map(TranslationSource::templates))
    }
}

/// An entry of `adjust`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdjustSource {
    pub condition: Written,
    pub severity: Option<Severity>,
    pub confidence: Option<Confidence>,
}

/// An entry of `breaks` or `needs`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComponentSource {
    pub kind: ComponentKind,
    pub of: Option<Written>,
    pub condition: Option<Written>,
}

impl ComponentSource {
    /// Just a component, of the objects of `about`.
    pub fn plain(kind: ComponentKind) -> Self {
        Self { kind, of: None, condition: None }
    }
}

/// An entry of `explains`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplainsSource {
    pub rule: Written,
    pub on_node: bool,
    pub within: Option<Written>,
    pub condition: Option<Written>,
}

impl ExplainsSource {
    /// Just a rule, by common objects.
    pub fn plain(rule: Written) -> Self {
        Self { rule, on_node: false, within: None, condition: None }
    }
}
