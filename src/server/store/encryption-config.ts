import { failureText, isJsonObject, type JsonObject } from '#base';
import { versionInAnyDialect } from '#api';
import { parseYaml } from '#codec';
import { RANGE_RECORDS } from '#registry';
import { createProvider, PROVIDER_NAMES, type EncryptionRule, type Key, type KeySpace, type Provider, type ProviderName } from '#storage';

const VERSIONS: readonly unknown[] = versionInAnyDialect('apiserver.config', 'v1');

/**
 * Reads an EncryptionConfiguration (YAML or JSON), in either dialect's spelling, or in the one of early pages about Kubernetes, which 1.23 takes as well.
 * Throws an `Error` that names the place in the file.
 */
export async function readEncryption(text: string, keys: KeySpace): Promise<readonly EncryptionRule[]> {
  const config = parse(text);
  const { apiVersion, kind } = config;
  const isEarly = apiVersion === 'v1' && kind === 'EncryptionConfig';
  if (!isEarly && (!VERSIONS.includes(apiVersion) || kind !== 'EncryptionConfiguration')) {
    throw wrong('', `it must say apiVersion: ${VERSIONS.join(' or ')} and kind: EncryptionConfiguration`);
  }
  const rules = listOf(config, 'resources', '');
  return Promise.all(rules.map((rule, i) => readRule(rule, `resources[${i}]`, keys)));
}

function parse(text: string): JsonObject {
  let value: unknown;
  try {
    value = parseYaml(Buffer.from(text));
  } catch (cause) {
    throw wrong('', failureText(cause));
  }
  return objectOf(value, '');
}

async function readRule(value: unknown, at: string, keys: KeySpace): Promise<EncryptionRule> {
  const rule = objectOf(value, at);
  const resources = listOf(rule, 'resources', at).map((name, i) => textOf(name, `${at}.resources[${i}]`));
  const providers = listOf(rule, 'providers', at);
  const read = await Promise.all(providers.map((provider, i) => readProvider(provider, `${at}.providers[${i}]`)));
  return { prefixes: resources.flatMap((name) => prefixesOf(name, keys)), providers: read.flat() };
}

/** The key prefixes of a resource, as `secrets` or `deployments.apps`. What services have allocated is encrypted with them, as in 1.23. */
function prefixesOf(name: string, keys: KeySpace): readonly Key[] {
  const [resource = '', ...group] = name.split('.');
  const places = [{ group: group.join('.'), resource }, ...(name === 'services' ? [RANGE_RECORDS] : [])];
  return places.map((place) => keys.prefixOf(place));
}

/** One entry names one algorithm, and may have several keys. */
async function readProvider(value: unknown, at: string): Promise<readonly Provider[]> {
  const [name, ...others] = Object.keys(objectOf(value, at));
  if (name === undefined || others.length > 0) throw wrong(at, 'each entry names exactly one provider');
  if (name === 'kms') throw wrong(at, 'kms is not supported: use aescbc, aesgcm or secretbox with a key in this file');
  if (!isProvider(name)) throw wrong(at, `there is no provider ${JSON.stringify(name)}: choose from ${PROVIDER_NAMES.join(', ')}`);
  if (name === 'identity') return [await createProvider('identity', '', new Uint8Array())];
  const where = `${at}.${name}`;
  const keys = listOf(objectOf((value as JsonObject)[name], where), 'keys', where);
  return Promise.all(keys.map((key, i) => readKey(name, key, `${where}.keys[${i}]`)));
}

async function readKey(algorithm: ProviderName, value: unknown, at: string): Promise<Provider> {
  const key = objectOf(value, at);
  const name = textOf(key['name'], `${at}.name`);
  const secret = textOf(key['secret'], `${at}.secret`);
  const bytes = Buffer.from(secret, 'base64');
  // The error about a secret must not contain any of it.
  if (bytes.toString('base64') !== secret.trim()) throw wrong(`${at}.secret`, 'it is not base64');
  try {
    return await createProvider(algorithm, name, bytes);
  } catch (cause) {
    throw wrong(`${at}.secret`, failureText(cause));
  }
}

const isProvider = (name: string): name is ProviderName => (PROVIDER_NAMES as readonly string[]).includes(name);

function objectOf(value: unknown, at: string): JsonObject {
  if (!isJsonObject(value)) throw wrong(at, 'there must be an object here');
  return value;
}

function listOf(object: JsonObject, name: string, at: string): readonly unknown[] {
  const value = object[name];
  const where = at === '' ? name : `${at}.${name}`;
  if (!Array.isArray(value) || value.length === 0) throw wrong(where, 'there must be a list with at least one entry here');
  return value;
}

function textOf(value: unknown, at: string): string {
  if (typeof value !== 'string' || value === '') throw wrong(at, 'there must be a text here');
  return value;
}

const wrong = (at: string, message: string): Error => new Error(`encryption configuration${at === '' ? '' : `, ${at}`}: ${message}`);
