/** Values that the current configuration would store in another form: encrypted with another key, or in another format. */
const stale = new WeakSet<Uint8Array>();

/** Marks a value for `isStale`. */
export const markStale = (value: Uint8Array): void => void stale.add(value);

/** Whether an update that changes nothing must write the object all the same. */
export const isStale = (value: Uint8Array): boolean => stale.has(value);
