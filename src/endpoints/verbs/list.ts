import { list as read } from '#registry';
import { replyList } from '../represent-list.ts';
import { readListOptions, readPage, readSelection } from '../selection.ts';
import type { VerbHandler } from '../verb-context.ts';

/** @spec 4.3 @spec 4.4 */
export const list: VerbHandler = async (context) => {
  const options = readListOptions(context, false);
  const found = await read(context.registry, { ...readSelection(context), ...readPage(context, options) });
  return replyList(context, found);
};
