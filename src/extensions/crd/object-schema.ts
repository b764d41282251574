import { ObjectMeta } from '#api';
import { isJsonObject } from '#base';
import {
  createStructural,
  decode,
  DecodeFailure,
  dropNulls,
  hasDefaults,
  OBJECT_HEAD,
  prune,
  t,
  unknownFields,
  type MessageClass,
  type MessageType,
  type NullChoice,
  type SchemaProps,
  type Structural,
} from '#schema';
import { normalizeEmbedded } from '#kinds';
import { completeObject } from './complete-object.ts';
import { pruneDefaults } from './prune-defaults.ts';

/** The schema of a version and everything derived from it, on first use: most kinds are never used. */
export interface ObjectSchema {
  readonly schema: MessageClass<unknown>;
  readonly structural: Structural;
  readonly hasDefaults: boolean;
}

/** `name` is the OpenAPI definition name; `keepsUnknown`: unknown fields are preserved. */
export function createObjectSchema(name: string, props: SchemaProps, { keepsUnknown }: { readonly keepsUnknown: boolean }): ObjectSchema {
  let structural: Structural | undefined;
  const get = (): Structural => (structural ??= pruneDefaults(createStructural(props, { keepsUnknown })));
  const members = Object.keys(props.properties ?? {}).filter((member) => !OBJECT_HEAD.has(member));
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
      decode: (value, choice) => decodeObject(get(), value, choice),
      unknownFields: (value) => unknownIn(get(), value),
    },
  };
  return {
    schema: class {
      static readonly type = type;
    },
    get structural() {
      return get();
    },
    get hasDefaults() {
      return hasDefaults(get());
    },
  };
}

/** Decodes apiVersion, kind and metadata as for all objects, and prunes the rest. Values are left to validation. */
function decodeObject(schema: Structural, value: Record<string, unknown>, choice?: NullChoice): Record<string, unknown> {
  const { kind, apiVersion, metadata, ...body } = value;
  const head = decodeMetadata(metadata);
  const kept = prune(schema, body, { hasHead: true }).value as Record<string, unknown>;
  dropNulls(schema, kept, choice);
  normalizeEmbedded(schema, kept);
  return { kind: word(kind, 'kind'), apiVersion: word(apiVersion, 'apiVersion'), metadata: head, ...kept };
}

function unknownIn(schema: Structural, { metadata, ...body }: Record<string, unknown>): readonly string[] {
  const ofHead = isJsonObject(metadata) ? unknownFields(ObjectMeta.type, metadata) : [];
  return [...ofHead.map((path) => `metadata.${path}`), ...prune(schema, body, { hasHead: true }).dropped];
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
