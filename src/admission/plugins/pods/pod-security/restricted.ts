import { containersOf, VOLUME_KINDS } from '#kinds';
import { containerNames, namesOf, plural, quoted, setters, sorted, type Rule, type Violation } from './rule.ts';
import type { PodLike } from './pod-like.ts';
import { seccompFields } from './seccomp.ts';

/** Rules of the level `restricted`, in the order of their messages, after those of the baseline. They forbid what hardened pods do without. */
export const RESTRICTED: readonly Rule[] = [
  { id: 'allowPrivilegeEscalation', since: [[8, escalation]] },
  { id: 'capabilities_restricted', since: [[22, capabilities]] },
  { id: 'restrictedVolumes', since: [[0, volumes]] },
  { id: 'runAsNonRoot', since: [[0, nonRoot]] },
  { id: 'runAsUser', since: [[23, rootUser]] },
  { id: 'seccompProfile_restricted', since: [[19, (pod) => seccompFields(pod, { mustBeSet: true })]] },
];

/** Volume types that expose nothing of the node. */
const VOLUMES: readonly string[] = ['configMap', 'csi', 'downwardAPI', 'emptyDir', 'ephemeral', 'persistentVolumeClaim', 'projected', 'secret'];

function escalation(pod: PodLike): Violation | undefined {
  const wrong = containersOf(pod.spec).filter(({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false);
  if (wrong.length === 0) return undefined;
  return { reason: 'allowPrivilegeEscalation != false', detail: `${containerNames(namesOf(wrong))} must set securityContext.allowPrivilegeEscalation=false` };
}

function capabilities(pod: PodLike): Violation | undefined {
  const containers = containersOf(pod.spec);
  const keeping = containers.filter(({ securityContext }) => !(securityContext?.capabilities?.drop ?? []).includes('ALL'));
  const added = ({ securityContext }: (typeof containers)[number]): readonly string[] =>
    (securityContext?.capabilities?.add ?? []).filter((one) => one !== 'NET_BIND_SERVICE');
  const adding = containers.filter((container) => added(container).length > 0);
  const why = [
    ...(keeping.length > 0 ? [`${containerNames(namesOf(keeping))} must set securityContext.capabilities.drop=["ALL"]`] : []),
    ...(adding.length > 0
      ? [`${containerNames(namesOf(adding))} must not include ${quoted(sorted(adding.flatMap(added)))} in securityContext.capabilities.add`]
      : []),
  ];
  return why.length === 0 ? undefined : { reason: 'unrestricted capabilities', detail: why.join('; ') };
}

function volumes({ spec }: PodLike): Violation | undefined {
  const wrong = (spec.volumes ?? []).filter((volume) => !VOLUMES.some((kind) => Reflect.get(volume, kind) !== undefined));
  if (wrong.length === 0) return undefined;
  const kinds = sorted(wrong.map((volume) => VOLUME_KINDS.find((kind) => volume[kind] !== undefined) ?? 'unknown'));
  const words = [plural('uses', 'use', wrong.length), plural('restricted volume type', 'restricted volume types', kinds.length)].join(' ');
  const names = wrong.map(({ name }) => name);
  return { reason: 'restricted volume types', detail: `${plural('volume', 'volumes', names.length)} ${quoted(names)} ${words} ${quoted(kinds)}` };
}

function nonRoot(pod: PodLike): Violation | undefined {
  const reason = 'runAsNonRoot != true';
  const ofPod = pod.spec.securityContext?.runAsNonRoot;
  const containers = containersOf(pod.spec);
  const wrong = containers.filter(({ securityContext }) => securityContext?.runAsNonRoot === false);
  if (ofPod === false || wrong.length > 0) {
    return { reason, detail: `${setters(ofPod === false, namesOf(wrong))} must not set securityContext.runAsNonRoot=false` };
  }
  const without = ofPod === true ? [] : containers.filter(({ securityContext }) => securityContext?.runAsNonRoot === undefined);
  if (without.length === 0) return undefined;
  return { reason, detail: `pod or ${containerNames(namesOf(without))} must set securityContext.runAsNonRoot=true` };
}

function rootUser(pod: PodLike): Violation | undefined {
  const isRoot = (user: number | bigint | undefined): boolean => user !== undefined && Number(user) === 0;
  const isPod = isRoot(pod.spec.securityContext?.runAsUser);
  const wrong = containersOf(pod.spec).filter(({ securityContext }) => isRoot(securityContext?.runAsUser));
  if (!isPod && wrong.length === 0) return undefined;
  return { reason: 'runAsUser=0', detail: `${setters(isPod, namesOf(wrong))} must not set runAsUser=0` };
}
