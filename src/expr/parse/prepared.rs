//! Constant arguments of a call, prepared when its rule is compiled.

use crate::expr::parse::pattern::Pattern;
use crate::resource::TypeName;

/// What a call knows from its constant arguments.
#[derive(Clone, Debug)]
pub(in crate::expr) enum Prepared {
    Nothing,
    Pattern(Pattern),
    Type(TypeName),
}
