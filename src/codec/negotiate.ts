import type { Brand } from '#api';

/** The formats objects are written in, in order of preference. */
export type Format = 'json' | 'yaml' | 'protobuf';

/** What an object may be turned into on the way out. */
export type RepresentedAs = 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';

/** What one kind of request can be answered with. Offers are compared by identity: make them once. */
export interface Offers {
  /** In order of preference: the first one answers a request that does not say. */
  readonly formats: readonly Format[];
  /** Whether `as=Table` and its like are understood. */
  readonly canTransform: boolean;
  /** The answer is a watch stream: only formats that can be framed. */
  readonly isWatch: boolean;
  /** The formats of what is not turned into something else; undefined: all. */
  readonly whole?: readonly Format[];
}

/** How to answer. */
export interface Negotiated {
  readonly codec: Format;
  readonly as?: RepresentedAs;
  /** Version of the meta group that `as` is written in. */
  readonly asVersion?: 'v1' | 'v1beta1';
  /** The media type asked for `pretty=1`. */
  readonly pretty?: true;
}

const ALL: readonly Format[] = ['json', 'yaml', 'protobuf'];
const TEXT: readonly Format[] = ['json', 'yaml'];

/** Rows of what is asked for. `text` rows are for types without protobuf form: their metadata has one. */
export const OFFERS = {
  objects: { formats: ALL, canTransform: true, isWatch: false },
  watch: { formats: ALL, canTransform: true, isWatch: true },
  textObjects: { formats: ALL, canTransform: true, isWatch: false, whole: TEXT },
  textWatch: { formats: ALL, canTransform: true, isWatch: true, whole: TEXT },
  /** Errors and discovery. */
  plain: { formats: ALL, canTransform: false, isWatch: false },
  /** Parts of types without protobuf form. */
  textPlain: { formats: ALL, canTransform: false, isWatch: false, whole: TEXT },
} as const satisfies Readonly<Record<string, Offers>>;

const STREAM = 'watch';

/** Media types by format. */
export function mediaTypeOf(format: Format, brand: Brand): string {
  return format === 'protobuf' ? brand.names.protobuf : `application/${format}`;
}

/** Media types an offer stands for, for the message of a refusal. */
export function offeredMediaTypes({ formats, isWatch }: Offers, brand: Brand): readonly string[] {
  return isWatch
    ? formats.filter(canBeFramed).map((format) => `${mediaTypeOf(format, brand)};stream=${STREAM}`)
    : formats.map((format) => mediaTypeOf(format, brand));
}

const canBeFramed = (format: Format): boolean => format !== 'yaml';

/** Answers are kept by header text; a client that sends ever new texts does not fill the memory. */
const MAX_KEPT_ANSWERS = 256;
const MAX_KEPT_HEADER = 512;

/** `null`: nothing acceptable. */
type KeptAnswers = Map<string, Negotiated | null>;

const keptAnswers = new WeakMap<Brand, WeakMap<Offers, KeptAnswers>>();

/**
 * The best way to answer for an `Accept` header; several header lines are joined by a comma. undefined: nothing acceptable (406).
 * Clauses are taken by falling quality, the more exact ones first, and otherwise as they stand.
 * @spec 4.7
 */
export function negotiate(accept: string | undefined, offers: Offers, brand: Brand): Negotiated | undefined {
  const header = accept ?? '';
  if (header.length > MAX_KEPT_HEADER) return answer(header, offers, brand);
  const answers = answersOf(offers, brand);
  const kept = answers.get(header);
  if (kept !== undefined) return kept ?? undefined;
  if (answers.size >= MAX_KEPT_ANSWERS) answers.clear();
  const answered = answer(header, offers, brand);
  answers.set(header, answered ?? null);
  return answered;
}

function answersOf(offers: Offers, brand: Brand): KeptAnswers {
  let byOffers = keptAnswers.get(brand);
  if (byOffers === undefined) keptAnswers.set(brand, (byOffers = new WeakMap()));
  let answers = byOffers.get(offers);
  if (answers === undefined) byOffers.set(offers, (answers = new Map()));
  return answers;
}

/** How to write an error for an `Accept` header: whatever it says, there is an answer. */
export function negotiateError(accept: string | undefined, brand: Brand): Negotiated {
  return negotiate(accept, OFFERS.plain, brand) ?? { codec: 'json' };
}

interface Clause {
  readonly type: string;
  readonly subtype: string;
  readonly parameters: readonly (readonly [name: string, value: string])[];
  readonly quality: number;
}

