//! Decides whether the absence of an object proves that it does not exist (rule-language.md 3.3).

use super::collected::Collected;
use super::collection::{Collection, Empties};
use crate::model::message::{Objects, Reason};
use crate::resource::types::{self, TypeName};

impl Collection {
    /// See [`super::ResourceIndex::collected`].
    pub fn collected(&self, name: &TypeName, namespace: Option<&str>) -> Collected {
        let name = &name.canonical();
        if let Some(reason) = self.assumed_missing(name, namespace).or_else(|| self.unclear(name, namespace)) {
            return Collected::No(reason);
        }
        if *name == types::helm_releases() {
            return self.helm_releases(namespace);
        }
        if self.lacks_definition(name) && self.collected_by_name(&types::definitions(), None) == Collected::Yes {
            return Collected::Empty;
        }
        match (self.namespaced(name), namespace) {
            (None, _) if !self.assumptions.all_collected => Collected::No(unserved(name)),
            (Some(false) | None, _) => self.in_place(name, None),
            (Some(true), Some(namespace)) => self.in_place(name, Some(namespace)),
            (Some(true), None) => self.everywhere(name),
        }
    }

    /// See [`super::ResourceIndex::collected_by_name`].
    pub fn collected_by_name(&self, name: &TypeName, namespace: Option<&str>) -> Collected {
        match self.nameless(&name.canonical(), namespace) {
            Some(reason) => Collected::No(reason),
            None => self.collected(name, namespace),
        }
    }

    fn assumed_missing(&self, name: &TypeName, namespace: Option<&str>) -> Option<Reason> {
        // Without a namespace, a type with a home is requested only there.
        let has_home = || types::known(name).is_some_and(|t| t.home.is_some());
        let asked = |place: &Option<String>| match namespace {
            Some(_) => place.as_deref() == namespace,
            None => !has_home() || self.places(name).contains(&place.as_deref()),
        };
        let hit = |(missing, place): &&(TypeName, Option<String>)| {
            missing.canonical() == *name && (place.is_none() || asked(place))
        };
        let (_, place) = self.assumptions.missing.iter().find(hit)?;
        Some(not_collected(name, place.as_deref().or(namespace)))
    }

    /// Decides for releases: those of Helm 2 are in ConfigMaps, those of Helm 3 in Secrets or mirrored by Rancher as Apps.
    fn helm_releases(&self, namespace: Option<&str>) -> Collected {
        let asked = |text: &str, place| {
            let name = TypeName::parse(text);
            match self.only_rows(&name) {
                true => Collected::No(Reason::HelmRecordsNotInTables { types: name.to_string() }),
                false => self.collected(&name, place),
            }
        };
        // Records of Helm 2 are in Tiller's namespace, not in that of the release.
        let configmaps = asked("configmaps", if namespace.is_some() { Some("kube-system") } else { None });
        let apps = asked("apps.catalog.cattle.io", namespace);
        let helm3 = if apps.complete() { apps } else { asked("secrets", namespace) };
        match (configmaps, helm3) {
            (no @ Collected::No(_), _) | (_, no @ Collected::No(_)) => no,
            (_, helm3) => helm3,
        }
    }

    /// Decides for the home of a type, else for the namespaces in which it was dumped, else for all collected namespaces.
    fn everywhere(&self, name: &TypeName) -> Collected {
        let places = self.places(name);
        let mut any = false;
        for place in &places {
            match self.in_place(name, *place) {
                no @ Collected::No(_) => return no,
                answer => any |= answer == Collected::Yes,
            }
        }
        if let Some(why) = self.truncated.as_ref().filter(|_| self.is_spread(name, &places)) {
            return Collected::No(Reason::OthersLost { objects: objects(name, None), why: why.clone() });
        }
        match (places.is_empty(), self.assumptions.all_collected) {
            (true, false) => Collected::No(self.reason_everywhere(name)),
            _ if any => Collected::Yes,
            _ => Collected::Empty,
        }
    }

    /// Returns true if each namespace has its own entry for the type: which namespaces there were is not known once the archive
    /// is cut. A product keeps all objects of a type with a home there.
    fn is_spread(&self, name: &TypeName, places: &[Option<&str>]) -> bool {
        let home = types::known(name).and_then(|t| t.home);
        places.iter().any(|place| place.is_some() && *place != home)
    }

