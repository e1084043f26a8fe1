//! Names that Kubernetes generates.

/// Returns true if a part of a name is written in the alphabet of generated names and of hashes of pod templates:
/// `k8s.io/apimachinery/pkg/util/rand` leaves out vowels and 0, 1, 3.
pub fn is_generated(text: &str) -> bool {
    text.chars().all(|c| "bcdfghjklmnpqrstvwxz2456789".contains(c))
}