function answer(header: string, offers: Offers, brand: Brand): Negotiated | undefined {
  if (header === '') return { codec: offers.formats[0] ?? 'json' };
  const clauses = parseAccept(header);
  if (!namesAnOffer(clauses, offers, brand)) return undefined;
  for (const clause of clauses.toSorted(byQuality)) {
    for (const format of offers.formats) {
      const negotiated = matches(clause, mediaTypeOf(format, brand)) ? take(clause, format, offers, brand) : undefined;
      if (negotiated !== undefined) return offers.isWatch && !canBeFramed(format) ? undefined : negotiated;
    }
  }
  return undefined;
}

/** Routing comes before negotiation and knows no partial wildcards: `application/*` alone is refused. */
function namesAnOffer(clauses: readonly Clause[], offers: Offers, brand: Brand): boolean {
  return clauses.some(
    ({ type, subtype }) =>
      (type === '*' && subtype === '*') || offers.formats.some((format) => mediaTypeOf(format, brand) === `${type}/${subtype}`),
  );
}

function byQuality(a: Clause, b: Clause): number {
  return b.quality - a.quality || Number(a.type === '*') - Number(b.type === '*') || Number(a.subtype === '*') - Number(b.subtype === '*');
}

function matches({ type, subtype }: Clause, mediaType: string): boolean {
  if (type === '*') return subtype === '*';
  const slash = mediaType.indexOf('/');
  return type === mediaType.slice(0, slash) && (subtype === '*' || subtype === mediaType.slice(slash + 1));
}

/** The clause's parameters, where this format can satisfy them. Those nobody knows, such as `charset`, do not matter. */
function take(clause: Clause, format: Format, offers: Offers, brand: Brand): Negotiated | undefined {
  let as: string | undefined;
  let group: string | undefined;
  let version: string | undefined;
  let pretty = false;
  for (const [name, value] of clause.parameters) {
    if (name === 'as') as = value;
    else if (name === 'g') group = value;
    else if (name === 'v') version = value;
    else if (name === 'pretty') pretty = value === '1';
    else if (name === 'stream' && value !== '' && (value !== STREAM || !canBeFramed(format))) return undefined;
  }
  const rest = pretty ? { pretty } : {};
  if (as === undefined && group === undefined && version === undefined) {
    return offers.whole === undefined || offers.whole.includes(format) ? { codec: format, ...rest } : undefined;
  }
  if (!offers.canTransform || !isRepresentation(as) || group !== brand.group('meta') || !isMetaVersion(version)) return undefined;
  if (as === 'Table' && format === 'protobuf') return undefined;
  return { codec: format, as, asVersion: version, ...rest };
}

const isRepresentation = (as: string | undefined): as is RepresentedAs =>
  as === 'Table' || as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList';

const isMetaVersion = (version: string | undefined): version is 'v1' | 'v1beta1' => version === 'v1' || version === 'v1beta1';

/** More clauses than any client sends; the others are not looked at. */
const MAX_CLAUSES = 64;

function parseAccept(header: string): readonly Clause[] {
  return header.split(',', MAX_CLAUSES).flatMap((part) => {
    const [mediaType, ...rest] = part.split(';') as [string, ...string[]];
    const [type, subtype] = splitOnce(mediaType.trim(), '/');
    if (subtype === undefined && type !== '*') return [];
    const parameters = rest.map((text) => {
      const [name, value = ''] = splitOnce(text, '=');
      return [name.trim(), value.trim()] as const;
    });
    return [{ type, subtype: subtype ?? '*', parameters, quality: qualityOf(parameters) }];
  });
}

function qualityOf(parameters: Clause['parameters']): number {
  const text = parameters.find(([name]) => name === 'q')?.[1];
  const quality = text === undefined || text === '' ? 1 : Number(text);
  return Number.isNaN(quality) ? 1 : quality;
}

function splitOnce(text: string, separator: string): readonly [string, string?] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/**
 * The format of a request body for its `Content-Type`; without one it is JSON. Letter case and parameters do not matter.
 * undefined: not a format of objects (415).
 * @spec 4.7
 */
export function bodyFormat(contentType: string | undefined, brand: Brand): Format | undefined {
  const [mediaType = ''] = (contentType ?? '').split(';', 1);
  const name = mediaType.trim().toLowerCase();
  if (name === '' && (contentType ?? '').trim() === '') return 'json';
  return ALL.find((format) => mediaTypeOf(format, brand) === name);
}
