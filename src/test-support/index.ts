export { collectGarbage, usedMib } from './memory.ts';
