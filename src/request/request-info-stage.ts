import { badRequest } from '#errors';
import type { Stage } from './chain.ts';
import type { Received, Routed } from './context.ts';
import { parseRequest } from './parse-request.ts';

/** Reads method and path once, for all stages after this one. Throws `BadRequest` for a path that is not valid percent-encoding. */
export const requestInfoStage: Stage<Received, Routed> = (request, next) =>
  next(Object.assign(request, { info: parseRequest(request.method, decodePath(request.path), request.query) }));

function decodePath(path: string): string {
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch (cause) {
    throw badRequest('the path of the request is not valid percent-encoded UTF-8', cause);
  }
}
