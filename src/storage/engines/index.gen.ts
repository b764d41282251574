// Made by `npm run gen` from the files in this folder. Do not edit.
export { driver as etcd } from './etcd/index.ts';
export { driver as lmdb } from './lmdb/index.ts';
export { driver as memory } from './memory/index.ts';
export { driver as sqlite } from './sqlite/index.ts';
