/** The most operations of one JSON patch. @spec 8 */
export const MAX_OPERATIONS = 10_000;

/** The limit for the total size of the values that one JSON patch copies, in bytes of JSON. @spec 8 */
export const MAX_COPIED_BYTES = 3 * 1024 * 1024;
