import type { ApiObject, StoredForms } from '#api';
import { isDeepEqual, isJsonObject, memberOf } from '#base';
import { internalError, type ApiError } from '#errors';
import type { Definition } from './definition.ts';
import { complete, fit, type Schemas } from './stored-forms.ts';

export type ConversionClient = NonNullable<NonNullable<NonNullable<Definition['spec']['conversion']>['webhook']>['clientConfig']>;

/** Asks a conversion webhook. Throws where it cannot be reached or does not answer with JSON. */
export type CallConversion = (client: ConversionClient, document: unknown, timeoutMs: number) => Promise<unknown>;

const TIMEOUT_MS = 30_000;
/** Objects in one question: enough to make lists cheap, few enough for an answer in time. */
const MAX_OBJECTS = 500;

export interface WebhookConversion {
  readonly client: ConversionClient;
  /** `v1` or `v1beta1`. */
  readonly reviewVersion: string;
  /** Of the conversation, as on the wire. */
  readonly reviewGroup: string;
  readonly call: CallConversion;
}

/** Objects that a webhook converts between versions. @spec 4.12 */
export function webhookForms(conversion: WebhookConversion, schemas: Schemas, apiVersion: string, storedVersion: string): StoredForms {
  return {
    async load(objects) {
      const present = objects.map((object) => complete(schemas.get(object.apiVersion), object));
      const foreign = present.filter((object) => object.apiVersion !== apiVersion);
      const converted = await convertAll(conversion, foreign, apiVersion);
      let next = 0;
      return present.map((object, position) => {
        const shown = object.apiVersion === apiVersion ? object : fit(schemas.get(apiVersion), converted[next++] ?? object);
        const stored = objects[position] ?? shown;
        return isDeepEqual(shown, stored) ? stored : shown;
      });
    },
    async save(object) {
      if (apiVersion === storedVersion) return object;
      const [converted = object] = await convertAll(conversion, [object], storedVersion);
      return fit(schemas.get(storedVersion), converted);
    },
  };
}

async function convertAll(conversion: WebhookConversion, objects: readonly ApiObject[], apiVersion: string): Promise<readonly ApiObject[]> {
  const converted: ApiObject[] = [];
  for (let at = 0; at < objects.length; at += MAX_OBJECTS) converted.push(...(await convert(conversion, objects.slice(at, at + MAX_OBJECTS), apiVersion)));
  return converted;
}

async function convert({ client, reviewVersion, reviewGroup, call }: WebhookConversion, objects: readonly ApiObject[], apiVersion: string): Promise<readonly ApiObject[]> {
  const uid = crypto.randomUUID();
  const head = { kind: 'ConversionReview', apiVersion: `${reviewGroup}/${reviewVersion}` };
  const document = { ...head, request: { uid, desiredAPIVersion: apiVersion, objects } };
  let answer: unknown;
  try {
    answer = await call(client, document, TIMEOUT_MS);
  } catch (cause) {
    throw failure(objects[0], cause instanceof Error ? cause.message : 'it could not be called', cause);
  }
  return readAnswer(answer, { ...head, uid, isExact: reviewVersion !== 'v1beta1' }, objects, apiVersion);
}

const failure = (object: ApiObject | undefined, why: string, cause?: unknown): ApiError =>
  internalError(`conversion webhook for ${object?.apiVersion ?? ''}, Kind=${object?.kind ?? ''} failed: ${why}`, cause);

interface Asked {
  readonly kind: string;
  readonly apiVersion: string;
  readonly uid: string;
  /** Whether the answer must name itself and the question: those of the first version need not. */
  readonly isExact: boolean;
}

function readAnswer(answer: unknown, asked: Asked, objects: readonly ApiObject[], apiVersion: string): readonly ApiObject[] {
  const [first] = objects;
  const response = isJsonObject(answer) ? memberOf(answer, 'response') : undefined;
  const isNamed = isJsonObject(answer) && answer['kind'] === asked.kind && answer['apiVersion'] === asked.apiVersion;
  if (!isJsonObject(response) || (asked.isExact && !isNamed)) throw failure(first, `the answer is no ${asked.kind} of ${asked.apiVersion} with a response`);
  if (asked.isExact && response['uid'] !== asked.uid) throw failure(first, 'the uid of the answer is not that of the question');
  const result = memberOf(response, 'result');
  if (!isJsonObject(result) || result['status'] !== 'Success') throw failure(first, messageOf(result));
  const converted = memberOf(response, 'convertedObjects');
  if (!Array.isArray(converted) || converted.length !== objects.length) throw failure(first, `it answered with another number of objects than ${objects.length}`);
  return objects.map((object, position) => checked(object, converted[position], apiVersion));
}

const messageOf = (result: unknown): string =>
  isJsonObject(result) && typeof result['message'] === 'string' && result['message'] !== '' ? result['message'].slice(0, 1024) : 'no reason is given';

/** Labels and annotations are the only metadata that a conversion may change. */
function checked(object: ApiObject, converted: unknown, apiVersion: string): ApiObject {
  const { kind } = object;
  if (!isJsonObject(converted) || converted['apiVersion'] !== apiVersion) throw failure(object, `it did not convert to ${apiVersion}`);
  if (converted['kind'] !== kind) throw failure(object, 'it changed the kind');
  const { metadata } = converted;
  if (!isJsonObject(metadata)) throw failure(object, 'it dropped the metadata');
  for (const member of ['name', 'namespace', 'uid'] as const) {
    if ((metadata[member] ?? '') !== (object.metadata[member] ?? '')) throw failure(object, `it changed metadata.${member}`);
  }
  const given = (['labels', 'annotations'] as const).filter((member) => (metadata[member] ?? null) !== null);
  for (const member of given) if (!isTexts(metadata[member])) throw failure(object, `it made metadata.${member} of something else than texts`);
  const changed = Object.fromEntries(given.map((member) => [member, metadata[member]]));
  const { labels: _labels, annotations: _annotations, ...kept } = object.metadata;
  return { ...converted, kind, apiVersion, metadata: { ...kept, ...changed } };
}

const isTexts = (value: unknown): boolean => isJsonObject(value) && Object.values(value).every((text) => typeof text === 'string');
