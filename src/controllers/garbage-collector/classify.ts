import { FOREGROUND_FINALIZER } from '#api';
import type { ApiResource, Client } from '#client';
import { ownerOf, type AbsentOwners } from './absent-owners.ts';
import { isRefTo, type Graph, type OwnerRef } from './graph.ts';

/** The state of an object's owners. */
export interface Verdict {
  /** Owners that exist: the object stays. */
  readonly solid: readonly OwnerRef[];
  /** Owners that do not exist. */
  readonly dangling: readonly OwnerRef[];
  /** Owners in foreground deletion that wait for this object. */
  readonly waiting: readonly OwnerRef[];
  /** An owner exists but its kind is not followed: no event will report its deletion. */
  readonly isUnfollowed: boolean;
}

export interface Judge {
  readonly client: Client;
  readonly graph: Graph;
  readonly absent: AbsentOwners;
  /** The followed resource of a kind, in whichever version; undefined: its changes are not heard. */
  followed(apiVersion: string, kind: string): ApiResource | undefined;
  /** Whether the server serves the kind, but not in this version. */
  isRetired(apiVersion: string, kind: string): boolean;
  /** The resource of a kind in that version; throws where it is not served: such an owner cannot be looked up, which proves nothing. */
  resourceOf(apiVersion: string, kind: string): Promise<ApiResource>;
}

/** A cluster-scoped object refers to a namespaced owner, whose namespace is unknown. The object is left alone. */
export class OwnerOutOfReach extends Error {
  override readonly name = 'OwnerOutOfReach';
}

/** Whether an owner of this resource cannot be named by an object of that namespace: a cluster-scoped one cannot say which namespace it means. */
export const isOutOfReach = (resource: ApiResource, namespace: string): boolean => resource.isNamespaced && namespace === '';

/** Classifies the owners of an object. The graph may be stale: an owner that it has exists, but one that it lacks is looked up on the server. */
export async function classify(judge: Judge, namespace: string, owners: readonly OwnerRef[]): Promise<Verdict> {
  const solid: OwnerRef[] = [];
  const dangling: OwnerRef[] = [];
  const waiting: OwnerRef[] = [];
  let isUnfollowed = false;
  for (const ref of owners) {
    const seen = judge.graph.get(ref.uid)?.seen;
    if (seen !== undefined && isRefTo(ref, namespace, seen)) {
      (seen.isForeground ? waiting : solid).push(ref);
      continue;
    }
    const found = await lookUp(judge, ref, namespace);
    (found === 'absent' ? dangling : found === 'foreground' ? waiting : solid).push(ref);
    if (found === 'there') isUnfollowed = true;
  }
  return { solid, dangling, waiting, isUnfollowed };
}

async function lookUp({ client, absent, isRetired, resourceOf }: Judge, ref: OwnerRef, namespace: string): Promise<'there' | 'absent' | 'foreground'> {
  if (!isRetired(ref.apiVersion, ref.kind) && absent.has(ref, namespace)) return 'absent';
  const resource = await resourceOf(ref.apiVersion, ref.kind);
  if (isOutOfReach(resource, namespace)) {
    throw new OwnerOutOfReach(`an object without a namespace is owned by ${ref.kind} ${JSON.stringify(ref.name)}, which has one`);
  }
  const owner = await client.metadataAt(resource).find({ name: ref.name, namespace });
  if (owner === undefined || owner.metadata.uid !== ref.uid) {
    absent.add(ownerOf(ref), namespace);
    return 'absent';
  }
  const { deletionTimestamp, finalizers } = owner.metadata;
  return deletionTimestamp && (finalizers ?? []).includes(FOREGROUND_FINALIZER) ? 'foreground' : 'there';
}

