import { goBool } from '#base';
import { apiVersionOf, type Brand, type KindDefinition, type Version } from '#api';

/** Keys that stand for many versions, least specific first; `null` is any version. */
const CLASSES: readonly (readonly [key: string, stage: RegExp | null])[] = [
  ['api/all', null],
  ['api/ga', /^v\d+$/],
  ['api/beta', /^v\d+beta\d+$/],
  ['api/alpha', /^v\d+alpha\d+$/],
];

const ALPHA = /^v\d+alpha\d+$/;

/**
 * The kinds that are served under a configuration such as `api/all=false,v1=true,apps/v1=true`: a key is a group with a version as on the wire
 * (`v1`, `/v1` or `api/v1` for the core group), such a pair with a resource behind it, or a class of versions; the more exact key counts.
 * Without a word about them alpha versions are off and all others on. A kind is stored in its version even where that is off.
 * Throws an `Error` that says which part makes no sense.
 */
export function configureKinds(kinds: readonly KindDefinition[], brand: Brand, text: string): readonly KindDefinition[] {
  const switches = parseSwitches(text);
  checkKnown(kinds, brand, switches);
  return kinds.flatMap((kind) => {
    const off = Object.keys(kind.versions).filter((version) => !isOn(kind, version, brand, switches));
    if (off.length === 0) return [kind];
    if (off.length === Object.keys(kind.versions).length) return [];
    return [{ ...kind, versions: Object.fromEntries(Object.entries(kind.versions).map(([name, version]): [string, Version] => [name, off.includes(name) ? { ...version, isOff: true } : version])) }];
  });
}

type Switches = ReadonlyMap<string, boolean>;

function parseSwitches(text: string): Switches {
  const parts = text.split(',').map((part) => part.trim());
  return new Map(
    parts.filter((part) => part !== '').map((part) => {
      const [, key = '', value = ''] = /^([^=]*)(?:=(.*))?$/.exec(part) ?? [];
      const on = value === '' ? true : goBool(value);
      if (on === undefined) throw new Error(`runtime configuration ${JSON.stringify(part)}: the value is true or false`);
      return [key.replace(/^(?:(?:api|apis)?\/)(?=v\d|[^/]+\/v\d)/, ''), on];
    }),
  );
}

const groupVersionOf = ({ group }: KindDefinition, version: string, brand: Brand): string => apiVersionOf({ group: brand.group(group), version });

function isOn(kind: KindDefinition, version: string, brand: Brand, switches: Switches): boolean {
  const groupVersion = groupVersionOf(kind, version, brand);
  const exact = switches.get(`${groupVersion}/${kind.plural}`) ?? switches.get(groupVersion);
  if (exact !== undefined) return exact;
  let on = !ALPHA.test(version);
  for (const [key, stage] of CLASSES) if (stage === null || stage.test(version)) on = switches.get(key) ?? on;
  return on;
}

/** Accepted, and without a meaning: old configurations have it. */
const WITHOUT_MEANING = 'api/legacy';

/** Versions that Kubernetes 1.23 has types of and no resources: configurations of earlier releases name them, and reviews are sent in them. */
const WITHOUT_RESOURCES: Readonly<Record<string, readonly string[]>> = {
  admission: ['v1', 'v1beta1'],
  admissionregistration: ['v1beta1'],
  apiextensions: ['v1beta1'],
  apiregistration: ['v1beta1'],
  apps: ['v1beta1', 'v1beta2'],
  authentication: ['v1beta1'],
  authorization: ['v1beta1'],
  certificates: ['v1beta1'],
  coordination: ['v1beta1'],
  extensions: ['v1beta1'],
  imagepolicy: ['v1alpha1'],
  networking: ['v1beta1'],
  rbac: ['v1beta1'],
  scheduling: ['v1beta1'],
};

/** Versions whose resources Kubernetes 1.23 serves when it is asked to, and we do not: to leave them off is all that can be wished. */
const NEVER_SERVED: Readonly<Record<string, readonly string[]>> = {
  flowcontrol: ['v1alpha1'],
  internal: ['v1alpha1'],
  node: ['v1alpha1'],
  rbac: ['v1alpha1'],
  scheduling: ['v1alpha1'],
  storage: ['v1alpha1'],
};

const spelled = (versions: Readonly<Record<string, readonly string[]>>, brand: Brand): readonly string[] =>
  Object.entries(versions).flatMap(([group, names]) => names.map((version) => apiVersionOf({ group: brand.group(group), version })));

/** Throws for an unknown name, which would otherwise have no effect and go unnoticed. */
function checkKnown(kinds: readonly KindDefinition[], brand: Brand, switches: Switches): void {
  const known = new Set([...CLASSES.map(([key]) => key), WITHOUT_MEANING]);
  for (const kind of kinds) {
    for (const version of Object.keys(kind.versions)) known.add(groupVersionOf(kind, version, brand)).add(`${groupVersionOf(kind, version, brand)}/${kind.plural}`);
  }
  const empty = new Set(spelled(WITHOUT_RESOURCES, brand));
  const absent = new Set(spelled(NEVER_SERVED, brand));
  for (const [key, on] of switches) {
    const [groupVersion = ''] = /^[^/]*\/[^/]*/.exec(key) ?? [];
    if (known.has(key) || empty.has(groupVersion) || (absent.has(groupVersion) && !on)) continue;
    throw new Error(`runtime configuration ${JSON.stringify(key)}: there is no such group and version; name one as apps/v1, or api/all, api/ga, api/beta, api/alpha`);
  }
}
