export { CustomResources, type CustomResourcesOptions } from './crd/custom-resources.ts';
export type { ConversionClient, CallConversion } from './crd/conversion-webhook.ts';
export { AggregatedApis, type AggregatedApisOptions } from './aggregation/aggregated-apis.ts';
export type { ProxyCertificate } from './aggregation/calls.ts';
export type { OpenapiSource } from './aggregation/openapi-sources.ts';
