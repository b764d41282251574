import { FOREGROUND_FINALIZER } from '#api';
import type { ApiResource, Client } from '#client';
import { ownerOf, type AbsentOwners } from './absent-owners.ts';
import { isRefTo, type Graph, type OwnerRef } from './graph.ts';

/** What an object's owners say about its fate. */
export interface Verdict {
  /** There: the object stays. */
  readonly solid: readonly OwnerRef[];
  /** Not there. */
  readonly dangling: readonly OwnerRef[];
  /** On their way out, waiting for this object. */
  readonly waiting: readonly OwnerRef[];
  /** Some owner was asked for and is there, but is not followed: nobody will say when it goes. */
  readonly isUnfollowed: boolean;
}

export interface Judge {
  readonly client: Client;
  readonly graph: Graph;
  readonly absent: AbsentOwners;
  /** Whether the server has the kind, but not in this version. */
  isRetired(apiVersion: string, kind: string): boolean;
  /** The resource of a kind in that version; throws where the server has none: such an owner cannot be looked for, and proves nothing. */
  resourceOf(apiVersion: string, kind: string): Promise<ApiResource>;
}

/** An object that belongs to no namespace names an owner in one: nobody can say in which. It is left alone. */
export class OwnerOutOfReach extends Error {
  override readonly name = 'OwnerOutOfReach';
}

/** The graph may be behind the server: it is believed when it says that an owner is there, never when it says that there is none. */
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
  if (resource.isNamespaced && namespace === '') {
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

