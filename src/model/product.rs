//! Products whose versions rules can name and query.

/// Names of the products, used as keys of `affects` and arguments of `version()`.
pub const PRODUCTS: [&str; 8] = ["harvester", "longhorn", "kubernetes", "rke2", "k3s", "rancher", "fleet", "kernel"];
