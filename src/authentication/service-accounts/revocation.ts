import { timingSafeEqual } from 'node:crypto';
import type { ApiObject, ObjectAccess } from '#api';
import type { Secret } from '#kinds';
import type { TokenReference } from '#request';
import type { BoundClaims, LegacyClaims } from './token-claims.ts';

type Objects = Pick<ObjectAccess, 'get'>;

/** A bound object still counts for this long after its deletion timestamp. */
const GRACE_MS = 60_000;

/** Whether the service account, Secret and pod that a bound token names still exist with the same uid. Reads the stored objects. */
export async function isBoundTokenAlive({ namespace, account, pod, secret }: BoundClaims, objects: Objects, nowMs: number): Promise<boolean> {
  const isThere = async (kind: string, reference: TokenReference | undefined): Promise<boolean> => {
    if (reference === undefined) return true;
    const object = await objects.get({ group: '', kind }, { namespace, name: reference.name });
    return object !== undefined && object.metadata.uid === reference.uid && deletedMs(object) >= nowMs - GRACE_MS;
  };
  return (await isThere('ServiceAccount', account)) && (await isThere('Secret', secret)) && (await isThere('Pod', pod));
}

/** Whether a legacy token is still in its Secret and its service account still exists. Reads the stored objects. */
export async function isLegacyTokenAlive(token: string, { namespace, account, secretName }: LegacyClaims, objects: Objects): Promise<boolean> {
  const secret = (await objects.get({ group: '', kind: 'Secret' }, { namespace, name: secretName })) as Secret | undefined;
  if (secret === undefined || secret.metadata.deletionTimestamp || !isSame(secret.data?.['token'] ?? '', token)) return false;
  const stored = await objects.get({ group: '', kind: 'ServiceAccount' }, { namespace, name: account.name });
  return stored !== undefined && !stored.metadata.deletionTimestamp && stored.metadata.uid === account.uid;
}

function deletedMs({ metadata }: ApiObject): number {
  return metadata.deletionTimestamp ? Date.parse(metadata.deletionTimestamp) : Infinity;
}

function isSame(base64: string, token: string): boolean {
  const [stored, given] = [Buffer.from(base64, 'base64'), Buffer.from(token)];
  return stored.length === given.length && timingSafeEqual(stored, given);
}
