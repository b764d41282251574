import type { RequestInfo } from './request-info.ts';

const CONNECTING: ReadonlySet<string> = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);

/** Whether a request connects to a backend behind the API (`exec`, `log`, `proxy` …), and so lasts as long as that connection. */
export const isConnecting = ({ isResourceRequest, subresource, verb }: Pick<RequestInfo, 'isResourceRequest' | 'subresource' | 'verb'>): boolean =>
  isResourceRequest && (CONNECTING.has(subresource) || verb === 'proxy' || verb === 'connect');

/**
 * Whether a request is long-running: a watch, or a connection to a backend behind the API. Deadlines and limits for short requests do not apply to
 * it.
 */
export const isLongRunning = (info: RequestInfo): boolean => isConnecting(info) || (info.isResourceRequest && info.verb === 'watch');
