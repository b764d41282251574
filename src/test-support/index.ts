export { collectGarbage, usedMib } from './memory.ts';
export { passing } from './passing-engine.ts';
