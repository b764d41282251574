import { endAtSignals, endThoughThreadsWait } from './ending-signals.ts';
import { run } from './run.ts';
import { processTerminal } from './terminal.ts';

// Log rotation tools send SIGUSR1 by habit. Without a handler Node would open its debugger port, to every local user.
process.on('SIGUSR1', () => {});
endAtSignals();

process.exitCode = await run(process.argv.slice(2), processTerminal());
endThoughThreadsWait();
