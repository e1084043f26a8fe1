//! Tests of the layout of the page, its size limit and its escaping.

use super::*;
use crate::report::specimen;
use comrak::nodes::NodeValue;

#[test]
fn a_page_reads_as_agreed() {
    insta::assert_snapshot!(support(&specimen::small(), PAGE), @r#"
    **Harvester support bundle** `in/shop.zip`

    - Reported: The shop does not start since the night (https\://example.org/tickets/7)
    - Versions: Harvester v1.4.1, Kubernetes v1.30.2+rke2r1
    - Nodes: 1 of 2 ready (unknown: beta)
    - Collected: 2026-03-01 12:00:00 UTC by support-bundle-kit
    - Logs cover: 2026-03-01 08:00:00 to 12:00:00 UTC
    - Not collected: secrets
    - Cluster: shop
    - Size: 1,140 entries, 20.6 MB

    ## 2 causes found: 1 critical, 1 low

    - 1 more finding is explained by them
    - 3 objects are not healthy, and no finding explains them
    - Compared with monday.zip: 1 new, 2 gone, 3 not comparable
    - 2 rules could not be evaluated: their input is not in the bundle
    - 1 rule found nothing in the collected data, but some data is missing
    - 1 issue while reading: parts of the bundle may not have been read

    ### critical: Claim shop/data has lost its volume

    The claim is bound to pv-1, which does not exist.

    There may be more: objects of namespace alpha were not collected

    **Impact:** Pods that use the claim cannot start.

    **Cause:** The volume was deleted by hand.

    **Evidence:**

    - `yamls/namespaced/shop/claims.yaml:42`: `status.phase = Lost`

      ```text
        41   status:
      > 42     phase: Lost
      ```

    **What to do:**

    1. Look for a backup

       ```sh
       kubectl -n longhorn-system get backups
       ```
    2. Delete the claim

       **Caution:** what is not backed up is gone

    **Verify:** The claim is Bound.

    **Explains 1 finding: 1 high**

    - high: Pod shop/cart-0 cannot mount its volume
      Pod/shop/cart-0 → spec.volumes → PersistentVolumeClaim/shop/data

    Rule `claim-lost` (certain) · affects Longhorn >=1.2.0 \<1.4.0 · fixed in Longhorn 1.4.0 · <https://example.org/claims?a=1&b=2>

    ### low (new): ReplicaSet shop/cart-7d9 has no owner

    The claim is bound to pv-1, which does not exist.

    **Impact:** Pods that use the claim cannot start.

    **Cause:** The volume was deleted by hand.

    **Evidence:**

    - `yamls/namespaced/shop/claims.yaml:42`: `status.phase = Lost`

      ```text
        41   status:
      > 42     phase: Lost
      ```

    **What to do:**

    1. Look for a backup

       ```sh
       kubectl -n longhorn-system get backups
       ```
    2. Delete the claim

       **Caution:** what is not backed up is gone

    **Verify:** The claim is Bound.

    **Unexplained errors in its logs around the start**

    - alpha (1,204 lines, 2026-03-01 08:00:00 to 10:00:00 UTC, alpha:8: alpha did not answer. Next: Check alpha. Fixed in Alpha 1.6.3, this cluster runs v1.6.2-alpha.)

    **Changed shortly before**

    - Deployment.apps/shop/cart was changed by kubectl-edit at 2026-03-01 09:30:00 UTC (yamls/namespaced/shop/apps/v1/deployments.yaml:12)
    - Deployment.apps/shop/cart was created at 2026-03-01 09:30:00 UTC (yamls/namespaced/shop/apps/v1/deployments.yaml:12)
    - Deployment.apps/shop/cart started at 2026-03-01 09:30:00 UTC (yamls/namespaced/shop/apps/v1/deployments.yaml:12)

    **No cause found in the components that it depends on**

    - kubelet of node n1: 8 checks found nothing; 2 could not be run: pods were not collected

    Rule `orphan-replicaset` (hint) · affects Longhorn >=1.2.0 \<1.4.0 · fixed in Longhorn 1.4.0 · <https://example.org/claims?a=1&b=2>

    ### Not healthy, and no finding explains it

    - high: Deployment/alpha/alpha (2 objects): CrashLoopBackOff, 0/1 ready, 14 restarts `alpha:7`
    - medium: Deployment/alpha/alpha: alpha `alpha:7`

    ### Errors that no rule explains

    - 6 messages are as usual in the baseline and are not listed
    - 7 messages are in most clusters of the store and are not listed
    - fatal: alpha \<\*> (1,204 lines, in 3 of 41 clusters of the store, not in the baseline, louder than in the baseline) `alpha:8`
      - alpha did not answer. Next: Check alpha. Fixed in Alpha 1.6.3, this cluster runs v1.6.2-alpha. `https://example.com/alpha`
      - with it: error: alpha \<\*>

    ### Upgrade

    - An upgrade is in progress: another one would be refused
    - Waiting for: ImageReady since 2026-03-01 09:30 UTC, alpha Pre-draining since 2026-03-01 09:40 UTC
    - Harvester allows an upgrade to: v1.4.2 (2025-03-11, allowed, but no upgrade guide describes it) (as of 2026-02-01)
    - Fails: Check nodes
    - No answer in this bundle: Check space
    - Known issues that fit this cluster: A node is lost.

    ---

    Rules: 3 fired, 2 clean, 1 clean where collected, 2 not evaluated, 1 not applicable

    Not evaluated because:

    - no kernel log of node beta (2 rules)

    1 issue while reading: 1 document

    - `yamls/cluster/nodes.yaml:3`: not a mapping
    "#);
}

#[test]
fn the_header_stands_alone() {
    let facts = specimen::empty().bundle;
    let header = header(&facts, &facts.path, Lexicon::ENGLISH);
    assert!(support(&specimen::empty(), PAGE).starts_with(&header));
    assert!(header.contains("- Nodes: 1 of 2 ready (unknown: beta)\n"));
}

#[test]
fn a_ticket_has_the_verdict_and_the_first_steps_and_no_path() {
    let mut analysis = specimen::small();
    analysis.bundle.path = "/home/somebody/tickets/shop.zip".into();
    let ticket = ticket(&analysis, Lexicon::ENGLISH);
    assert!(ticket.starts_with("**Harvester support bundle** `shop.zip`\n"), "{ticket}");
    assert!(!ticket.contains("somebody"));
    for text in [
        "## 2 causes found: 1 critical, 1 low",
        "1. **critical: ",
        "2. **low: ",
        "Claim shop/data has lost its volume",
        "   **Do first:** Look for a backup\n",
        "kubectl -n longhorn-system get backups",
    ] {
        assert!(ticket.contains(text), "{text} is not in {ticket}");
    }
    assert!(!ticket.contains("**Evidence:**"), "a card has it");
    let groups = rank::groups(&analysis.findings);
    let card = card(&groups[0], &analysis.rules, Lexicon::ENGLISH);
    assert!(card.starts_with("### critical: ") && card.contains("**Evidence:**"), "{card}");
    assert!(card.contains("**Explains 1 finding: 1 high**"), "{card}");
}

#[test]
fn a_ticket_stays_short_with_many_causes() {
    let mut analysis = specimen::small();
    let cause = |n: usize| Finding { fingerprint: format!("{n:016x}"), ..specimen::finding() };
    analysis.findings = (0..CAUSES_IN_TICKET + 3).map(cause).collect();
    let ticket = ticket(&analysis, Lexicon::ENGLISH);
    assert!(ticket.ends_with("3 more causes in the report: 3 critical\n"), "{ticket}");
}

#[test]
fn hostile_text_makes_no_markup() {
    let page = support(&specimen::hostile(), PAGE);
    assert!(page.chars().all(|c| c == '\n' || !c.is_control()) && !page.contains('\u{202e}'));
    for node in escape::tests::nodes(&page) {
        let ours = matches!(
            node,
            NodeValue::Paragraph
                | NodeValue::Text(_)
                | NodeValue::Code(_)
                | NodeValue::CodeBlock(_)
                | NodeValue::List(_)
                | NodeValue::Item(_)
                | NodeValue::Heading(_)
                | NodeValue::Strong
                | NodeValue::ThematicBreak
                | NodeValue::SoftBreak
        );
        assert!(ours, "{node:?}");
    }
}

#[test]
fn a_page_fits_into_a_comment() {
    let mut analysis = specimen::small();
    let cause = |n: usize| Finding {
        rule: format!("rule-{n:03}"),
        fingerprint: format!("{n:016x}"),
        message: "long ".repeat(100_000).into(),
        ..specimen::finding()
    };
    analysis.findings = (0..200).map(cause).collect();
    let page = support(&analysis, PAGE);
    assert!(page.len() <= PAGE + 100, "{}", page.len());
    let told = page.lines().find(|line| line.contains(" more causes in the report: ")).unwrap();
    let shown = page.matches("\n### critical").count();
    assert_eq!(told, format!("{} more causes in the report: {} critical", 200 - shown, 200 - shown));
}
