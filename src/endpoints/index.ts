export { createCodecs, type Codecs } from './codecs.ts';
export { createDispatch } from './dispatch.ts';
export type { Environment, Limits } from './environment.ts';
