import type { AdmissionEnv, AdmissionRequest } from '../../../plugin.ts';

/**
 * Checks a write of a node to one resource: the reason to refuse it, or undefined. Throws `NotFound` where an object that it references does not
 * exist.
 */
export type NodeCheck = (request: AdmissionRequest, node: string, env: AdmissionEnv) => Promise<string | undefined> | string | undefined;
