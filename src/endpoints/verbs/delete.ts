import { groupResourceOf } from '#api';
import { forbidden, type Status } from '#errors';
import { remove, type Written } from '#registry';
import { readDeleteOrder } from '../delete-options.ts';
import { codecOf } from '../encode-stored.ts';
import { replyBytes } from '../reply-bytes.ts';
import { replyObject } from '../represent.ts';
import type { VerbContext, VerbHandler } from '../verb-context.ts';
import { guardOf, type WritePlan } from '../write-plan.ts';

/** Replies with a Status when the object is removed, and with the object while finalizers or a grace period keep it. @spec 4.3 */
export const deleteObject: VerbHandler = async (context) => {
  const { registry, route } = context;
  const { order, dryRun } = await readDeleteOrder(context);
  insistOnDeletable(context);
  const plan: WritePlan = { operation: 'DELETE', dryRun, fieldManager: '', order };
  const written = await remove(registry, route.key, order, guardOf(context, plan));
  if (written.did === 'remove' && route.resource.kind.deleteShowsObject !== true) return replyGone(context, written);
  // 202 (accepted, not finished) is only for clients that set the deprecated `orphanDependents` to false.
  const isUnfinished = written.did !== 'remove' && order.orphanDependents === false;
  return replyObject(context, isUnfinished ? 202 : 200, written.stored);
};

/** Refused whether or not the object exists. */
function insistOnDeletable({ route: { resource, key } }: VerbContext): void {
  const { undeletable } = resource.kind;
  if (undeletable?.names.has(key.name) === true) throw forbidden(groupResourceOf(resource), key.name, undeletable.why);
}

function replyGone(context: VerbContext, written: Written): ReturnType<typeof replyBytes> {
  const { resource } = context.route;
  const { name = '', uid } = written.stored.object.metadata;
  const status: Status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name, ...(resource.group === '' ? {} : { group: resource.group }), kind: resource.plural, ...(uid === undefined ? {} : { uid }) },
  };
  const codec = codecOf(context);
  return replyBytes(context, 200, codec.encodeStatus(status), codec.mediaType);
}
