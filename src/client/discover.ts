import { apiVersionOf, parseApiVersion, resourceName, rootPathOf, type GroupVersion } from '#api';
import { listAt, memberIn, textAt, textsAt } from '#base';
import { ApiError } from '#errors';
import { TransportFailure } from '#transport';
import type { ApiResource } from './api-resource.ts';
import { isAbsent, type Caller } from './call.ts';

/** The resources of a server. */
export interface Discovered {
  /** One entry per resource, in the preferred version that serves it, in the order of groups. Subresources are left out. */
  readonly resources: readonly ApiResource[];
  /** Whether the server serves a kind in exactly this version. */
  serves(apiVersion: string, kind: string): boolean;
  /** Versions whose discovery failed; their resources are missing from `resources`. */
  readonly failures: readonly DiscoveryFailure[];
}

export interface DiscoveryFailure {
  /** `v1`, `apps/v1`. */
  readonly apiVersion: string;
  readonly cause: Error;
}

/** Discovers all resources of a server, or those of one version, `only`. Throws where the list of groups fails. */
export async function discover(caller: Caller, only?: string): Promise<Discovered> {
  return discoverIn(caller, only === undefined ? await allVersions(caller) : [parseApiVersion(only)]);
}

/** Discovers the resources of one group; `''` is the core group. Throws where its versions cannot be read; a group that is absent has none. */
export async function discoverGroup(caller: Caller, group: string): Promise<Discovered> {
  return discoverIn(caller, group === '' ? await coreVersions(caller) : await versionsIn(caller, group));
}

async function discoverIn(caller: Caller, versions: readonly GroupVersion[]): Promise<Discovered> {
  const resources = new Map<string, ApiResource>();
  const kinds = new Set<string>();
  const failures: DiscoveryFailure[] = [];
  const answers = await Promise.all(versions.map((version) => resourcesOf(caller, version)));
  for (const answer of answers) {
    if ('cause' in answer) {
      failures.push(answer);
      continue;
    }
    for (const one of answer.resources) {
      kinds.add(`${apiVersionOf(one)}/${one.kind}`);
      if (!resources.has(resourceName(one))) resources.set(resourceName(one), one);
    }
  }
  return { resources: [...resources.values()], serves: (apiVersion, kind) => kinds.has(`${apiVersion}/${kind}`), failures };
}

async function allVersions(caller: Caller): Promise<readonly GroupVersion[]> {
  const [core, groups] = await Promise.all([coreVersions(caller), caller.ask({ method: 'GET', path: '/apis' })]);
  return [...core, ...listAt(groups, 'groups').flatMap(versionsOf)];
}

async function coreVersions(caller: Caller): Promise<readonly GroupVersion[]> {
  const core = await caller.ask({ method: 'GET', path: '/api' });
  return textsAt(core, 'versions').map((version) => ({ group: '', version }));
}

async function versionsIn(caller: Caller, group: string): Promise<readonly GroupVersion[]> {
  try {
    return versionsOf(await caller.ask({ method: 'GET', path: `/apis/${group}` }));
  } catch (cause) {
    if (isAbsent(cause)) return [];
    throw cause;
  }
}

/** The preferred one first. */
function versionsOf(group: unknown): readonly GroupVersion[] {
  const name = textAt(group, 'name');
  const preferred = textAt(group, 'preferredVersion', 'version');
  const versions = listAt(group, 'versions').map((version) => textAt(version, 'version'));
  return [preferred, ...versions.filter((version) => version !== preferred)].filter((version) => version !== '').map((version) => ({ group: name, version }));
}

async function resourcesOf(caller: Caller, from: GroupVersion): Promise<{ readonly resources: readonly ApiResource[] } | DiscoveryFailure> {
  try {
    const answer = await caller.ask({ method: 'GET', path: rootPathOf(from) });
    return { resources: listAt(answer, 'resources').flatMap((row) => readResource(row, from)) };
  } catch (cause) {
    // It may have been removed between the two requests.
    if (isAbsent(cause)) return { resources: [] };
    if (cause instanceof ApiError || cause instanceof TransportFailure) return { apiVersion: apiVersionOf(from), cause };
    throw cause;
  }
}

function readResource(row: unknown, { group, version }: GroupVersion): readonly ApiResource[] {
  const plural = textAt(row, 'name');
  if (plural === '' || plural.includes('/')) return [];
  const kind = textAt(row, 'kind');
  return [
    {
      group,
      version,
      plural,
      kind,
      isNamespaced: memberIn(row, 'namespaced') === true,
      verbs: textsAt(row, 'verbs'),
      singular: textAt(row, 'singularName') || kind.toLowerCase(),
      shortNames: textsAt(row, 'shortNames'),
    },
  ];
}
