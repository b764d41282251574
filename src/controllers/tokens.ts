import type { ObjectKey } from '#api';
import { formatKey, isRefusal, keyOf, source, startController, type Controller, type ControllerEnv, type Running } from '#client';
import { Secret, ServiceAccount } from '#kinds';
import type { IssueToken, ServerControllerEnv } from './environment.ts';
import { followOnly } from './follow-only.ts';
import { Repairs } from './repairs.ts';

const BY_ACCOUNT = 'account';

/**
 * Puts a token into every Secret of the service account token type, and keeps the CA certificate in it current. Such a Secret is deleted with its
 * account.
 * @spec 5.9
 */
export function startTokens(env: ServerControllerEnv): Running | undefined {
  const contents = contentsOf(env);
  return contents && startController(tokensOf(contents, new Repairs(env.clock), new Map()), followTokens(env));
}

/** The content for token Secrets. */
export interface Contents {
  readonly issueToken: IssueToken;
  readonly rootCa?: string;
}

/** The content for token Secrets; undefined: this server issues no tokens. */
export function contentsOf({ issueToken, rootCa }: ServerControllerEnv): Contents | undefined {
  return issueToken && { issueToken, ...(rootCa === undefined ? {} : { rootCa }) };
}

/** The environment with an informer of token Secrets only. */
export const followTokens = (env: ServerControllerEnv): ServerControllerEnv =>
  followOnly(env, Secret, { fieldSelector: `type=${env.client.brand.names.serviceAccountTokenSecret}` });

/** What a token Secret says about whose it is. An empty uid: any of that name. */
interface Whose {
  readonly account: string;
  readonly uid: string;
}

/** `gone`: whose the Secrets were that are gone, until their accounts no longer name them. */
const tokensOf = (contents: Contents, repairs: Repairs, gone: Map<string, Whose>): Controller<Secret> => ({
  name: 'serviceaccount-token',
  watches: Secret,
  also: [source(ServiceAccount, (account, env) => env.inform(Secret).by(BY_ACCOUNT, formatKey(keyOf(account))).map(keyOf))],
  workers: 4,
  prepare({ inform, client: { brand: { names } } }) {
    inform(Secret).addIndex(BY_ACCOUNT, (secret) => [formatKey({ ...keyOf(secret), name: accountNameOf(secret, names) })]);
    inform(Secret).listen({ put: (secret) => gone.delete(formatKey(keyOf(secret))), remove: (secret) => gone.set(formatKey(keyOf(secret)), whoseIs(secret, names)) });
  },
  async reconcile(key, env) {
    const secret = env.inform(Secret).get(key);
    if (secret === undefined) {
      const word = formatKey(key);
      repairs.forget(word);
      const whose = gone.get(word);
      if (whose !== undefined) await forget(key, whose, env);
      if (gone.get(word) === whose) gone.delete(word);
    }
    if (secret === undefined || secret.metadata.deletionTimestamp) return undefined;
    const account = await accountOf(secret, env);
    if (account !== undefined) return complete(secret, account, contents, repairs, env);
    await removeSecret(secret, env);
    return undefined;
  },
});

type Names = ControllerEnv['client']['brand']['names'];

/** The service account that a token Secret is annotated with. */
export const accountNameOf = ({ metadata }: Secret, names: Names): string => metadata.annotations?.[names.serviceAccountNameAnnotation] ?? '';

const whoseIs = (secret: Secret, names: Names): Whose => ({
  account: accountNameOf(secret, names),
  uid: secret.metadata.annotations?.[names.serviceAccountUidAnnotation] ?? '',
});

/** The account of a token Secret; undefined: it was deleted, or another account has its name. */
async function accountOf(secret: Secret, { client, inform }: ControllerEnv): Promise<ServiceAccount | undefined> {
  const { account: name, uid } = whoseIs(secret, client.brand.names);
  const key = { namespace: secret.metadata.namespace ?? '', name };
  const isIts = (account: ServiceAccount | undefined): boolean => account !== undefined && (uid === '' || account.metadata.uid === uid);
  const known = inform(ServiceAccount).get(key);
  if (isIts(known)) return known;
  // Read from the server: the following deletion cannot be undone.
  const live = key.name === '' ? undefined : await client.of(ServiceAccount).find(key);
  return isIts(live) ? live : undefined;
}

async function removeSecret({ metadata }: Secret, { client }: ControllerEnv): Promise<void> {
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = metadata;
  try {
    await client.of(Secret).delete({ namespace, name }, { uid, resourceVersion });
  } catch (cause) {
    if (!isRefusal(cause, 'NotFound')) throw cause;
  }
}

/** Fills in what is missing in a token Secret, and updates what has changed. */
export async function fillToken(
  known: Secret['data'],
  secretName: string,
  { metadata: { namespace = '', name = '', uid = '' } }: ServiceAccount,
  { issueToken, rootCa }: Contents,
): Promise<Record<string, string>> {
  const data = { ...known };
  if (rootCa !== undefined) data['ca.crt'] = encode(rootCa);
  data['namespace'] ||= encode(namespace);
  data['token'] ||= encode(await issueToken({ namespace, account: { name, uid }, secretName }));
  return data;
}

async function complete(secret: Secret, account: ServiceAccount, contents: Contents, repairs: Repairs, { client, log }: ControllerEnv): Promise<number | undefined> {
  const { names } = client.brand;
  const { name: secretName = '', annotations } = secret.metadata;
  const { uid = '' } = account.metadata;
  const data = await fillToken(secret.data, secretName, account, contents);
  const isDone = Object.entries(data).every(([key, value]) => secret.data?.[key] === value) && annotations?.[names.serviceAccountUidAnnotation] === uid;
  if (isDone) return undefined;
  const word = formatKey(keyOf(secret));
  const waitMs = repairs.waitMs(word);
  if (waitMs > 0) return waitMs;
  const metadata = { ...secret.metadata, annotations: { ...annotations, [names.serviceAccountUidAnnotation]: uid } };
  try {
    await client.of(Secret).update({ ...secret, metadata, data });
  } catch (cause) {
    if (!isRefusal(cause, 'NotFound')) throw cause;
    return undefined;
  }
  if (repairs.did(word)) log.warn('another program keeps changing a token; --controllers=*,-serviceaccount-token leaves tokens to that one', { secret: word });
  return undefined;
}

const encode = (text: string): string => Buffer.from(text).toString('base64');

/** Removes a deleted Secret from its account. Others that name it may mean one that comes again. */
async function forget({ namespace, name }: ObjectKey, whose: Whose, { client }: ControllerEnv): Promise<void> {
  const accounts = client.of(ServiceAccount);
  const account = whose.account === '' ? undefined : await accounts.find({ namespace, name: whose.account });
  if (account === undefined || (whose.uid !== '' && account.metadata.uid !== whose.uid)) return;
  const secrets = account.secrets ?? [];
  if (!secrets.some((one) => one.name === name) || (await client.of(Secret).find({ namespace, name })) !== undefined) return;
  try {
    await accounts.update({ ...account, secrets: secrets.filter((one) => one.name !== name) });
  } catch (cause) {
    if (!isRefusal(cause, 'NotFound')) throw cause;
  }
}
