// Made by `npm run gen` from the files in this folder. Do not edit.
import type { KindDefinition } from '#api';
import { MutatingWebhookConfiguration } from './admissionregistration/mutating-webhook-configuration.ts';
import { ValidatingWebhookConfiguration } from './admissionregistration/validating-webhook-configuration.ts';
import { CustomResourceDefinition } from './apiextensions/custom-resource-definition.ts';
import { APIService } from './apiregistration/api-service.ts';
import { ControllerRevision } from './apps/controller-revision.ts';
import { DaemonSet } from './apps/daemon-set.ts';
import { Deployment } from './apps/deployment.ts';
import { ReplicaSet } from './apps/replica-set.ts';
import { StatefulSet } from './apps/stateful-set.ts';
import { TokenReview } from './authentication/token-review.ts';
import { LocalSubjectAccessReview } from './authorization/local-subject-access-review.ts';
import { SelfSubjectAccessReview } from './authorization/self-subject-access-review.ts';
import { SelfSubjectRulesReview } from './authorization/self-subject-rules-review.ts';
import { SubjectAccessReview } from './authorization/subject-access-review.ts';
import { HorizontalPodAutoscaler } from './autoscaling/horizontal-pod-autoscaler.ts';
import { CronJob } from './batch/cron-job.ts';
import { Job } from './batch/job.ts';
import { CertificateSigningRequest } from './certificates/certificate-signing-request.ts';
import { Lease } from './coordination/lease.ts';
import { Binding } from './core/binding.ts';
import { ComponentStatus } from './core/component-status.ts';
import { ConfigMap } from './core/config-map.ts';
import { Endpoints } from './core/endpoints.ts';
import { Event } from './core/event.ts';
import { LimitRange } from './core/limit-range.ts';
import { Namespace } from './core/namespace.ts';
import { Node } from './core/node.ts';
import { PersistentVolumeClaim } from './core/persistent-volume-claim.ts';
import { PersistentVolume } from './core/persistent-volume.ts';
import { PodTemplate } from './core/pod-template.ts';
import { Pod } from './core/pod.ts';
import { ReplicationController } from './core/replication-controller.ts';
import { ResourceQuota } from './core/resource-quota.ts';
import { Secret } from './core/secret.ts';
import { ServiceAccount } from './core/service-account.ts';
import { Service } from './core/service.ts';
import { EndpointSlice } from './discovery/endpoint-slice.ts';
import { NewEvent } from './events/event.ts';
import { FlowSchema } from './flowcontrol/flow-schema.ts';
import { PriorityLevelConfiguration } from './flowcontrol/priority-level-configuration.ts';
import { IngressClass } from './networking/ingress-class.ts';
import { Ingress } from './networking/ingress.ts';
import { NetworkPolicy } from './networking/network-policy.ts';
import { RuntimeClass } from './node/runtime-class.ts';
import { PodDisruptionBudget } from './policy/pod-disruption-budget.ts';
import { PodSecurityPolicy } from './policy/pod-security-policy.ts';
import { ClusterRoleBinding } from './rbac/cluster-role-binding.ts';
import { ClusterRole } from './rbac/cluster-role.ts';
import { RoleBinding } from './rbac/role-binding.ts';
import { Role } from './rbac/role.ts';
import { PriorityClass } from './scheduling/priority-class.ts';
import { CSIDriver } from './storage/csi-driver.ts';
import { CSINode } from './storage/csi-node.ts';
import { CSIStorageCapacity } from './storage/csi-storage-capacity.ts';
import { StorageClass } from './storage/storage-class.ts';
import { VolumeAttachment } from './storage/volume-attachment.ts';

export { MutatingWebhookConfiguration, ValidatingWebhookConfiguration, CustomResourceDefinition, APIService, ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet, TokenReview, LocalSubjectAccessReview, SelfSubjectAccessReview, SelfSubjectRulesReview, SubjectAccessReview, HorizontalPodAutoscaler, CronJob, Job, CertificateSigningRequest, Lease, Binding, ComponentStatus, ConfigMap, Endpoints, Event, LimitRange, Namespace, Node, PersistentVolumeClaim, PersistentVolume, PodTemplate, Pod, ReplicationController, ResourceQuota, Secret, ServiceAccount, Service, EndpointSlice, NewEvent, FlowSchema, PriorityLevelConfiguration, IngressClass, Ingress, NetworkPolicy, RuntimeClass, PodDisruptionBudget, PodSecurityPolicy, ClusterRoleBinding, ClusterRole, RoleBinding, Role, PriorityClass, CSIDriver, CSINode, CSIStorageCapacity, StorageClass, VolumeAttachment };

/** Every built-in kind, by folder and file name. */
export const allKinds: readonly KindDefinition[] = [
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
  CustomResourceDefinition,
  APIService,
  ControllerRevision,
  DaemonSet,
  Deployment,
  ReplicaSet,
  StatefulSet,
  TokenReview,
  LocalSubjectAccessReview,
  SelfSubjectAccessReview,
  SelfSubjectRulesReview,
  SubjectAccessReview,
  HorizontalPodAutoscaler,
  CronJob,
  Job,
  CertificateSigningRequest,
  Lease,
  Binding,
  ComponentStatus,
  ConfigMap,
  Endpoints,
  Event,
  LimitRange,
  Namespace,
  Node,
  PersistentVolumeClaim,
  PersistentVolume,
  PodTemplate,
  Pod,
  ReplicationController,
  ResourceQuota,
  Secret,
  ServiceAccount,
  Service,
  EndpointSlice,
  NewEvent,
  FlowSchema,
  PriorityLevelConfiguration,
  IngressClass,
  Ingress,
  NetworkPolicy,
  RuntimeClass,
  PodDisruptionBudget,
  PodSecurityPolicy,
  ClusterRoleBinding,
  ClusterRole,
  RoleBinding,
  Role,
  PriorityClass,
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
];
