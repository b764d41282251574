import type { ApiObject } from '#api';
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '#kinds';
import type { User } from '#request';
import type { AnyBinding, Rule, Subject } from './policy-parts.ts';
import { subjectsOf, userKeys } from './subjects.ts';

/** The kinds of RBAC objects. */
export const POLICY_KINDS = ['ClusterRole', 'Role', 'ClusterRoleBinding', 'RoleBinding'] as const;
export type PolicyKind = (typeof POLICY_KINDS)[number];

/** A binding with one of its subjects. `namespace` is empty for a ClusterRoleBinding. */
export interface Grant {
  readonly binding: AnyBinding;
  readonly namespace: string;
  readonly subject: Subject;
}

/** Grants by subject key, sorted by the names of their bindings. A group may have tens of thousands: a change must not look at each of them. */
type Grants = Map<string, Grant[]>;

/**
 * An index of all roles and bindings by subject and namespace. Its owner keeps it current.
 * @spec 2.15
 */
export class Policy {
  readonly #roles = new Map<string, Role | ClusterRole>();
  readonly #bindings = new Map<string, AnyBinding>();
  /** By namespace; the empty one holds cluster-wide grants. */
  readonly #grants = new Map<string, Grants>();
  #revision = 0;

  /** Changes with every write to the policy. */
  get revision(): number {
    return this.#revision;
  }

  /** Adds or replaces an object. */
  put(kind: PolicyKind, object: ApiObject): void {
    const { name = '', namespace = '' } = object.metadata;
    this.remove(kind, { name, namespace });
    if (kind === 'Role' || kind === 'ClusterRole') this.#roles.set(placeOf(namespace, name), object as Role | ClusterRole);
    else this.#bind(object as RoleBinding | ClusterRoleBinding, namespace, name);
  }

  /** Removes an object, if it is known. */
  remove(kind: PolicyKind, { name, namespace }: { readonly name: string; readonly namespace: string }): void {
    this.#revision += 1;
    const place = placeOf(namespace, name);
    if (kind === 'Role' || kind === 'ClusterRole') this.#roles.delete(place);
    else this.#unbind(place, namespace, name);
  }

  /**
   * The grants to this user, in lists: the cluster-wide ones first, then those of the namespace, unless that is empty. The lists change with the
   * policy.
   */
  grantsOf(user: User, namespace: string): readonly (readonly Grant[])[] {
    const keys = userKeys(user);
    const found: (readonly Grant[])[] = [];
    for (const place of namespace === '' ? EVERYWHERE : ['', namespace]) {
      const grants = this.#grants.get(place);
      if (grants === undefined) continue;
      for (const key of keys) {
        const some = grants.get(key);
        if (some !== undefined) found.push(some);
      }
    }
    return found;
  }

  /** The rules of the role that a binding in this namespace refers to; undefined: the role does not exist. */
  rulesOf({ kind, name }: AnyBinding['roleRef'], namespace: string): readonly Rule[] | undefined {
    const role = this.#roles.get(placeOf(kind === 'Role' ? namespace : '', name));
    return role && (role.rules ?? []);
  }

  #bind(binding: AnyBinding, namespace: string, name: string): void {
    this.#bindings.set(placeOf(namespace, name), binding);
    const grants = this.#grants.get(namespace) ?? new Map<string, Grant[]>();
    this.#grants.set(namespace, grants);
    for (const [key, subject] of subjectsOf(binding, namespace)) {
      const grant = { binding, namespace, subject };
      const known = grants.get(key);
      if (known === undefined) grants.set(key, [grant]);
      else known.splice(firstFrom(known, name), 0, grant);
    }
  }

  #unbind(place: string, namespace: string, name: string): void {
    const binding = this.#bindings.get(place);
    const grants = this.#grants.get(namespace);
    if (binding === undefined || grants === undefined) return;
    this.#bindings.delete(place);
    for (const [key] of subjectsOf(binding, namespace)) {
      const known = grants.get(key) ?? [];
      known.splice(firstFrom(known, name), 1);
      if (known.length === 0) grants.delete(key);
    }
    if (grants.size === 0) this.#grants.delete(namespace);
  }
}

/** The index of the first grant whose binding has this name, or a later one. */
function firstFrom(grants: readonly Grant[], name: string): number {
  let low = 0;
  let high = grants.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((grants[middle]!.binding.metadata.name ?? '') < name) low = middle + 1;
    else high = middle;
  }
  return low;
}

const EVERYWHERE: readonly string[] = [''];

/** Names may contain anything but a slash. */
const placeOf = (namespace: string, name: string): string => `${namespace}/${name}`;
