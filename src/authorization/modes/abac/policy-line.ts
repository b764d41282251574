import { failureText, isJsonObject, memberOf, type JsonObject } from '#base';
import { AUTHENTICATED_GROUP, type Brand } from '#api';

/** One line of a policy file. Empty members match only empty attributes, unless they say otherwise. */
export interface AbacPolicy {
  readonly user: string;
  readonly group: string;
  /** A star matches everything, here and in the following members. */
  readonly namespace: string;
  readonly apiGroup: string;
  readonly resource: string;
  readonly nonResourcePath: string;
  readonly isReadonly: boolean;
}

/**
 * Reads a policy file: one JSON object per line; empty lines and those that begin with `#` are ignored. Throws an `Error` that names the line and
 * what is wrong with it.
 * @spec 5.1
 */
export function readAbacPolicies(text: string, { names }: Brand): readonly AbacPolicy[] {
  const group = `abac.authorization.${names.domain}`;
  return text.split(/\r?\n/).flatMap((line, at) => {
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#')) return [];
    try {
      return [readPolicy(trimmed, group)];
    } catch (cause) {
      throw new Error(`authorization-policy-file: line ${at + 1}: ${failureText(cause)}`, { cause });
    }
  });
}

function readPolicy(line: string, group: string): AbacPolicy {
  const policy = JSON.parse(line) as unknown;
  if (!isJsonObject(policy)) throw new Error('a policy is a JSON object');
  const { apiVersion = '', kind = '' } = policy;
  if (apiVersion === '' && kind === '') return unversioned(policy);
  if (apiVersion !== `${group}/v1beta1` || kind !== 'Policy') {
    throw new Error(`a policy is of kind Policy and version ${group}/v1beta1, not ${JSON.stringify(kind)} and ${JSON.stringify(apiVersion)}`);
  }
  const { spec = {} } = policy;
  if (!isJsonObject(spec)) throw new Error('spec is an object');
  return authenticated({
    user: textIn(spec, 'user'),
    group: textIn(spec, 'group'),
    namespace: textIn(spec, 'namespace'),
    apiGroup: textIn(spec, 'apiGroup'),
    resource: textIn(spec, 'resource'),
    nonResourcePath: textIn(spec, 'nonResourcePath'),
    isReadonly: isTrue(spec, 'readonly'),
  });
}

/** The form without `apiVersion`: absent members match everything. */
function unversioned(policy: JsonObject): AbacPolicy {
  const [user, group, namespace, resource] = ['user', 'group', 'namespace', 'resource'].map((name) => textIn(policy, name)) as [string, string, string, string];
  return authenticated({
    user,
    group: user === '' && group === '' ? AUTHENTICATED_GROUP : group,
    namespace: namespace || ALL,
    apiGroup: ALL,
    resource: resource || ALL,
    nonResourcePath: namespace === '' && resource === '' ? ALL : '',
    isReadonly: isTrue(policy, 'readonly'),
  });
}

const ALL = '*';

/** A star as user or group matches all authenticated users: anonymous requests need a policy that names them (R5.2-07). */
const authenticated = (policy: AbacPolicy): AbacPolicy =>
  policy.user === ALL || policy.group === ALL ? { ...policy, user: '', group: AUTHENTICATED_GROUP } : policy;

function textIn(object: JsonObject, name: string): string {
  const value = memberOf(object, name);
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') throw new Error(`${name} is a text`);
  return value;
}

function isTrue(object: JsonObject, name: string): boolean {
  const value = memberOf(object, name);
  if (value !== undefined && value !== null && typeof value !== 'boolean') throw new Error(`${name} is true or false`);
  return value === true;
}
