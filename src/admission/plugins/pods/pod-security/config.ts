import { isJsonObject, type JsonObject } from '#base';
import { checkDnsLabel, checkDnsSubdomain, type Faults } from '#api';
import { requireKind } from '../../../configuration-kind.ts';
import { MODES, readLevel, readVersion, type Policy, type Standard } from './level.ts';

export interface Config {
  /** For namespaces without labels. */
  readonly defaults: Policy;
  readonly usernames: ReadonlySet<string>;
  readonly namespaces: ReadonlySet<string>;
  readonly runtimeClasses: ReadonlySet<string>;
}

const PLUGIN = 'PodSecurity';
const NAME = `admission plugin ${PLUGIN}`;
const CONFIGURATION = { kind: 'PodSecurityConfiguration', group: 'pod-security.admission.config', version: 'v1beta1' };
const EARLIER = { ...CONFIGURATION, version: 'v1alpha1' };

/** Members by where they stand. A mistyped one would switch nothing on, and nobody would notice. */
const MEMBERS = {
  configuration: ['apiVersion', 'kind', 'defaults', 'exemptions'],
  defaults: MODES.flatMap((mode) => [mode, `${mode}-version`]),
  exemptions: ['usernames', 'namespaces', 'runtimeClasses'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** Reads a PodSecurityConfiguration: `defaults` and `exemptions`. Throws an `Error` that says what is wrong. */
export function readConfig(config: unknown): Config {
  // An empty file says nothing.
  const configuration = config === undefined || config === null ? {} : requireKind(PLUGIN, config, CONFIGURATION, EARLIER);
  const given = objectAt({ configuration }, 'configuration');
  const defaults = objectAt(given, 'defaults');
  const exemptions = objectAt(given, 'exemptions');
  const policy = Object.fromEntries(MODES.map((mode) => [mode, readStandard(defaults, mode)])) as unknown as Policy;
  return {
    defaults: policy,
    usernames: namesAt(exemptions, 'usernames'),
    namespaces: namesAt(exemptions, 'namespaces', checkDnsLabel),
    runtimeClasses: namesAt(exemptions, 'runtimeClasses', checkDnsSubdomain),
  };
}

function readStandard(defaults: JsonObject, mode: string): Standard {
  const level = readLevel(said(defaults[mode]) ?? 'privileged');
  const version = readVersion(said(defaults[`${mode}-version`]) ?? 'latest');
  if (level === undefined) throw new Error(`${NAME}: defaults.${mode} must be privileged, baseline or restricted`);
  if (version === undefined) throw new Error(`${NAME}: defaults.${mode}-version must be latest or look like v1.22`);
  return { level, version };
}

/** An empty text says nothing. */
const said = (value: unknown): unknown => (value === '' ? undefined : value);

function objectAt(of: JsonObject, member: keyof typeof MEMBERS): JsonObject {
  const value = of[member] ?? {};
  if (!isJsonObject(value)) throw new Error(`${NAME}: ${member} must be an object`);
  const known: readonly string[] = MEMBERS[member];
  const unknown = Object.keys(value).find((one) => !known.includes(one));
  if (unknown !== undefined) throw new Error(`${NAME}: ${member} has no ${JSON.stringify(unknown)}, only ${known.join(', ')}`);
  return value;
}

/** `check`: what is no name of such an object exempts nothing. */
function namesAt(exemptions: JsonObject, member: string, check: (name: string) => Faults = () => undefined): ReadonlySet<string> {
  const value = exemptions[member] ?? [];
  if (!Array.isArray(value)) throw new Error(`${NAME}: exemptions.${member} must be a list of names`);
  const names = new Set<string>();
  for (const one of value) {
    if (typeof one !== 'string' || one === '') throw new Error(`${NAME}: exemptions.${member} must be a list of names`);
    if (names.has(one)) throw new Error(`${NAME}: exemptions.${member} names ${JSON.stringify(one)} twice`);
    const [fault] = check(one) ?? [];
    if (fault !== undefined) throw new Error(`${NAME}: exemptions.${member} has ${JSON.stringify(one)}: ${fault}`);
    names.add(one);
  }
  return names;
}
