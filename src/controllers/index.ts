export { chooseControllers } from './choose.ts';
export { CONTROLLERS, type ControllerRow } from './controllers.table.ts';
export type { BuiltInSigner, ServerControllerEnv } from './environment.ts';
export { keepOf } from './kept.table.ts';
export { startControllers } from './run.ts';
