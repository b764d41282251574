import { X509Certificate } from 'node:crypto';
import type { ApiObject, Brand, KindName, ObjectAccess } from '#api';
import { certificateBlocks, isDeepEqual } from '#base';
import { isRefusal } from '#errors';
import type { Settings } from '../options.ts';

const CONFIG_MAP: KindName = { group: '', kind: 'ConfigMap' };
const NAME = 'extension-apiserver-authentication';

/** Certificate authorities of clients and of authenticating proxies; PEM texts. */
export interface Authorities {
  readonly clientCa: string | undefined;
  readonly proxyCa: string | undefined;
}

type ConfigMap = ApiObject & { data?: Readonly<Record<string, string>> };
type Data = Readonly<Record<string, string>>;

/**
 * Publishes how aggregated API servers authenticate users: the client CAs this server accepts, and the headers by which it names the user of a
 * proxied request. Kept in a ConfigMap of the system namespace. Servers that share a store merge their entries; expired authorities are removed.
 */
export async function publishAuthenticationInfo(objects: ObjectAccess, { names }: Brand, settings: Settings, authorities: Authorities): Promise<void> {
  const own = describe(settings, authorities);
  const key = { namespace: names.systemNamespace, name: NAME };
  const nowMs = settings.clock.nowMs();
  const change = (object: ApiObject): ApiObject | undefined => {
    const live = object as ConfigMap;
    const data = joined(live.data ?? {}, own, nowMs);
    return isDeepEqual(data, live.data ?? {}) ? undefined : ({ ...live, data } as ApiObject);
  };
  if ((await objects.update(CONFIG_MAP, key, change)) !== undefined) return;
  const data = Object.keys(own).length === 0 ? {} : { data: own };
  try {
    await objects.create(CONFIG_MAP, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...key }, ...data });
  } catch (cause) {
    // Another server on the same store created it first.
    if (!isRefusal(cause, 'AlreadyExists')) throw cause;
    await objects.update(CONFIG_MAP, key, change);
  }
}

/** The authorities this server was started with. */
export function givenAuthorities({ listen, authentication: { requestHeader } }: Settings): Authorities {
  return { clientCa: listen === false ? undefined : listen.tls?.clientCa, proxyCa: requestHeader?.clientCa };
}

/** The entries of this server. */
function describe({ authentication: { requestHeader } }: Settings, { clientCa, proxyCa }: Authorities): Data {
  return {
    ...(clientCa === undefined ? {} : { 'client-ca-file': clientCa }),
    ...(requestHeader === undefined
      ? {}
      : {
          'requestheader-allowed-names': JSON.stringify(requestHeader.allowedNames ?? []),
          'requestheader-client-ca-file': proxyCa ?? requestHeader.clientCa,
          'requestheader-extra-headers-prefix': JSON.stringify(requestHeader.extraHeadersPrefixes ?? []),
          'requestheader-group-headers': JSON.stringify(requestHeader.groupHeaders ?? []),
          'requestheader-username-headers': JSON.stringify(requestHeader.usernameHeaders),
        }),
  };
}

function joined(live: Data, own: Data, nowMs: number): Data {
  const both = Object.entries(own).map(([name, value]): [string, string] => {
    const before = live[name];
    if (before === undefined || before === value) return [name, value];
    return [name, name.endsWith('-ca-file') ? joinedAuthorities(before, value, nowMs) : joinedList(before, value)];
  });
  return { ...live, ...Object.fromEntries(both) };
}

function joinedAuthorities(before: string, own: string, nowMs: number): string {
  const blocks = new Set([...certificateBlocks(before), ...certificateBlocks(own)]);
  return [...blocks].filter((block) => isValid(block, nowMs)).map((block) => `${block}\n`).join('');
}

function isValid(block: string, nowMs: number): boolean {
  try {
    return Date.parse(new X509Certificate(block).validTo) > nowMs;
  } catch {
    return false;
  }
}

/** Merges two JSON lists of strings; a malformed one counts as empty. */
function joinedList(before: string, own: string): string {
  const all = new Set([...wordsOf(before), ...wordsOf(own)]);
  return JSON.stringify([...all]);
}

function wordsOf(text: string): readonly string[] {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.filter((word) => typeof word === 'string') : [];
  } catch {
    return [];
  }
}
