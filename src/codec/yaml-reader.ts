import { isJsonObject, MAX_JSON_DEPTH, setMember } from '#base';
import { bytesScalar } from '#schema';
import { EVENT_ID, getScalarValue, parseEvents, SCALAR_STYLE, YAMLException, type Event } from 'js-yaml';
import { Amendments } from './yaml-amendments.ts';
import { escapesNoCharacter } from './yaml-escapes.ts';
import { resolvePlain, type YamlScalar } from './yaml-scalar.ts';

/** The text is not YAML, or has a value that JSON cannot represent. */
export class YamlError extends Error {
  override readonly name = 'YamlError';
}

type ScalarEvent = Extract<Event, { type: typeof EVENT_ID.SCALAR }>;

/** How many values aliases may add to a document, beside ten for each event of the document. */
const ALIAS_ALLOWANCE = 10_000;
/** How many characters of texts aliases may add, beside ten for each character of the document: as many as a body may have. */
const ALIAS_CHARACTERS = 3 * 1024 * 1024;

/** How many members merge keys may add to maps, beside two for each event: maps that merge each other copy the innermost one at every level. */
const MERGE_ALLOWANCE = 10_000;

const BLOCKS: ReadonlySet<unknown> = new Set([SCALAR_STYLE.LITERAL_BLOCK, SCALAR_STYLE.FOLDED_BLOCK]);
const BREAKS: ReadonlySet<string> = new Set(['\n', '\r']);

const decoder = new TextDecoder('utf-8', { fatal: true });

/** How a text is read. */
export interface YamlRules {
  /** Whether a map may say a key again. Default: true, the last one counts. What a merge key brings may be said again in any case. */
  readonly mayRepeatKeys?: boolean;
}

/** Parses the first document of a YAML text into a JSON value; an empty text is null. YAML 1.1 with merge keys. Throws `YamlError`. */
export function parseYaml(bytes: Uint8Array, rules: YamlRules = {}): unknown {
  const { text, events } = readEvents(decodeText(bytes));
  return new Reader(text, events, rules).document();
}

function decodeText(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new YamlError('yaml: invalid UTF-8');
  }
}

/** The events of a text, and the text as it was read, into which they point. */
function readEvents(text: string): { readonly text: string; readonly events: readonly Event[] } {
  const amendments = new Amendments(text);
  for (let read = text; ; ) {
    try {
      return { text: read, events: parseEvents(read, { maxDepth: MAX_JSON_DEPTH }) };
    } catch (error) {
      if (!(error instanceof YAMLException)) throw error;
      const { reason, mark } = error;
      const amended = mark && amendments.amend(read, reason, mark);
      if (amended === undefined) throw new YamlError(`yaml: ${mark === undefined ? '' : `line ${mark.line + 1}: `}${reason}`);
      read = amended;
    }
  }
}

interface Anchored {
  readonly value: unknown;
  /** The number of values that an alias to it adds. */
  readonly size: number;
  /** The number of characters that the texts in it have. */
  readonly length: number;
}

class Reader {
  readonly #text: string;
  readonly #events: readonly Event[];
  readonly #mayRepeatKeys: boolean;
  readonly #anchors = new Map<string, Anchored | 'open'>();
  #at = 0;
  /** The number of values so far, those that aliases repeat included. */
  #made = 0;
  /** The number of characters of all texts so far, likewise. */
  #length = 0;
  /** The number of members that merge keys have added so far. */
  #merged = 0;

  constructor(text: string, events: readonly Event[], { mayRepeatKeys = true }: YamlRules) {
    this.#text = text;
    this.#events = events;
    this.#mayRepeatKeys = mayRepeatKeys;
  }

  document(): unknown {
    if (this.#events.length === 0) return null;
    this.#at = 1;
    return this.#events[1]?.type === EVENT_ID.POP ? null : this.#value();
  }

  #value(): unknown {
    const event = this.#events[this.#at++];
    if (event === undefined) throw new YamlError('yaml: unexpected end');
    if (event.type === EVENT_ID.ALIAS) return this.#alias(this.#text.slice(event.anchorStart, event.anchorEnd));
    this.#made++;
    if (event.type === EVENT_ID.SCALAR) return this.#anchored(event, () => this.#scalar(event));
    if (event.type === EVENT_ID.SEQUENCE) return this.#anchored(event, () => this.#sequence());
    if (event.type === EVENT_ID.MAPPING) return this.#anchored(event, () => this.#mapping());
    throw new YamlError('yaml: unexpected end');
  }

  #anchored(event: { readonly anchorStart: number; readonly anchorEnd: number }, make: () => unknown): unknown {
    if (event.anchorStart < 0) return make();
    const name = this.#text.slice(event.anchorStart, event.anchorEnd);
    const [made, length] = [this.#made - 1, this.#length];
    this.#anchors.set(name, 'open');
    const value = make();
    this.#anchors.set(name, { value, size: this.#made - made, length: this.#length - length });
    return value;
  }

