import { quantityScalar, stringScalar, t } from '#schema';
import { Volume } from '../volume/volume.ts';
import { Affinity } from './affinity.ts';
import { Container } from './container.ts';
import { HostAlias, PodDNSConfig } from './dns.ts';
import { EphemeralContainer } from './ephemeral-container.ts';
import { fillPodSpec } from './fill-pod-spec.ts';
import { LocalObjectReference } from './local-object-reference.ts';
import { PodSecurityContext } from './pod-security-context.ts';
import { Toleration } from './toleration.ts';
import { TopologySpreadConstraint } from './topology-spread.ts';

export class PodReadinessGate extends t.message('core/v1.PodReadinessGate', {
  conditionType: t.string(1).required(),
}) {}

export class PodOS extends t.message('core/v1.PodOS', {
  name: t.string(1).required(),
}) {}

export class PodSpec extends t.message(
  'core/v1.PodSpec',
  {
    volumes: t.many(1, Volume).mergeBy('name').retainKeys(),
    initContainers: t.many(20, Container).mergeBy('name'),
    containers: t.many(2, Container).required().mergeBy('name'),
    ephemeralContainers: t.many(34, EphemeralContainer).mergeBy('name'),
    restartPolicy: t.string(3).default('Always'),
    terminationGracePeriodSeconds: t.maybe.int64(4).default(30),
    activeDeadlineSeconds: t.maybe.int64(5),
    dnsPolicy: t.string(6).default('ClusterFirst'),
    nodeSelector: t.map(7, stringScalar).atomicMap(),
    serviceAccountName: t.string(8),
    serviceAccount: t.string(9),
    automountServiceAccountToken: t.maybe.bool(21),
    nodeName: t.string(10),
    hostNetwork: t.bool(11),
    hostPID: t.bool(12),
    hostIPC: t.bool(13),
    shareProcessNamespace: t.maybe.bool(27),
    securityContext: t.perhaps(14, PodSecurityContext),
    imagePullSecrets: t.many(15, LocalObjectReference).mergeBy('name'),
    hostname: t.string(16),
    subdomain: t.string(17),
    affinity: t.perhaps(18, Affinity),
    schedulerName: t.string(19).default('default-scheduler'),
    tolerations: t.many(22, Toleration),
    hostAliases: t.many(23, HostAlias).mergeBy('ip'),
    priorityClassName: t.string(24),
    priority: t.maybe.int32(25),
    dnsConfig: t.perhaps(26, PodDNSConfig),
    readinessGates: t.many(28, PodReadinessGate),
    runtimeClassName: t.maybe.string(29),
    enableServiceLinks: t.maybe.bool(30),
    preemptionPolicy: t.maybe.string(31),
    overhead: t.map(32, quantityScalar),
    topologySpreadConstraints: t.many(33, TopologySpreadConstraint, { map: ['topologyKey', 'whenUnsatisfiable'] }).mergeBy('topologyKey'),
    setHostnameAsFQDN: t.maybe.bool(35),
    os: t.perhaps(36, PodOS),
  },
  { defaults: fillPodSpec },
) {}
