import { defineKind, type ObjectOf } from '#api';
import { EVENT_COLUMNS } from './event-columns.ts';
import { EventBody } from './event-messages.ts';
import { validateEvent } from './validate-event.ts';

const HOUR_SECONDS = 3600;

/** Events in the core group. The group `events` serves the same objects in a newer form; see `events/event.ts`. */
export const Event = defineKind(EventBody, {
  group: '',
  kind: 'Event',
  plural: 'events',
  shortNames: ['ev'],
  scope: 'Namespaced',
  nameForm: 'path-segment',
  takesAnyFinalizer: true,
  repeatsMetadataRules: [],
  createOnUpdate: true,
  cascade: 'never',
  ttlSeconds: HOUR_SECONDS,
  isUncached: true,
  versions: { v1: { schema: EventBody } },
  storage: 'v1',
  columns: EVENT_COLUMNS,
  select: ({ involvedObject, reason, reportingComponent, source, type }) => ({
    'involvedObject.kind': involvedObject.kind ?? '',
    'involvedObject.namespace': involvedObject.namespace ?? '',
    'involvedObject.name': involvedObject.name ?? '',
    'involvedObject.uid': involvedObject.uid ?? '',
    'involvedObject.apiVersion': involvedObject.apiVersion ?? '',
    'involvedObject.resourceVersion': involvedObject.resourceVersion ?? '',
    'involvedObject.fieldPath': involvedObject.fieldPath ?? '',
    reason: reason ?? '',
    reportingComponent,
    source: source.component || reportingComponent,
    type: type ?? '',
  }),
  validate(next, _live, at, { brand }) {
    validateEvent(next, at, brand);
  },
});
export type Event = ObjectOf<typeof Event>;
