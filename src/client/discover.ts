import { isJsonObject, memberOf } from '#base';
import { ApiError } from '#errors';
import { TransportFailure } from '#transport';
import type { ApiResource } from './api-resource.ts';
import type { Caller } from './call.ts';

/** What a server has. */
export interface Discovered {
  /** One entry per resource, in the preferred version of its group that has it; groups in their order. Parts of objects are left out. */
  readonly resources: readonly ApiResource[];
  /** Versions that did not answer: what they have is not known, and not in `resources`. */
  readonly failures: readonly DiscoveryFailure[];
}

export interface DiscoveryFailure {
  /** `v1`, `apps/v1`. */
  readonly apiVersion: string;
  readonly cause: Error;
}

interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** Asks a server for everything it has. Throws where not even its groups can be told. */
export async function discover(caller: Caller): Promise<Discovered> {
  const [core, groups] = await Promise.all([caller.ask({ method: 'GET', path: '/api' }), caller.ask({ method: 'GET', path: '/apis' })]);
  const versions: readonly GroupVersion[] = [
    ...textsOf(core, 'versions').map((version) => ({ group: '', version })),
    ...listOf(groups, 'groups').flatMap(versionsOf),
  ];
  const resources = new Map<string, ApiResource>();
  const failures: DiscoveryFailure[] = [];
  const answers = await Promise.all(versions.map((version) => resourcesOf(caller, version)));
  for (const answer of answers) {
    if ('cause' in answer) failures.push(answer);
    else for (const one of answer.resources) if (!resources.has(`${one.group}/${one.plural}`)) resources.set(`${one.group}/${one.plural}`, one);
  }
  return { resources: [...resources.values()], failures };
}

/** The preferred one first. */
function versionsOf(group: unknown): readonly GroupVersion[] {
  const name = textOf(group, 'name');
  const preferred = textOf(partOf(group, 'preferredVersion'), 'version');
  const versions = listOf(group, 'versions').map((version) => textOf(version, 'version'));
  return [preferred, ...versions.filter((version) => version !== preferred)].filter((version) => version !== '').map((version) => ({ group: name, version }));
}

async function resourcesOf(caller: Caller, { group, version }: GroupVersion): Promise<{ readonly resources: readonly ApiResource[] } | DiscoveryFailure> {
  const apiVersion = group === '' ? version : `${group}/${version}`;
  try {
    const answer = await caller.ask({ method: 'GET', path: `${group === '' ? '/api' : '/apis'}/${apiVersion}` });
    return { resources: listOf(answer, 'resources').flatMap((row) => readResource(row, group, version)) };
  } catch (cause) {
    // Gone between the two questions.
    if (cause instanceof ApiError && cause.reason === 'NotFound') return { resources: [] };
    if (cause instanceof ApiError || cause instanceof TransportFailure) return { apiVersion, cause };
    throw cause;
  }
}

function readResource(row: unknown, group: string, version: string): readonly ApiResource[] {
  const plural = textOf(row, 'name');
  if (plural === '' || plural.includes('/')) return [];
  return [{ group, version, plural, kind: textOf(row, 'kind'), isNamespaced: partOf(row, 'namespaced') === true, verbs: textsOf(row, 'verbs') }];
}

const partOf = (value: unknown, name: string): unknown => (isJsonObject(value) ? memberOf(value, name) : undefined);
const textOf = (value: unknown, name: string): string => {
  const text = partOf(value, name);
  return typeof text === 'string' ? text : '';
};
const listOf = (value: unknown, name: string): readonly unknown[] => {
  const list = partOf(value, name);
  return Array.isArray(list) ? list : [];
};
const textsOf = (value: unknown, name: string): readonly string[] => listOf(value, name).filter((one) => typeof one === 'string');
