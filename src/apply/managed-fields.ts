import { compareUtf8, isJsonObject, type JsonObject } from '#base';
import { isEmptySet, type FieldSet } from './fieldpath/set.ts';
import { readFieldsV1, writeFieldsV1 } from './fieldpath/serialize.ts';

/**
 * The entry of one field manager. Its fields are those of the version `apiVersion`.
 * @spec 2.2
 */
export interface Entry {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  /** Empty for the main resource. */
  readonly subresource: string;
  /** As on the wire; undefined if a client sent none. */
  readonly time: string | undefined;
  readonly fields: FieldSet;
}

/** Entries by identity. */
export type Managed = ReadonlyMap<string, Entry>;

/** No entries. */
export const NOBODY: Managed = new Map();

/** The identity of an entry. An applier keeps its entry when it changes to another version; an updater has one entry for each version. */
export const identityOf = (entry: Pick<Entry, 'manager' | 'operation' | 'apiVersion' | 'subresource'>): string =>
  JSON.stringify([entry.operation, entry.manager, entry.subresource, entry.operation === 'Apply' ? '' : entry.apiVersion]);

/** A `managedFields` list that cannot be decoded. */
export class ManagedFieldsFailure extends Error {
  override readonly name = 'ManagedFieldsFailure';
}

const READ = Symbol('read');

/**
 * A `managedFields` list with its decoded entries; such a list is never changed. The lists of an object that is written often stay in memory from
 * write to write. The entries are a property of the list itself, because a weak map would cost each write more garbage collection.
 */
interface NotedList extends ReadonlyArray<unknown> {
  [READ]?: Managed;
}

/** Decodes `metadata.managedFields`. Throws ManagedFieldsFailure or PathElementFailure. */
export function readManaged(list: unknown): Managed {
  if (list === undefined || list === null) return NOBODY;
  if (!Array.isArray(list)) throw new ManagedFieldsFailure('managedFields must be a list');
  if (list.length === 0) return NOBODY;
  const noted = list as NotedList;
  return (noted[READ] ??= readEntries(list));
}

function readEntries(list: readonly unknown[]): Managed {
  const managed = new Map<string, Entry>();
  for (const [at, one] of list.entries()) {
    const entry = readEntry(one, at);
    managed.set(identityOf(entry), entry);
  }
  return managed;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

function readEntry(one: unknown, at: number): Entry {
  if (!isJsonObject(one)) throw new ManagedFieldsFailure(`managedFields[${at}] must be an object`);
  const operation = one['operation'];
  if (operation !== 'Apply' && operation !== 'Update') {
    throw new ManagedFieldsFailure(`managedFields[${at}].operation must be Apply or Update`);
  }
  const apiVersion = text(one['apiVersion']);
  if (apiVersion === '') throw new ManagedFieldsFailure(`managedFields[${at}].apiVersion must not be empty`);
  if (one['fieldsType'] !== 'FieldsV1') throw new ManagedFieldsFailure(`managedFields[${at}].fieldsType must be FieldsV1`);
  const time = one['time'];
  return {
    manager: text(one['manager']),
    operation,
    apiVersion,
    subresource: text(one['subresource']),
    time: typeof time === 'string' ? time : undefined,
    fields: readFieldsV1(one['fieldsV1']),
  };
}

/** Encodes entries as `metadata.managedFields`; undefined when there are none. Entries without fields are left out. */
export function writeManaged(managed: Managed): JsonObject[] | undefined {
  const entries = [...managed].filter(([, entry]) => !isEmptySet(entry.fields));
  if (entries.length === 0) return undefined;
  if (entries.length > 1) entries.sort(([, a], [, b]) => compareEntries(a, b));
  const said = new Map<string, Entry>();
  const list: JsonObject[] & NotedList = [];
  for (const [id, entry] of entries) {
    const kept = entry instanceof WrittenEntry ? entry : new WrittenEntry(entry);
    said.set(id, kept);
    list.push(kept.form);
  }
  list[READ] = said;
  return list;
}

/** An entry with its wire form, so that an unchanged entry is the same object in the next list. */
class WrittenEntry implements Entry {
  readonly manager: string;
  readonly operation: Entry['operation'];
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time: string | undefined;
  readonly fields: FieldSet;
  readonly form: JsonObject;

  constructor(entry: Entry) {
    this.manager = entry.manager;
    this.operation = entry.operation;
    this.apiVersion = entry.apiVersion;
    this.subresource = entry.subresource;
    this.time = entry.time;
    this.fields = entry.fields;
    this.form = formOf(entry);
  }
}

/** Orders entries: Apply before Update, then by time (in seconds), manager, version and subresource. */
function compareEntries(a: Entry, b: Entry): number {
  if (a.operation !== b.operation) return a.operation === 'Apply' ? -1 : 1;
  return (
    secondsOf(a.time) - secondsOf(b.time) ||
    compareUtf8(a.manager, b.manager) ||
    compareUtf8(a.apiVersion, b.apiVersion) ||
    compareUtf8(a.subresource, b.subresource)
  );
}

/** Seconds since the epoch; an entry without time is the oldest. */
export const secondsOf = (time: string | undefined): number => (time === undefined ? 0 : Math.floor(Date.parse(time) / 1000) || 0);

/** The wire form of an entry. Written member by member, since each write makes at least one, and object spreads cost several times as much. */
function formOf(entry: Entry): JsonObject {
  const form: JsonObject = {};
  if (entry.manager !== '') form['manager'] = entry.manager;
  form['operation'] = entry.operation;
  form['apiVersion'] = entry.apiVersion;
  if (entry.time !== undefined) form['time'] = entry.time;
  form['fieldsType'] = 'FieldsV1';
  form['fieldsV1'] = fieldsForm(entry.fields);
  if (entry.subresource !== '') form['subresource'] = entry.subresource;
  return form;
}

/** The wire forms of sets, so that an unchanged set is encoded once. */
const forms = new WeakMap<FieldSet, JsonObject>();

function fieldsForm(fields: FieldSet): JsonObject {
  let form = forms.get(fields);
  if (form === undefined) forms.set(fields, (form = writeFieldsV1(fields)));
  return form;
}

/** Whether a client asks to remove all managed fields: by a list with a single empty entry. */
export const asksForReset = (list: unknown): boolean =>
  Array.isArray(list) && list.length === 1 && isJsonObject(list[0]) && Object.values(list[0]).every(isBlank);

const isBlank = (value: unknown): boolean => value === undefined || value === null || value === '';
