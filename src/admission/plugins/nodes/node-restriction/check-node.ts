import { isDeepEqual } from '#base';
import type { Brand } from '#api';
import type { Node } from '#kinds';
import type { NodeCheck } from './node-check.ts';

/**
 * A node may register and describe itself, but not change what steers workloads: taints, owner references and the labels reserved for administrators.
 */
export const checkNode: NodeCheck = ({ operation, name, object, live }, node, { brand }) => {
  const who = `node ${JSON.stringify(node)}`;
  const target = name || (object?.metadata.name ?? '');
  if (target !== node) return `${who} is not allowed to modify node ${JSON.stringify(target)}`;
  if (operation === 'DELETE') return undefined;
  const next = object as Node;
  const before = live as Node | undefined;
  if (before === undefined) {
    if (next.spec.configSource !== undefined) return `${who} is not allowed to create pods with a non-nil configSource`;
    const kept = keptLabels(next.metadata.labels ?? {}, {}, brand);
    return kept.length === 0 ? undefined : `${who} is not allowed to set the following labels: ${kept.join(', ')}`;
  }
  if (next.spec.configSource !== undefined && !isDeepEqual(next.spec.configSource, before.spec.configSource)) {
    return `${who} is not allowed to update configSource to a new non-nil configSource`;
  }
  if (!isDeepEqual(next.spec.taints ?? [], before.spec.taints ?? [])) return `${who} is not allowed to modify taints`;
  const kept = keptLabels(next.metadata.labels ?? {}, before.metadata.labels ?? {}, brand);
  if (kept.length > 0) return `is not allowed to modify labels: ${kept.join(', ')}`;
  const owners = [next, before].map(({ metadata }) => metadata.ownerReferences ?? []);
  return isDeepEqual(owners[0], owners[1]) ? undefined : `${who} is not allowed to modify ownerReferences`;
};

type Labels = Readonly<Record<string, string>>;

/** The changed labels that are reserved for administrators. */
function keptLabels(next: Labels, live: Labels, { names }: Brand): readonly string[] {
  const changed = [...new Set([...Object.keys(next), ...Object.keys(live)])].filter((label) => next[label] !== live[label]);
  return changed.filter((label) => isKept(label, names.domain, names.shortDomain)).sort();
}

function isKept(label: string, domain: string, shortDomain: string): boolean {
  const prefix = label.includes('/') ? label.slice(0, label.indexOf('/')) : '';
  if (!isWithin(prefix, domain) && !isWithin(prefix, shortDomain)) return false;
  return !isNodeOwn(label, prefix, domain);
}

const isWithin = (prefix: string, domain: string): boolean => prefix === domain || prefix.endsWith(`.${domain}`);

/** Labels by which a node describes itself: their names, by the prefix of the dialect's domain. */
const OWN_LABELS: Readonly<Record<string, readonly string[]>> = {
  '': ['hostname', 'os', 'arch'],
  'beta.': ['instance-type', 'os', 'arch'],
  'topology.': ['zone', 'region'],
  'failure-domain.beta.': ['zone', 'region'],
};
const OWN_PREFIXES: readonly string[] = ['kubelet', 'node'];

function isNodeOwn(label: string, prefix: string, domain: string): boolean {
  if (OWN_PREFIXES.some((own) => isWithin(prefix, `${own}.${domain}`))) return true;
  return Object.entries(OWN_LABELS).some(([before, names]) => names.some((name) => label === `${before}${domain}/${name}`));
}
