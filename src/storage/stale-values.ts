/** Values that would be kept in another form today: under a newer key, in another format. */
const stale = new WeakSet<Uint8Array>();

export const markStale = (value: Uint8Array): void => void stale.add(value);

/** Whether an update that changes nothing is to write it all the same. */
export const isStale = (value: Uint8Array): boolean => stale.has(value);