  /** Returns the anchored value itself: decoding copies it later, and the cost of that copy is counted here. */
  #alias(name: string): unknown {
    const anchored = this.#anchors.get(name);
    if (anchored === undefined) throw new YamlError(`yaml: unknown anchor '${name}' referenced`);
    if (anchored === 'open') throw new YamlError(`yaml: anchor '${name}' value contains itself`);
    this.#made += anchored.size;
    this.#length += anchored.length;
    const isExcessive = this.#made > this.#events.length * 10 + ALIAS_ALLOWANCE || this.#length > this.#text.length * 10 + ALIAS_CHARACTERS;
    if (isExcessive) throw new YamlError('yaml: document contains excessive aliasing');
    return anchored.value;
  }

  #scalar(event: ScalarEvent): YamlScalar {
    const text = this.#textOf(event);
    const mayEscape = event.style === SCALAR_STYLE.DOUBLE_QUOTED && !event.fast;
    if (mayEscape && escapesNoCharacter(this.#text.slice(event.valueStart, event.valueEnd), text)) {
      throw new YamlError(`yaml: line ${this.#lineAt(event.valueStart)}: an escape stands for no character`);
    }
    this.#length += text.length;
    const tag = event.tagStart < 0 ? '' : shortTag(this.#text.slice(event.tagStart, event.tagEnd));
    if (tag === '') return event.style === SCALAR_STYLE.PLAIN ? checked(resolvePlain(text)) : text;
    return readTagged(tag, text);
  }

  /** The last line of a block has a line break only where the document has one there, as Kubernetes reads it. */
  #textOf(event: ScalarEvent): string {
    const text = getScalarValue(this.#text, event);
    const isBroken = event.valueEnd <= event.valueStart || BREAKS.has(this.#text.charAt(event.valueEnd - 1));
    return BLOCKS.has(event.style) && !isBroken && text.endsWith('\n') ? text.slice(0, -1) : text;
  }

  #lineAt(position: number): number {
    return this.#text.slice(0, position).split(/\r\n?|\n/).length;
  }

  #sequence(): unknown[] {
    const items: unknown[] = [];
    while (!this.#ends()) items.push(this.#value());
    return items;
  }

  #mapping(): Record<string, unknown> {
    const map: Record<string, unknown> = {};
    const said = this.#mayRepeatKeys ? undefined : new Set<string>();
    while (!this.#ends()) {
      if (this.#isMergeKey()) {
        this.#at++;
        this.#merge(map, this.#value());
      } else {
        const key = keyText(this.#value());
        if (said?.has(key) === true) throw new YamlError(`yaml: the key ${JSON.stringify(key)} is there twice`);
        said?.add(key);
        setMember(map, key, this.#value());
      }
    }
    return map;
  }

  /** Executes a merge key: merged members replace earlier ones, and later ones replace them. Of several maps the first has precedence. */
  #merge(map: Record<string, unknown>, from: unknown): void {
    const sources = Array.isArray(from) ? [...(from as readonly unknown[])].reverse() : [from];
    for (const source of sources) {
      if (!isJsonObject(source)) throw new YamlError('yaml: map merge requires map or sequence of maps as the value');
      const members = Object.entries(source);
      this.#merged += members.length;
      if (this.#merged > this.#events.length * 2 + MERGE_ALLOWANCE) throw new YamlError('yaml: document contains excessive merging');
      for (const [key, value] of members) setMember(map, key, value);
    }
  }

  #ends(): boolean {
    if (this.#events[this.#at]?.type !== EVENT_ID.POP) return false;
    this.#at++;
    return true;
  }

  #isMergeKey(): boolean {
    const event = this.#events[this.#at];
    if (event?.type !== EVENT_ID.SCALAR || getScalarValue(this.#text, event) !== '<<') return false;
    return event.tagStart < 0 ? event.style === SCALAR_STYLE.PLAIN : shortTag(this.#text.slice(event.tagStart, event.tagEnd)) === 'merge';
  }
}

function keyText(key: unknown): string {
  if (typeof key === 'string') return key;
  if (typeof key === 'number' || typeof key === 'bigint' || typeof key === 'boolean') return String(key);
  throw new YamlError(`yaml: ${key === null ? 'null' : 'a list or map'} cannot be a key`);
}

/** The short name of a standard tag: `!!str` and `!<tag:yaml.org,2002:str>` give `str`; other tags are returned unchanged. */
const shortTag = (tag: string): string => /^(?:!!|!<tag:yaml\.org,2002:)([a-z]+)>?$/.exec(tag)?.[1] ?? tag;

/** Throws `YamlError` for NaN and infinities, which JSON does not have. */
function checked(value: YamlScalar): YamlScalar {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new YamlError(`yaml: ${value} is not a JSON number`);
  return value;
}

/** The text whose bytes are written in base64. Throws `YamlError`: a part of what was meant, or nothing, must not be taken for it. */
function readBinary(text: string): string {
  const base64 = bytesScalar.read(text);
  if (base64 === undefined) throw new YamlError('yaml: !!binary value contains invalid base64 data');
  return Buffer.from(base64, 'base64').toString('utf8');
}

/** Standard tags whose values must fit. Values with other tags are strings. */
const STRICT_TAGS: ReadonlySet<string> = new Set(['null', 'bool', 'int', 'float']);

function readTagged(tag: string, text: string): YamlScalar {
  if (tag === 'binary') return readBinary(text);
  const value = resolvePlain(text);
  const fits =
    (tag === 'null' && value === null) ||
    (tag === 'bool' && typeof value === 'boolean') ||
    (tag === 'int' && (typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value)))) ||
    (tag === 'float' && (typeof value === 'number' || typeof value === 'bigint'));
  if (fits) return checked(value);
  if (!STRICT_TAGS.has(tag)) return text;
  throw new YamlError(`yaml: cannot decode !!str \`${text}\` as a !!${tag}`);
}
