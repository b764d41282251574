import type { ControllerEnv } from '#client';
import { warn } from '../warn.ts';
import { isRefTo, type Graph, type Node, type OwnerRef, type Seen } from './graph.ts';

const REASON = 'OwnerRefInvalidNamespace';
const COMPONENT = 'garbage-collector-controller';

/**
 * Tells of owners that exist, but in another namespace than the object that names them: there they own nothing, and people wonder why the object goes.
 * One warning event of the object for each such owner.
 * @spec 3.1
 */
export class MisplacedOwners {
  readonly #env: ControllerEnv;
  readonly #graph: Graph;
  readonly #told = new WeakMap<Node, Set<string>>();

  constructor(env: ControllerEnv, graph: Graph) {
    this.#env = env;
    this.#graph = graph;
  }

  /** An event that the server refuses is not made: a namespace that is being deleted takes none. Throws where there is no answer. */
  async tell(node: Node, seen: Seen): Promise<void> {
    for (const ref of seen.owners) {
      const owner = this.#graph.get(ref.uid)?.seen;
      if (owner === undefined || isRefTo(ref, seen.namespace, owner) || !isRefTo(ref, owner.namespace, owner)) continue;
      const told = this.#told.get(node) ?? new Set();
      if (told.has(ref.uid)) continue;
      this.#told.set(node, told.add(ref.uid));
      await this.#write(node, seen, ref);
    }
  }

  #write({ uid }: Node, seen: Seen, ref: OwnerRef): Promise<void> {
    const { namespace } = seen;
    const owner = `[${ref.apiVersion}/${ref.kind}, namespace: ${namespace}, name: ${ref.name}, uid: ${ref.uid}]`;
    const message = `ownerRef ${owner} does not exist in namespace ${JSON.stringify(namespace)}`;
    return warn(this.#env, { ...seen, uid }, { component: COMPONENT, reason: REASON, message });
  }
}
