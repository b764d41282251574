/** Makes load for a server that runs in another process. Forked; works on one order at a time. */
import type { FanOut, Load, LoadMessage } from './load.ts';
import { runFanOut } from './run-fan-out.ts';
import { runRequests } from './run-requests.ts';

const tell = (message: LoadMessage): void => void process.send?.(message);

process.on('message', (order: Load | FanOut) => {
  const begin = (): void => tell('begin');
  const measured = order.do === 'requests' ? runRequests(order, begin) : runFanOut(order, begin);
  measured.then(
    (done) => tell({ done }),
    (cause: unknown) => tell({ failed: String(cause) }),
  );
});
