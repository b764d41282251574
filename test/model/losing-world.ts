import { constants } from 'node:http2';
import { EtcdProcess } from '../etcd/etcd-process.ts';
import { StreamProxy, WATCH, type Fate } from '../etcd/stream-proxy.ts';
import type { World } from './play.ts';
import { ProcessWorld } from './process-world.ts';
import { Random } from './random.ts';

/** So many answers arrive for each that does not. */
const ARRIVE = 30;
const RESETS = [constants.NGHTTP2_CANCEL, constants.NGHTTP2_NO_ERROR, constants.NGHTTP2_INTERNAL_ERROR, constants.NGHTTP2_ENHANCE_YOUR_CALM];

/**
 * `orch serve` in processes of their own on one etcd, each behind a network of its own that loses answers: as a whole or from the middle on, with
 * and without a word to the server, of reads, writes and watches alike. Disturbed, one server loses its connections.
 */
export class LosingWorld implements World {
  readonly #etcd: EtcdProcess;
  readonly #proxies: readonly StreamProxy[];
  readonly #servers: readonly ProcessWorld[];

  private constructor(etcd: EtcdProcess, proxies: readonly StreamProxy[], servers: readonly ProcessWorld[]) {
    this.#etcd = etcd;
    this.#proxies = proxies;
    this.#servers = servers;
  }

  static async start(servers: number, seed: number): Promise<LosingWorld> {
    const etcd = await EtcdProcess.start();
    const random = new Random(seed + 1);
    const proxies = await Promise.all(Array.from({ length: servers }, () => StreamProxy.to(etcd.address)));
    const started = await Promise.all(proxies.map((proxy) => ProcessWorld.start(1, `etcd://${proxy.address}`)));
    for (const proxy of proxies) proxy.fate = (path) => fateOf(path, random);
    return new LosingWorld(etcd, proxies, started);
  }

  url(client: number): string {
    return this.#servers[client % this.#servers.length]!.url(0);
  }

  async disturb(random: Random): Promise<void> {
    random.pick(this.#proxies).cutConnections();
    await Promise.resolve();
  }

  async close(): Promise<void> {
    for (const proxy of this.#proxies) proxy.fate = () => undefined;
    await Promise.all(this.#servers.map((server) => server.close()));
    await Promise.all(this.#proxies.map((proxy) => proxy.close()));
    await this.#etcd.remove();
  }
}

/** A call of one answer loses it or not; a watch has many, and is lost in one of them. */
function fateOf(path: string, random: Random): Fate | undefined {
  if (path !== WATCH && !random.oneIn(ARRIVE)) return undefined;
  const isWhole = random.oneIn(2);
  const reset = random.pick(RESETS);
  return {
    answer: (piece, stream) => {
      if (path === WATCH && !random.oneIn(ARRIVE)) return piece;
      if (!isWhole) stream.write(piece.subarray(0, random.int(piece.length)));
      stream.close(reset);
      return 'end';
    },
  };
}
