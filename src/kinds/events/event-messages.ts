import { t } from '#schema';
import { EventSource } from '../core/event-messages.ts';
import { ObjectReference } from '../core/object-reference.ts';

/** The message of an event in one version of this group; versions have the same fields. */
export function newEventOf(version: string) {
  const EventSeries = t.message(`events/${version}.EventSeries`, {
    count: t.int32(1).required(),
    lastObservedTime: t.microTime(2).required(),
  });
  return t.message(`events/${version}.Event`, {
    eventTime: t.microTime(2).required(),
    series: t.perhaps(3, EventSeries),
    reportingController: t.string(4),
    reportingInstance: t.string(5),
    action: t.string(6),
    reason: t.string(7),
    regarding: t.one(8, ObjectReference),
    related: t.perhaps(9, ObjectReference),
    note: t.string(10),
    type: t.string(11),
    deprecatedSource: t.one(12, EventSource),
    deprecatedFirstTimestamp: t.time(13),
    deprecatedLastTimestamp: t.time(14),
    deprecatedCount: t.int32(15),
  });
}
