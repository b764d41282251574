import type { Stage } from './chain.ts';
import type { Received, Routed } from './context.ts';
import { decodePath } from './decode-path.ts';
import { parseRequest } from './parse-request.ts';
import type { RequestInfo } from './request-info.ts';

/** Parses method, path and query once, for all later stages. Throws `BadRequest` for a path with invalid percent-encoding. */
export const requestInfoStage: Stage<Received, Routed> = (request, next) => {
  const routed: Received & { info?: RequestInfo } = request;
  routed.info = parseRequest(request.method, decodePath(request.path), request.query);
  return next(routed as Routed);
};
