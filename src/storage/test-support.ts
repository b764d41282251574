// Programs as the first processes of PID namespaces, as in containers: the process ids of two of them are the same.
import { spawnSync } from 'node:child_process';

/** Arguments of `unshare` for that, before the program. The program ends with `unshare`. */
export const FIRST_PROCESS = ['-rmpf', '--kill-child', '--mount-proc'];

/** Why tests cannot do that; false: they can. */
export const NO_NAMESPACES = spawnSync('unshare', [...FIRST_PROCESS, 'true']).status === 0 ? false : 'this machine lets nobody make namespaces';
