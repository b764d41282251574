import { afterEach, beforeEach } from 'node:test';
import { startTestServer, type TestServer } from '#testing';
import { EtcdProcess } from './etcd-process.ts';

type Options = NonNullable<Parameters<typeof startTestServer>[0]>;

export interface ServerOnEtcd {
  /** That of the test that runs. */
  readonly etcd: EtcdProcess;
  /** Another server on it takes the place of the one before. */
  restart(options: Omit<Options, 'store'>): Promise<TestServer>;
}

/** For each test of the suite that calls it an etcd of its own, and one server at a time on it; both end with the test. */
export function serverOnEtcd(): ServerOnEtcd {
  let etcd: EtcdProcess;
  let server: TestServer | undefined;
  beforeEach(async () => {
    etcd = await EtcdProcess.start();
  });
  afterEach(async () => {
    await server?.close();
    server = undefined;
    await etcd.remove();
  });
  return {
    get etcd() {
      return etcd;
    },
    async restart(options) {
      await server?.close();
      server = await startTestServer({ ...options, store: `etcd://${etcd.address}` });
      return server;
    },
  };
}