    /// Reason why nothing can be concluded if no namespace is known.
    fn reason_everywhere(&self, name: &TypeName) -> Reason {
        if let Some(reason) = self.loose(name) {
            return reason;
        }
        if self.empties == Empties::Kept {
            return not_collected(name, None);
        }
        // Discovery of the API failed, so that nothing of any namespace was collected.
        match self.failure(name, Some("")) {
            Some(failure) => failed(name, None, &failure.error),
            None => Reason::NoNamespace { objects: objects(name, None) },
        }
    }

    /// Namespaces in which objects of a type can be, without a hint from the rule, in their order.
    pub(super) fn places(&self, name: &TypeName) -> Vec<Option<&str>> {
        let dumped = self.dumps.get(name);
        if dumped.is_some_and(|d| d.contains_key(&None)) {
            return vec![None];
        }
        let filled = dumped.into_iter().flatten().filter(|(_, d)| d.objects > 0).map(|(place, _)| place.as_deref());
        match types::known(name).and_then(|t| t.home) {
            Some(home) if self.namespaces.contains_key(home) => vec![Some(home)],
            Some(home) => {
                let filled: Vec<_> = filled.collect();
                if filled.is_empty() { vec![Some(home)] } else { filled }
            }
            None => {
                let mut all: Vec<_> = self.namespaces.keys().map(|name| Some(name.as_str())).chain(filled).collect();
                all.sort();
                all.dedup();
                all
            }
        }
    }

    /// Decides for one type in one namespace, or cluster-wide.
    fn in_place(&self, name: &TypeName, namespace: Option<&str>) -> Collected {
        let dump = self.dump(name, namespace);
        let count = dump.map_or(0, |d| d.objects);
        let found = if count > 0 { Collected::Yes } else { Collected::Empty };
        if let Some((dump, entry)) = dump.and_then(|dump| Some((dump, dump.unread()?))) {
            if let Some(said) = dump.refusal(entry) {
                let (entry, said) = (entry.to_string(), said.clone());
                return Collected::No(Reason::Refused { objects: objects(name, namespace), entry, said });
            }
            return Collected::No(Reason::EntryUnreadable { entry: entry.to_string() });
        }
        if self.assumptions.all_collected {
            return found;
        }
        match self.reason(name, namespace, dump.is_some()) {
            Some(reason) => Collected::No(reason),
            None => found,
        }
    }

    /// Returns the reason why a missing dump proves nothing.
    fn reason(&self, name: &TypeName, namespace: Option<&str>, dumped: bool) -> Option<Reason> {
        if *name == TypeName::new("secrets", "") && !self.holds_secrets() {
            return Some(Reason::SecretsLeftOut { objects: objects(name, namespace) });
        }
        if dumped {
            return None;
        }
        if let Some(why) = &self.truncated {
            return Some(Reason::NotCollectedOrLost { objects: objects(name, namespace), why: why.clone() });
        }
        if let Some(failure) = self.failure(name, namespace) {
            return Some(failed(name, namespace, &failure.error));
        }
        if let Some(why) = self.loose(name) {
            return Some(why);
        }
        let reached = match namespace {
            Some(namespace) => self.namespaces.contains_key(namespace),
            None => self.cluster_folder.is_some(),
        };
        if !reached || self.is_asked_for(name) {
            return Some(not_collected(name, namespace));
        }
        if self.empties == Empties::Dropped && excluded(name) {
            return Some(Reason::MayBeLeftOut { objects: objects(name, namespace) });
        }
        if self.is_served(name) { None } else { Some(unserved(name)) }
    }
}

/// Returns true for types that some versions of the kit leave out although they are served.
fn excluded(name: &TypeName) -> bool {
    match name.group.as_str() {
        "harvesterhci.io" => name.plural == "settings",
        "management.cattle.io" => {
            matches!(name.plural.as_str(), "authconfigs" | "authtokens" | "samltokens" | "tokens" | "users")
        }
        _ => false,
    }
}

fn objects(name: &TypeName, namespace: Option<&str>) -> Objects {
    Objects::of(name.to_string(), namespace)
}

