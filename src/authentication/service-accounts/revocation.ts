import { timingSafeEqual } from 'node:crypto';
import type { ApiObject, ObjectAccess } from '#api';
import type { Secret } from '#kinds';
import type { TokenReference } from '#request';
import type { BoundClaims, LegacyClaims } from './token-claims.ts';

type Objects = Pick<ObjectAccess, 'get'>;

/** An object on its way out still counts for so long. */
const GRACE_MS = 60_000;

/** Whether everything a bound token hangs on is still there. Looks at what is stored now. */
export async function isBoundTokenAlive({ namespace, account, pod, secret }: BoundClaims, objects: Objects, nowMs: number): Promise<boolean> {
  const isThere = async (kind: string, reference: TokenReference | undefined): Promise<boolean> => {
    if (reference === undefined) return true;
    const object = await objects.get({ group: '', kind }, { namespace, name: reference.name });
    return object !== undefined && object.metadata.uid === reference.uid && deletedMs(object) >= nowMs - GRACE_MS;
  };
  return (await isThere('ServiceAccount', account)) && (await isThere('Secret', secret)) && (await isThere('Pod', pod));
}

/** Whether a token still stands in its Secret, and its account is there. Looks at what is stored now. */
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
