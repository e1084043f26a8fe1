//! Compiles one fact: what it looks for, its patterns and groups, its conditions.

use crate::model::Glob;

use crate::expr::{Conjuncts, Expr, Slot};
use crate::resource::types::{Resolved, TypeName, kind_anywhere, known_kind, resolve};
use crate::rule::compile::compiler::Compiler;
use crate::rule::compile::group::captured;
use crate::rule::compile::{scan, selector};
use crate::rule::error::{Code, did_you_mean};
use crate::rule::fact::LabelRequirement;
use crate::rule::fact::{Alternative, EventQuery, Fact, FactKind, FileQuery, ObjectGlob, ResourceQuery, Silence};
use crate::rule::source::fact::{EventSource, FactSource, GroupSource, KindSource, LabelsSource};
use crate::rule::source::reader::Written;

/// Types that are made by us and so are in no table.
const MADE_BY_US: [&str; 2] = ["helmreleases", "events"];

impl Compiler<'_> {
    /// The fact of a slot; none when anything is wrong with it.
    pub fn fact(&mut self, slot: Slot, fact: &FactSource) -> Option<Fact> {
        // Facts of `unless` see each other, those of `find` do not see them.
        let visible = if slot < self.find { self.find } else { self.names.len() };
        let conditions = self.conditions(fact, slot, visible);
        let alternatives: Vec<Option<Alternative>> = match &fact.kind {
            Some(KindSource::Any(list)) => list.iter().map(|one| self.alternative(fact, one, slot, visible)).collect(),
            _ => {
                let kind = self.kind(fact, None, slot, visible);
                let silence = self.silence(fact, fact, slot);
                vec![kind.map(|kind| Alternative { kind, conditions: Conjuncts::default(), silence })]
            }
        };
        Some(Fact {
            name: fact.name.clone(),
            alternatives: alternatives.into_iter().collect::<Option<_>>()?,
            conditions: conditions?,
            optional: fact.optional,
            collect: fact.collect,
        })
    }

    /// One alternative of an `any`.
    fn alternative(&mut self, any: &FactSource, one: &FactSource, slot: Slot, visible: usize) -> Option<Alternative> {
        let conditions = self.conditions(one, slot, visible);
        let kind = self.kind(one, Some(any), slot, visible);
        Some(Alternative { kind: kind?, conditions: conditions?, silence: self.silence(one, any, slot) })
    }

    /// What no match of an alternative means; `whole` is the fact that it belongs to. Without a required fact there is no finding, so one
    /// that was not collected must stay open.
    fn silence(&mut self, one: &FactSource, whole: &FactSource, slot: Slot) -> Silence {
        if one.silence == Silence::Absent && slot < self.find && !whole.optional {
            let message = format!("silence: absent makes no sense for \"{}\", which must be found", whole.name);
            let hint = "write optional: true beside it, or move the fact to unless";
            self.diagnostics.report(Code::Misfit, one.range.clone(), message).hint(hint);
        }
        one.silence
    }

    /// The conjuncts of `where`, none of them without the key.
    fn conditions(&mut self, fact: &FactSource, slot: Slot, visible: usize) -> Option<Conjuncts> {
        let Some(written) = &fact.condition else { return Some(Conjuncts::default()) };
        self.conjuncts(written, visible, Some(slot))
    }

    /// Compiles the kind of a fact; `any` is the fact that it is an alternative of.
    fn kind(&mut self, fact: &FactSource, any: Option<&FactSource>, slot: Slot, visible: usize) -> Option<FactKind> {
        match fact.kind.as_ref()? {
            KindSource::Resource { types, namespace, name, labels } => {
                let conditions = [Some(fact), any].into_iter().flatten().filter_map(|fact| fact.condition.as_ref());
                let conditions: Vec<&Written> = conditions.collect();
                let (exact_namespace, namespace_expr) = self.namespaces(&conditions, namespace.as_ref(), slot, visible);
                let types: Vec<_> = types.iter().map(|written| self.resource_type(written)).collect();
                let [namespace, name] = [namespace, name].map(|glob| self.glob(glob.as_ref()));
                let labels = labels.as_ref().map_or(Some(Vec::new()), |labels| self.labels(labels));
                Some(FactKind::Resource(ResourceQuery {
                    types: types.into_iter().collect::<Option<_>>()?,
                    namespace: namespace?,
                    exact_namespace,
                    namespace_expr,
                    name: name?,
                    labels: labels?,
                }))
            }
            KindSource::Event(event) => self.event(event, &fact.groups).map(|query| FactKind::Event(Box::new(query))),
            KindSource::Log(sources) => self.log(sources, &fact.groups).map(FactKind::Log),
            KindSource::Sequence(sequence) => self.sequence(sequence, &fact.groups).map(FactKind::Sequence),
            KindSource::File { path, node, shape } => {
                let path = self.glob(Some(path))??;
                Some(FactKind::File(FileQuery { path, node: self.glob(node.as_ref())?, shape: *shape }))
            }
            KindSource::Each(written) => self.expr(written, visible, None).map(FactKind::Each),
            KindSource::Value(written) => self.expr(written, visible, None).map(FactKind::Value),
            // Alternatives have none of their own.
            KindSource::Any(_) => None,
        }
    }

    fn resource_type(&mut self, written: &Written) -> Option<crate::resource::types::TypeName> {
        let text = written.text.as_str();
        if !text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-')) {
            let message = format!("\"{text}\" is not a type of resource");
            let hint = "name it as in kubectl, such as pods or volumes.longhorn.io; there are no wildcards";
            self.diagnostics.report(Code::Selector, written.range.clone(), message).hint(hint);
            return None;
        }
        let Resolved { name, known } = resolve(text);
        if !known && !MADE_BY_US.contains(&text) && !self.known.objects(&name).is_known() {
            let near = meant_type(text);
            let message = format!("gleaner does not know the type \"{text}\"{near}");
            let hint = "types are named PLURAL.GROUP as printed by kubectl api-resources";
            self.diagnostics.report(Code::UnknownType, written.range.clone(), message).hint(hint);
        }
        Some(name)
    }

    /// A glob; the inner none is "any".
    pub fn glob(&mut self, written: Option<&Written>) -> Option<Option<Glob>> {
        let Some(written) = written else { return Some(None) };
        self.constant(written)?;
        match Glob::new(&written.text) {
            Ok(glob) => Some(Some(glob)),
            Err(message) => {
                let message = format!("\"{}\" is not a glob: {message}", written.text);
                let hint = "a glob can contain *, ?, [abc] and {one,other}";
                self.diagnostics.report(Code::Selector, written.range.clone(), message).hint(hint);
                None
            }
        }
    }

    /// Selectors decide what is read before any fact is found, so they cannot hold templates.
    fn constant(&mut self, written: &Written) -> Option<()> {
        if !written.text.contains("{{") {
            return Some(());
        }
        let message = "a selector cannot name other facts: it is evaluated before facts are found";
        let hint = "leave it out and write a condition in where, such as self.pod == ...";
        self.diagnostics.report(Code::Selector, written.range.clone(), message).hint(hint);
        None
    }

    fn labels(&mut self, labels: &LabelsSource) -> Option<Vec<LabelRequirement>> {
        match labels {
            LabelsSource::Pairs(pairs) => {
                Some(pairs.iter().map(|(key, value)| LabelRequirement::Equals(key.clone(), value.clone())).collect())
            }
            LabelsSource::Selector(written) => match selector::labels(&written.text) {
                Ok(requirements) => Some(requirements),
                Err(message) => {
                    self.diagnostics.report(Code::Selector, written.range.clone(), message);
                    None
                }
            },
        }
    }

    /// The namespace that is asked for: written out, or what `where` equates it with.
    fn namespaces(
        &mut self,
        conditions: &[&Written],
        namespace: Option<&Written>,
        slot: Slot,
        visible: usize,
    ) -> (Option<String>, Option<Expr>) {
        if let Some(written) = namespace {
            return ((!selector::is_glob(&written.text)).then(|| written.text.clone()), None);
        }
        let name = self.names.get(slot).map_or("self", String::as_str);
        let own = [format!("{name}.metadata.namespace"), "self.metadata.namespace".to_owned()];
        // Few conditions do, and taking one apart costs as much as compiling half of it.
        let names_it = conditions.iter().filter(|condition| condition.text.contains(".metadata.namespace"));
        let conjuncts = names_it.flat_map(|condition| scan::conjuncts(&condition.text));
        let other = conjuncts.filter_map(scan::equality).find_map(|(a, b)| match () {
            () if own.iter().any(|own| own == a) => Some(b),
            () if own.iter().any(|own| own == b) => Some(a),
            () => None,
        });
        let Some(other) = other else { return (None, None) };
        if let Some(literal) = literal(other) {
            return (Some(literal), None);
        }
        let scope = crate::expr::Scope {
            names: self.names.get(..visible).unwrap_or_default(),
            this: Some(slot),
            tested: self.tested,
        };
        // Errors in it were reported with the whole condition.
        let compiled = Expr::compile(other, scope).ok();
        (None, compiled.filter(|expr| !expr.slots().contains(&slot)))
    }

    fn event(&mut self, event: &EventSource, groups: &GroupSource) -> Option<EventQuery> {
        let (patterns, captures) = self.patterns(&groups.patterns);
        let (except, _) = self.patterns(&groups.except);
        let reasons: Vec<_> = event.reasons.iter().map(|written| self.glob(Some(written))).collect();
        let [kind, namespace, name] = [&event.kind, &event.namespace, &event.name].map(|part| self.glob(part.as_ref()));
        let by = self.by(groups, &captures).map(|by| match by {
            None if captures.is_empty() => None,
            None => Some(captured(&captures)),
            by => by,
        });
        let since = self.duration(groups.since.as_ref());
        let counting = self.counting(groups, &captures);
        Some(EventQuery {
            reasons: reasons.into_iter().map(Option::flatten).collect::<Option<_>>()?,
            type_: event.type_.map(str::to_owned),
            object: ObjectGlob { kind: kind?, namespace: namespace?, name: name? },
            patterns: patterns?,
            except: except?,
            since: since?,
            by: by?,
            counting: counting?,
        })
    }
}

