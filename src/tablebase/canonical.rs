//! Endings and positions with the stronger material as Red's, the form in which tables are stored and probed.

use std::borrow::Cow;

use crate::counting::{Placement, Signature};
use crate::types::Side;

/// Returns the ending with the stronger material as Red's, and whether colours were swapped.
///
/// ```
/// use chuhe::tablebase::stronger_first;
/// assert_eq!(stronger_first("KAABBvKR".parse()?), ("KRvKAABB".parse()?, true));
/// # Ok::<(), chuhe::counting::SignatureError>(())
/// ```
pub fn stronger_first(ending: Signature) -> (Signature, bool) {
    let swapped = ending.swapped();
    if swapped > ending { (swapped, true) } else { (ending, false) }
}

/// Position with the stronger material as Red's, as tables store it.
pub(super) struct CanonicalPosition<'a> {
    pub ending: Signature,
    pub placement: Cow<'a, Placement>,
    pub side: Side,
}

impl<'a> CanonicalPosition<'a> {
    /// Normalises a position; `None` if it has more pieces of a kind than a game starts with.
    pub fn new(placement: &'a Placement, side: Side) -> Option<CanonicalPosition<'a>> {
        let (ending, is_swapped) = stronger_first(Signature::from_placement(placement)?);
        Some(if is_swapped {
            CanonicalPosition { ending, placement: Cow::Owned(placement.swapped()), side: !side }
        } else {
            CanonicalPosition { ending, placement: Cow::Borrowed(placement), side }
        })
    }
}
