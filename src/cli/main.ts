#!/usr/bin/env node
import { run } from './run.ts';
import { processTerminal } from './terminal.ts';

// Programs that rotate logs send it by habit. Node would open a debugger, to whoever has an account on this machine.
process.on('SIGUSR1', () => {});

process.exitCode = await run(process.argv.slice(2), processTerminal());
