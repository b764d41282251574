import { badRequest } from '#errors';
import type { Stage } from './chain.ts';
import type { Received, Routed } from './context.ts';
import { parseRequest } from './parse-request.ts';
import type { RequestInfo } from './request-info.ts';

/** Reads method and path once, for all stages after this one. Throws `BadRequest` for a path that is not valid percent-encoding. */
export const requestInfoStage: Stage<Received, Routed> = (request, next) => {
  const routed: Received & { info?: RequestInfo } = request;
  routed.info = parseRequest(request.method, decodePath(request.path), request.query);
  return next(routed as Routed);
};

function decodePath(path: string): string {
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch (cause) {
    throw badRequest('the path of the request is not valid percent-encoded UTF-8', cause);
  }
}
