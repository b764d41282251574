export { createAdmissionChain, type AdmissionChain, type NamedHooks } from './chain.ts';
export { callWords } from './webhook/call-failure.ts';
export { WebhookConnections } from './webhook/connections.ts';
export { readAdmissionConfiguration } from './config.ts';
export type { AdmissionObserver, PodSecurityObserver, Run, Step } from './observer.ts';
export { OPERATIONS } from './operation.ts';
export { BANDS, orderedPlugins } from './order.ts';
export { definePlugin, refuse, type AdmissionEnv, type AdmissionHooks, type AdmissionPlugin, type AdmissionRequest, type Operation } from './plugin.ts';
