import type { RequestInfo } from './request-info.ts';

const CONNECTING: ReadonlySet<string> = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);

/** Whether a request connects to something behind the API, and so goes on for as long as that does. */
export const isConnecting = ({ isResourceRequest, subresource, verb }: RequestInfo): boolean =>
  isResourceRequest && (CONNECTING.has(subresource) || verb === 'proxy' || verb === 'connect');
