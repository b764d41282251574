import assert from 'node:assert/strict';
import { openEngine, type Engine, type Revision } from '#storage';
import { EtcdProcess } from './etcd-process.ts';
import type { FeedRecorder } from './feed-recorder.ts';

interface Proxy {
  readonly address: string;
  close(): Promise<void>;
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** An etcd of its own with two engines: one reaches it directly, the other through a proxy. */
export class NearAndFar<P extends Proxy> {
  readonly etcd: EtcdProcess;
  readonly proxy: P;
  readonly near: Engine;
  readonly far: Engine;

  private constructor(etcd: EtcdProcess, proxy: P, near: Engine, far: Engine) {
    this.etcd = etcd;
    this.proxy = proxy;
    this.near = near;
    this.far = far;
  }

  static async open<P extends Proxy>(proxyTo: (target: string) => Promise<P>): Promise<NearAndFar<P>> {
    const etcd = await EtcdProcess.start();
    const proxy = await proxyTo(etcd.address);
    const [near, far] = await Promise.all([openEngine(`etcd://${etcd.address}`), openEngine(`etcd://${proxy.address}`)]);
    return new NearAndFar(etcd, proxy, near, far);
  }

  async close(): Promise<void> {
    await Promise.all([this.near.close(), this.far.close()]);
    await this.proxy.close();
    await this.etcd.remove();
  }

  /** Writes the same entry so many times, past the proxy. */
  async write(count: number): Promise<Revision> {
    for (let i = 0; i < count; i++) await this.near.commit({ key: '/w/a', expect: (await this.near.get('/w/a'))?.revision ?? 0, value: bytes(`${i}`) });
    return this.near.head();
  }
}

/** Who has followed from the first write on has seen every revision once and in order. */
export async function checkFeed(recorder: FeedRecorder, head: Revision): Promise<void> {
  await recorder.reached(head);
  assert.equal(recorder.lost, undefined);
  assert.deepEqual(recorder.changes.map(({ revision }) => revision), Array.from({ length: head - 1 }, (_, i) => i + 2));
}
