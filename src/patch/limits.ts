/** Operations of one JSON patch. @spec 8 */
export const MAX_OPERATIONS = 10_000;

/** What the copies of one JSON patch may add up to, in bytes of JSON. @spec 8 */
export const MAX_COPIED_BYTES = 3 * 1024 * 1024;
