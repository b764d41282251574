import { get as read } from '#registry';
import { refuseExport } from '../options.ts';
import { replyObject } from '../represent.ts';
import { freshnessOfGet } from '../freshness.ts';
import type { VerbHandler } from '../verb-context.ts';

/** @spec 4.3 */
export const get: VerbHandler = (context) => {
  const { route, registry, request } = context;
  refuseExport(request);
  const freshness = freshnessOfGet(request.query.get('resourceVersion') ?? '', route.resource.kind);
  return read(registry, route.key, freshness).then((stored) => replyObject(context, 200, stored));
};
