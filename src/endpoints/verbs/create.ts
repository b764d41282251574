import { badRequest } from '#errors';
import { create as store } from '#registry';
import { decodeBody, formatOfBody } from '../decode-body.ts';
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
  if (route.key.name !== '' && object.metadata.name && object.metadata.name !== route.key.name) {
    throw badRequest(`the name of the object (${object.metadata.name}) does not match the name on the URL (${route.key.name})`);
  }
  const plan = planOf('CREATE', options);
  const next = await planWrite(context, plan, object, undefined);
  const written = await store(registry, next, guardOf(context, plan));
  return replyObject(context, 201, written.stored);
};
