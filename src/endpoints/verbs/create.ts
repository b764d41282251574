import { create as store } from '#registry';
import { decodeBody, formatOfBody } from '../decode-body.ts';
import { otherName } from '../object-place.ts';
import { readWriteOptions } from '../options.ts';
import { replyObject } from '../represent.ts';
import type { VerbHandler } from '../verb-context.ts';
import { guardOf, planOf, planWrite } from '../write-plan.ts';

/** @spec 4.3 */
export const create: VerbHandler = async (context) => {
  const { registry, route } = context;
  // As in 1.23 a body of unknown format is refused before the options here, and after them in an update.
  const format = formatOfBody(context);
  const options = readWriteOptions(context, 'create');
  const object = await decodeBody(context, format);
  const { name } = object.metadata;
  if (route.key.name !== '' && name && name !== route.key.name) throw otherName(context, name);
  const plan = planOf('CREATE', options);
  const next = await planWrite(context, plan, object, undefined);
  const written = await store(registry, next, guardOf(context, plan));
  return replyObject(context, 201, written.stored);
};
