import { setTimeout as pause } from 'node:timers/promises';
import { openEngine, type Engine } from '#storage';
import { EtcdProcess, type EtcdCluster } from '../etcd/etcd-process.ts';
import { StallingProxy } from '../etcd/stalling-proxy.ts';
import type { Recorder } from './history.ts';
import type { World } from './play.ts';
import { ProcessWorld } from './process-world.ts';
import type { Random } from './random.ts';

const MEMBERS = 3;
/** Longer than a server waits for a member before it asks another one. */
const MAX_CUT_MS = 5_000;
const MAX_DOWN_MS = 400;

/**
 * `orch serve` in processes of their own on one etcd of three members, each with a network of its own to each member. One member at a time is cut off,
 * from one server or from all, or killed; and somebody else compacts.
 */
export class CutOffWorld implements World {
  readonly #cluster: EtcdCluster;
  /** By server and by member. */
  readonly #networks: readonly (readonly StallingProxy[])[];
  readonly #servers: readonly ProcessWorld[];
  readonly #other: Engine;

  private constructor(cluster: EtcdCluster, networks: readonly (readonly StallingProxy[])[], servers: readonly ProcessWorld[], other: Engine) {
    this.#cluster = cluster;
    this.#networks = networks;
    this.#servers = servers;
    this.#other = other;
  }

  static async start(servers: number): Promise<CutOffWorld> {
    const cluster = await EtcdProcess.startCluster(MEMBERS);
    const networks = await Promise.all(Array.from({ length: servers }, () => Promise.all(cluster.members.map(({ address }) => StallingProxy.to(address)))));
    const started = await Promise.all(networks.map((network) => ProcessWorld.start(1, storeAt(network))));
    return new CutOffWorld(cluster, networks, started, await openEngine(storeAt(cluster.members)));
  }

  url(client: number): string {
    return this.#servers[client % this.#servers.length]!.url(0);
  }

  async disturb(random: Random, recorder: Recorder): Promise<void> {
    const member = random.int(MEMBERS);
    const dice = random.int(5);
    if (dice < 2) return this.#cutOff(this.#networks.map((network) => network[member]!), random);
    if (dice < 3) return this.#cutOff([random.pick(this.#networks)[member]!], random);
    if (dice < 4) {
      await this.#cluster.members[member]!.kill();
      await pause(random.int(MAX_DOWN_MS));
      return this.#cluster.members[member]!.run();
    }
    const before = Math.max(1, recorder.seenTo - random.int(5));
    recorder.compactions.push({ before, start: recorder.now() });
    await this.#other.compact(before);
  }

  async close(): Promise<void> {
    await this.#other.close();
    await Promise.all(this.#servers.map((server) => server.close()));
    await Promise.all(this.#networks.flat().map((network) => network.close()));
    await this.#cluster.remove();
  }

  /** What was held up arrives in the end, or never does. */
  async #cutOff(networks: readonly StallingProxy[], random: Random): Promise<void> {
    for (const network of networks) network.stall();
    await pause(random.int(MAX_CUT_MS));
    for (const network of networks) {
      if (random.oneIn(2)) network.goOn();
      else network.forgetConnections();
    }
  }
}

const storeAt = (members: readonly { readonly address: string }[]): string => `etcd://${members.map(({ address }) => address).join(',')}`;
