/**
 * The only file that knows how product names are spelled.
 *
 * Everywhere else a name is written in one neutral form: a group without its suffix (`scheduling`), a well-known name by its key in the
 * table below. A server speaks one dialect; everyone who needs a spelled name is handed its `Brand`.
 * @spec 0
 */
export type Dialect = 'orch' | 'kubernetes';

/** All dialects. */
export const DIALECTS: readonly Dialect[] = ['orch', 'kubernetes'];

/** Groups without a suffix. */
const PLAIN_GROUPS: ReadonlySet<string> = new Set(['', 'apps', 'autoscaling', 'batch', 'extensions', 'policy']);

/** Groups whose neutral form is not their first part. */
const GROUP_STEMS: Readonly<Record<string, string>> = {
  rbac: 'rbac.authorization',
  flowcontrol: 'flowcontrol.apiserver',
  internal: 'internal.apiserver',
  'apiserver.config': 'apiserver.config',
  eventratelimit: 'eventratelimit.admission',
  resourcequota: 'resourcequota.admission',
  podtolerationrestriction: 'podtolerationrestriction.admission',
  'pod-security.admission.config': 'pod-security.admission.config',
  'custom.metrics': 'custom.metrics',
};

/** One row per well-known name: key, `orch` spelling, `kubernetes` spelling. */
const NAMES = {
  /** Namespaces. */
  systemNamespace: ['orch-system', 'kube-system'],
  publicNamespace: ['orch-public', 'kube-public'],
  leaseNamespace: ['orch-node-lease', 'kube-node-lease'],
  /** Media types. */
  protobuf: ['application/vnd.orch.protobuf', 'application/vnd.kubernetes.protobuf'],
  /** Labels and annotations. */
  namespaceNameLabel: ['orch.io/metadata.name', 'kubernetes.io/metadata.name'],
  lastAppliedAnnotation: ['kubectl.orch.io/last-applied-configuration', 'kubectl.kubernetes.io/last-applied-configuration'],
  deprecatedAnnotation: ['orch.io/deprecated', 'k8s.io/deprecated'],
  removedReleaseAnnotation: ['orch.io/removed-release', 'k8s.io/removed-release'],
  serviceAccountNameAnnotation: ['orch.io/service-account.name', 'kubernetes.io/service-account.name'],
  serviceAccountUidAnnotation: ['orch.io/service-account.uid', 'kubernetes.io/service-account.uid'],
  deploymentRevisionAnnotation: ['deployment.orch.io/revision', 'deployment.kubernetes.io/revision'],
  rollbackAnnotation: ['deprecated.deployment.rollback.to', 'deprecated.deployment.rollback.to'],
  templateGenerationAnnotation: ['deprecated.daemonset.template.generation', 'deprecated.daemonset.template.generation'],
  autoUpdateAnnotation: ['apf.orch.io/autoupdate-spec', 'apf.kubernetes.io/autoupdate-spec'],
  endpointSliceDomain: ['endpointslice.orch.io', 'endpointslice.kubernetes.io'],
  serviceNameLabel: ['orch.io/service-name', 'kubernetes.io/service-name'],
  hostnameLabel: ['orch.io/hostname', 'kubernetes.io/hostname'],
  mirrorPodAnnotation: ['orch.io/config.mirror', 'kubernetes.io/config.mirror'],
  apparmorAnnotationPrefix: ['container.apparmor.security.beta.orch.io/', 'container.apparmor.security.beta.kubernetes.io/'],
  seccompPodAnnotation: ['seccomp.security.alpha.orch.io/pod', 'seccomp.security.alpha.kubernetes.io/pod'],
  seccompContainerAnnotationPrefix: ['container.seccomp.security.alpha.orch.io/', 'container.seccomp.security.alpha.kubernetes.io/'],
  /** Service account tokens: the issuer of those in Secrets, and the extra fields of users with bound ones. */
  legacyTokenIssuer: ['orch/serviceaccount', 'kubernetes/serviceaccount'],
  podNameExtra: ['authentication.orch.io/pod-name', 'authentication.kubernetes.io/pod-name'],
  podUidExtra: ['authentication.orch.io/pod-uid', 'authentication.kubernetes.io/pod-uid'],
  /** Documentation of how a protected group is approved. */
  apiApprovedHelp: ['https://github.com/kubernetes/enhancements/pull/1111', 'https://github.com/kubernetes/enhancements/pull/1111'],
  apiApprovedAnnotation: ['api-approved.orch.io', 'api-approved.kubernetes.io'],
  /** The condition that says whether a definition in a group of the product's own was approved. */
  apiApprovedCondition: ['OrchAPIApprovalPolicyConformant', 'KubernetesAPIApprovalPolicyConformant'],
  /** The namespace finalizer that the namespace controller removes. */
  namespaceFinalizer: ['orch', 'kubernetes'],
  /** Secret types. */
  serviceAccountTokenSecret: ['orch.io/service-account-token', 'kubernetes.io/service-account-token'],
  dockercfgSecret: ['orch.io/dockercfg', 'kubernetes.io/dockercfg'],
  dockerConfigJsonSecret: ['orch.io/dockerconfigjson', 'kubernetes.io/dockerconfigjson'],
  basicAuthSecret: ['orch.io/basic-auth', 'kubernetes.io/basic-auth'],
  sshAuthSecret: ['orch.io/ssh-auth', 'kubernetes.io/ssh-auth'],
  tlsSecret: ['orch.io/tls', 'kubernetes.io/tls'],
  bootstrapTokenSecret: ['bootstrap.orch.io/token', 'bootstrap.kubernetes.io/token'],
  /** The label of objects that the server keeps for each group and version it serves. */
  automanagedLabel: ['kube-aggregator.orch.io/automanaged', 'kube-aggregator.kubernetes.io/automanaged'],
  /** Objects. */
  apiService: ['orch', 'kubernetes'],
  rootCaConfigMap: ['orch-root.crt', 'kube-root-ca.crt'],
  serviceAccountMount: ['/var/run/secrets/orch.io/serviceaccount', '/var/run/secrets/kubernetes.io/serviceaccount'],
  execInfoVariable: ['ORCH_EXEC_INFO', 'KUBERNETES_EXEC_INFO'],
  /** Metrics. */
  buildInfoMetric: ['orch_build_info', 'kubernetes_build_info'],
  /** Signers. */
  clientSigner: ['orch.io/apiserver-client', 'kubernetes.io/kube-apiserver-client'],
  nodeClientSigner: ['orch.io/apiserver-client-node', 'kubernetes.io/kube-apiserver-client-kubelet'],
  nodeServingSigner: ['orch.io/node-serving', 'kubernetes.io/kubelet-serving'],
  legacySigner: ['orch.io/legacy-unknown', 'kubernetes.io/legacy-unknown'],
  /** Domains that are reserved for the product: what stands before `/` in a label key or resource name. */
  domain: ['orch.io', 'kubernetes.io'],
  shortDomain: ['orch.io', 'k8s.io'],
} as const satisfies Readonly<Record<string, readonly [orch: string, kubernetes: string]>>;

