export { CustomResources } from './crd/custom-resources.ts';
export { DEFINITION } from './crd/definition.ts';
export type { ConversionClient, CallConversion } from './crd/conversion-webhook.ts';
export { AggregatedApis } from './aggregation/aggregated-apis.ts';
export type { AvailabilityObserver } from './aggregation/availability.ts';
export type { ProxyCertificate } from './aggregation/calls.ts';
