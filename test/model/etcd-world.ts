import { setTimeout as pause } from 'node:timers/promises';
import { EtcdProcess } from '../etcd/etcd-process.ts';
import { StallingProxy } from '../etcd/stalling-proxy.ts';
import type { World } from './play.ts';
import { ProcessWorld } from './process-world.ts';
import type { Random } from './random.ts';

/** Longer than a request takes, shorter than a client waits. */
const MAX_STOPPED_MS = 400;

/** `orch serve` in processes of their own on one etcd. Everything can fail: the servers, etcd, and the network between them. */
export class EtcdWorld implements World {
  readonly #etcd: EtcdProcess;
  readonly #network: StallingProxy;
  readonly #servers: ProcessWorld;

  private constructor(etcd: EtcdProcess, network: StallingProxy, servers: ProcessWorld) {
    this.#etcd = etcd;
    this.#network = network;
    this.#servers = servers;
  }

  static async start(servers: number): Promise<EtcdWorld> {
    const etcd = await EtcdProcess.start();
    const network = await StallingProxy.to(etcd.address);
    return new EtcdWorld(etcd, network, await ProcessWorld.start(servers, `etcd://${network.address}`));
  }

  url(client: number): string {
    return this.#servers.url(client);
  }

  async disturb(random: Random): Promise<void> {
    const dice = random.int(5);
    if (dice < 1) return this.#servers.disturb(random);
    if (dice < 3) {
      await this.#etcd.kill();
      await pause(random.int(MAX_STOPPED_MS));
      return this.#etcd.run();
    }
    if (dice < 4) {
      this.#etcd.signal('SIGSTOP');
      await pause(random.int(MAX_STOPPED_MS));
      this.#etcd.signal('SIGCONT');
      return;
    }
    this.#network.stall();
    await pause(random.int(MAX_STOPPED_MS));
    this.#network.goOn();
  }

  async close(): Promise<void> {
    await this.#servers.close();
    await this.#network.close();
    await this.#etcd.remove();
  }
}
