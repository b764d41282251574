export { jsonPatch } from './json-patch.ts';
export { MAX_COPIED_BYTES, MAX_OPERATIONS } from './limits.ts';
export { mergePatch, mergePatchObject } from './merge-patch.ts';
export { strategicMerge } from './strategic-merge.ts';
