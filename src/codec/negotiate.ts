import type { Brand } from '#api';
import { notAcceptable, type ApiError } from '#errors';
import { parseAccept, type Clause } from './accept-header.ts';
import { bareMediaType, mediaTypeIn } from './content-type.ts';

/** The formats objects are written in, in order of preference. */
export type Format = 'json' | 'yaml' | 'protobuf';

/** What an object may be turned into on the way out. */
export type RepresentedAs = 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';

/** What one kind of request can be answered with. Offers are compared by identity: make them once. */
export interface Offers {
  /** In order of preference: the first one answers a request that does not say. */
  readonly formats: readonly Format[];
  /** What `as` may ask for. */
  readonly transforms: 'all' | 'metadata' | 'nothing';
  /** The path is only found for who accepts one of its types by name, or all there are: no other wildcards are known before that. */
  readonly isRouted: boolean;
  /** Types that lead to the path, too. */
  readonly alsoRouted?: readonly string[];
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
  objects: { formats: ALL, transforms: 'all', isRouted: true },
  textObjects: { formats: ALL, transforms: 'all', isRouted: false, whole: TEXT },
  /** Parts of objects, and what is nowhere stored. */
  parts: { formats: ALL, transforms: 'metadata', isRouted: true },
  textParts: { formats: ALL, transforms: 'metadata', isRouted: false, whole: TEXT },
  log: { formats: ALL, transforms: 'metadata', isRouted: true, alsoRouted: ['text/plain'] },
  /** Errors, and what there is besides objects. */
  plain: { formats: ALL, transforms: 'nothing', isRouted: false },
  routedPlain: { formats: ALL, transforms: 'nothing', isRouted: true },
} as const satisfies Readonly<Record<string, Offers>>;

const STREAM = 'watch';

/** Media types by format. */
export function mediaTypeOf(format: Format, brand: Brand): string {
  return format === 'protobuf' ? brand.names.protobuf : `application/${format}`;
}

/** Whether a watch can be written in it: one event after the other. */
export const canBeFramed = (format: Format): boolean => format !== 'yaml';

/** The refusal of a watch in a format that cannot be framed. */
export function streamNotAcceptable(brand: Brand): ApiError {
  return notAcceptable(ALL.filter(canBeFramed).map((format) => `${mediaTypeOf(format, brand)};stream=${STREAM}`));
}

/** Answers are kept by header text; a client that sends ever new texts does not fill the memory. */
const MAX_KEPT_ANSWERS = 256;
const MAX_KEPT_HEADER = 512;

/** `null`: nothing acceptable. */
type KeptAnswers = Map<string, Negotiated | null>;

const keptAnswers = new WeakMap<Brand, WeakMap<Offers, KeptAnswers>>();

/**
 * The best way to answer for an `Accept` header, the first one where there are several. Throws `NotAcceptable`.
 * @spec 4.7
 */
export function negotiate(accept: string | undefined, offers: Offers, brand: Brand): Negotiated {
  const answered = answerOnce(accept ?? '', offers, brand);
  if (answered === null) throw notAcceptable(offers.formats.map((format) => mediaTypeOf(format, brand)));
  return answered;
}

/** How to write an error for an `Accept` header. undefined: in no way that it names. */
export function negotiateError(accept: string | undefined, brand: Brand): Negotiated | undefined {
  return answerOnce(accept ?? '', OFFERS.plain, brand) ?? undefined;
}

/** The same answer for a reader who wants it printed over several lines, where its format can be. */
export const indented = (negotiated: Negotiated, isWanted: boolean): Negotiated =>
  isWanted && negotiated.codec === 'json' ? { ...negotiated, pretty: true } : negotiated;

