export { openWatchCaches, type WatchCaches } from './open.ts';
