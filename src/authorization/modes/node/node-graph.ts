import type { ApiObject, Brand, Follower, ObjectAccess, ObjectKey } from '#api';
import { nodeOf, referenceTo, usedByPod, type Reference } from './used-by-pod.ts';
import { usedByVolume, type VolumeUse } from './used-by-volume.ts';

interface PodUse {
  readonly node: string;
  readonly uses: ReadonlySet<Reference>;
}

const keyOf = ({ namespace, name }: ObjectKey): string => `${namespace}/${name}`;

/** An index of the objects that the pods of each node use. */
export class NodeGraph {
  readonly #brand: Brand;
  readonly #pods = new Map<string, PodUse>();
  /** By object: how many pods of each node use it. */
  readonly #users = new Map<Reference, Map<string, number>>();
  readonly #volumes = new Map<string, VolumeUse>();
  readonly #volumesBySecret = new Map<Reference, Set<string>>();
  /** Node names by the name of a VolumeAttachment. */
  readonly #attachments = new Map<string, string>();

  constructor(brand: Brand) {
    this.#brand = brand;
  }

  /** Follows pods, volumes and attachments until the signal aborts. Resolves when the index is complete. */
  async follow(objects: ObjectAccess, signal: AbortSignal): Promise<void> {
    await Promise.all([
      objects.follow({ group: '', kind: 'Pod' }, this.pods, signal),
      objects.follow({ group: '', kind: 'PersistentVolume' }, this.volumes, signal),
      objects.follow({ group: 'storage', kind: 'VolumeAttachment' }, this.attachments, signal),
    ]);
  }

  /** Whether a pod on the node uses the object, or, for a VolumeAttachment, whether it is for the node. */
  isRelated(node: string, resource: string, { namespace, name }: ObjectKey): boolean {
    switch (resource) {
      case 'volumeattachments':
        return this.#attachments.get(name) === node;
      case 'persistentvolumes':
        return this.#mounts(node, name);
      case 'secrets':
        return this.#uses(node, referenceTo(resource, namespace, name)) || this.#needsToMount(node, referenceTo(resource, namespace, name));
      default:
        return this.#uses(node, referenceTo(resource, namespace, name));
    }
  }

  readonly pods: Follower = {
    put: (pod) => {
      const key = keyOf({ namespace: '', name: '', ...pod.metadata });
      this.#forgetPod(key);
      const node = nodeOf(pod);
      if (node === '') return;
      const uses = usedByPod(pod, this.#brand);
      this.#pods.set(key, { node, uses });
      for (const one of uses) this.#count(one, node, 1);
    },
    remove: (key) => this.#forgetPod(keyOf(key)),
  };

  readonly volumes: Follower = {
    put: (volume) => {
      const { name = '' } = volume.metadata;
      this.#forgetVolume(name);
      const use = usedByVolume(volume);
      if (use === undefined) return;
      this.#volumes.set(name, use);
      for (const secret of use.secrets) this.#volumesBySecret.set(secret, (this.#volumesBySecret.get(secret) ?? new Set()).add(name));
    },
    remove: ({ name }) => this.#forgetVolume(name),
  };

  readonly attachments: Follower = {
    put: (attachment) => {
      const { nodeName } = (attachment as ApiObject & { readonly spec?: { readonly nodeName?: string } }).spec ?? {};
      if (nodeName) this.#attachments.set(attachment.metadata.name ?? '', nodeName);
    },
    remove: ({ name }) => void this.#attachments.delete(name),
  };

  #uses(node: string, one: Reference): boolean {
    return this.#users.get(one)?.has(node) === true;
  }

  #mounts(node: string, volume: string): boolean {
    const use = this.#volumes.get(volume);
    return use !== undefined && this.#uses(node, use.claim);
  }

  #needsToMount(node: string, secret: Reference): boolean {
    for (const volume of this.#volumesBySecret.get(secret) ?? []) if (this.#mounts(node, volume)) return true;
    return false;
  }

  #forgetPod(key: string): void {
    const known = this.#pods.get(key);
    if (known === undefined) return;
    this.#pods.delete(key);
    for (const one of known.uses) this.#count(one, known.node, -1);
  }

  #forgetVolume(name: string): void {
    for (const secret of this.#volumes.get(name)?.secrets ?? []) {
      const left = this.#volumesBySecret.get(secret);
      left?.delete(name);
      if (left?.size === 0) this.#volumesBySecret.delete(secret);
    }
    this.#volumes.delete(name);
  }

  #count(one: Reference, node: string, by: 1 | -1): void {
    const nodes = this.#users.get(one) ?? new Map<string, number>();
    const count = (nodes.get(node) ?? 0) + by;
    if (count > 0) nodes.set(node, count);
    else nodes.delete(node);
    if (nodes.size > 0) this.#users.set(one, nodes);
    else this.#users.delete(one);
  }
}
