import { accountUserName } from '#api';
import type { Identified, RequestInfo, User } from '#request';

/** A list of a stored object: clients in Go write null for one that is empty. */
type Listed<T> = readonly T[] | null | undefined;

/** The rules of a FlowSchema; any field may be missing, because nothing validates it here. */
export interface SchemaSpec {
  readonly priorityLevelConfiguration?: { readonly name?: string };
  readonly matchingPrecedence?: number;
  readonly distinguisherMethod?: { readonly type?: string };
  readonly rules?: Listed<FlowRule>;
}

export interface FlowRule {
  readonly subjects?: Listed<FlowSubject>;
  readonly resourceRules?: Listed<ResourceRule>;
  readonly nonResourceRules?: Listed<PathRule>;
}

export interface FlowSubject {
  readonly kind?: string;
  readonly user?: { readonly name?: string };
  readonly group?: { readonly name?: string };
  readonly serviceAccount?: { readonly namespace?: string; readonly name?: string };
}

interface ResourceRule {
  readonly verbs?: Listed<string>;
  readonly apiGroups?: Listed<string>;
  readonly resources?: Listed<string>;
  readonly clusterScope?: boolean;
  readonly namespaces?: Listed<string>;
}

interface PathRule {
  readonly verbs?: Listed<string>;
  readonly nonResourceURLs?: Listed<string>;
}

const ALL = '*';

/** Whether one of the rules matches a request: its user and its attributes. */
export function matchesRules(rules: readonly FlowRule[], { info, user }: Pick<Identified, 'info' | 'user'>): boolean {
  for (const { subjects, resourceRules, nonResourceRules } of rules) {
    if (subjects?.some((subject) => matchesSubject(subject, user)) !== true) continue;
    if (info.isResourceRequest ? resourceRules?.some((rule) => matchesResource(rule, info)) : nonResourceRules?.some((rule) => matchesPath(rule, info))) return true;
  }
  return false;
}

function matchesSubject(subject: FlowSubject, user: User): boolean {
  switch (subject.kind) {
    case 'User':
      return subject.user?.name === ALL || subject.user?.name === user.name;
    case 'Group':
      return subject.group?.name === ALL || user.groups.includes(subject.group?.name ?? '');
    case 'ServiceAccount': {
      const { namespace = '', name = '' } = subject.serviceAccount ?? {};
      return name === ALL ? user.name.startsWith(accountUserName(namespace, '')) : user.name === accountUserName(namespace, name);
    }
    default:
      return false;
  }
}

const has = (list: Listed<string>, word: string): boolean => list !== undefined && list !== null && (list.includes(word) || list.includes(ALL));

function matchesResource({ verbs, apiGroups, resources, clusterScope, namespaces }: ResourceRule, info: RequestInfo): boolean {
  const { verb, group, resource, subresource, namespace } = info;
  if (!has(verbs, verb) || !has(apiGroups, group)) return false;
  if (!has(resources, subresource === '' ? resource : `${resource}/${subresource}`)) return false;
  return namespace === '' ? clusterScope === true : has(namespaces, namespace);
}

/** A rule for a path is one for all paths below it too, also without a star at its end. */
function matchesPath({ verbs, nonResourceURLs }: PathRule, { verb, path }: RequestInfo): boolean {
  if (!has(verbs, verb)) return false;
  return nonResourceURLs?.some((url) => url === ALL || url === path || path.startsWith(`${url.replace(/\/?\*?$/, '')}/`)) === true;
}
