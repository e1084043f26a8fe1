//! Bundles that are like another one: [`Likeness`].
//!
//! Two bundles are alike as far as they share rules that fired, and templates of log lines that no fired rule matched. What few bundles
//! have counts more: each has the weight 1/n, with n the number of other bundles that have it. The likeness of rules, and of templates, is
//! the weight of what both have divided by the weight of what either has (the weighted Jaccard index); together rules count 0.7 and templates
//! 0.3. Where the bundle in question has no rules that fired, templates count alone, and where neither of two has templates, rules do.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::Duration;

use rusqlite::Connection;
use serde_json::{Value, json};

use super::question::{QueryError, bind, write_answer};
use super::sink::Sink;
use crate::triage::store::Store;
use crate::triage::worker::message::{Analysed, RuleState};

/// Share of rules in the likeness of two bundles; templates have the rest.
const RULES: f64 = 0.7;

/// Likenesses that differ by less are equal: sums depend on the order of their parts.
const STEPS: f64 = 1e9;

/// What a bundle has in common with others.
#[derive(Clone, Debug, PartialEq)]
pub enum Likeness {
    /// Bundle of the store, by its content; it is not compared with itself.
    Stored { content: String },
    /// Bundle that was just analysed; its content may be in the store.
    Analysed { content: String, rules: Vec<String>, templates: Vec<(String, String)> },
}

/// Bundle of the store that is like another one.
#[derive(Clone, Debug, PartialEq)]
pub struct Neighbour {
    pub analysis: i64,
    /// 100 where both have the same.
    pub percent: u64,
    /// Rules that fired in both, sorted.
    pub rules: Vec<String>,
    /// Number of templates that both have.
    pub templates: u64,
}

/// Contents of a store with the rules and templates that each has.
pub struct Neighbours {
    /// The newest first.
    analyses: Vec<i64>,
    contents: BTreeMap<String, usize>,
    rules: Parts<String>,
    templates: Parts<i64>,
}

const ANSWER: &str = "
SELECT n.value ->> 'likeness' AS likeness,
       c.ticket, c.customer, c.resolution, c.collected_at, c.cluster_name, c.product, c.version, n.value ->> 'rules' AS shared_rules,
       n.value ->> 'templates' AS shared_templates, c.path, c.place
FROM json_each(:nearest) n CROSS JOIN contents c ON c.analysis = n.value ->> 'analysis' ORDER BY n.key";

impl Likeness {
    /// Describes a bundle that was just analysed.
    pub fn of_analysed(bundle: &Analysed) -> Self {
        let fired = bundle.outcomes.iter().filter(|outcome| outcome.outcome == RuleState::Fired);
        let templates = bundle.templates.iter().flatten().filter(|template| template.rules.is_empty());
        Self::Analysed {
            content: bundle.content_id.clone(),
            rules: fired.map(|outcome| outcome.rule.clone()).collect(),
            templates: templates.map(|template| (template.level.clone(), template.text.clone())).collect(),
        }
    }

    /// Describes a bundle of the store, by the path of its file, its end, or its ticket; none if the store has no such bundle. Of
    /// several the newest is taken.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub fn of_stored(store: &Store, name: &str) -> Result<Option<Self>, QueryError> {
        let find = "
            SELECT c.content
            FROM contents c JOIN bundles b ON b.analysis = c.analysis LEFT JOIN tickets t ON (t.input, t.path) = (b.input, b.path)
            WHERE :name IN (b.path, b.input || '/' || b.path, t.ticket) OR substr(b.path, -length(:name) - 1) = '/' || :name
            ORDER BY c.collected_at DESC, c.content LIMIT 1";
        let mut statement = store.connection().prepare(find).map_err(QueryError::Read)?;
        let mut rows = statement.query([(":name", name)].as_slice()).map_err(QueryError::Read)?;
        let Some(row) = rows.next().map_err(QueryError::Read)? else { return Ok(None) };
        Ok(Some(Self::Stored { content: row.get(0).map_err(QueryError::Read)? }))
    }

    /// Writes the bundles of the store that are most like this one, at most `top`.
    ///
    /// # Errors
    /// Fails when the store cannot be read, or the answer cannot be written.
    pub fn answer(&self, store: &Store, top: usize, sink: &mut dyn Sink) -> Result<(), QueryError> {
        let connection = store.connection();
        let neighbours = Neighbours::of(connection).map_err(QueryError::Read)?;
        let nearest = neighbours.nearest(connection, self, top).map_err(QueryError::Read)?;
        let nearest: Value = nearest.iter().map(Neighbour::json).collect();
        let mut statement = connection.prepare(ANSWER).map_err(QueryError::Read)?;
        bind(&mut statement, &[(":nearest", &nearest.to_string())])?;
        write_answer(&mut statement, sink, Duration::MAX)
    }
}

