import { after, afterEach, beforeEach, describe } from 'node:test';
import { closedSuite } from './engine-suite/closed-suite.ts';
import { commitSuite } from './engine-suite/commit-suite.ts';
import { feedSuite } from './engine-suite/feed-suite.ts';
import { historySuite } from './engine-suite/history-suite.ts';
import { reopenedSuite } from './engine-suite/reopened-suite.ts';
import { scanSuite } from './engine-suite/scan-suite.ts';
import { TestedEngine, type SuiteEngines } from './engine-suite/test-support.ts';
import { timeToLiveSuite } from './engine-suite/time-to-live-suite.ts';

export { HISTORY_SECONDS } from './engine-suite/test-support.ts';

/** Registers the tests that every engine must pass: the laws stated at `Engine` in `engine.ts`. */
export function engineSuite(name: string, engines: SuiteEngines): void {
  const tested = new TestedEngine(engines);
  describe(`engine ${name}`, () => {
    beforeEach(() => tested.open());
    afterEach(() => tested.engine.close());
    after(() => engines.clean?.());

    describe('commit', () => commitSuite(tested));
    describe('scan', () => scanSuite(tested));
    describe('history', () => historySuite(tested));
    describe('feed', () => feedSuite(tested));
    describe('time to live', () => timeToLiveSuite(tested));
    describe('closed', () => closedSuite(tested));
    if (engines.reopen !== undefined) describe('opened again', () => reopenedSuite(tested));
  });
}
