import { didYouMean, hasFunctions, isBytes, isJsonObject, shownValue } from '#base';
import type { ApiObject, KindDefinition } from '#api';
import type { ApiResource } from './api-resource.ts';

// What plain JavaScript gives a function and TypeScript would refuse: each check throws a `TypeError` that says what the function takes.

const wrong = (what: string, takes: string, given: unknown): TypeError => new TypeError(`${what} takes ${takes}, not ${shownValue(given)}`);

/** The types of options, in words. */
const TYPES = { string: 'a text', number: 'a number', boolean: 'true or false', object: 'an object' } as const;

/** The options of a function, by name, with the type of each. */
export type OptionTypes<T> = { readonly [K in keyof T]-?: keyof typeof TYPES };

/** An option that nobody knows would be ignored: with a selector that is misspelled a list, or a deletion, is one of everything. */
export function checkOptions<T>(what: string, given: T, types: OptionTypes<T>): void {
  const names = Object.keys(types);
  if (!isJsonObject(given)) throw wrong(what, `options, an object with ${names.join(', ')}`, given);
  for (const name of Object.keys(given)) {
    if (given[name] === undefined) continue;
    if (!Object.hasOwn(types, name)) {
      throw new TypeError(`${what} has no option ${name}${didYouMean(name, names) || `; there are ${names.join(', ')}`}`);
    }
    const type = types[name as keyof T];
    if (typeof given[name] !== type || given[name] === null) throw wrong(`option ${name} of ${what}`, TYPES[type], given[name]);
  }
}

/** The key of an object of this resource. */
export function checkKey(what: string, { isNamespaced }: ApiResource, given: unknown): void {
  const isKey = isJsonObject(given) && typeof given['name'] === 'string' && (given['namespace'] === undefined || typeof given['namespace'] === 'string');
  if (!isKey) throw wrong(what, `a key such as ${isNamespaced ? "{ namespace: 'default', name: 'a' }" : "{ name: 'a' }"}`, given);
}

/** An object to write. */
export function checkObject(what: string, { isNamespaced }: ApiResource, given: unknown): void {
  const isObject = isJsonObject(given) && isJsonObject(given['metadata']);
  if (!isObject) throw wrong(what, `an object with its metadata, such as { metadata: { ${isNamespaced ? "namespace: 'default', " : ''}name: 'a' } }`, given);
}

/** A declared kind. */
export function checkKind<T extends ApiObject>(what: string, given: KindDefinition<T>): void {
  const isKind = isJsonObject(given) && ['group', 'kind', 'plural', 'storage'].every((name) => typeof given[name] === 'string');
  if (!isKind) throw wrong(what, 'a kind as those of orch/kinds', given);
}

/** A resource of a server. */
export function checkResource(what: string, given: ApiResource): void {
  const isResource = isJsonObject(given) && ['group', 'version', 'plural', 'kind'].every((name) => typeof given[name] === 'string') && typeof given['isNamespaced'] === 'boolean';
  if (!isResource) throw wrong(what, 'a resource with group, version, plural, kind and isNamespaced, as discover() finds it', given);
}

/** One of the words of a table. */
export function checkWord(what: string, given: unknown, words: readonly string[]): void {
  if (!words.includes(given as string)) throw wrong(what, `one of ${words.join(', ')}`, given);
}

/** An object of the program with functions of these names. `made`: how one is made. */
export function checkFunctions(what: string, given: unknown, functions: readonly string[], made: string): void {
  if (!hasFunctions(given, functions)) throw wrong(what, made, given);
}

/** A client. */
export const checkClient = (what: string, given: unknown): void => checkFunctions(what, given, ['of', 'at', 'ask'], 'a client, as createClient makes it');

/** A function. `made`: what it is. */
export function checkFunction(what: string, given: unknown, made: string): void {
  if (typeof given !== 'function') throw wrong(what, made, given);
}

/** A text that is not empty. */
export function checkText(what: string, given: unknown): void {
  if (typeof given !== 'string' || given === '') throw wrong(what, 'a text', given === '' ? 'an empty one' : given);
}

/** A request: its path, and its body as it is sent. */
export function checkRequest(what: string, given: unknown): void {
  if (!isJsonObject(given) || typeof given['path'] !== 'string') throw wrong(what, "a request such as { method: 'GET', path: '/version' }", given);
  const { body } = given;
  if (body !== undefined && typeof body !== 'string' && !isBytes(body)) throw wrong(`body of ${what}`, 'a text, such as JSON.stringify makes, or bytes', body);
}

/** Headers by name. A `Headers` of fetch has no members: what is in it would be lost. */
export function checkHeaders(what: string, given: unknown): void {
  if (!isJsonObject(given) || Symbol.iterator in given) throw wrong(what, 'headers by name, such as { authorization: `Bearer ${token}` }', given);
}

/** A server and the credentials for it. */
export function checkConnection(what: string, given: unknown): void {
  const address = isJsonObject(given) ? given['server'] : undefined;
  if (!isJsonObject(given)) throw wrong(what, "a connection such as { server: 'https://127.0.0.1:6443', isVerified: true, namespace: 'default' }", given);
  if (typeof address !== 'string' || !/^https?:\/\//i.test(address) || !URL.canParse(address)) throw wrong(`server of ${what}`, 'an address such as https://127.0.0.1:6443', address);
}
