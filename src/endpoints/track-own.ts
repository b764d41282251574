import { resetFieldsOf, track } from '#apply';
import { objectTypeOf } from '#api';
import type { Clock } from '#base';
import type { TrackOwn } from '#registry';
import { formsOf } from './version-forms.ts';

/**
 * Tracks the fields that the server writes without a request as owned by `manager` through the storage version. For custom resources such writes
 * change metadata only, which is the same in every version. @spec 4.9
 */
export const trackAs =
  (manager: string, clock: Clock): TrackOwn =>
  (resource, next, live, subresource) =>
    track({
      type: objectTypeOf(resource.storage.schema),
      live,
      next,
      manager,
      apiVersion: resource.storage.apiVersion,
      subresource,
      nowMs: clock.nowMs(),
      resetFields: resetFieldsOf(resource.kind, subresource),
      forms: formsOf(resource),
    });
