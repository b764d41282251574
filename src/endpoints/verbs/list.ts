import { ApiError, expiredList } from '#errors';
import { encodeContinueToken, list as read } from '#registry';
import { replyList } from '../represent-list.ts';
import { readListOptions, readPage, readSelection } from '../selection.ts';
import type { VerbContext, VerbHandler } from '../verb-context.ts';

/** @spec 4.3 @spec 4.4 */
export const list: VerbHandler = async (context) => {
  const options = readListOptions(context);
  const selection = readSelection(context, options);
  const page = readPage(context, options);
  const found = await read(context.registry, { ...selection, ...page }).catch((cause: unknown) => {
    throw page.from === undefined ? cause : withWayOn(context, page.from, cause);
  });
  return replyList(context, found);
};

/** Who was in the middle of a list that is no longer kept may read the rest as it is now: no longer one moment, but everything once. */
function withWayOn({ registry, route }: VerbContext, from: string, cause: unknown): unknown {
  if (!(cause instanceof ApiError) || cause.reason !== 'Expired') return cause;
  const prefix = registry.prefixOf(route.key.namespace);
  return expiredList(`${cause.message}; start again without continue, or read the rest in its newest state with the token in this answer`, encodeContinueToken({ revision: -1, from, prefix }));
}
