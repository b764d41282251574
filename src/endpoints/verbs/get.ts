import { get as read } from '#registry';
import { replyObject } from '../represent.ts';
import { freshnessOfGet } from '../selection.ts';
import type { VerbHandler } from '../verb-context.ts';

/** @spec 4.3 */
export const get: VerbHandler = async (context) => {
  const { route, registry, request } = context;
  const stored = await read(registry, route.key, freshnessOfGet(request.query.get('resourceVersion') ?? ''));
  return replyObject(context, 200, stored);
};
