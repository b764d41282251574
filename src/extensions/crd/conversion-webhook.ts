import { validateAnnotations, validateMatchLabels, type ApiObject, type OtherVersions, type StoredForms } from '#api';
import { isDeepEqual, isJsonObject, jsonText, memberOf, randomUUID } from '#base';
import { FieldErrors, goPlain, goQuoted, goTypeOf, inOneMessage, withoutReason, type ApiError } from '#errors';
import type { ReviewVersion } from '#kinds';
import type { MessageType } from '#schema';
import { misnamedReview } from '#transport';
import type { Definition } from './definition.ts';
import { complete, fit, refuseForgotten, type Schemas } from './stored-forms.ts';

export type ConversionClient = NonNullable<NonNullable<NonNullable<Definition['spec']['conversion']>['webhook']>['clientConfig']>;

/** Calls a conversion webhook. Rejects where it is unreachable or does not return JSON. */
export type CallConversion = (client: ConversionClient, document: unknown, timeoutMs: number) => Promise<unknown>;

const TIMEOUT_MS = 30_000;
/** Objects per review: enough to make lists cheap, few enough for a timely response. */
const MAX_OBJECTS = 500;
/**
 * Maximum characters of the objects in one review: the response is bounded too, and may be much larger. A single object is sent whatever its size.
 */
const MAX_CHARACTERS = 1024 * 1024;

export interface WebhookConversion {
  readonly client: ConversionClient;
  /** `v1` or `v1beta1`. */
  readonly reviewVersion: ReviewVersion;
  /** The API group of the review, as on the wire. */
  readonly reviewGroup: string;
  readonly call: CallConversion;
}

