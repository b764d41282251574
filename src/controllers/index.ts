export { chooseControllers } from './choose.ts';
export type { BuiltInSigner } from './environment.ts';
export { keepOf } from './kept.table.ts';
export { startControllers } from './run.ts';
