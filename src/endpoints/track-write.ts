import { managerName, resetFieldsOf, track, withoutOwners } from '#apply';
import { objectTypeOf, type ApiObject } from '#api';
import { ApiError } from '#errors';
import { headerText } from '#request';
import type { OperationPlan } from './admission-options.ts';
import { dropRepeatedOwners } from './owner-references.ts';
import type { VerbContext } from './verb-context.ts';
import { inEachVersion } from './version-forms.ts';

/** The field manager of this write: the one that the query names, else the program that sends it. */
export const managerOf = ({ request }: VerbContext, { fieldManager }: Pick<OperationPlan, 'fieldManager'>): string =>
  managerName(fieldManager, headerText(request.headers, 'user-agent'));

/**
 * `next` with `managedFields` after this write; without any, where the object cannot be converted to the version of one of its managers.
 * `forgetsOwners`: a patch emptied `managedFields`.
 */
export function trackWrite(
  context: VerbContext,
  plan: Pick<OperationPlan, 'fieldManager'>,
  next: ApiObject,
  live: ApiObject | undefined,
  forgetsOwners = false,
): ApiObject | Promise<ApiObject> {
  const { route, request, env } = context;
  // Those of a patch are dropped after admission alone: until then its object has them, and nobody can own what is named twice.
  if (route.verb !== 'patch') dropRepeatedOwners(next, 'sent', (text) => request.warn(text));
  const tracked = inEachVersion(route.resource, (forms) =>
    track({
      type: objectTypeOf(route.resource.storage.schema),
      live,
      next,
      manager: managerOf(context, plan),
      apiVersion: route.served.apiVersion,
      subresource: route.subresource,
      nowMs: env.clock.nowMs(),
      resetFields: resetFieldsOf(route.resource.kind, route.subresource),
      forgetsOwners,
      forms,
    }),
  );
  return tracked instanceof Promise ? tracked.catch((cause: unknown) => ownedByNobody(next, cause)) : tracked;
}

/** A conversion webhook that only field management needs must not fail the write. */
function ownedByNobody(next: ApiObject, cause: unknown): ApiObject {
  if (!(cause instanceof ApiError)) throw cause;
  return withoutOwners(next);
}