/** Stored forms that a webhook converts between versions. @spec 4.12 */
export function webhookForms(conversion: WebhookConversion, schemas: Schemas, apiVersion: string, storedVersion: string): StoredForms {
  return {
    isAskedAnew: (object) => object.apiVersion !== apiVersion,
    async load(objects) {
      for (const object of objects) refuseForgotten(schemas, object);
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

/** What field ownership knows of a version. */
export interface OwnedVersion {
  readonly type: MessageType;
  /** Absent: it has no scale. */
  readonly scalePath?: string;
}

/** The same webhook for field ownership: its result is used without defaults. Without a webhook, versions differ only in name. */
export function otherVersions(conversion: WebhookConversion | undefined, versions: ReadonlyMap<string, OwnedVersion>): OtherVersions {
  const known: OtherVersions = { typeOf: (apiVersion) => versions.get(apiVersion)?.type, scalePathOf: (apiVersion) => versions.get(apiVersion)?.scalePath };
  if (conversion === undefined) return known;
  return {
    ...known,
    async convert(object, apiVersion) {
      const [converted = object] = await convertAll(conversion, [object], apiVersion);
      return converted;
    },
  };
}

async function convertAll(conversion: WebhookConversion, objects: readonly ApiObject[], apiVersion: string): Promise<readonly ApiObject[]> {
  const converted: ApiObject[] = [];
  for (const part of inQuestions(objects)) converted.push(...(await convert(conversion, part, apiVersion)));
  return converted;
}

function* inQuestions(objects: readonly ApiObject[]): Generator<readonly ApiObject[]> {
  let part: ApiObject[] = [];
  let characters = 0;
  for (const object of objects) {
    const more = objects.length === 1 ? 0 : jsonText(object).length;
    if (part.length === MAX_OBJECTS || (part.length > 0 && characters + more > MAX_CHARACTERS)) {
      yield part;
      part = [];
      characters = 0;
    }
    part.push(object);
    characters += more;
  }
  if (part.length > 0) yield part;
}

async function convert({ client, reviewVersion, reviewGroup, call }: WebhookConversion, objects: readonly ApiObject[], apiVersion: string): Promise<readonly ApiObject[]> {
  const uid = randomUUID();
  const head = { kind: 'ConversionReview', apiVersion: `${reviewGroup}/${reviewVersion}` };
  const document = { ...head, request: { uid, desiredAPIVersion: apiVersion, objects } };
  let answer: unknown;
  try {
    answer = await call(client, document, TIMEOUT_MS);
  } catch (cause) {
    throw failed(objects[0], cause instanceof Error ? cause.message : 'it could not be called', cause);
  }
  return readAnswer(answer, { ...head, uid, isExact: reviewVersion !== 'v1beta1' }, objects, apiVersion);
}

/** What a webhook is asked to convert: an object, or a part of one, as field ownership needs it. */
type Part = Omit<ApiObject, 'metadata'> & Partial<Pick<ApiObject, 'metadata'>>;

/** An error of the webhook, without a reason of the API. */
const failure = (object: Part | undefined, what: string, cause?: unknown): ApiError =>
  withoutReason(`conversion webhook for ${object?.apiVersion ?? ''}, Kind=${object?.kind ?? ''} ${what}`, cause);

const failed = (object: Part | undefined, why: string, cause?: unknown): ApiError => failure(object, `failed: ${why}`, cause);

interface Asked {
  readonly kind: string;
  readonly apiVersion: string;
  readonly uid: string;
  /** Whether the response must carry kind and apiVersion, and the uid of the review; in v1beta1 these are optional. */
  readonly isExact: boolean;
}

function readAnswer(answer: unknown, asked: Asked, objects: readonly ApiObject[], apiVersion: string): readonly ApiObject[] {
  const [first] = objects;
  const response = isJsonObject(answer) ? memberOf(answer, 'response') : undefined;
  const named = isJsonObject(answer) ? answer : {};
  const found = { apiVersion: goPlain(memberOf(named, 'apiVersion') ?? ''), kind: goPlain(memberOf(named, 'kind') ?? '') };
  const misnamed = misnamedReview(found, asked, !asked.isExact);
  if (misnamed !== undefined) throw failed(first, misnamed);
  if (!isJsonObject(response)) throw failed(first, 'no response provided');
  const uid = memberOf(response, 'uid') ?? '';
  if (asked.isExact && uid !== asked.uid) throw failed(first, `expected response.uid=${goQuoted(asked.uid)}, got ${goQuoted(goPlain(uid))}`);
  const why = faultOf(memberOf(response, 'result'));
  if (why !== undefined) throw failed(first, why);
  const converted = memberOf(response, 'convertedObjects') ?? [];
  if (!Array.isArray(converted)) throw failed(first, 'convertedObjects is no list');
  if (converted.length !== objects.length) throw failure(first, `returned ${converted.length} objects, expected ${objects.length}`);
  return objects.map((object, position) => checked(object, converted[position], apiVersion));
}

/** The error in the response; undefined: the conversion succeeded. */
function faultOf(result: unknown): string | undefined {
  const status = isJsonObject(result) ? (memberOf(result, 'status') ?? '') : '';
  if (status === 'Success') return undefined;
  const message = isJsonObject(result) ? memberOf(result, 'message') : undefined;
  return typeof message === 'string' && message !== '' ? message.slice(0, 1024) : `response.result.status was '${goPlain(status)}', not 'Success'`;
}

/** Labels and annotations are the only metadata that a conversion may change. A part of an object may have no metadata; what it is converted to must. */
function checked(object: Part, converted: unknown, apiVersion: string): ApiObject {
  const { kind } = object;
  if (!isJsonObject(converted)) throw failure(object, 'returned invalid object at index 0: it is no object');
  const found = goPlain(memberOf(converted, 'apiVersion') ?? '');
  if (found !== apiVersion) throw failure(object, `returned invalid object at index 0: invalid groupVersion (expected ${apiVersion}, received ${found})`);
  if (converted['kind'] !== kind) throw failure(object, `returned invalid object at index 0: invalid kind (expected ${kind}, received ${goPlain(converted['kind'] ?? '')})`);
  const { metadata: before = {} as ApiObject['metadata'] } = object;
  const { metadata = {} } = converted;
  if (!isJsonObject(metadata)) throw failure(object, `returned invalid metadata: invalid metadata of type ${goTypeOf(metadata)} in converted object`);
  for (const [member, name] of IDENTITY) {
    const [expected, received] = [before[member] ?? '', memberOf(metadata, member) ?? ''];
    if (received !== expected) throw failure(object, `returned invalid object: must have the same ${name}: ${expected} != ${goPlain(received)}`);
  }
  if (converted['metadata'] === undefined) throw failure(object, 'returned invalid metadata: missing metadata in converted object');
  const given = CHANGEABLE.filter(({ member }) => !isNothing(memberOf(metadata, member)));
  for (const rule of given) validateChange(object, rule, memberOf(metadata, rule.member));
  const changed = Object.fromEntries(given.map(({ member }) => [member, metadata[member]]));
  const { labels: _labels, annotations: _annotations, ...kept } = before;
  return { ...converted, kind, apiVersion, metadata: { ...kept, ...changed } };
}

/** Null or empty counts as absent. */
const isNothing = (texts: unknown): boolean => (texts ?? null) === null || (isJsonObject(texts) && Object.keys(texts).length === 0);

const IDENTITY = [
  ['name', 'name'],
  ['namespace', 'namespace'],
  ['uid', 'UID'],
] as const;

interface Changeable {
  readonly member: 'labels' | 'annotations';
  validate(texts: Readonly<Record<string, string>>, at: FieldErrors): void;
}

const CHANGEABLE: readonly Changeable[] = [
  { member: 'labels', validate: validateMatchLabels },
  { member: 'annotations', validate: validateAnnotations },
];

/** Existing invalid values may stay. Throws where the webhook changed them to invalid ones. */
function validateChange(object: Part, { member, validate }: Changeable, texts: unknown): void {
  const invalid = (why: string): ApiError => failure(object, `returned invalid metadata: ${why}`);
  if (!isJsonObject(texts)) throw invalid(`invalid metadata.${member} of type ${goTypeOf(texts)} in converted object`);
  for (const [key, text] of Object.entries(texts)) {
    if (typeof text !== 'string') throw invalid(`metadata.${member}[${key}] must be a string, but is ${goTypeOf(text)} in converted object`);
  }
  if (isDeepEqual(texts, object.metadata?.[member] ?? {})) return;
  const at = new FieldErrors(`metadata.${member}`);
  validate(texts as Record<string, string>, at);
  if (!at.isEmpty) throw invalid(inOneMessage(at.texts));
}
