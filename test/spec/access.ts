// Permissions for users of a test, and questions about them.
import type { TestAnswer, TestJson } from '#testing';
import { expect, type World } from './world.ts';

export interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

/** A user who may do what was granted, and nothing else. */
export class User {
  readonly name: string;
  readonly #world: World;

  constructor(world: World, name = world.fresh('user')) {
    this.#world = world;
    this.name = name;
  }

  /** Headers of a request in the name of this user. */
  get headers(): Readonly<Record<string, string>> {
    return { 'impersonate-user': this.name };
  }

  get subject(): object {
    return { apiGroup: this.#world.brand.group('rbac'), kind: 'User', name: this.name };
  }

  /** These rules everywhere, besides those granted before. */
  async grant(...rules: readonly Rule[]): Promise<this> {
    const name = this.#world.fresh('granted');
    await make(this.#world, 'ClusterRole', name, { rules });
    await make(this.#world, 'ClusterRoleBinding', name, { roleRef: this.roleRef('ClusterRole', name), subjects: [this.subject] });
    return this;
  }

  roleRef(kind: 'Role' | 'ClusterRole', name: string): object {
    return { apiGroup: this.#world.brand.group('rbac'), kind, name };
  }

  request(method: string, path: string, body?: unknown): Promise<TestAnswer> {
    return this.#world.server.request(method, path, body, this.headers);
  }

  /** The code that this request is answered with. */
  async codeOf(method: string, path: string, body?: unknown): Promise<number> {
    return (await this.request(method, path, body)).status;
  }

  /** The code that a watch is answered with; one that opens is stopped again. */
  async codeOfWatch(path: string): Promise<number> {
    try {
      const watch = await this.#world.watch(path, this.headers);
      await watch.stop();
      return 200;
    } catch (cause) {
      return Number(/ answers (\d{3})\b/.exec(String(cause))?.[1]);
    }
  }

  /** The answer to a review: may this user do that? */
  async may(resourceAttributes: object): Promise<boolean> {
    return (await review(this.#world, { user: this.name, resourceAttributes })).allowed as boolean;
  }
}

/** The status of a SubjectAccessReview. */
export async function review(world: World, spec: object): Promise<TestJson> {
  const apiVersion = `${world.brand.group('authorization')}/v1`;
  const body = { apiVersion, kind: 'SubjectAccessReview', spec };
  return expect(201, await world.post(`/apis/${apiVersion}/subjectaccessreviews`, body)).status;
}

export const rbacPath = (world: World, plural: string, namespace = ''): string =>
  `/apis/${world.brand.group('rbac')}/v1/${namespace === '' ? '' : `namespaces/${namespace}/`}${plural}`;

export const rbacObject = (world: World, kind: string, name: string, body: object): object => ({ apiVersion: `${world.brand.group('rbac')}/v1`, kind, metadata: { name }, ...body });

/** Makes a role or a binding. */
export async function make(world: World, kind: string, name: string, body: object, namespace = ''): Promise<TestJson> {
  return expect(201, await world.post(rbacPath(world, `${kind.toLowerCase()}s`, namespace), rbacObject(world, kind, name, body)));
}
