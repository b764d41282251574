import { list as read } from '#registry';
import { replyList } from '../represent-list.ts';
import { offeringRestOfList } from '../rest-of-list.ts';
import { readPage } from '../freshness.ts';
import { readListOptions } from '../list-options.ts';
import { readSelection } from '../selection.ts';
import type { VerbHandler } from '../verb-context.ts';

/** @spec 4.3 @spec 4.4 */
export const list: VerbHandler = async (context) => {
  const options = readListOptions(context);
  const selection = readSelection(context, options);
  const page = readPage(context, options);
  return replyList(context, await offeringRestOfList(context, page.from, () => read(context.registry, { ...selection, ...page })));
};
