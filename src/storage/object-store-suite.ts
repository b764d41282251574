import { afterEach, beforeEach, describe } from 'node:test';
import type { Clock } from '#base';
import { bookmarkSuite } from './object-store-suite/bookmark-suite.ts';
import { getSuite } from './object-store-suite/get-suite.ts';
import { listSuite } from './object-store-suite/list-suite.ts';
import { TestedStore, type SuiteStore } from './object-store-suite/test-support.ts';
import { watchEndSuite } from './object-store-suite/watch-end-suite.ts';
import { watchSuite } from './object-store-suite/watch-suite.ts';
import { writeSuite } from './object-store-suite/write-suite.ts';

export { Collector, note, NoteCodec, PREFIX, type Note } from './object-store-suite/test-support.ts';

export interface SuiteOptions {
  /** The store still has changes that the engine has compacted. */
  readonly remembersLonger?: boolean;
}

/** Registers the tests that every `ObjectStore` must pass. */
export function objectStoreSuite(name: string, open: (clock: Clock) => Promise<SuiteStore>, { remembersLonger = false }: SuiteOptions = {}): void {
  const tested = new TestedStore(open, remembersLonger);
  describe(`object store ${name}`, () => {
    beforeEach(() => tested.open());
    afterEach(() => tested.close());

    describe('write', () => writeSuite(tested));
    describe('get', () => getSuite(tested));
    describe('list', () => listSuite(tested));
    describe('watch', () => {
      watchSuite(tested);
      bookmarkSuite(tested);
      watchEndSuite(tested);
    });
  });
}
