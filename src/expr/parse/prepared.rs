//! Constant arguments of a call, prepared when its rule is compiled.

use crate::expr::parse::pattern::Pattern;
use crate::resource::TypeName;

/// Value prepared from the constant arguments of a call.
#[derive(Clone, Debug)]
pub(in crate::expr) enum Prepared {
    Nothing,
    Pattern(Pattern),
    Type(TypeName),
}
