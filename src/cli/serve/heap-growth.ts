import { setFlagsFromString } from 'node:v8';

/** Growth of the heap since a full collection, in percent, that triggers the next one. By default V8 may let it grow to four times its size. */
const GROWTH_PERCENT = 190;

/**
 * Makes full garbage collections more frequent. Node leaves a few strings in the old generation for every HTTP/2 request, which only a full
 * collection frees: after some 200,000 requests that is a long pause, more than half of it in the allocator (`allocatorSettings`). Collecting more often
 * costs a few percent of processor time, and saves the memory that would fill up in between.
 */
export function growInSmallSteps(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
}
