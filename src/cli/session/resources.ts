import { ApiError } from '#errors';
import { nearest } from '../nearest.ts';
import { UsageError } from '../usage-error.ts';
import { listAt, memberIn, textAt, textsAt } from './json-value.ts';
import type { Session } from './session.ts';

/** What discovery says of one resource. */
export interface ApiResource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
  readonly shortNames: readonly string[];
  readonly verbs: readonly string[];
}

const groupVersionPath = (groupVersion: string): string => (groupVersion.includes('/') ? `/apis/${groupVersion}` : `/api/${groupVersion}`);

export const groupVersionOf = ({ group, version }: ApiResource): string => (group === '' ? version : `${group}/${version}`);

/** `configmap`, `deployment.apps`: how messages name a resource. */
export const spokenName = ({ singular, group }: ApiResource): string => (group === '' ? singular : `${singular}.${group}`);

/** The resources of one version. Throws `ApiError`: NotFound when the server does not have it. */
export async function resourcesOf(session: Session, groupVersion: string): Promise<readonly ApiResource[]> {
  const { value } = await session.ask({ method: 'GET', path: groupVersionPath(groupVersion) });
  const slash = groupVersion.indexOf('/');
  const group = groupVersion.slice(0, Math.max(slash, 0));
  return listAt(value, 'resources')
    .filter((row) => !textAt(row, 'name').includes('/'))
    .map((row) => ({
      group,
      version: groupVersion.slice(slash + 1),
      plural: textAt(row, 'name'),
      singular: textAt(row, 'singularName') || textAt(row, 'kind').toLowerCase(),
      kind: textAt(row, 'kind'),
      isNamespaced: memberIn(row, 'namespaced') === true,
      shortNames: textsAt(row, 'shortNames'),
      verbs: textsAt(row, 'verbs'),
    }));
}

/** Everything the server has, in the order of its groups; of each group the preferred version. Groups that do not answer are left out. */
export async function allResources(session: Session): Promise<readonly ApiResource[]> {
  const { value } = await session.ask({ method: 'GET', path: '/apis' });
  const preferred = listAt(value, 'groups').map((group) => textAt(group, 'preferredVersion', 'groupVersion')).filter((name) => name !== '');
  const lists = await Promise.all(['v1', ...preferred].map((groupVersion) => resourcesOrNone(session, groupVersion)));
  return lists.flat();
}

async function resourcesOrNone(session: Session, groupVersion: string): Promise<readonly ApiResource[]> {
  try {
    return await resourcesOf(session, groupVersion);
  } catch (cause) {
    if (cause instanceof ApiError && (cause.code === 404 || cause.code >= 500)) return [];
    throw cause;
  }
}

/**
 * The resource a person means by `word`: plural, singular, kind or short name, with `.group` or `.version.group` behind it where that
 * matters. The core group comes first, then the order of the server. Throws `UsageError` with a guess.
 */
export async function findResource(session: Session, word: string): Promise<ApiResource> {
  const [name = '', ...qualifier] = word.toLowerCase().split('.');
  const isMeant = (resource: ApiResource): boolean => namesOf(resource).includes(name);
  if (qualifier.length === 0) {
    const core = (await resourcesOf(session, 'v1')).find(isMeant);
    if (core !== undefined) return core;
  }
  const all = await allResources(session);
  const suffix = qualifier.join('.');
  const found = all.find((resource) => isMeant(resource) && fitsSuffix(resource, suffix)) ?? (await findInVersion(session, qualifier, isMeant));
  if (found !== undefined) return found;
  const near = nearest(name, all.flatMap((resource) => [resource.plural, resource.singular]));
  const guess = near === undefined ? '.' : `; did you mean ${near}?`;
  throw new UsageError(`the server has no resource ${JSON.stringify(word)}${guess} orch api-resources lists what it has`);
}

const namesOf = ({ plural, singular, kind, shortNames }: ApiResource): readonly string[] => [plural, singular, kind.toLowerCase(), ...shortNames];

/** A group may be cut short: `networking` is enough for `networking.example.io`. */
const fitsSuffix = ({ group, version }: ApiResource, suffix: string): boolean =>
  suffix === '' || [group, `${version}.${group}`].some((full) => full === suffix || full.startsWith(`${suffix}.`));

/** `deployments.v1beta1.apps`: a version that is not the preferred one. */
async function findInVersion(session: Session, [version, ...group]: readonly string[], isMeant: (resource: ApiResource) => boolean): Promise<ApiResource | undefined> {
  if (version === undefined || group.length === 0) return undefined;
  return (await resourcesOrNone(session, `${group.join('.')}/${version}`)).find(isMeant);
}
