import type { Brand } from '#api';
import { notAcceptable, type ApiError } from '#errors';
import { parseAccept, type Clause } from './accept-header.ts';
import { bareMediaType, mediaTypeIn } from './content-type.ts';

/** The formats of objects. */
export type Format = 'json' | 'yaml' | 'protobuf';

/** The kinds into which a response may be transformed. */
export type RepresentedAs = 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';

/** The representations available for one kind of request. Offers are compared by identity: make them once. */
export interface Offers {
  /** In order of preference: the first one is the default. */
  readonly formats: readonly Format[];
  /** The transformations that the parameter `as` may request. */
  readonly transforms: 'all' | 'metadata' | 'nothing';
  /** Whether the path is only found if the `Accept` header names one of its types, or all types: other wildcards do not count in routing. */
  readonly isRouted: boolean;
  /** Further types that count in routing. */
  readonly alsoRouted?: readonly string[];
  /** The formats for responses that are not transformed; undefined: all. */
  readonly whole?: readonly Format[];
}

/** The negotiated representation of a response. */
export interface Negotiated {
  readonly codec: Format;
  readonly as?: RepresentedAs;
  /** The version of the meta group for `as`. */
  readonly asVersion?: 'v1' | 'v1beta1';
  /** Whether indented JSON is requested (`pretty=1`). */
  readonly pretty?: true;
}

const ALL: readonly Format[] = ['json', 'yaml', 'protobuf'];
const TEXT: readonly Format[] = ['json', 'yaml'];

/** The offers by kind of request. `text` rows are for types without a protobuf form; only their metadata has one. */
export const OFFERS = {
  objects: { formats: ALL, transforms: 'all', isRouted: true },
  textObjects: { formats: ALL, transforms: 'all', isRouted: false, whole: TEXT },
  /** Subresources, and objects that are not stored. */
  parts: { formats: ALL, transforms: 'metadata', isRouted: true },
  textParts: { formats: ALL, transforms: 'metadata', isRouted: false, whole: TEXT },
  log: { formats: ALL, transforms: 'metadata', isRouted: true, alsoRouted: ['text/plain'] },
  /** Errors, and documents that are not objects. */
  plain: { formats: ALL, transforms: 'nothing', isRouted: false },
  routedPlain: { formats: ALL, transforms: 'nothing', isRouted: true },
} as const satisfies Readonly<Record<string, Offers>>;

const STREAM = 'watch';

/** The media type of a format. */
export function mediaTypeOf(format: Format, brand: Brand): string {
  return format === 'protobuf' ? brand.names.protobuf : `application/${format}`;
}

/** Whether a watch stream can be written in this format. */
export const canBeFramed = (format: Format): boolean => format !== 'yaml';

/** The error for a watch in a format that cannot be framed. */
export function streamNotAcceptable(brand: Brand): ApiError {
  return notAcceptable(ALL.filter(canBeFramed).map((format) => `${mediaTypeOf(format, brand)};stream=${STREAM}`));
}

/** Results are cached by the text of the header, within these limits: clients that send ever new texts do not fill the memory. */
const MAX_KEPT_ANSWERS = 256;
const MAX_KEPT_HEADER = 512;

/** Cached results by header. `null`: nothing is acceptable. */
type KeptAnswers = Map<string, Negotiated | null>;

const keptAnswers = new WeakMap<Brand, WeakMap<Offers, KeptAnswers>>();

/**
 * The best representation for an `Accept` header; of several equally good ones the first. Throws `NotAcceptable`.
 * @spec 4.7
 */
export function negotiate(accept: string | undefined, offers: Offers, brand: Brand): Negotiated {
  const answered = answerOnce(accept ?? '', offers, brand);
  if (answered === null) throw notAcceptable(offers.formats.map((format) => mediaTypeOf(format, brand)));
  return answered;
}

/** The representation of an error for an `Accept` header. undefined: none is acceptable. */
export function negotiateError(accept: string | undefined, brand: Brand): Negotiated | undefined {
  return answerOnce(accept ?? '', OFFERS.plain, brand) ?? undefined;
}

/** The same representation, indented if that is wanted and the format supports it. */
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
  if (!isRouted(header, offers, brand)) return null;
  for (const clause of parseAccept(header)) {
    for (const format of offers.formats) {
      const negotiated = matches(clause, mediaTypeOf(format, brand)) ? take(clause, format, offers, brand) : undefined;
      if (negotiated !== undefined) return negotiated;
    }
  }
  return null;
}

/** Whether routing by an `Accept` header finds a path that has these offers. What is found may still not be acceptable: see `negotiate`. */
export const isRouted = (accept: string | undefined, offers: Offers, brand: Brand): boolean =>
  !offers.isRouted || isRoutable(accept ?? '', [...offers.formats.map((format) => mediaTypeOf(format, brand)), ...(offers.alsoRouted ?? [])]);

/** Whether routing by an `Accept` header finds a path that has these media types. */
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

/**
 * The representation for a clause in this format; undefined if its parameters cannot be satisfied. Unknown parameters, such as `charset`, are
 * ignored.
 */
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
 * The format of a request body by its `Content-Type`; JSON without one. Letter case and the values of parameters do not matter.
 * undefined: not a format of objects, or a malformed header (415).
 * @spec 4.7
 */
export function bodyFormat(contentType: string | undefined, brand: Brand): Format | undefined {
  if ((contentType ?? '').trim() === '') return 'json';
  const mediaType = mediaTypeIn(contentType ?? '');
  return ALL.find((format) => mediaTypeOf(format, brand) === mediaType);
}
