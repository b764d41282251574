import { engineSuite, HISTORY_SECONDS } from './engine-suite.ts';
import { driver } from './engines/memory/index.ts';
import { withTransformer, type ValueTransformer } from './value-transformer.ts';

/** Stored bytes that say nothing without the transformer. */
const FLIPPED: ValueTransformer = {
  toStorage: (_key, value) => value.map((byte) => byte ^ 0xff),
  fromStorage: (_key, kept) => ({ value: kept.map((byte) => byte ^ 0xff), isStale: false }),
};

engineSuite('memory, whose values are stored in another form', {
  open: async (clock) => withTransformer(await driver.open({ location: '', historySeconds: HISTORY_SECONDS, clock, log: () => {} }), FLIPPED),
});
