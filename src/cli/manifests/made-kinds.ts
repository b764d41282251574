import { aliveDuring, systemClock, textAt } from '#base';
import { backoffMs, wait } from '#client';
import type { Manifest } from './load-manifests.ts';

/** The kinds whose definitions a command has made: a server serves them a moment later. */
export class MadeKinds {
  readonly #kinds = new Set<string>();

  /** An object that was made, be it a definition or not. */
  add({ kind, object }: Pick<Manifest, 'kind' | 'object'>): void {
    if (kind === 'CustomResourceDefinition') this.#kinds.add(`${textAt(object, 'spec', 'group')} ${textAt(object, 'spec', 'names', 'kind')}`);
  }

  has({ apiVersion, kind }: Pick<Manifest, 'apiVersion' | 'kind'>): boolean {
    return this.#kinds.has(`${apiVersion.split('/')[0]} ${kind}`);
  }
}

const BACKOFF = { firstMs: 10, longestMs: 500 };
const PATIENCE_MS = 10_000;

/** Looks again and again, until something is found or some seconds have passed. */
export function lookAgain<T>(look: () => Promise<T | undefined>): Promise<T | undefined> {
  const giveUpMs = systemClock.nowMs() + PATIENCE_MS;
  return aliveDuring(async () => {
    let found: T | undefined;
    for (let tries = 1; found === undefined && systemClock.nowMs() < giveUpMs; tries++) {
      await wait(systemClock, backoffMs(BACKOFF, tries));
      found = await look();
    }
    return found;
  });
}
