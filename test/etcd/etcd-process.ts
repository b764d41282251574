import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endsWithFile } from '../support/children.ts';

/** Why the suites that need etcd cannot run here; `false` when they can. */
export const NO_ETCD: string | false =
  spawnSync('etcd', ['--version']).error === undefined ? false : 'there is no etcd on this machine: install the package etcd-server';

if (NO_ETCD !== false) console.log(`skipped: ${NO_ETCD}`);

/** Fast enough for tests: one member has nobody to wait for, and nothing has to outlive the machine. */
const FLAGS = ['--heartbeat-interval=10', '--election-timeout=100', '--max-request-bytes=8388608', '--unsafe-no-fsync'];

/** Several members on a busy machine must not take one another for dead. */
const CALM = ['--heartbeat-interval=50', '--election-timeout=500'];

/** One etcd in a folder of its own, on loopback. */
export class EtcdProcess {
  /** It keeps the port that it chose at its first start: one that was found free before that may be taken by then. */
  address = '127.0.0.1:0';
  readonly #folder: string;
  readonly #flags: readonly string[];
  #child: ChildProcess | undefined;

  private constructor(folder: string, flags: readonly string[]) {
    this.#folder = folder;
    this.#flags = flags;
  }

  /** A fresh one that answers. */
  static async start(flags: readonly string[] = []): Promise<EtcdProcess> {
    const folder = await mkdtemp(join(tmpdir(), 'orch-etcd-'));
    const etcd = new EtcdProcess(folder, flags);
    await etcd.run();
    return etcd;
  }

  /** Members of one cluster that answers. */
  static async startCluster(size: number): Promise<readonly EtcdProcess[]> {
    const peers = await Promise.all(Array.from({ length: size }, async () => `http://127.0.0.1:${await freePort()}`));
    const cluster = peers.map((peer, i) => `m${i}=${peer}`).join(',');
    return Promise.all(
      peers.map((peer, i) =>
        EtcdProcess.start([`--name=m${i}`, `--initial-cluster=${cluster}`, `--initial-advertise-peer-urls=${peer}`, `--listen-peer-urls=${peer}`, ...CALM]),
      ),
    );
  }

  /** Runs it again on what is in its folder. */
  async run(): Promise<void> {
    const scheme = this.#flags.some((flag) => flag.startsWith('--cert-file')) ? 'https' : 'http';
    const url = `${scheme}://${this.address}`;
    const flags = [`--data-dir=${this.#folder}`, `--listen-client-urls=${url}`, `--advertise-client-urls=${url}`, '--listen-peer-urls=http://127.0.0.1:0', ...FLAGS, ...this.#flags];
    const child = endsWithFile(spawn('etcd', flags, { stdio: ['ignore', 'ignore', 'pipe'] }));
    this.#child = child;
    let said = '';
    this.address = await new Promise<string>((resolve, reject) => {
      child.once('exit', () => reject(new Error(`etcd did not start:\n${said}`)));
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        said += text;
        const [, address] = /serving (?:insecure )?client (?:requests|traffic)\b.*?\b(127\.0\.0\.1:\d+)/.exec(said) ?? [];
        if (address !== undefined) resolve(address);
      });
    });
  }

  signal(name: NodeJS.Signals): void {
    this.#child?.kill(name);
  }

  /** SIGKILL, and waits for the end. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  async remove(): Promise<void> {
    await this.kill();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
