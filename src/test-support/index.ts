export { collectGarbage, usedMib } from './memory.ts';
export { NO_OPEN_FILES, openFilesIn } from './open-files.ts';
export { passing } from './passing-engine.ts';
