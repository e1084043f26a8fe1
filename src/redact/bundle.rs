//! Redacts the facts about a bundle.

use crate::model::{BundleFacts, Collector, LogSpan, NodeFacts, NotCollected, Reported};

use super::key::Key;
use super::public;
use super::texts::Texts;

/// Replaces names with pseudonyms, and keys hashes.
pub fn facts(facts: &mut BundleFacts, texts: &Texts<'_>, key: &Key) {
    let BundleFacts {
        path,
        kind: _,
        sha256,
        content_id,
        collector,
        collected_at: _,
        reported: Reported { description, url },
        cluster_uid: _,
        cluster_name,
        versions,
        ends_of_life: _,
        nodes,
        logs: LogSpan { from: _, to: _ },
        not_collected,
        unread,
        entries: _,
        bytes: _,
    } = facts;
    *path = texts.of(file_name(path));
    *sha256 = None;
    *content_id = key.hex("content", content_id, 64);
    cluster_name.iter_mut().filter(|name| !public::is_generic(name)).for_each(|name| {
        *name = key.pseudonym("cluster", name);
    });
    texts.replace_all(description.iter_mut().chain(url));
    unread.iter_mut().for_each(|why| texts.replace_in(why));
    if let Some(Collector { name: _, version: _, why }) = collector {
        texts.replace_in(why);
    }
    for NotCollected { what, why } in not_collected {
        texts.replace_in(what);
        texts.replace_in(why);
    }
    for NodeFacts { name, ready: _, roles: _, collected: _ } in nodes {
        texts.replace(name);
    }
    texts.replace_all(versions.values_mut());
}

/// Folder names are left out because they can contain ticket or customer names.
pub fn file_name(path: &str) -> &str {
    path.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or(path)
}
