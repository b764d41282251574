import { defineKind, validateObjectMeta, validateObjectMetaUpdate, type ObjectOf } from '#api';
import type { FieldErrors } from '#errors';
import { EVENT_COLUMNS } from '../core/event-columns.ts';
import { EventBody } from '../core/event-messages.ts';
import { Event as CoreEvent, type Event } from '../core/event.ts';
import { validateEvent } from '../core/validate-event.ts';
import { fromCoreEvent, toCoreEvent } from './convert-event.ts';
import { newEventOf } from './event-messages.ts';

const conversions = { up: toCoreEvent, down: fromCoreEvent } as const;

/** The events of the core group in the form of this group. */
export const NewEvent = defineKind(EventBody, {
  group: 'events',
  errorGroup: '',
  kind: 'Event',
  plural: 'events',
  shortNames: ['ev'],
  scope: 'Namespaced',
  // v1 has additional rules for a create, which `validate` applies.
  nameForm: 'path-segment',
  takesAnyFinalizer: true,
  repeatsMetadataRules: [],
  createOnUpdate: true,
  cascade: 'never',
  ttlSeconds: CoreEvent.ttlSeconds ?? 0,
  isUncached: true,
  versions: {
    v1: { schema: newEventOf('v1'), ...conversions },
    v1beta1: { schema: newEventOf('v1beta1'), ...conversions, deprecated: { since: '1.22', goneIn: '1.25' } },
  },
  storage: 'v1',
  storedAs: CoreEvent,
  columns: EVENT_COLUMNS,
  select: ({ involvedObject, reason, reportingComponent, type }) => ({
    'regarding.kind': involvedObject.kind ?? '',
    'regarding.namespace': involvedObject.namespace ?? '',
    'regarding.name': involvedObject.name ?? '',
    'regarding.uid': involvedObject.uid ?? '',
    'regarding.apiVersion': involvedObject.apiVersion ?? '',
    'regarding.resourceVersion': involvedObject.resourceVersion ?? '',
    'regarding.fieldPath': involvedObject.fieldPath ?? '',
    reason: reason ?? '',
    reportingController: reportingComponent,
    type: type ?? '',
  }),
  validate(next, live, at, { brand, version }) {
    validateEvent(next, at, brand);
    if (version === 'v1beta1') return;
    if (live === undefined) validateNew(next, at);
    // As recorded from kube-apiserver: an update is compared with itself, so that only what is wrong without comparison is found.
    else validateObjectMetaUpdate(next.metadata, next.metadata, {}, at.child('metadata'));
  },
});
export type NewEvent = ObjectOf<typeof NewEvent>;

function validateNew(next: Event, at: FieldErrors): void {
  const { metadata, type = '', eventTime, firstTimestamp, lastTimestamp, count, source } = next;
  validateObjectMeta(metadata, { scope: 'Namespaced', nameForm: 'dns-subdomain' }, at.child('metadata'));
  validateSeries(next, at.child('series'));
  if (!eventTime) at.child('eventTime').required();
  if (type !== 'Normal' && type !== 'Warning') at.child('type').invalid('', `has invalid value: ${type}`);
  if (firstTimestamp) at.child('firstTimestamp').invalid('', 'needs to be unset');
  if (lastTimestamp) at.child('lastTimestamp').invalid('', 'needs to be unset');
  if (count) at.child('count').invalid('', 'needs to be unset');
  if (source.component || source.host) at.child('source').invalid('', 'needs to be unset');
}

function validateSeries({ series }: Event, at: FieldErrors): void {
  if (series === undefined) return;
  if ((series.count ?? 0) < 2) at.child('count').invalid('', 'should be at least 2');
  if (!series.lastObservedTime) at.child('lastObservedTime').required();
}