/// The text of a string literal without escapes.
fn literal(text: &str) -> Option<String> {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let inside = text.strip_prefix(quote)?.strip_suffix(quote)?;
    (!inside.contains([quote, '\\'])).then(|| inside.to_owned())
}

/// `; did you mean ...?` of the type that a singular, a kind or a misspelt name means, or nothing.
fn meant_type(text: &str) -> String {
    let (name, group) = text.split_once('.').unwrap_or((text, ""));
    let of_kind = if group.is_empty() { kind_anywhere(name) } else { known_kind(group, name) };
    let meant = of_kind.map(|known| TypeName::new(known.plural, known.group).to_string());
    meant.map_or_else(
        || did_you_mean(text, nearby_types(text).iter().map(String::as_str)),
        |meant| format!("; did you mean \"{meant}\"?"),
    )
}

/// Known types that a misspelt one may mean: its own name in every group, and all names in its group.
fn nearby_types(text: &str) -> Vec<String> {
    let all = crate::resource::types::known_types().iter();
    all.map(|t| if t.group.is_empty() { t.plural.to_owned() } else { format!("{}.{}", t.plural, t.group) })
        .filter(|name| name.contains('.') == text.contains('.'))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_literals_are_taken_for_namespaces() {
        assert_eq!(literal("'kube-system'"), Some("kube-system".to_owned()));
        assert_eq!(literal("\"a\""), Some("a".to_owned()));
        for text in ["pod.x", "'a' + 'b'", "'a\\x20'", "'"] {
            assert_eq!(literal(text), None, "{text}");
        }
    }
}
