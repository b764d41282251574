// What a test process has written is read in full by whoever started it: --test-force-exit ends the process with its last results still
// unsent when the runner is too busy to read them, and nobody counts what is missing. Undocumented, but what npm and yargs do: there is no
// other way to wait for a pipe while exiting. Threads have no handle of their own.
for (const stream of [process.stdout, process.stderr]) stream._handle?.setBlocking?.(true);
