// Made by `npm run gen` from the files in this folder. Do not edit.
export { namespaceLifecycle } from './namespaces/namespace-lifecycle.ts';
export { taintNodesByCondition } from './nodes/taint-nodes-by-condition.ts';
export { defaultTolerationSeconds } from './pods/default-toleration-seconds.ts';
export { priority } from './pods/priority.ts';
export { serviceAccount } from './pods/service-account.ts';
export { storageObjectInUseProtection } from './storage/storage-object-in-use-protection.ts';
