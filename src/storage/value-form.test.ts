import { engineSuite, HISTORY_SECONDS } from './engine-suite.ts';
import { driver } from './engines/memory/index.ts';
import { reformed, type ValueForm } from './value-form.ts';

/** Stored bytes that say nothing without the form. */
const FLIPPED: ValueForm = {
  seal: (_key, value) => value.map((byte) => byte ^ 0xff),
  open: (_key, kept) => ({ value: kept.map((byte) => byte ^ 0xff), isStale: false }),
};

engineSuite('memory, whose values are stored in another form', {
  open: async (clock) => reformed(await driver.open({ location: '', historySeconds: HISTORY_SECONDS, clock, log: () => {} }), FLIPPED),
});
