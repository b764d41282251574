import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { brandOf, createCatalog, objectTypeOf, type ApiObject, type HookContext, type ServedVersion } from '#api';
import { applyDefaults, decode, nullEmptyLists, OBJECT_HEAD, type FieldFacts, type MessageType, type Type } from '#schema';
import { allKinds } from './index.ts';

const SCALARS: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  string: fc.constantFrom('', 'a', 'b-1', '<&>', '__proto__', 'Ünï\u2028'),
  bool: fc.boolean(),
  int32: fc.integer({ min: 0, max: 100 }),
  int64: fc.integer({ min: 0, max: 100 }),
  time: fc.constantFrom('2020-01-01T00:00:00Z', '2021-02-03T04:05:06Z'),
  quantity: fc.constantFrom('1', '500m', '2k', '3Gi'),
  intOrString: fc.constantFrom(1, '50%'),
};

/** Deep and wide parts that no version treats otherwise than another. */
const SAME_EVERYWHERE: ReadonlySet<string> = new Set(['core/v1.PodSpec', 'apis/meta/v1.ObjectMeta', 'apis/meta/v1.ManagedFieldsEntry']);

function arbitraryOf(type: Type): fc.Arbitrary<unknown> {
  if (type.is === 'message') return messageOf(type.message());
  if (type.is === 'list') return fc.array(arbitraryOf(type.of), { maxLength: 2 });
  if (type.is === 'map') return fc.dictionary(fc.constantFrom('a', 'b', 'constructor'), arbitraryOf(type.of), { maxKeys: 2 });
  return SCALARS[type.scalar.name] ?? fc.constant(undefined);
}

function messageOf(type: MessageType): fc.Arbitrary<object> {
  if (SAME_EVERYWHERE.has(type.name)) return fc.constant({});
  return members([...type.fields]);
}

const members = (fields: readonly (readonly [string, FieldFacts])[]): fc.Arbitrary<object> =>
  fc.record(Object.fromEntries(fields.map(([name, { type }]) => [name, fc.option(arbitraryOf(type), { nil: undefined, freq: 2 })])));

/** An object of a version as a request would bring it, in normal form with defaults. */
function objectOf({ schema, apiVersion }: ServedVersion, kind: string): fc.Arbitrary<ApiObject> {
  const type = objectTypeOf(schema);
  const body = members([...schema.type.fields].filter(([name]) => !OBJECT_HEAD.has(name)));
  return fc.tuple(body, fc.dictionary(fc.constantFrom('a', 'b'), fc.constant('c'), { maxKeys: 2 })).map(([content, annotations]) => {
    const value = decode(type, JSON.parse(JSON.stringify({ ...content, apiVersion, kind, metadata: { name: 'a', namespace: 'n', annotations } })));
    applyDefaults(type, value);
    nullEmptyLists(type, value);
    return value as unknown as ApiObject;
  });
}

const METRIC_TYPES = { object: 'Object', pods: 'Pods', resource: 'Resource', containerResource: 'ContainerResource', external: 'External' };

/** Metrics as validation lets them through: one source, named by the type, and one amount of each kind that the source can have. */
function tidyMetrics(object: ApiObject): void {
  const { spec, status } = object as ApiObject & { spec: { metrics?: Source[] }; status: { currentMetrics?: Source[] | null } };
  for (const metric of [...(spec.metrics ?? []), ...(status.currentMetrics ?? [])]) tidyMetric(metric);
}
type Source = Record<string, unknown> & { type: string };

function tidyMetric(metric: Source): void {
  const [first = 'resource', ...others] = Object.keys(METRIC_TYPES).filter((source) => metric[source] !== undefined);
  for (const other of others) delete metric[other];
  metric.type = METRIC_TYPES[first as keyof typeof METRIC_TYPES];
  const source = metric[first] as { target?: Record<string, unknown>; current?: Record<string, unknown> } | undefined;
  const { target, current } = source ?? {};
  // What a kind of source has no use for no version but the newest could show.
  for (const amounts of [target, current]) {
    if (amounts === undefined) continue;
    if (first === 'pods' || first.toLowerCase().endsWith('resource')) delete amounts['value'];
    if (first === 'pods' || first === 'object' || first === 'external') delete amounts['averageUtilization'];
  }
  if (target !== undefined && first === 'pods') target['averageValue'] ??= '1';
  if (target !== undefined && first === 'object' && target['averageValue'] === undefined) target['value'] ??= '1';
}

/** As the registry keeps it. */
function settled(kind: { settle?: unknown }, object: ApiObject): ApiObject {
  const copy = structuredClone(object);
  (kind as { settle?: (next: ApiObject, context: HookContext) => void }).settle?.(copy, { brand: brandOf('orch'), subresource: '', nowMs: 0 });
  return copy;
}

const severalVersions = allKinds.filter(({ versions, storedAs }) => Object.keys(versions).length > 1 || storedAs !== undefined);

for (const dialect of ['orch', 'kubernetes'] as const) {
  const { resources } = createCatalog(severalVersions, brandOf(dialect));
  for (const { kind, versions, storage } of resources) {
    for (const served of versions) {
      test(`${kind.kind} (${dialect}): what is stored survives ${served.apiVersion}`, () => {
        fc.assert(
          fc.property(objectOf(storage, kind.kind), (sent) => {
            if (kind.kind === 'HorizontalPodAutoscaler') tidyMetrics(sent);
            const stored = settled(kind, sent);
            const shown = served.down?.(structuredClone(stored)) ?? structuredClone(stored);
            shown.apiVersion = served.apiVersion;
            const type = objectTypeOf(served.schema);
            assert.deepEqual(decode(type, shown), shown, 'in normal form');
            const read = decode(type, JSON.parse(JSON.stringify(shown))) as unknown as ApiObject;
            applyDefaults(type, read);
            const again = served.up?.(read) ?? read;
            again.apiVersion = storage.apiVersion;
            assert.deepEqual(settled(kind, again), stored);
          }),
          { numRuns: 150 },
        );
      });

      test(`${kind.kind} (${dialect}): anything sent as ${served.apiVersion} becomes an object of the storage version`, () => {
        fc.assert(
          fc.property(objectOf(served, kind.kind), (sent) => {
            const stored = served.up?.(sent) ?? sent;
            assert.deepEqual(decode(objectTypeOf(storage.schema), stored), stored);
          }),
          { numRuns: 100 },
        );
      });
    }
  }
}
