import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Frees all memory that nothing refers to. */
export async function collectGarbage(): Promise<void> {
  // What a weak reference was made of in a turn of the event loop stays until its end.
  await new Promise((resolve) => setImmediate(resolve));
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

/** MiB of the heap that something refers to. */
export async function usedMib(): Promise<number> {
  await collectGarbage();
  return process.memoryUsage().heapUsed / 1024 / 1024;
}
