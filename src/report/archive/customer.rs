//! Page of a customer: his bundles, with their tickets and how they ended.

use serde::Serialize;

use super::cards::affected_bundles;
use super::facts::{CustomerBundle, CustomerLine};
use super::names;
use super::row::{BundleRow, NAME_SHOWN, TEXT_SHOWN, clipped, severity};
use crate::report::words::{self, counted};

const ROOT: &str = "../";

/// Page of a customer.
#[derive(Serialize)]
pub struct Page {
    name: String,
    headline: String,
    bundles: Vec<Row>,
    more_bundles: u64,
}

#[derive(Serialize)]
struct Row {
    bundle: BundleRow,
    worst: Option<Worst>,
}

/// Most severe finding of a bundle.
#[derive(Serialize)]
struct Worst {
    severity: &'static str,
    title: String,
    href: String,
}

impl Page {
    /// Puts a customer into words.
    pub fn of(customer: &CustomerLine, bundles: &[CustomerBundle]) -> Self {
        let row = |of: &CustomerBundle| Row {
            bundle: BundleRow::of(&of.bundle, ROOT),
            worst: of.worst.as_ref().map(|worst| Worst {
                severity: severity(&worst.severity),
                title: words::sentence(&worst.title, TEXT_SHOWN).into_owned(),
                href: format!("{ROOT}{}", names::rule(&worst.rule)),
            }),
        };
        Self {
            name: clipped(&customer.name, NAME_SHOWN),
            headline: format!("{}; {}", counted(customer.tickets, "ticket"), affected_bundles(customer)),
            bundles: bundles.iter().map(row).collect(),
            more_bundles: customer.bundles.saturating_sub(bundles.len() as u64),
        }
    }
}
