import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { FanOut, Load, LoadMessage, Measured } from './load.ts';
import type { Observed, Question, Settled } from './observe.ts';

const besides = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
export const OBSERVER = new URL('observe.js', import.meta.url).href;

/** A process that can be looked at from outside (`observe.ts`). */
export interface Watched {
  /** Starts a new period; tells of the one that ends. */
  observe(): Promise<Observed>;
  /** Collects garbage and tells what is left. */
  settle(): Promise<Settled>;
}

export function watched(child: ChildProcess): Watched {
  const ask = async (question: Question): Promise<unknown> => {
    child.send(question);
    const [answer] = (await once(child, 'message')) as [unknown];
    return answer;
  };
  return { observe: () => ask('observe') as Promise<Observed>, settle: () => ask('settle') as Promise<Settled> };
}

export interface Bare extends Watched {
  readonly h1: number;
  readonly h2: number;
  stop(): Promise<void>;
}

/** A server without an API behind it. */
export const startBare = (tlsFolder: string): Promise<Bare> => startServer('bare-process.js', tlsFolder, 'SIGKILL');

/** A server that commits to a store of its own, which it removes in the end, and has no API. */
export const startCommitting = (tlsFolder: string): Promise<Omit<Bare, 'h2'>> => startServer('committing-process.js', tlsFolder, 'SIGTERM');

async function startServer(program: string, tlsFolder: string, signal: NodeJS.Signals): Promise<Bare> {
  const child = fork(besides(program), [tlsFolder]);
  const [ports] = (await once(child, 'message')) as [Pick<Bare, 'h1' | 'h2'>];
  return { ...ports, ...watched(child), stop: () => end(child, signal) };
}

export interface LoadMaker {
  run(order: Load | FanOut, onBegin: () => void): Promise<Measured>;
  stop(): Promise<void>;
}

export function startLoadMaker(): LoadMaker {
  const child = fork(besides('load-process.js'));
  return {
    run: (order, onBegin) =>
      new Promise((resolve, reject) => {
        const hear = (message: LoadMessage): void => {
          if (message === 'begin') return onBegin();
          child.off('message', hear).off('exit', gone);
          if ('done' in message) resolve(message.done);
          else reject(new Error(message.failed));
        };
        const gone = (): void => reject(new Error('the load process ended'));
        child.on('message', hear).on('exit', gone);
        child.send(order);
      }),
    stop: () => end(child),
  };
}

/** Ends a child by its id and waits for it. */
export async function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}
