import { addToList } from '#base';
import type { ApiError } from '#errors';
import { accountGroups, accountUserName, ANONYMOUS_USER, AUTHENTICATED_GROUP, UNAUTHENTICATED_GROUP, type Brand } from '#api';
import { forbiddenRequest, type Authorizer, type Identified, type Question, type Reply, type Stage, type User } from '#request';
import { readItems, type Item } from './impersonation-headers.ts';
import { plainFailure } from './plain-failure.ts';

/** Renders the response to a rejected request. */
export type Refuse = (failure: ApiError, request: Identified) => Reply;

/**
 * Impersonation: gives a request the identity that its headers ask for, if its user has the verb `impersonate` on every attribute of it. The next
 * stages see only that identity: neither the original user nor the headers.
 * @spec 5.7
 */
export function impersonationStage(authorizer: Authorizer, brand: Brand, refuse: Refuse): Stage<Identified> {
  return (request, next) => (isAskedFor(request) ? become(request, next) : next(request));

  async function become(request: Identified, next: (request: Identified) => Promise<Reply>): Promise<Reply> {
    const items = readItems(request.headers);
    const [subject] = items;
    if (subject === undefined) return next(request);
    if (subject.kind !== 'User' && subject.kind !== 'ServiceAccount') return withoutUser(request, items, brand);
    for (const item of items) {
      const question = questionOf(item, request, brand);
      const { verdict, reason } = await authorizer.authorize(question, request.signal);
      if (verdict !== 'allow') return refuse(forbiddenRequest(question, reason), request);
    }
    const headers = withoutImpersonation(request.headers);
    // Defined and not assigned: `headers` may be an accessor of the request.
    return next(Object.defineProperty(Object.assign(request, { user: userOf(subject, items) }), 'headers', { value: headers }));
  }
}

const PREFIX = 'impersonate-';

const isAskedFor = ({ headers }: Identified): boolean => {
  for (const name of headers.keys()) if (name.startsWith(PREFIX)) return true;
  return false;
};

const withoutImpersonation = (headers: Identified['headers']): Identified['headers'] =>
  new Map([...headers].filter(([name]) => !name.startsWith(PREFIX)));

/** The authorization question for one attribute. */
function questionOf(item: Item, { user, info }: Identified, brand: Brand): Question {
  const nowhere = { isResourceRequest: true, group: '', version: '', namespace: '', subresource: '' };
  const about = { ...info, ...nowhere, user, verb: 'impersonate', name: item.name };
  const identity = { ...about, group: brand.group('authentication'), version: 'v1' };
  switch (item.kind) {
    case 'User':
      return { ...about, resource: 'users' };
    case 'ServiceAccount':
      return { ...about, resource: 'serviceaccounts', namespace: item.namespace };
    case 'Group':
      return { ...about, resource: 'groups' };
    case 'UserExtra':
      return { ...identity, resource: 'userextras', subresource: item.key };
    case 'UID':
      return { ...identity, resource: 'uids' };
  }
}

const EVERYBODY = [AUTHENTICATED_GROUP, UNAUTHENTICATED_GROUP] as const;

function userOf(subject: Item, items: readonly Item[]): User {
  const named = items.filter(({ kind }) => kind === 'Group').map(({ name }) => name);
  const isAccount = subject.kind === 'ServiceAccount';
  const name = isAccount ? accountUserName(subject.namespace, subject.name) : subject.name;
  const groups = named.length === 0 && isAccount ? accountGroups(subject.namespace) : named;
  const isMember = name === ANONYMOUS_USER ? groups.includes(UNAUTHENTICATED_GROUP) : EVERYBODY.some((group) => groups.includes(group));
  const uid = items.find(({ kind }) => kind === 'UID')?.name;
  const extra = extraOf(items);
  return {
    name,
    groups: isMember ? groups : [...groups, name === ANONYMOUS_USER ? UNAUTHENTICATED_GROUP : AUTHENTICATED_GROUP],
    ...(uid === undefined ? {} : { uid }),
    ...(extra === undefined ? {} : { extra }),
  };
}

function extraOf(items: readonly Item[]): User['extra'] {
  const extra = new Map<string, string[]>();
  for (const item of items) {
    if (item.kind === 'UserExtra') addToList(extra, item.key, item.name);
  }
  return extra.size === 0 ? undefined : Object.fromEntries(extra);
}

/** The response where groups, uid or extra come without a user. kube-apiserver reports that as text, with the attributes in its own notation. */
function withoutUser(request: Identified, items: readonly Item[], brand: Brand): Reply {
  const keyOf = (item: Item): string => (item.kind === 'UserExtra' ? item.key : '');
  const asked = items.map((item) => `{${item.kind}  ${item.name}  ${apiVersionOf(item, brand)}  ${keyOf(item)}}`);
  return plainFailure(request, `requested [${asked.join(' ')}] without impersonating a user`);
}

const apiVersionOf = ({ kind }: Item, brand: Brand): string => (kind === 'Group' ? '' : `${brand.group('authentication')}/v1`);
