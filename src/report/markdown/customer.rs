//! Markdown for the customer whose cluster it is: what is wrong, what to do, what to send next. It names no rule, no file of the
//! bundle and nothing of how the analysis was made.

use super::escape::{block, code, text};
use super::parts::{SENTENCES, TITLE, labelled, more, push, remedy, sentence};
use crate::model::{Analysis, Finding, FindingClass};
use crate::report::lexicon::{Lexicon, phrase};
use crate::report::rank::{self, Group};
use crate::report::view::{self, Sheet, Verdict};
use crate::report::words;

/// Most causes in full, and most things to send.
const CAUSES: usize = 10;
const WANTED: usize = 6;

/// Returns the page.
pub fn page(analysis: &Analysis) -> String {
    let t = Lexicon::of(analysis.lang).about(&analysis.bundle);
    let groups = rank::groups(&analysis.findings);
    let mut out = head(analysis, t);
    push(&mut out, format_args!("\n## {}\n", text(&headline(analysis, &groups, t), TITLE)));
    let causes: Vec<&Finding> = groups.iter().flat_map(Group::causes).map(|cause| cause.finding).collect();
    for (at, finding) in causes.iter().take(CAUSES).enumerate() {
        out += &cause(at + 1, finding, t);
    }
    if causes.len() > CAUSES {
        push(&mut out, format_args!("\n{}", more(causes.len() - CAUSES, t)));
    }
    out + &wanted(analysis, t)
}

/// Says which bundle of which cluster this is about.
fn head(analysis: &Analysis, t: Lexicon) -> String {
    let sheet = Sheet::of(&analysis.bundle, t);
    let mut out = format!("{}\n\n", t.fill(phrase::WeLookedAt { name: &code(sheet.name(), TITLE) }));
    let lines = [
        (phrase::REPORTED, sheet.reported()),
        (phrase::CLUSTER, analysis.bundle.cluster_name.clone()),
        (phrase::VERSIONS, Some(t.list(sheet.versions()))),
        (phrase::COLLECTED_AT, sheet.collected().map(str::to_owned)),
    ];
    for (label, value) in lines {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            push(&mut out, format_args!("- {}{}{}\n", t.say(label), t.say(phrase::COLON), text(&value, SENTENCES)));
        }
    }
    out
}

fn headline(analysis: &Analysis, groups: &[Group<'_>], t: Lexicon) -> String {
    let verdict = Verdict::of(analysis, groups, t);
    match groups.iter().map(|group| group.causes().count()).sum::<usize>() {
        0 if verdict.is_unread() => verdict.headline,
        0 => t.say(phrase::NOTHING_KNOWN_FOUND).to_owned(),
        n => t.fill(phrase::WeFound { n: n as u64 }),
    }
}

/// `### 1. Claim shop/data has lost its volume`, what that means and what to do.
fn cause(number: usize, finding: &Finding, t: Lexicon) -> String {
    let mut out = format!("\n### {number}. {}\n\n", sentence(&finding.title, TITLE));
    push(&mut out, format_args!("{}\n", sentence(&finding.message, SENTENCES)));
    if let Some(time) = finding.first_seen.map(words::minute).filter(|_| finding.class == FindingClass::Fault) {
        push(&mut out, format_args!("\n{}\n", text(&t.fill(phrase::FirstSeen { time: &time }), TITLE)));
    }
    for (label, part) in [(phrase::IMPACT, &finding.impact), (phrase::CAUSE_LABEL, &finding.cause)] {
        labelled(&mut out, t.say(label), Some(part));
    }
    out += &remedy(&finding.remedy, t);
    labelled(&mut out, t.say(phrase::VERIFY), finding.verify.as_ref());
    out
}

/// Asks for what the bundle lacks.
fn wanted(analysis: &Analysis, t: Lexicon) -> String {
    let missing = view::missing(&analysis.rules, t);
    if missing.is_empty() || analysis.bundle.unread.is_some() {
        return String::new();
    }
    let mut out = format!("\n## {}\n\n{}\n\n", t.say(phrase::WHAT_WE_NEED), t.say(phrase::SEND_THESE));
    for (what, command) in missing.iter().take(WANTED) {
        push(&mut out, format_args!("- {}\n\n{}", text(what, TITLE), block(command, "sh", 2)));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::message::{Objects, Reason};
    use crate::model::{Lang, RuleReason};
    use crate::report::specimen;

    /// The page of [`analysis`]; `{CARD}` stands for what both findings have.
    const EXPECTED: &str = r#"We looked at the support bundle `shop.zip`.

- Reported: The shop does not start since the night (https\://example.org/tickets/7)
- Cluster: shop
- Versions: Harvester v1.4.1, Kubernetes v1.30.2+rke2r1
- Collected: 2026-03-01 12:00:00 UTC

## We found 2 problems

### 1. Claim shop/data has lost its volume

The claim is bound to pv-1, which does not exist.
{CARD}
### 2. ReplicaSet shop/cart-7d9 has no owner

The claim is bound to pv-1, which does not exist.
{CARD}
## What we need next

Please run these commands and send us the files that they write:

- leases.coordination.k8s.io

  ```sh
  kubectl get leases.coordination.k8s.io -A -o yaml > leases.coordination.k8s.io.yaml
  ```
"#;
    const CARD: &str = r#"
**Impact:** Pods that use the claim cannot start.

**Cause:** The volume was deleted by hand.

**What to do:**

1. Look for a backup

   ```sh
   kubectl -n longhorn-system get backups
   ```
2. Delete the claim

   **Caution:** what is not backed up is gone

**Verify:** The claim is Bound.
"#;

    fn analysis() -> Analysis {
        let mut analysis = specimen::small();
        let objects = Objects::of("leases.coordination.k8s.io", None);
        let reason = Reason::NotCollected { objects };
        analysis.rules.not_evaluated.push(RuleReason { rule: "lost-lease".into(), reason });
        analysis
    }

    #[test]
    fn a_page_reads_as_agreed() {
        let expected = EXPECTED.replace("{CARD}", CARD);
        assert_eq!(page(&analysis()), expected);
    }

    #[test]
    fn nothing_internal_is_on_the_page() {
        let analysis = specimen::small();
        for lang in Lang::ALL {
            let page = page(&Analysis { lang, ..specimen::small() });
            for finding in &analysis.findings {
                assert!(!page.contains(&finding.rule), "{page}");
                assert!(finding.evidence.iter().all(|piece| !page.contains(&piece.entry)), "{page}");
            }
            assert!(!page.contains("in/shop.zip") && page.contains("shop.zip"), "{page}");
        }
    }

    #[test]
    fn a_bundle_without_findings_is_not_called_healthy() {
        let mut analysis = analysis();
        analysis.findings.clear();
        let page = page(&analysis);
        assert!(page.contains("## We found no known problem in what was collected\n"), "{page}");
        assert!(page.contains("## What we need next\n"), "{page}");
    }
}
