import assert from 'node:assert/strict';
import { test } from 'node:test';
import { objectTypeOf, type ApiObject, type ServedVersion } from '#api';
import { t } from '#schema';
import { AwaitedConversions } from './awaited-conversions.ts';

class Body extends t.message('example.Body', { spec: t.json(1) }) {}
const own = { version: 'v1', apiVersion: 'example.com/v1', schema: Body } as unknown as ServedVersion;

test('R4.9-31 work that needs conversions is done again with each answer: also of objects with whole numbers beyond 2^53', async () => {
  const asked: (readonly [apiVersion: string, size: unknown])[] = [];
  const others = {
    typeOf: () => objectTypeOf(Body),
    convert(object: ApiObject, apiVersion: string): Promise<ApiObject> {
      const { spec } = object as ApiObject & { readonly spec: { readonly size: unknown } };
      asked.push([apiVersion, spec.size]);
      return Promise.resolve({ ...object, apiVersion });
    },
  };
  const objectOf = (size: bigint) => ({ apiVersion: own.apiVersion, kind: 'Body', metadata: { name: 'a' }, spec: { size } });
  const shown = await new AwaitedConversions(own, others).run((forms) =>
    [9007199254740993n, 9007199254740995n].map((size) => forms('example.com/v2')?.fromStorage(objectOf(size))),
  );
  assert.deepEqual(shown.map((one) => one?.['spec']), [{ size: 9007199254740993n }, { size: 9007199254740995n }]);
  assert.deepEqual(asked, [['example.com/v2', 9007199254740993n], ['example.com/v2', 9007199254740995n]]);
});

test('R4.9-31 an object of which nothing is left but its kind is asked of nobody', () => {
  const others = { typeOf: () => objectTypeOf(Body), convert: () => Promise.reject(new Error('nobody is asked')) };
  const left = { apiVersion: own.apiVersion, kind: 'Body' };
  const shown = new AwaitedConversions(own, others).run((forms) => forms('example.com/v2')?.fromStorage(left));
  assert.deepEqual(shown, { apiVersion: 'example.com/v2', kind: 'Body' });
});
