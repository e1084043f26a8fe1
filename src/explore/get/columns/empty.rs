//! What kubectl's printers print for an absent value.

/// Returns the word for a column of a type.
pub fn word(plural: &str, header: &str) -> &'static str {
    match (plural, header) {
        (_, "VOLUMEATTRIBUTESCLASS" | "MINPODS") | ("csistoragecapacities", "CAPACITY") => "<unset>",
        ("nodes", "OS-IMAGE" | "KERNEL-VERSION" | "CONTAINER-RUNTIME") => "<unknown>",
        (
            _,
            "LAST SCHEDULE" | "NODE" | "IP" | "NOMINATED NODE" | "READINESS GATES" | "EXTERNAL-IP" | "INTERNAL-IP"
            | "ROLES",
        ) => "<none>",
        (_, "SELECTOR" | "NODE SELECTOR" | "POD-SELECTOR" | "TIMEZONE" | "CLUSTER-IP" | "CLASS" | "ENDPOINTS") => {
            "<none>"
        }
        (_, "TARGETS" | "CONTROLLER" | "PARAMETERS" | "MODES" | "SIGNERNAME" | "REQUESTEDDURATION") => "<none>",
        _ => "",
    }
}