function answerOnce(header: string, offers: Offers, brand: Brand): Negotiated | null {
  if (header.length > MAX_KEPT_HEADER) return answer(header, offers, brand);
  const answers = answersOf(offers, brand);
  const kept = answers.get(header);
  if (kept !== undefined) return kept;
  if (answers.size >= MAX_KEPT_ANSWERS) answers.clear();
  const answered = answer(header, offers, brand);
  answers.set(header, answered);
  return answered;
}

function answersOf(offers: Offers, brand: Brand): KeptAnswers {
  let byOffers = keptAnswers.get(brand);
  if (byOffers === undefined) keptAnswers.set(brand, (byOffers = new WeakMap()));
  let answers = byOffers.get(offers);
  if (answers === undefined) byOffers.set(offers, (answers = new Map()));
  return answers;
}

function answer(header: string, offers: Offers, brand: Brand): Negotiated | null {
  if (header === '') return { codec: offers.formats[0] ?? 'json' };
  if (offers.isRouted && !isRoutable(header, [...offers.formats.map((format) => mediaTypeOf(format, brand)), ...(offers.alsoRouted ?? [])])) return null;
  for (const clause of parseAccept(header)) {
    for (const format of offers.formats) {
      const negotiated = matches(clause, mediaTypeOf(format, brand)) ? take(clause, format, offers, brand) : undefined;
      if (negotiated !== undefined) return negotiated;
    }
  }
  return null;
}

/** Whether an `Accept` header leads to a path that answers in one of these types. */
export function isRoutable(header: string, mediaTypes: readonly string[]): boolean {
  return (
    header === '' ||
    header.split(',').some((part) => {
      const name = bareMediaType(part);
      return name === '*/*' || mediaTypes.includes(name);
    })
  );
}

function matches({ type, subtype }: Clause, mediaType: string): boolean {
  if (type === '*') return subtype === '*';
  const slash = mediaType.indexOf('/');
  return type === mediaType.slice(0, slash) && (subtype === '*' || subtype === mediaType.slice(slash + 1));
}

/** The clause's parameters, where this format can satisfy them. Those nobody knows, such as `charset`, do not matter. */
function take({ parameters }: Clause, format: Format, offers: Offers, brand: Brand): Negotiated | undefined {
  const stream = parameters.get('stream') ?? '';
  if (stream !== '' && (stream !== STREAM || !canBeFramed(format))) return undefined;
  const serverVersion = parameters.get('sv') ?? '';
  if (serverVersion !== '' && (offers.transforms === 'nothing' || serverVersion !== 'v1')) return undefined;
  const rest = parameters.get('pretty') === '1' ? PRETTY : NOT_PRETTY;
  const as = parameters.get('as');
  const group = parameters.get('g');
  const version = parameters.get('v');
  if (as === undefined && group === undefined && version === undefined) {
    return offers.whole === undefined || offers.whole.includes(format) ? { codec: format, ...rest } : undefined;
  }
  if (offers.transforms === 'nothing' || !isRepresentation(as) || group !== brand.group('meta') || !isMetaVersion(version)) return undefined;
  if (as === 'Table' && (format === 'protobuf' || offers.transforms === 'metadata')) return undefined;
  return { codec: format, as, asVersion: version, ...rest };
}

const PRETTY = { pretty: true } as const;
const NOT_PRETTY = {};

const isRepresentation = (as: string | undefined): as is RepresentedAs =>
  as === 'Table' || as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList';

const isMetaVersion = (version: string | undefined): version is 'v1' | 'v1beta1' => version === 'v1' || version === 'v1beta1';

/**
 * The format of a request body for its `Content-Type`; without one it is JSON. Letter case does not matter, nor what parameters say.
 * undefined: not a format of objects, or no media type (415).
 * @spec 4.7
 */
export function bodyFormat(contentType: string | undefined, brand: Brand): Format | undefined {
  if ((contentType ?? '').trim() === '') return 'json';
  const mediaType = mediaTypeIn(contentType ?? '');
  return ALL.find((format) => mediaTypeOf(format, brand) === mediaType);
}
