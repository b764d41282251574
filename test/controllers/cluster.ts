// A server with its controllers, and ways to wait for what they do: always for an event, never for time.
import assert from 'node:assert/strict';
import { brandOf, type Brand, type Dialect } from '#api';
import { startTestServer, type TestJson, type TestServer, type TestServerOptions } from '#testing';

export const DIALECTS: readonly Dialect[] = ['orch', 'kubernetes'];

export class Cluster {
  readonly brand: Brand;
  readonly server: TestServer;

  private constructor(server: TestServer, brand: Brand) {
    this.server = server;
    this.brand = brand;
  }

  static async start(options: TestServerOptions = {}): Promise<Cluster> {
    return new Cluster(await startTestServer(options), brandOf(options.dialect ?? 'orch'));
  }

  /** A path below `/api/v1`, or below `/apis/<group>/v1` for `group:…`; a namespace stands before a `/`. */
  path(collection: string, name = ''): string {
    const [, group, namespace, plural] = /^(?:(\w+):)?(?:([^/]*)\/)?(\w+)$/.exec(collection) ?? assert.fail(collection);
    const root = group === undefined ? '/api/v1' : `/apis/${this.brand.group(group)}/v1`;
    return `${root}${namespace === undefined ? '' : `/namespaces/${namespace}`}/${plural}${name === '' ? '' : `/${name}`}`;
  }

  async ask(method: string, path: string, body?: unknown): Promise<TestJson> {
    const answer = await this.server.request(method, path, body);
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  }

  make(collection: string, metadata: object, more: object = {}): Promise<TestJson> {
    return this.ask('POST', this.path(collection), { metadata, ...more });
  }

  get(collection: string, name: string): Promise<TestJson> {
    return this.ask('GET', this.path(collection, name));
  }

  /** A namespace in which pods can be made. */
  async namespace(name: string, more: object = {}): Promise<TestJson> {
    const made = await this.make('namespaces', { name }, more);
    await this.appears(`${name}/serviceaccounts`, 'default');
    return made;
  }

  async isThere(collection: string, name: string): Promise<boolean> {
    return (await this.server.request('GET', this.path(collection, name))).status === 200;
  }

  delete(collection: string, name: string, options: object = {}): Promise<TestJson> {
    return this.ask('DELETE', this.path(collection, name), { kind: 'DeleteOptions', apiVersion: 'v1', ...options });
  }

  merge(collection: string, name: string, body: object): Promise<TestJson> {
    return this.server.patch('merge', this.path(collection, name), body).then(({ status, text, body: answer }) => {
      assert.equal(status, 200, text);
      return answer as TestJson;
    });
  }

  /** Waits until an object, or `undefined` for none, is as wanted. */
  async until(collection: string, name: string, isWanted: (object: TestJson) => boolean): Promise<TestJson> {
    const only = `fieldSelector=${encodeURIComponent(`metadata.name=${name}`)}`;
    const { items, metadata } = await this.ask('GET', `${this.path(collection)}?${only}`);
    if (isWanted(items[0])) return items[0];
    const watch = await this.server.watch(`${this.path(collection)}?watch=1&resourceVersion=${metadata.resourceVersion}&${only}`);
    try {
      for (;;) {
        const [event] = await watch.next(1);
        const object = event.type === 'DELETED' ? undefined : event.object;
        if (isWanted(object)) return object;
      }
    } finally {
      await watch.stop();
    }
  }

  gone(collection: string, name: string): Promise<TestJson> {
    return this.until(collection, name, (object) => object === undefined);
  }

  appears(collection: string, name: string): Promise<TestJson> {
    return this.until(collection, name, (object) => object !== undefined);
  }

  /** An owner reference to an object. */
  ownedBy(owner: TestJson, more: object = {}): object {
    return { apiVersion: owner.apiVersion, kind: owner.kind, name: owner.metadata.name, uid: owner.metadata.uid, ...more };
  }

  /** Returns once the garbage collector has looked at everything that was there before: what is made now and must go has gone. */
  async collectorHasSeenAll(): Promise<void> {
    for (const name of ['fence-one', 'fence-two']) {
      const nobody = { apiVersion: 'v1', kind: 'ConfigMap', name: 'nobody', uid: crypto.randomUUID() };
      await this.make('default/configmaps', { name, ownerReferences: [nobody] });
      await this.gone('default/configmaps', name);
    }
  }
}
