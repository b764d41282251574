// A server, another one that serves groups for it, and a clock that stands still.
import { brandOf, type Brand, type Dialect } from '#api';
import { startTestServer, TurnedClock, type TestAnswer, type TestJson, type TestServer } from '#testing';
import { expect } from '../spec/world.ts';
import { AggregatedServer } from './aggregated-server.ts';
import { oncePerDialect } from './dialect-worlds.ts';

type Headers = Readonly<Record<string, string>>;

/** Defines the tests of a file once for each dialect. */
export const inBothDialects = (define: (world: AggregationWorld) => void): void => oncePerDialect((dialect) => new AggregationWorld(dialect), define);

export class AggregationWorld {
  readonly brand: Brand;
  readonly clock = new TurnedClock();
  #api: TestServer | undefined;
  #other: AggregatedServer | undefined;
  #count = 0;

  constructor(dialect: Dialect) {
    this.brand = brandOf(dialect);
  }

  async start(): Promise<void> {
    this.#other = await AggregatedServer.start(['backend.infra.svc']);
    const proxyCertificate = await this.#other.authority.issue('front-proxy', []);
    const { dialect } = this.brand;
    // Proxies in front say who asks in headers of other names, which nobody else may send to those behind.
    const requestHeader = { clientCa: this.#other.authority.cert, usernameHeaders: ['X-Known-As'], groupHeaders: ['X-Member-Of'], extraHeadersPrefixes: ['X-Known-By-'] };
    const options = { dialect, clock: this.clock, controllers: 'none', over: 'http1', listen: {}, aggregation: { proxyCertificate }, authentication: { requestHeader } } as const;
    this.#api = await startTestServer(options);
    expect(201, await this.post('/api/v1/namespaces', { metadata: { name: 'infra' } }));
    await this.service('backend', { type: 'ExternalName', externalName: 'localhost' });
  }

  async end(): Promise<void> {
    await this.#api?.close();
    await this.#other?.close();
  }

  get api(): TestServer {
    if (this.#api === undefined) throw new Error('the world has not started');
    return this.#api;
  }

  get other(): AggregatedServer {
    if (this.#other === undefined) throw new Error('the world has not started');
    return this.#other;
  }

  /** A group nobody else uses. */
  group(): string {
    this.#count += 1;
    return `g${this.#count}.example.com`;
  }

  get services(): string {
    return `/apis/${this.brand.group('apiregistration')}/v1/apiservices`;
  }

  get(path: string, headers?: Headers): Promise<TestAnswer> {
    return this.api.request('GET', path, undefined, headers);
  }

  post(path: string, body: unknown, headers?: Headers): Promise<TestAnswer> {
    return this.api.request('POST', path, body, headers);
  }

  delete(path: string): Promise<TestAnswer> {
    return this.api.request('DELETE', path);
  }

  async service(name: string, spec: object): Promise<void> {
    expect(201, await this.post('/api/v1/namespaces/infra/services', { metadata: { name }, spec }));
  }

  apiService(group: string, spec: object = {}): object {
    const service = { namespace: 'infra', name: 'backend', port: this.other.port };
    const whole = { group, version: 'v1', groupPriorityMinimum: 100, versionPriority: 10, service, caBundle: this.other.caBundle, ...spec };
    return { apiVersion: `${this.brand.group('apiregistration')}/v1`, kind: 'APIService', metadata: { name: `${whole.version}.${group}` }, spec: whole };
  }

  /** Declares that the other server serves a group, and waits for a verdict on it. */
  async aggregate(group: string, spec: object = {}): Promise<TestJson> {
    const body = this.apiService(group, spec) as TestJson;
    expect(201, await this.post(this.services, body));
    return this.verdict(body.metadata.name);
  }

  /** The condition of an APIService, as soon as it has one, or one with that reason. */
  verdict(name: string, reason?: string): Promise<TestJson> {
    return this.until(name, (condition) => reason === undefined || condition.reason === reason);
  }

  /** The condition of an APIService, as soon as it is such a one. */
  async until(name: string, fits: (condition: TestJson) => boolean): Promise<TestJson> {
    const watch = await this.api.watch(`${this.services}?watch=1&fieldSelector=metadata.name%3D${name}`);
    for (;;) {
      const [{ object }] = await watch.next(1);
      const condition = object.status?.conditions?.[0];
      if (condition === undefined || !fits(condition)) continue;
      await watch.stop();
      return condition;
    }
  }
}
