import { formatAge, type Column, type KindObject } from '#api';
import { trimSpace } from '#base';
import type { EventBody } from './event-messages.ts';

type EventObject = KindObject<EventBody>;

/** The table columns of events, in both API groups that serve them. */
export const EVENT_COLUMNS: readonly Column<EventObject>[] = [
  { name: 'Last Seen', type: 'string', description: 'How long ago it happened for the last time.', cell: (event, nowMs) => formatAge(lastSeen(event), nowMs) },
  { name: 'Type', type: 'string', description: 'Whether it is a warning or a normal thing.', cell: ({ type }) => type ?? '' },
  { name: 'Reason', type: 'string', description: 'Why it happened, in one word for programs.', cell: ({ reason }) => reason ?? '' },
  { name: 'Object', type: 'string', description: 'The object it happened to, as kind and name.', cell: ({ involvedObject }) => target(involvedObject) },
  {
    name: 'Subobject',
    type: 'string',
    priority: 1,
    description: 'The part of the object that is concerned.',
    cell: ({ involvedObject }) => involvedObject.fieldPath ?? '',
  },
  { name: 'Source', type: 'string', priority: 1, description: 'Who reports it, and from which machine.', cell: source },
  { name: 'Message', type: 'string', description: 'What happened, in words for people.', cell: ({ message }) => trimSpace(message ?? '') },
  { name: 'First Seen', type: 'string', priority: 1, description: 'How long ago it happened for the first time.', cell: (event, nowMs) => formatAge(firstSeen(event), nowMs) },
  { name: 'Count', type: 'string', priority: 1, description: 'How many times it has happened so far.', cell: ({ series, count }) => (series === undefined ? count || 1 : (series.count ?? 0)) },
  {
    name: 'Name',
    type: 'string',
    format: 'name',
    priority: 1,
    description: 'The name of the object, unique among those of its kind in its namespace.',
    cell: ({ metadata }) => metadata.name ?? '',
  },
];

const firstSeen = ({ firstTimestamp, eventTime }: EventObject): string | null | undefined => firstTimestamp ?? eventTime;

const lastSeen = (event: EventObject): string | null | undefined =>
  event.series === undefined ? (event.lastTimestamp ?? firstSeen(event)) : event.series.lastObservedTime;

function target({ kind = '', name = '' }: EventObject['involvedObject']): string {
  return name === '' ? kind.toLowerCase() : `${kind.toLowerCase()}/${name}`;
}

function source(event: EventObject): string {
  const component = event.source.component || event.reportingComponent;
  const instance = event.source.host || event.reportingInstance;
  return instance === '' ? component : `${component}, ${instance}`;
}
