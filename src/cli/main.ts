#!/usr/bin/env node
// This file imports nothing by itself: what an older Node lacks is missed as soon as anything else is loaded.
if ((process as Partial<NodeJS.Process>).getBuiltinModule === undefined) {
  console.error(`orch: it needs Node 20.19 or newer, and this is ${process.versions.node} (${process.execPath})`);
  process.exitCode = 1;
} else {
  await import('./program.ts');
}
