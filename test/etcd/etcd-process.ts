import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
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

/** Members of one cluster, in one folder. */
export interface EtcdCluster {
  readonly members: readonly EtcdProcess[];
  /** Kills the members and removes what they leave. */
  remove(): Promise<void>;
}

/** One etcd in a folder of its own, on loopback. */
export class EtcdProcess {
  /** It keeps the port that it chose at its first start: one that was found free before that may be taken by then. */
  address = '127.0.0.1:0';
  readonly #folder: string;
  readonly #name: string;
  readonly #flags: readonly string[];
  #child: ChildProcess | undefined;

  private constructor(folder: string, name: string, flags: readonly string[]) {
    this.#folder = folder;
    this.#name = name;
    this.#flags = flags;
  }

  /** A fresh one that answers. */
  static async start(flags: readonly string[] = []): Promise<EtcdProcess> {
    const folder = await mkdtemp(join(tmpdir(), 'orch-etcd-'));
    const etcd = new EtcdProcess(folder, 'data', flags);
    await etcd.run();
    return etcd;
  }

  /** One cluster that answers. Each member must know the others' addresses before it starts: they are sockets in the folder, with a port for form's sake. */
  static async startCluster(size: number): Promise<EtcdCluster> {
    const folder = await mkdtemp(join(tmpdir(), 'orch-etcd-'));
    const names = Array.from({ length: size }, (_, i) => `m${i}`);
    const peerOf = (name: string): string => `unix://${name}:1`;
    const cluster = names.map((name) => `${name}=${peerOf(name)}`).join(',');
    const members = names.map((name) => {
      const peer = peerOf(name);
      return new EtcdProcess(folder, name, [`--name=${name}`, `--initial-cluster=${cluster}`, `--initial-advertise-peer-urls=${peer}`, `--listen-peer-urls=${peer}`, ...CALM]);
    });
    await Promise.all(members.map((member) => member.run()));
    return {
      members,
      async remove() {
        await Promise.all(members.map((member) => member.kill()));
        await rm(folder, { recursive: true, force: true });
      },
    };
  }

  /** Runs it again on what is in its folder; on nothing where that was removed. */
  async run(): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    const scheme = this.#flags.some((flag) => flag.startsWith('--cert-file')) ? 'https' : 'http';
    const url = `${scheme}://${this.address}`;
    const flags = [`--data-dir=${this.#name}`, `--listen-client-urls=${url}`, `--advertise-client-urls=${url}`, '--listen-peer-urls=http://127.0.0.1:0', ...FLAGS, ...this.#flags];
    const child = endsWithFile(spawn('etcd', flags, { cwd: this.#folder, stdio: ['ignore', 'ignore', 'pipe'] }));
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
