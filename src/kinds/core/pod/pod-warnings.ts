import type { Brand, ObjectMeta } from '#api';
import { FieldErrors, goQuoted } from '#errors';
import { everyContainer } from './every-container.ts';
import type { NodeSelectorTerm } from './node-selector.ts';
import type { PodSpec } from './pod-spec.ts';
import { wholeNumber } from './resource-names.ts';
import type { ResourceList } from './resources.ts';
import type { Volume } from '../volume/volume.ts';

interface PodLike {
  readonly metadata: ObjectMeta;
  readonly spec: PodSpec;
}

type Say = (at: FieldErrors, text: string) => void;

/** Deprecated node labels: prefix and suffix of the domain, deprecated since, and prefix and suffix of the replacement. */
const OLD_LABELS = [
  ['beta.', '/arch', 'v1.14', '', '/arch'],
  ['beta.', '/os', 'v1.14', '', '/os'],
  ['failure-domain.beta.', '/region', 'v1.17', 'topology.', '/region'],
  ['failure-domain.beta.', '/zone', 'v1.17', 'topology.', '/zone'],
  ['beta.', '/instance-type', 'v1.17', 'node.', '/instance-type'],
] as const;

/** Deprecated volume types. Third: the spelling that 1.23 uses in this warning only. */
const OLD_VOLUMES: readonly (readonly [kind: keyof Volume, text: string, shown?: string])[] = [
  ['photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['gitRepo', 'deprecated in v1.11'],
  ['scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 'deprecated in v1.22, support removal is planned in v1.26'],
  ['storageos', 'deprecated in v1.22, support removal is planned in v1.26', 'storageOS'],
  ['quobyte', 'deprecated in v1.22, support removal is planned in v1.26'],
];

const BYTES = ['memory', 'ephemeral-storage'];

/** Warnings about valid but deprecated or doubtful fields of a pod or template. `path`: the path of the pod; empty for the pod itself. */
export function podWarnings({ metadata, spec }: PodLike, path: string, brand: Brand): readonly string[] {
  const texts: string[] = [];
  const say: Say = (at, text) => texts.push(`${at.path}: ${text}`);
  const at = new FieldErrors(path);
  warnOfLabels(spec, at.child('spec'), brand, say);
  warnOfAnnotations(metadata, at, brand, say);
  warnOfVolumes(spec, at.child('spec'), say);
  warnOfDuplicates(spec, at.child('spec'), say);
  for (const name of BYTES) warnOfFraction(spec.overhead, name, at.child('spec', 'overhead'), say);
  const { seccompPodAnnotation, seccompContainerAnnotationPrefix } = brand.names;
  const warnOfSeccomp = (key: string, { securityContext }: Confined): void => {
    if (hasAnnotation(metadata, key) && !securityContext?.seccompProfile) say(at.child('metadata', 'annotations').key(key), OLD_SECCOMP);
  };
  warnOfSeccomp(seccompPodAnnotation, spec);
  everyContainer(spec, at.child('spec'), (container, here) => {
    warnOfSeccomp(seccompContainerAnnotationPrefix + container.name, container);
    for (const name of BYTES) {
      for (const list of ['limits', 'requests'] as const) warnOfFraction(container.resources[list], name, here.child('resources', list), say);
    }
    warnOfRepeats((container.env ?? []).map(({ name }) => name), here.child('env'), 'name', say);
  });
  return texts;
}

function warnOfLabels(spec: PodSpec, at: FieldErrors, { names: { domain } }: Brand, say: Say): void {
  const advice = new Map(
    OLD_LABELS.map(([before, after, since, newBefore, newAfter]) => [
      `${before}${domain}${after}`,
      `deprecated since ${since}; use ${goQuoted(`${newBefore}${domain}${newAfter}`)} instead`,
    ]),
  );
  const warn = (label: string, here: FieldErrors): void => {
    const text = advice.get(label);
    if (text !== undefined) say(here, `${label} is ${text}`);
  };
  const warnTerm = (term: NodeSelectorTerm, here: FieldErrors): void => {
    for (const [position, { key }] of (term.matchExpressions ?? []).entries()) warn(key, here.child('matchExpressions').index(position).child('key'));
  };
  for (const label of Object.keys(spec.nodeSelector ?? {})) {
    const text = advice.get(label);
    if (text !== undefined) say(at.child('nodeSelector').key(label), text);
  }
  const affinity = spec.affinity?.nodeAffinity;
  const required = at.child('affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms');
  for (const [position, term] of (affinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []).entries()) {
    warnTerm(term, required.index(position));
  }
  const preferred = at.child('affinity', 'nodeAffinity', 'preferredDuringSchedulingIgnoredDuringExecution');
  for (const [position, { preference }] of (affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).entries()) {
    warnTerm(preference, preferred.index(position).child('preference'));
  }
  for (const [position, { topologyKey }] of (spec.topologySpreadConstraints ?? []).entries()) {
    warn(topologyKey, at.child('topologySpreadConstraints').index(position).child('topologyKey'));
  }
}

/** A pod spec or a container. */
interface Confined {
  readonly securityContext?: { readonly seccompProfile?: object };
}

const OLD_SECCOMP = 'deprecated since v1.19, non-functional in v1.25+; use the "seccompProfile" field instead';

const hasAnnotation = ({ annotations = {} }: ObjectMeta, key: string): boolean => Object.hasOwn(annotations, key);

function warnOfAnnotations(metadata: ObjectMeta, at: FieldErrors, { names: { domain } }: Brand, say: Say): void {
  const old = [
    [`scheduler.alpha.${domain}/critical-pod`, 'non-functional in v1.16+; use the "priorityClassName" field instead'],
    [`security.alpha.${domain}/sysctls`, 'non-functional in v1.11+; use the "sysctls" field instead'],
    [`security.alpha.${domain}/unsafe-sysctls`, 'non-functional in v1.11+; use the "sysctls" field instead'],
  ] as const;
  for (const [key, text] of old) if (hasAnnotation(metadata, key)) say(at.child('metadata', 'annotations').key(key), text);
}

function warnOfVolumes(spec: PodSpec, at: FieldErrors, say: Say): void {
  for (const [position, volume] of (spec.volumes ?? []).entries()) {
    for (const [kind, text, shown = kind] of OLD_VOLUMES) if (volume[kind] !== undefined) say(at.child('volumes').index(position).child(shown), text);
  }
}

function warnOfDuplicates(spec: PodSpec, at: FieldErrors, say: Say): void {
  warnOfRepeats((spec.hostAliases ?? []).map(({ ip = '' }) => ip), at.child('hostAliases'), 'ip', say);
  const secrets = (spec.imagePullSecrets ?? []).map(({ name = '' }) => name);
  warnOfRepeats(secrets, at.child('imagePullSecrets'), 'name', say);
  for (const [position, name] of secrets.entries()) {
    if (name === '') say(at.child('imagePullSecrets').index(position).child('name'), 'invalid empty name ""');
  }
  warnOfRepeats((spec.volumes ?? []).map(({ name }) => name), at.child('volumes'), 'name', say);
}

function warnOfRepeats(values: readonly string[], at: FieldErrors, member: string, say: Say): void {
  const seen = new Set<string>();
  for (const [position, value] of values.entries()) {
    if (seen.has(value)) say(at.index(position).child(member), `duplicate ${member} ${goQuoted(value)}`);
    seen.add(value);
  }
}

/** Warns of fractional bytes, which are valid and have no meaning. */
function warnOfFraction(amounts: ResourceList | undefined, name: string, at: FieldErrors, say: Say): void {
  const amount = amounts?.[name];
  if (amount !== undefined && wholeNumber(amount) === undefined) {
    say(at.key(name), `fractional byte value ${goQuoted(amount)} is invalid, must be an integer`);
  }
}
