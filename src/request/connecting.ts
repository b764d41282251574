import type { RequestInfo } from './request-info.ts';

const CONNECTING: ReadonlySet<string> = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);

/** Whether a request connects to something behind the API, and so goes on for as long as that does. */
export const isConnecting = ({ isResourceRequest, subresource, verb }: RequestInfo): boolean =>
  isResourceRequest && (CONNECTING.has(subresource) || verb === 'proxy' || verb === 'connect');

/** Whether the answer of a request goes on by nature: nobody expects it to end soon. */
export const goesOn = (info: RequestInfo): boolean => isConnecting(info) || (info.isResourceRequest && info.verb === 'watch');
