import { accountGroups, accountUserName } from '#api';
import type { Question, User } from '#request';
import type { AdmissionEnv, AdmissionRequest } from '../../../plugin.ts';

/** Whether who creates a pod, or the service account of the pod, may use policies; each policy is asked about once. */
export class UserOfPolicies {
  readonly #env: AdmissionEnv;
  readonly #request: AdmissionRequest;
  readonly #users: readonly User[];
  readonly #known = new Map<string, boolean>();

  constructor(env: AdmissionEnv, request: AdmissionRequest, account: string | undefined) {
    const { namespace, user } = request;
    this.#env = env;
    this.#request = request;
    this.#users = account ? [{ name: accountUserName(namespace, account), groups: accountGroups(namespace) }, user] : [user];
  }

  async mayUse(policy: string): Promise<boolean> {
    const known = this.#known.get(policy) ?? (await this.#ask(policy));
    this.#known.set(policy, known);
    return known;
  }

  /** Policies were in another group once, and roles may still name that. */
  async #ask(name: string): Promise<boolean> {
    const { namespace, signal } = this.#request;
    for (const user of this.#users) {
      for (const group of [this.#env.brand.group('policy'), 'extensions']) {
        const place = { group, version: '*', resource: 'podsecuritypolicies', subresource: '', namespace, name };
        const question: Question = { ...place, user, verb: 'use', isResourceRequest: true, path: '', apiPrefix: 'apis', parts: [] };
        if ((await this.#env.authorizer.authorize(question, signal)).verdict === 'allow') return true;
      }
    }
    return false;
  }
}