/** The key of a name that has a spelling in each dialect. */
export type WellKnownName = keyof typeof NAMES;

/** The spelling of one dialect. */
export interface Brand {
  readonly dialect: Dialect;
  /** Neutral group → group on the wire: `scheduling` → `scheduling.orch.io`, `apps` → `apps`. */
  group(neutral: string): string;
  /** Where the specification differs from Kubernetes, and so the dialects from each other. */
  readonly deviations: Deviations;
  /** Well-known names, spelled. */
  readonly names: Readonly<Record<WellKnownName, string>>;
}

/** How the dialects differ in behaviour, and nowhere else: in `orch` the specification holds, in `kubernetes` Kubernetes does. */
export interface Deviations {
  /** PUT of an absent object creates it, for every kind that has create and update (R4.2-09). */
  readonly putCreates: boolean;
  /** Combinations of `resourceVersionMatch` that mean nothing are 400 and not 422 (R4.6-23). */
  readonly listOptionErrorsAreBadRequests: boolean;
  /** Certificates of the signer for serving nodes may be for `client auth` instead of `server auth` (R2.12-36). */
  readonly nodeServingMayBeClient: boolean;
  /** `automountServiceAccountToken: false` on either account or pod stops the mount, whatever the other says (R5.9-09). */
  readonly anyoneStopsTokenMount: boolean;
  /** Group-versions that another server serves do not have protobuf, even where that server has it (R4.7-08). */
  readonly aggregatedHaveNoProtobuf: boolean;
  /** `cluster-info` is signed with the whole token as the key, not with its secret part alone (R5.3-10). */
  readonly signsWithWholeToken: boolean;
  /** The path in the address of an admission or conversion webhook is sent as it is written, empty segments and all (R2.7-58). */
  readonly keepsWebhookPaths: boolean;
  /** Evictions heed a budget whose selector is empty, for every pod of its namespace (R9-35). */
  readonly emptyBudgetSelectsAll: boolean;
}

const DEVIATIONS: Readonly<Record<Dialect, Deviations>> = {
  orch: {
    putCreates: true,
    listOptionErrorsAreBadRequests: true,
    nodeServingMayBeClient: true,
    anyoneStopsTokenMount: true,
    aggregatedHaveNoProtobuf: true,
    signsWithWholeToken: true,
    keepsWebhookPaths: true,
    emptyBudgetSelectsAll: true,
  },
  kubernetes: {
    putCreates: false,
    listOptionErrorsAreBadRequests: false,
    nodeServingMayBeClient: false,
    anyoneStopsTokenMount: false,
    aggregatedHaveNoProtobuf: false,
    signsWithWholeToken: false,
    keepsWebhookPaths: false,
    emptyBudgetSelectsAll: false,
  },
};

function createBrand(dialect: Dialect): Brand {
  const column = dialect === 'orch' ? 0 : 1;
  const suffix = NAMES.shortDomain[column];
  const names = Object.fromEntries(Object.entries(NAMES).map(([key, row]) => [key, row[column]])) as Record<WellKnownName, string>;
  return {
    dialect,
    deviations: DEVIATIONS[dialect],
    // Groups of custom resources are spelled already.
    group: (neutral) => (PLAIN_GROUPS.has(neutral) || (neutral.includes('.') && !Object.hasOwn(GROUP_STEMS, neutral)) ? neutral : `${GROUP_STEMS[neutral] ?? neutral}.${suffix}`),
    names,
  };
}

const BRANDS: Readonly<Record<Dialect, Brand>> = { orch: createBrand('orch'), kubernetes: createBrand('kubernetes') };

/** The brand of a dialect; always the same object. */
export const brandOf = (dialect: Dialect): Brand => BRANDS[dialect];

/** A version of a group in the spelling of each dialect: files travel between servers of both. */
export const versionInAnyDialect = (group: string, version: string): readonly string[] => DIALECTS.map((dialect) => `${brandOf(dialect).group(group)}/${version}`);
