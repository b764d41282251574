export { createAdmissionChain, type AdmissionChain } from './chain.ts';
export { orderedPlugins } from './order.ts';
export { definePlugin, type AdmissionEnv, type AdmissionHooks, type AdmissionPlugin, type AdmissionRequest, type Operation } from './plugin.ts';
