import { engineSuite, HISTORY_SECONDS } from '../../engine-suite.ts';
import { driver } from './index.ts';

engineSuite('memory', {
  open: (clock) => driver.open({ location: '', historySeconds: HISTORY_SECONDS, clock, log: () => {} }),
});
