export {
  defineKind,
  type ApiObject,
  type Brand,
  type Column,
  type HookContext,
  type KindDefinition,
  type KindObject,
  type ObjectMeta,
  type ObjectOf,
  type Subresource,
  type Verb,
  type Version,
} from '#api';
export * from './index.gen.ts';
export { loadDescriptions } from './descriptions/load.ts';
export { CONNECT_OPTIONS } from './core/connect-options.ts';
export { readyAddresses, serviceLead, type ServiceAddress, type ServiceAddresses, type ServiceLead } from './core/service-addresses.ts';
export { RangeAllocationBody } from './core/range-allocation.ts';
export { readSignedRequest, requestBytes } from './certificates/pem.ts';
export { MANDATORY_FLOW_SCHEMAS, MANDATORY_PRIORITY_LEVELS } from './flowcontrol/mandatory.ts';
export { PRIORITY_LEVEL_DEFAULTS } from './flowcontrol/priority-level-messages.ts';
export { SYSTEM_PRIORITY_CLASSES } from './scheduling/priority-class.ts';
export { coveredBy, mergeTolerations } from './core/pod/merge-tolerations.ts';
export { CONTAINER_LISTS, containersOf, everyContainer } from './core/pod/every-container.ts';
export { seccompText } from './core/pod/sync-seccomp.ts';
export { configuredTolerations, readTolerations } from './core/pod/read-tolerations.ts';
export { conditionSince } from './core/pod/pod-status.ts';
export { qosClassOf, type QosClass } from './core/pod/qos-class.ts';
export { isExtendedResource } from './core/pod/resource-names.ts';
export { POD_PLACES } from './core/pod/pod-places.table.ts';
export type { PodSpec } from './core/pod/pod-spec.ts';
export { VOLUME_KINDS } from './core/volume/volume.ts';
export { countedBy, isFreeOfQuotas } from './core/quota/count-names.ts';
export { usageEndsAtMs } from './core/quota/pod-usage.ts';
export { faultOfScope, isInQuota, isInScope, isOfPod, quotaNames, scopesOf } from './core/quota/scopes.ts';
export {
  addUsage,
  isQuotaNameOf,
  quotaUsageOf,
  readUsage,
  usageDifference,
  type QuotaContext,
  type QuotaSubject,
  type Usage,
} from './core/quota/usage.ts';
export { NEVER_SAID, scaleOf, scalePart, validateScale, type Scale, type Unsaid } from './autoscaling/scale.ts';
export { validateTokenRequest, type TokenRequest } from './authentication/token-request.ts';
export { normalizeEmbedded, repairEmbedded, repairMetadata, validateEmbedded } from './apiextensions/embedded-resource.ts';
export { isReviewVersion, REVIEW_VERSIONS, type ReviewVersion } from './admissionregistration/review-versions.ts';
export { approvalOf, isProtectedGroup, type Approval } from './apiextensions/api-approval.ts';
export { structureFaults, unstructuredVersion } from './apiextensions/structure-faults.ts';