fn not_collected(name: &TypeName, namespace: Option<&str>) -> Reason {
    Reason::NotCollected { objects: objects(name, namespace) }
}

/// With the beginning of the collector's error.
fn failed(name: &TypeName, namespace: Option<&str>, error: &str) -> Reason {
    Reason::NotCollectedBecause { objects: objects(name, namespace), error: error.chars().take(120).collect() }
}

fn unserved(name: &TypeName) -> Reason {
    Reason::Unserved { objects: objects(name, None) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::message::ArchiveProblem;
    use crate::resource::index::testing::Bundle;

    const EMPTY: &str = "apiVersion: v1\nitems: []\nkind: List\n";

    fn one(kind: &str, name: &str) -> String {
        format!("apiVersion: v1\nitems:\n- {{apiVersion: v1, kind: {kind}, metadata: {{name: {name}}}}}\nkind: List\n")
    }

    /// Nodes and Pods of `demo`; nothing is written for empty lists.
    fn newer() -> Bundle {
        Bundle::default()
            .dump("yamls/cluster/v1/nodes.yaml", &one("Node", "n1"))
            .dump("yamls/namespaced/demo/v1/pods.yaml", &one("Pod", "p1"))
    }

    fn ask(bundle: Bundle, name: &str, namespace: Option<&str>) -> Collected {
        as_text(bundle.finish().0.collected(&TypeName::parse(name), namespace))
    }

    /// A reason as its text, for comparison.
    fn as_text(answer: Collected) -> Collected {
        match answer {
            Collected::No(reason) => no(&reason.to_string()),
            answer => answer,
        }
    }

    fn no(reason: &str) -> Collected {
        Collected::No(Reason::Stored { text: reason.to_owned() })
    }

    #[test]
    fn served_types_without_objects_are_empty() {
        assert_eq!(ask(newer(), "pods", Some("demo")), Collected::Yes);
        assert_eq!(ask(newer(), "pods", None), Collected::Yes);
        assert_eq!(ask(newer(), "services", Some("demo")), Collected::Empty);
        assert_eq!(ask(newer(), "nodes", Some("demo")), Collected::Yes);
        assert_eq!(ask(newer(), "persistentvolumes", None), Collected::Empty);
    }

    #[test]
    fn a_cut_archive_may_have_held_other_namespaces() {
        let ask = |name: &str, namespace| {
            let volumes = "apiVersion: longhorn.io/v1beta2\nitems: []\nkind: List\n";
            let bundle = newer()
                .dump("yamls/namespaced/longhorn-system/longhorn.io/v1beta2/volumes.yaml", volumes)
                .dump("yamls/namespaced/longhorn-system/v1/pods.yaml", EMPTY)
                .cut(ArchiveProblem::TarWithoutEnd);
            as_text(bundle.finish().0.collected(&TypeName::parse(name), namespace))
        };
        let cut = "the tar archive has no end mark: it is cut off";
        assert_eq!(ask("nodes", None), Collected::Yes, "one entry has them all");
        assert_eq!(ask("pods", Some("demo")), Collected::Yes);
        assert_eq!(ask("volumes.longhorn.io", None), Collected::Empty, "they are nowhere else");
        assert_eq!(ask("pods", None), no(&format!("other pods may be lost: {cut}")));
        let lost = format!("services of namespace demo were not collected, or are lost: {cut}");
        assert_eq!(ask("services", Some("demo")), no(&lost));
        assert_eq!(
            ask("persistentvolumes", None),
            no(&format!("persistentvolumes were not collected, or are lost: {cut}"))
        );
    }

    #[test]
    fn what_was_lost_was_not_left_out() {
        let left_out = |bundle: Bundle, name: &str, namespace| {
            let (index, _) = bundle.finish();
            matches!(index.collected(&TypeName::parse(name), namespace), Collected::No(reason) if reason.is_choice_of_collector())
        };
        let cut = || newer().cut(ArchiveProblem::TarWithoutEnd);
        assert!(left_out(newer(), "secrets", Some("demo")));
        assert!(left_out(newer(), "pods", Some("shop")));
        assert!(!left_out(newer(), "services", Some("demo")), "there are none");
        assert!(!left_out(cut(), "services", Some("demo")));
        assert!(!left_out(cut(), "pods", None));
    }

    #[test]
    fn other_namespaces_and_unknown_types_prove_nothing() {
        assert_eq!(ask(newer(), "pods", Some("shop")), no("pods of namespace shop were not collected"));
        let unserved = "volumes.longhorn.io of namespace longhorn-system were not collected";
        assert_eq!(ask(newer(), "volumes.longhorn.io", None), no(unserved));
        let text = "mice.example.org are not known to be served by this cluster";
        assert_eq!(ask(newer(), "mice.example.org", Some("demo")), no(text));
        assert_eq!(ask(Bundle::default(), "pods", None), no("pods were not collected: the bundle holds no namespace"));
        assert_eq!(ask(Bundle::default(), "nodes", None), no("nodes were not collected"));
    }

    #[test]
    fn definitions_say_what_is_served() {
        let crd = "items:\n- apiVersion: apiextensions.k8s.io/v1\n  kind: CustomResourceDefinition\n  metadata: {name: volumes.longhorn.io}\n  spec: {group: longhorn.io, scope: Namespaced, names: {plural: volumes, kind: Volume}}\n";
        let bundle = || {
            newer()
                .dump("yamls/cluster/apiextensions.k8s.io/v1/customresourcedefinitions.yaml", crd)
                .dump("yamls/namespaced/longhorn-system/v1/pods.yaml", &one("Pod", "manager"))
        };
        assert_eq!(ask(bundle(), "volumes.longhorn.io", None), Collected::Empty);
        // All definitions are known, and it is not among them.
        assert_eq!(ask(bundle(), "engines.longhorn.io", None), Collected::Empty);
        assert_eq!(ask(bundle(), "bundles.fleet.cattle.io", Some("fleet-local")), Collected::Empty);
        let cut = bundle().cut(ArchiveProblem::TarWithoutEnd);
        assert!(matches!(ask(cut, "engines.longhorn.io", Some("longhorn-system")), Collected::Empty));
        let aggregated = "pods.metrics.k8s.io are not known to be served by this cluster";
        assert_eq!(ask(bundle(), "pods.metrics.k8s.io", Some("demo")), no(aggregated));
    }

    #[test]
    fn a_collector_that_writes_empty_lists_wrote_all_of_them() {
        let types = [
            "configmaps",
            "endpoints",
            "limitranges",
            "podtemplates",
            "services",
            "events",
            "serviceaccounts",
            "resourcequotas",
        ];
        let bundle = || {
            let path = |t: &&str| format!("yamls/namespaced/demo/v1/{t}.yaml");
            types.iter().fold(newer(), |bundle, t| bundle.dump(&path(t), EMPTY))
        };
        assert_eq!(ask(bundle(), "services", Some("demo")), Collected::Empty);
        let gone = "persistentvolumeclaims of namespace demo were not collected";
        assert_eq!(ask(bundle(), "persistentvolumeclaims", Some("demo")), no(gone));
    }

    #[test]
    fn failures_of_the_collector_prove_nothing() {
        let failed = || {
            newer().errors(
                "Failed to get /api/v1/namespaces/demo/services: timed out\nUnable to fetch cluster resources: down\n",
            )
        };
        assert_eq!(
            ask(failed(), "services", Some("demo")),
            no("services of namespace demo were not collected: timed out")
        );
        assert_eq!(ask(failed(), "persistentvolumes", None), no("persistentvolumes were not collected: down"));
        assert_eq!(ask(failed(), "nodes", None), Collected::Yes);
        assert_eq!(ask(failed(), "configmaps", Some("demo")), Collected::Empty);
    }

    #[test]
    fn an_entry_that_cannot_be_read_proves_nothing() {
        let path = "yamls/namespaced/demo/v1/services.yaml";
        let broken = || newer().dump(path, "items: [{kind: Service\n");
        assert_eq!(
            ask(broken(), "services", Some("demo")),
            no("yamls/namespaced/demo/v1/services.yaml could not be read as a whole")
        );
        assert_eq!(ask(broken(), "pods", Some("demo")), Collected::Yes);
        assert_eq!(broken().finish().1.len(), 1);
        let events = || newer().dump("yamls/namespaced/demo/v1/events.yaml", "items: [");
        assert!(!ask(events(), "events", Some("demo")).complete());
        let both = events().dump("yamls/namespaced/demo/events.k8s.io/v1/events.yaml", EMPTY);
        assert_eq!(ask(both, "events", Some("demo")), Collected::Empty);
    }

    #[test]
    fn types_that_collectors_leave_out_are_not_empty() {
        let text = "secrets of namespace demo were not collected (the collector leaves Secrets out)";
        assert_eq!(ask(newer(), "secrets", Some("demo")), no(text));
        let plans = newer().dump("yamls/namespaced/fleet-local/v1/secrets.yaml", EMPTY);
        assert!(!ask(plans, "secrets", Some("fleet-local")).complete());
        let dumped = newer().dump("yamls/namespaced/demo/v1/secrets.yaml", &one("Secret", "s"));
        assert_eq!(ask(dumped, "secrets", Some("demo")), Collected::Yes);
        let crd = "items:\n- {apiVersion: harvesterhci.io/v1beta1, kind: Setting, metadata: {name: server-version}}\n";
        assert!(!ask(newer(), "settings.harvesterhci.io", None).complete());
        let settings = newer().dump("yamls/cluster/harvesterhci.io/v1beta1/settings.yaml", crd);
        assert_eq!(ask(settings, "settings.harvesterhci.io", None), Collected::Yes);
    }

    #[test]
    fn releases_need_configmaps_and_apps_or_secrets() {
        let bundle = |apps: &str| {
            newer()
                .dump(&format!("yamls/namespaced/kube-system/{apps}.yaml"), EMPTY)
                .dump("yamls/namespaced/demo/catalog.cattle.io/v1/operations.yaml", EMPTY)
        };
        assert_eq!(ask(bundle("catalog.cattle.io/v1/apps"), "helmreleases", None), Collected::Empty);
        assert!(!ask(bundle("v1/pods"), "helmreleases", None).complete());
    }

    #[test]
    fn rule_tests_say_themselves_what_is_missing() {
        let test = || newer().all_collected().missing("volumes.longhorn.io", None).missing("pods", Some("shop"));
        assert_eq!(ask(test(), "secrets", Some("elsewhere")), Collected::Empty);
        assert_eq!(ask(test(), "mice.example.org", None), Collected::Empty);
        assert_eq!(ask(test(), "helmreleases", None), Collected::Empty);
        assert_eq!(ask(test(), "pods", Some("demo")), Collected::Yes);
        assert_eq!(ask(test(), "pods", None), no("pods of namespace shop were not collected"));
        let reason = "volumes.longhorn.io of namespace longhorn-system were not collected";
        assert_eq!(ask(test(), "volumes.longhorn.io", Some("longhorn-system")), no(reason));
        let elsewhere = newer().all_collected().missing("volumes.longhorn.io", Some("shop"));
        assert_eq!(ask(elsewhere, "volumes.longhorn.io", None), Collected::Empty);
    }

    #[test]
    fn evidence_of_absence_names_the_place() {
        let index = newer().index();
        let searched = |name: &str, namespace| index.searched(&TypeName::parse(name), namespace, 3);
        assert_eq!(searched("pods", Some("demo")), ["yamls/namespaced/demo/v1/pods.yaml"]);
        assert_eq!(searched("services", None), ["yamls/namespaced/demo/"]);
        assert_eq!(searched("persistentvolumes", None), ["yamls/cluster/"]);
        assert_eq!(searched("services", Some("shop")), [""; 0]);
    }

    #[test]
    fn gaps_are_named_for_the_report() {
        let namespaces =
            "kind: NamespaceList\napiVersion: v1\nitems: [{metadata: {name: demo}}, {metadata: {name: shop}}]\n";
        let index = newer()
            .dump("yamls/cluster/v1/namespaces.yaml", namespaces)
            .errors("Failed to get /api/v1/namespaces/demo/bindings: no\nFailed to get /api/v1/namespaces/demo/services: timed out\n")
            .index();
        let what: Vec<_> = index.not_collected().into_iter().map(|gap| gap.what.to_string()).collect();
        assert_eq!(what, ["namespaces shop", "secrets", "services of namespace demo"]);
    }
}
