//! The file of a rule test.

/// File of rule tests.
#[derive(Clone, Debug)]
pub struct RuleTest {
    /// `tests/rules/AREA/ID.yaml`.
    pub path: String,
    pub text: String,
}
