import type { AdmissionEnv, AdmissionRequest } from '../../../plugin.ts';

/** What a node may not do, by the resource it writes: the reason, or undefined. Throws `NotFound` where what it names is not there. */
export type NodeCheck = (request: AdmissionRequest, node: string, env: AdmissionEnv) => Promise<string | undefined> | string | undefined;
