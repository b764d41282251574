import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOf, createCatalog, DeleteOptions, DIALECTS, objectTypeOf, type ApiObject } from '#api';
import { createProtobufCodec } from '#codec';
import { allKinds } from '#kinds';
import type { MessageType } from '#schema';
import { createObjectReader } from './objects.ts';

const MEDIA_TYPES = { orch: 'application/vnd.orch.protobuf', kubernetes: 'application/vnd.kubernetes.protobuf' } as const;

const at = (value: unknown, path: string): unknown => path.split('.').reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], value);

for (const dialect of DIALECTS) {
  const brand = brandOf(dialect);
  const catalog = createCatalog(allKinds, brand);
  const read = createObjectReader(catalog);

  /** What a part of a kind carries. */
  function carriedBy(kind: string, part: string): { readonly apiVersion: string; readonly kind: string; readonly type: MessageType } {
    const carries = allKinds.find((one) => one.kind === kind)?.subresources?.[part]?.carries;
    assert.ok(carries?.schema);
    const group = brand.group(carries.group);
    return { apiVersion: group === '' ? carries.version : `${group}/${carries.version}`, kind: carries.kind, type: objectTypeOf(carries.schema) };
  }

  const SENT: readonly (readonly [title: string, ReturnType<typeof carriedBy>, body: object, said: readonly (readonly [path: string, value: unknown])[]])[] = [
    ['options of a deletion', { apiVersion: 'v1', kind: 'DeleteOptions', type: DeleteOptions.type }, { gracePeriodSeconds: 5 }, [['gracePeriodSeconds', 5]]],
    ['options of a deletion in a group', { apiVersion: 'apps/v1', kind: 'DeleteOptions', type: DeleteOptions.type }, { propagationPolicy: 'Orphan' }, [['propagationPolicy', 'Orphan']]],
    ['a scale', carriedBy('Deployment', 'scale'), { metadata: { name: 'a' }, spec: { replicas: 3 } }, [['spec.replicas', 3]]],
    ['the request for a token', carriedBy('ServiceAccount', 'token'), { metadata: { name: 'a' }, spec: { audiences: ['x'] } }, [['spec.audiences.0', 'x']]],
  ];

  for (const [title, { apiVersion, kind, type }, body, said] of SENT) {
    test(`${dialect}: ${title} is told from protobuf as from JSON`, () => {
      const object = { apiVersion, kind, ...body } as unknown as ApiObject;
      const seen = read(MEDIA_TYPES[dialect], createProtobufCodec(brand).encode(type, object)) as Record<string, unknown> | undefined;
      assert.ok(seen, 'it can be read');
      assert.deepEqual([seen['kind'], seen['apiVersion']], [kind, apiVersion]);
      for (const [path, value] of said) assert.equal(at(seen, path), value, path);
    });
  }

  test(`${dialect}: what nobody knows is not told`, () => {
    const bytes = createProtobufCodec(brand).encode(DeleteOptions.type, { apiVersion: 'v1', kind: 'Nothing' } as unknown as ApiObject);
    assert.equal(read(MEDIA_TYPES[dialect], bytes), undefined);
  });
}
