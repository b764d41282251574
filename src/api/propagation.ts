/** Deletion propagation: dependents are deleted first, afterwards, or stay. @spec 3.1 */
export type Propagation = 'Foreground' | 'Background' | 'Orphan';

/** Set for orphaning: the garbage collector removes the owner references of dependents before the object is deleted. */
export const ORPHAN_FINALIZER = 'orphan';

/** Set for foreground deletion: the object stays until the dependents that block its deletion are gone. */
export const FOREGROUND_FINALIZER = 'foregroundDeletion';