impl Neighbour {
    fn json(&self) -> Value {
        json!({"analysis": self.analysis, "likeness": self.percent, "rules": self.rules, "templates": self.templates})
    }
}

impl Neighbours {
    /// Reads what all contents of a store have; 2,500 numbers for a bundle at most.
    ///
    /// # Errors
    /// All methods fail when the store cannot be read.
    pub fn of(connection: &Connection) -> rusqlite::Result<Self> {
        let all = "SELECT analysis, content FROM contents ORDER BY collected_at DESC, path, place";
        let mut statement = connection.prepare(all)?;
        let rows: Vec<(i64, String)> =
            statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<rusqlite::Result<_>>()?;
        let analyses: Vec<i64> = rows.iter().map(|(analysis, _)| *analysis).collect();
        let fired = "SELECT rule FROM outcomes WHERE analysis = ? AND outcome = 'fired' ORDER BY rule";
        let loose = "SELECT b.template FROM bundle_templates b WHERE b.analysis = ? AND NOT EXISTS (
                         SELECT 1 FROM template_rules r WHERE r.analysis = b.analysis AND r.template = b.template) ORDER BY 1";
        Ok(Self {
            rules: Parts::of(connection, fired, &analyses)?,
            templates: Parts::of(connection, loose, &analyses)?,
            contents: rows.into_iter().enumerate().map(|(at, (_, content))| (content, at)).collect(),
            analyses,
        })
    }

    /// Returns the contents that are most like a bundle, at most `top`; of equal ones the newest first.
    pub fn nearest(&self, connection: &Connection, to: &Likeness, top: usize) -> rusqlite::Result<Vec<Neighbour>> {
        Ok(match to {
            Likeness::Stored { content } => self.contents.get(content).map_or_else(Vec::new, |at| self.near(*at, top)),
            Likeness::Analysed { content, rules, templates } => {
                let rules: Vec<_> = rules.iter().map(|rule| self.rules.number(rule)).collect();
                let mut id = connection.prepare("SELECT id FROM templates WHERE level = ? AND text = ?")?;
                let mut known = |(level, text): &(String, String)| -> rusqlite::Result<Option<usize>> {
                    let found: Vec<i64> = id.query_map([level, text], |row| row.get(0))?.collect::<Result<_, _>>()?;
                    Ok(found.first().and_then(|id| self.templates.number(id)))
                };
                let templates = templates.iter().map(&mut known).collect::<Result<Vec<_>, _>>()?;
                self.ranked(self.contents.get(content).copied(), &rules, &templates, top)
            }
        })
    }

    /// Returns the contents that are most like another one of the store.
    pub fn nearest_to_analysis(&self, analysis: i64, top: usize) -> Vec<Neighbour> {
        let at = self.analyses.iter().position(|known| *known == analysis);
        at.map_or_else(Vec::new, |at| self.near(at, top))
    }

    fn near(&self, at: usize, top: usize) -> Vec<Neighbour> {
        let rules: Vec<_> = self.rules.of_bundle(at).iter().copied().map(Some).collect();
        let templates: Vec<_> = self.templates.of_bundle(at).iter().copied().map(Some).collect();
        self.ranked(Some(at), &rules, &templates, top)
    }

    /// Ranks all contents but `own` by what they share; none stands for what no content has.
    fn ranked(
        &self,
        own: Option<usize>,
        rules: &[Option<usize>],
        templates: &[Option<usize>],
        top: usize,
    ) -> Vec<Neighbour> {
        let of_rules = self.rules.likeness(own, rules);
        let of_templates = self.templates.likeness(own, templates);
        let likeness = of_rules.iter().zip(&of_templates).map(|both| match both {
            (Some(of_rules), Some(of_templates)) if !rules.is_empty() => {
                RULES * of_rules + (1.0 - RULES) * of_templates
            }
            (Some(of_rules), None) => *of_rules,
            (_, of_templates) => of_templates.unwrap_or(0.0),
        });
        let rounded = |likeness: f64, steps: f64| (likeness * steps).round() as u64;
        let mut near: Vec<(u64, usize)> = likeness
            .enumerate()
            .filter(|(at, _)| Some(*at) != own)
            .map(|(at, part)| (rounded(part, STEPS), at))
            .collect();
        near.sort_by_key(|(part, at)| (Reverse(*part), *at));
        let neighbour = |(part, at): (u64, usize)| {
            let (rules, templates) = (self.rules.shared(at, rules), self.templates.shared(at, templates));
            let percent = rounded(part as f64 / STEPS, 100.0);
            let rules: Vec<String> = rules.into_iter().cloned().collect();
            let analysis = *self.analyses.get(at)?;
            let shares = !rules.is_empty() || !templates.is_empty();
            shares.then_some(Neighbour { analysis, percent, rules, templates: templates.len() as u64 })
        };
        near.into_iter().filter_map(neighbour).take(top).collect()
    }
}

