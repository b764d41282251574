import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { deferred, failureText, type Deferred } from '#base';
import { closedFailure, StorageFailure } from '../../storage-failure.ts';
import { writeFailure } from './failures.ts';
import { FILE } from './files.ts';
import type { WriterResponse, WriterRequest } from './messages.ts';
import type { WritingThread } from './group-commit.ts';

/**
 * The file of the thread's program in the package whose manifest `findManifest` finds: a bundled server is one file, which may be elsewhere, and
 * some bundlers put the manifest beside it. Throws `StorageFailure`.
 */
export function programOfThread(findManifest: () => string): URL {
  let program: URL | undefined;
  let cause: unknown;
  try {
    program = new URL('dist/storage/engines/sqlite/writer.js', findManifest());
  } catch (problem) {
    cause = problem;
  }
  if (program !== undefined && existsSync(program)) return program;
  const help = 'leave the package orch out of bundles, or use an lmdb:// or memory:// store';
  throw new StorageFailure('unavailable', `a sqlite:// store starts a thread from a file of its package, which cannot be found: ${help}`, { cause });
}

/** `isUnconfirmed`: the thread had the write in hand. */
function endedFailure(folder: string, cause: Error, isUnconfirmed: boolean): StorageFailure {
  const problem = `nothing is written to the store ${join(folder, FILE)} or read from it any more, because the thread that writes has ended (${failureText(cause)})`;
  return new StorageFailure('unavailable', `${problem}: start this server anew`, { cause, isUnconfirmed });
}

/**
 * The thread that writes to the store in a folder; started by the constructor, which throws `StorageFailure`. `ended` is called once where it ends
 * though nobody has closed the store.
 */
export class SqliteThread implements WritingThread {
  readonly #folder: string;
  readonly #worker: Worker;
  /** The promise of the request in progress. */
  #pending: Deferred<WriterResponse> | undefined;
  #gone: StorageFailure | undefined;
  readonly #ended: (why: StorageFailure) => void;

  constructor(folder: string, ended: (why: StorageFailure) => void) {
    this.#folder = folder;
    this.#ended = ended;
    this.#worker = new Worker(programOfThread(() => import.meta.resolve('#package.json')), { workerData: { folder }, execArgv: [] });
    this.#worker.on('message', (answer: WriterResponse) => {
      const asked = this.#pending;
      this.#pending = undefined;
      if (answer.kind === 'closed') this.#gone = closedFailure();
      asked?.resolve(answer);
    });
    this.#worker.on('error', (cause) => this.#end(cause));
    this.#worker.on('exit', (code) => this.#end(new Error(`exit code ${code}`)));
  }

  async request(request: WriterRequest, transfer: readonly ArrayBuffer[] = []): Promise<Exclude<WriterResponse, { kind: 'failed' }>> {
    if (this.#gone !== undefined) throw this.#gone;
    this.#pending = deferred<WriterResponse>();
    this.#worker.postMessage(request, transfer);
    const answer = await this.#pending.promise;
    if (answer.kind === 'failed') throw writeFailure(this.#folder, answer.why, answer.isUnconfirmed);
    return answer;
  }

  #end(cause: Error): void {
    if (this.#gone !== undefined) return;
    this.#gone = endedFailure(this.#folder, cause, false);
    this.#ended(this.#gone);
    this.#pending?.reject(endedFailure(this.#folder, cause, true));
    this.#pending = undefined;
  }
}
