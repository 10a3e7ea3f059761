//! The kinds of nodes, known when the search is compiled.

/// What kind of node is searched; decides at compile time what applies.
pub(super) trait NodeKind {
    /// The first node.
    const ROOT: bool;
    /// A node whose window is open: its value is wanted exactly.
    const PV: bool;
}

/// The first node.
pub(super) struct Root;
/// A node of the principal variation.
pub(super) struct Pv;
/// A node that is only to be shown above or below a bound.
pub(super) struct NonPv;

impl NodeKind for Root {
    const ROOT: bool = true;
    const PV: bool = true;
}
impl NodeKind for Pv {
    const ROOT: bool = false;
    const PV: bool = true;
}
impl NodeKind for NonPv {
    const ROOT: bool = false;
    const PV: bool = false;
}
