//! Shared by the fuzz targets: files whose form a fuzzer cannot guess are templates, and the input changes them.

/// Bytes of a change: its place, which counts from either end of the file, and the new byte.
const CHANGE: usize = 3;

/// Returns the template with the changes of the input: a number of changes, the changes, and bytes that follow the
/// template. A change whose place is beyond the template, and is not counted from its end, cuts the file.
pub fn changed(template: &[u8], input: &[u8]) -> Vec<u8> {
    let mut bytes = template.to_vec();
    let Some((&count, rest)) = input.split_first() else { return bytes };
    let (changes, tail) = rest.split_at((usize::from(count) * CHANGE).min(rest.len()));
    bytes.extend(tail);
    for &[low, high, value] in changes.as_chunks::<CHANGE>().0 {
        let place = usize::from(u16::from_le_bytes([low, high]));
        let from_end = bytes.len().checked_sub(usize::from(u16::MAX) + 1 - place);
        match bytes.get_mut(place) {
            Some(byte) => *byte = value,
            None => match from_end.filter(|&place| place >= bytes.len() / 2) {
                Some(place) => bytes[place] = value,
                None => bytes.truncate(bytes.len() - usize::from(value).min(bytes.len())),
            },
        }
    }
    bytes
}
