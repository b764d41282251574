/** What becomes of the objects that a deleted one owns: they go first, go afterwards, or stay. @spec 3.1 */
export type Propagation = 'Foreground' | 'Background' | 'Orphan';

/** By this finalizer a deletion asks the garbage collector to let dependents forget the object before it goes. */
export const ORPHAN_FINALIZER = 'orphan';

/** By this one it asks to hold the object until the dependents that block its deletion are gone. */
export const FOREGROUND_FINALIZER = 'foregroundDeletion';
