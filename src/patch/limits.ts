/** The most operations of one JSON patch. @spec 8 */
export const MAX_OPERATIONS = 10_000;

/** The limit for the total size of the values that one JSON patch copies, in bytes of JSON. @spec 8 */
export const MAX_COPIED_BYTES = 3 * 1024 * 1024;

/**
 * The limit for the number of list items that the insertions and removals of one JSON patch shift. Each of them shifts all items behind its place, so
 * a short patch of a long list could hold the event loop for many seconds. Ten thousand changes of a list of five thousand items stay within it.
 * @spec 8
 */
export const MAX_SHIFTED_ITEMS = 50_000_000;

/**
 * The limit for the number of list items and members that a strategic merge patch is merged with. A patch may name one item many times, and each time
 * all that the item holds is looked at again. A patch that names each item once stays far below.
 * @spec 8
 */
export const MAX_MERGED_PARTS = 2_000_000;
