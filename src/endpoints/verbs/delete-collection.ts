import { removeCollection, type Listing } from '#registry';
import { readDeleteOrder } from '../delete-options.ts';
import { replyList } from '../represent-list.ts';
import { offeringRestOfList } from '../rest-of-list.ts';
import { readPage } from '../freshness.ts';
import { readListOptions } from '../list-options.ts';
import { readSelection } from '../selection.ts';
import type { VerbHandler } from '../verb-context.ts';
import { guardOf, type WritePlan } from '../write-plan.ts';

/** Deletes the selected objects, and replies with the list of them. @spec 4.3 */
export const deleteCollection: VerbHandler = async (context) => {
  const options = readListOptions(context);
  const selection = readSelection(context, options);
  const { order, dryRun } = await readDeleteOrder(context);
  const plan: WritePlan = { operation: 'DELETE', dryRun, fieldManager: '', order };
  const page = readPage(context, options);
  const work = (): Promise<Listing> => removeCollection(context.registry, { ...selection, ...page }, order, guardOf(context, plan));
  return replyList(context, await offeringRestOfList(context, page.from, work));
};
