import { abortedBy } from '#base';
import type { ApiObject, ObjectAccess } from '#api';
import { readyAddresses, serviceLead, type Endpoints, type Service, type ServiceLead } from '#kinds';
import type { Elsewhere } from './api-service.ts';

/** Why a server cannot be called: reason and message of the condition in its APIService. */
export interface Hindrance {
  readonly reason: 'ServiceNotFound' | 'ServicePortError' | 'EndpointsNotFound' | 'MissingEndpoints';
  readonly message: string;
}

const HTTPS_PORT = 443;

/** The services of aggregated API servers. Nothing is cached before the first use. */
export class BackEnds {
  readonly #services = new Map<string, Service>();
  readonly #endpoints = new Map<string, Endpoints>();

  /**
   * Follows services and endpoints until the signal aborts; calls `changed` for each change. Resolves when all stored ones are known. Rejects where one of
   * the two cannot be followed; then neither is.
   */
  async follow(objects: ObjectAccess, changed: (namespace: string, name: string) => void, signal: AbortSignal): Promise<void> {
    const following = abortedBy(signal);
    const into = <T extends ApiObject>(all: Map<string, T>, kind: string): Promise<void> => {
      const put = (object: ApiObject): void => {
        const { namespace = '', name = '' } = object.metadata;
        all.set(`${namespace}/${name}`, object as T);
        changed(namespace, name);
      };
      const remove = ({ namespace, name }: { readonly namespace: string; readonly name: string }): void => {
        all.delete(`${namespace}/${name}`);
        changed(namespace, name);
      };
      return objects.follow({ group: '', kind }, { put, remove }, following.signal);
    };
    try {
      await Promise.all([into(this.#services, 'Service'), into(this.#endpoints, 'Endpoints')]);
    } catch (cause) {
      following.abort();
      this.#services.clear();
      this.#endpoints.clear();
      throw cause;
    }
  }

  /** Why a server cannot be called, as far as stored objects tell; undefined: nothing is wrong. */
  hindranceOf({ spec: { service } }: Elsewhere): Hindrance | undefined {
    const { namespace = '', name = '', port = HTTPS_PORT } = service;
    const found = this.#services.get(`${namespace}/${name}`);
    const quoted = JSON.stringify(namespace);
    if (found === undefined) return { reason: 'ServiceNotFound', message: `service/${name} in ${quoted} is not present` };
    if (found.spec.type !== 'ClusterIP') return undefined;
    const open = found.spec.ports?.find((one) => one.port === port);
    if (open === undefined) return { reason: 'ServicePortError', message: `service/${name} in ${quoted} is not listening on port ${port}` };
    const endpoints = this.#endpoints.get(`${namespace}/${name}`);
    if (endpoints === undefined) return { reason: 'EndpointsNotFound', message: `cannot find endpoints for service/${name} in ${quoted}` };
    if (readyAddresses(endpoints, open.name ?? '').length > 0) return undefined;
    const message = `endpoints for service/${name} in ${quoted} have no addresses with port name ${JSON.stringify(open.name ?? '')}`;
    return { reason: 'MissingEndpoints', message };
  }

  /** Where a server is called. */
  leadTo({ spec: { service } }: Elsewhere): ServiceLead {
    const { namespace = '', name = '', port = HTTPS_PORT } = service;
    const key = `${namespace}/${name}`;
    return serviceLead(name, this.#services.get(key), this.#endpoints.get(key), port);
  }
}