/// Rules, or templates, of each bundle.
struct Parts<K> {
    numbers: BTreeMap<K, usize>,
    names: Vec<K>,
    /// Parts of each bundle, ascending by name.
    of_bundles: Vec<Vec<usize>>,
    /// Bundles that have each part, ascending.
    holders: Vec<Vec<usize>>,
    /// Weight of all parts of each bundle.
    weights: Vec<f64>,
}

impl<K: rusqlite::types::FromSql + Ord + Clone> Parts<K> {
    /// Reads the parts of each analysis.
    fn of(connection: &Connection, question: &str, analyses: &[i64]) -> rusqlite::Result<Self> {
        let mut parts = Self {
            numbers: BTreeMap::new(),
            names: Vec::new(),
            of_bundles: Vec::new(),
            holders: Vec::new(),
            weights: Vec::new(),
        };
        let mut statement = connection.prepare(question)?;
        for (at, analysis) in analyses.iter().enumerate() {
            let names = statement.query_map([analysis], |row| row.get(0))?;
            let own = names.map(|name| Ok(parts.held(name?, at))).collect::<rusqlite::Result<_>>()?;
            parts.of_bundles.push(own);
        }
        parts.weights =
            parts.of_bundles.iter().map(|own| own.iter().map(|part| parts.weight(*part, 0)).sum()).collect();
        Ok(parts)
    }

    /// Notes that a bundle has a part and returns its number.
    fn held(&mut self, name: K, bundle: usize) -> usize {
        let number = *self.numbers.entry(name.clone()).or_insert(self.names.len());
        if number == self.names.len() {
            self.names.push(name);
            self.holders.push(Vec::new());
        }
        if let Some(holders) = self.holders.get_mut(number) {
            holders.push(bundle);
        }
        number
    }

    fn number(&self, name: &K) -> Option<usize> {
        self.numbers.get(name).copied()
    }

    fn of_bundle(&self, at: usize) -> &[usize] {
        self.of_bundles.get(at).map_or(&[], Vec::as_slice)
    }

    fn holders(&self, part: usize) -> &[usize] {
        self.holders.get(part).map_or(&[], Vec::as_slice)
    }

    /// Returns the weight of a part if `left_out` of the bundles with it do not count; what no other has weighs as if one had it.
    fn weight(&self, part: usize, left_out: usize) -> f64 {
        let others = self.holders(part).len().saturating_sub(left_out).max(1) as f64;
        1.0 / others
    }

    /// Returns the part of the weight that each bundle shares with one that has these parts, from 0 to 1; none where neither has any.
    fn likeness(&self, own: Option<usize>, asked: &[Option<usize>]) -> Vec<Option<f64>> {
        let left_out = usize::from(own.is_some());
        let mut shared = vec![0.0; self.of_bundles.len()];
        let mut either = self.weights.clone();
        let mut all = 0.0;
        for part in asked {
            let Some(part) = *part else {
                all += 1.0;
                continue;
            };
            let weight = self.weight(part, left_out);
            all += weight;
            for bundle in self.holders(part) {
                if let (Some(shared), Some(either)) = (shared.get_mut(*bundle), either.get_mut(*bundle)) {
                    *shared += weight;
                    // Its own sum counted the bundle in question, too.
                    *either += weight - self.weight(part, 0);
                }
            }
        }
        let ratio = |(shared, either): (f64, f64)| (either + all > 0.0).then(|| shared / (either + all - shared));
        shared.into_iter().zip(either).map(ratio).collect()
    }

    /// Returns the names of those parts that a bundle has.
    fn shared(&self, at: usize, asked: &[Option<usize>]) -> Vec<&K> {
        let own = self.of_bundle(at);
        own.iter().filter(|part| asked.contains(&Some(**part))).filter_map(|part| self.names.get(*part)).collect()
    }
}
