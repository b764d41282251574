import { didYouMean } from '#base';
import { ApiError } from '#errors';
import type { ApiResource, Client, Discovered } from '#client';
import { UsageError } from '../usage-error.ts';

const singularOf = ({ singular, kind }: ApiResource): string => singular ?? kind.toLowerCase();

/** The name of a resource in messages, as `configmap` or `deployment.apps`. */
export const spokenName = (resource: ApiResource): string => (resource.group === '' ? singularOf(resource) : `${singularOf(resource)}.${resource.group}`);

/** All resources, in discovery order; API versions whose discovery fails are left out. Throws `ApiError` where the server rejects the request. */
export const allResources = async (client: Client): Promise<readonly ApiResource[]> => answering(await client.discover());

/** The resources of one API version; none where the server does not serve it. Throws `ApiError`. */
export const resourcesOf = async (client: Client, apiVersion: string): Promise<readonly ApiResource[]> => answering(await client.discover(apiVersion));

function answering({ resources, failures }: Discovered): readonly ApiResource[] {
  for (const { cause } of failures) if (!(cause instanceof ApiError && cause.code >= 500)) throw cause;
  return resources;
}

/**
 * Finds the resource that `word` means: plural, singular, kind or short name, optionally with `.group` or `.version.group`. The core group is
 * preferred, then discovery order. Throws `UsageError` with a suggestion.
 */
export async function findResource(client: Client, word: string): Promise<ApiResource> {
  const [name = '', ...qualifier] = word.toLowerCase().split('.');
  const isMeant = (resource: ApiResource): boolean => namesOf(resource).includes(name);
  if (qualifier.length === 0) {
    const core = (await resourcesOf(client, 'v1')).find(isMeant);
    if (core !== undefined) return core;
  }
  const all = await allResources(client);
  const suffix = qualifier.join('.');
  const found = all.find((resource) => isMeant(resource) && fitsSuffix(resource, suffix)) ?? (await findInVersion(client, qualifier, isMeant));
  if (found !== undefined) return found;
  const guess = didYouMean(name, all.flatMap((resource) => [resource.plural, singularOf(resource)])) || '.';
  throw new UsageError(`the server has no resource ${JSON.stringify(word)}${guess} orch api-resources lists what it has`);
}

const namesOf = (resource: ApiResource): readonly string[] => [
  resource.plural,
  singularOf(resource),
  resource.kind.toLowerCase(),
  ...(resource.shortNames ?? []),
];

/** Whether the group, or version and group, begins with `suffix`: `networking` is enough for `networking.example.io`. */
const fitsSuffix = ({ group, version }: ApiResource, suffix: string): boolean =>
  suffix === '' || [group, `${version}.${group}`].some((full) => full === suffix || full.startsWith(`${suffix}.`));

/** Finds `deployments.v1beta1.apps`, a version that is not the preferred one. */
async function findInVersion(client: Client, [version, ...group]: readonly string[], isMeant: (resource: ApiResource) => boolean): Promise<ApiResource | undefined> {
  if (version === undefined || group.length === 0) return undefined;
  return (await resourcesOf(client, `${group.join('.')}/${version}`)).find(isMeant);
}
