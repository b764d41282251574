import type { Revision } from '../../entry.ts';
import type { Event, KeyValue } from './messages.ts';

/** A change that etcd has told: what stood at its key, by which it can be found out whether it is still in the history of etcd. */
export interface ToldChange {
  readonly key: Uint8Array;
  readonly states: readonly KeyState[];
}

interface KeyState {
  readonly at: Revision;
  /** undefined: the key was not there. */
  readonly entry: Pick<KeyValue, 'modRevision' | 'value'> | undefined;
}

export function toldChange({ entry, deleted, before }: Event): ToldChange {
  const at = entry.modRevision;
  // A copy, and nothing else of the event: its keys keep the whole message in memory.
  const key = Buffer.from(entry.key);
  const state = ({ modRevision, value }: KeyValue): KeyState['entry'] => ({ modRevision, value });
  if (!deleted) return { key, states: [{ at, entry: state(entry) }] };
  return { key, states: [{ at, entry: undefined }, ...(before === undefined ? [] : [{ at: at - 1, entry: state(before) }])] };
}

/** Whether the key still stood so at that revision. */
export function isAsTold({ entry }: KeyState, found: KeyValue | undefined): boolean {
  if (entry === undefined || found === undefined) return entry === found;
  return entry.modRevision === found.modRevision && Buffer.compare(entry.value, found.value) === 0;
}
