export { jsonPatch } from './json-patch.ts';
export { parsePointer } from './json-pointer.ts';
export { mergePatchObject } from './merge-patch.ts';
export { strategicMerge } from './strategic-merge.ts';
