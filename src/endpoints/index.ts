export type { Component } from './component.ts';
export { forwardRequest } from './actions/connect-forward.ts';
export type { ConnectSettings, ForwardSettings } from './actions/connect-settings.ts';
export { createCodecs, type Codecs } from './codecs.ts';
export { createDispatch } from './dispatch.ts';
export type { Environment, RequestLimits } from './environment.ts';
export { trackAs } from './track-own.ts';
