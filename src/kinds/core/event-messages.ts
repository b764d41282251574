import { ObjectMeta } from '#api';
import { t } from '#schema';
import { ObjectReference } from './object-reference.ts';

export class EventSource extends t.message('core/v1.EventSource', {
  component: t.string(1),
  host: t.string(2),
}) {}

class EventSeries extends t.message('core/v1.EventSeries', {
  count: t.int32(1),
  lastObservedTime: t.microTime(2),
}) {}

/** An event: a report of something that happened to an object. */
export class EventBody extends t.message('core/v1.Event', {
  metadata: t.one(1, ObjectMeta).required(),
  involvedObject: t.one(2, ObjectReference).required(),
  reason: t.string(3),
  message: t.string(4),
  source: t.one(5, EventSource),
  firstTimestamp: t.time(6),
  lastTimestamp: t.time(7),
  count: t.int32(8),
  type: t.string(9),
  eventTime: t.microTime(10),
  series: t.perhaps(11, EventSeries),
  action: t.string(12),
  related: t.perhaps(13, ObjectReference),
  reportingComponent: t.string(14).always(),
  reportingInstance: t.string(15).always(),
}) {}
