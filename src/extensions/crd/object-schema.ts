import { ObjectMeta } from '#api';
import {
  createStructural,
  decode,
  DecodeFailure,
  dropNulls,
  hasDefaults,
  prune,
  t,
  type MessageClass,
  type MessageType,
  type SchemaProps,
  type Structural,
} from '#schema';
import { normalizeEmbedded } from '#kinds';
import { completeObject } from './complete-object.ts';

const HEAD: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** What a version's objects look like, with all that is derived from it. Made on first use: most kinds are never looked at. */
export interface ObjectSchema {
  readonly schema: MessageClass<unknown>;
  readonly structural: Structural;
  readonly hasDefaults: boolean;
}

/** `name` is what OpenAPI calls it; `keepsUnknown`: what the schema does not know is kept. */
export function createObjectSchema(name: string, props: SchemaProps, keepsUnknown: boolean): ObjectSchema {
  let structural: Structural | undefined;
  const get = (): Structural => (structural ??= createStructural(props, keepsUnknown));
  const members = Object.keys(props.properties ?? {}).filter((member) => !HEAD.has(member));
  const fields = members.map((member) => [member, t.json(0).facts] as const);
  const type: MessageType = {
    name,
    members: fields,
    fields: new Map(fields),
    isAtomic: false,
    defaults: (object) => completeObject(get(), object),
    open: {
      get schema() {
        return get();
      },
      decode: (value, keepsRefused) => decodeObject(get(), value, keepsRefused),
    },
  };
  return {
    schema: class {
      static readonly type = type;
    } as unknown as MessageClass<unknown>,
    get structural() {
      return get();
    },
    get hasDefaults() {
      return hasDefaults(get());
    },
  };
}

/** The head is as that of all objects; the rest is kept as far as the schema knows it. Judging values is left to validation. */
function decodeObject(schema: Structural, value: Record<string, unknown>, keepsRefused = false): { readonly value: Record<string, unknown>; readonly unknownFields: readonly string[] } {
  const { kind, apiVersion, metadata, ...body } = value;
  const head = decodeMetadata(metadata);
  const pruned = prune(schema, body, true);
  const kept = pruned.value as Record<string, unknown>;
  dropNulls(schema, kept, keepsRefused);
  normalizeEmbedded(schema, kept);
  return {
    value: { kind: word(kind, 'kind'), apiVersion: word(apiVersion, 'apiVersion'), metadata: head.value, ...kept },
    unknownFields: [...head.unknownFields.map((path) => `metadata.${path}`), ...pruned.dropped],
  };
}

function word(value: unknown, name: string): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') throw new DecodeFailure(name, 'string', typeof value);
  return value;
}

function decodeMetadata(metadata: unknown): ReturnType<typeof decode> {
  try {
    return decode(ObjectMeta.type, metadata ?? {});
  } catch (error) {
    if (!(error instanceof DecodeFailure)) throw error;
    throw new DecodeFailure(error.path === '' ? 'metadata' : `metadata.${error.path}`, error.expected, error.found, error.wireText);
  }
}
