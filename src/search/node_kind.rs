//! Kinds of nodes of the search tree, as types. Know nothing of the search.

/// Kind of a node, known at compile time.
pub(super) trait NodeKind {
    /// The root.
    const ROOT: bool;
    /// The window is open: the exact value is wanted.
    const PV: bool;
}

/// The root node.
pub(super) struct Root;
/// A node of the principal variation.
pub(super) struct Pv;
/// A node with a null window.
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
