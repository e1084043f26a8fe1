//! Products whose versions rules can state and ask for.

/// Names of the products, as keys of `affects` and arguments of `version()`.
pub const PRODUCTS: [&str; 8] = ["harvester", "longhorn", "kubernetes", "rke2", "k3s", "rancher", "fleet", "kernel"];
