import type { ApiObject, ObjectAccess } from '#api';
import { notFound } from '#errors';
import type { Secret } from '#kinds';
import type { TokenReference } from '#request';
import { isSameSecret } from '../same-secret.ts';
import type { BoundClaims, LegacyClaims } from './token-claims.ts';

type Objects = Pick<ObjectAccess, 'get'>;

/** A bound object still counts for this long after its deletion timestamp. */
const GRACE_MS = 60_000;

/**
 * Why a bound token counts no more: its service account, Secret or pod no longer exists with the uid that it names. undefined: it counts. Reads the stored
 * objects.
 */
export async function whyBoundTokenEnded({ namespace, account, pod, secret }: BoundClaims, objects: Objects, nowMs: number): Promise<string | undefined> {
  const isGone = (object: ApiObject): boolean => deletedMs(object) < nowMs - GRACE_MS;
  const owner = await objects.get({ group: '', kind: 'ServiceAccount' }, { namespace, name: account.name });
  if (owner === undefined) return accountNotFound(account);
  if (isGone(owner)) return `service account ${namespace}/${account.name} has been deleted`;
  if (owner.metadata.uid !== account.uid) return `service account UID (${owner.metadata.uid ?? ''}) does not match claim (${account.uid})`;
  for (const [kind, reference] of [['Secret', secret], ['Pod', pod]] as const) {
    if (reference === undefined) continue;
    const object = await objects.get({ group: '', kind }, { namespace, name: reference.name });
    if (object === undefined || isGone(object)) return 'service account token has been invalidated';
    if (object.metadata.uid === reference.uid) continue;
    return `${kind.toLowerCase()} UID (${object.metadata.uid ?? ''}) does not match service account ${kind.toLowerCase()} ref claim (${reference.uid})`;
  }
  return undefined;
}

/** Why a legacy token counts no more: it is not in its Secret any more, or its service account is gone. undefined: it counts. Reads the stored objects. */
export async function whyLegacyTokenEnded(token: string, { namespace, account, secretName }: LegacyClaims, objects: Objects): Promise<string | undefined> {
  const secret = (await objects.get({ group: '', kind: 'Secret' }, { namespace, name: secretName })) as Secret | undefined;
  if (secret === undefined || secret.metadata.deletionTimestamp) return 'Token has been invalidated';
  if (!isSameSecret(Buffer.from(secret.data?.['token'] ?? '', 'base64'), Buffer.from(token))) return "Token does not match server's copy";
  const stored = await objects.get({ group: '', kind: 'ServiceAccount' }, { namespace, name: account.name });
  if (stored === undefined) return accountNotFound(account);
  if (stored.metadata.deletionTimestamp) return `ServiceAccount ${namespace}/${account.name} has been deleted`;
  return stored.metadata.uid === account.uid ? undefined : `ServiceAccount UID (${stored.metadata.uid ?? ''}) does not match claim (${account.uid})`;
}

const accountNotFound = ({ name }: TokenReference): string => notFound({ group: '', resource: 'serviceaccounts' }, name).message;

function deletedMs({ metadata }: ApiObject): number {
  return metadata.deletionTimestamp ? Date.parse(metadata.deletionTimestamp) : Infinity;
}
