import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OpenapiDefinitions } from '#schema';
import { withoutDefaults } from './openapi-defaults.ts';

test('defaults are left out at every depth, members of that name are not', async () => {
  const definitions = {
    Widget: {
      type: 'object',
      default: {},
      example: { default: 'is a value here', of: { default: 1 } },
      enum: [{ default: 'is a value here' }],
      properties: { default: { type: 'string', default: 'a' }, list: { type: 'array', items: { type: 'integer', default: 1 } } },
      additionalProperties: { type: 'object', default: null },
      allOf: [{ default: 1, minimum: 0 }],
    },
    default: { type: 'string' },
    Odd: { properties: 5, allOf: 'text', not: true },
  } as unknown as OpenapiDefinitions;
  assert.deepEqual(await withoutDefaults(definitions), {
    Widget: {
      type: 'object',
      example: { default: 'is a value here', of: { default: 1 } },
      enum: [{ default: 'is a value here' }],
      properties: { default: { type: 'string' }, list: { type: 'array', items: { type: 'integer' } } },
      additionalProperties: { type: 'object' },
      allOf: [{ minimum: 0 }],
    },
    default: { type: 'string' },
    Odd: { properties: 5, allOf: 'text', not: true },
  });
});
