import { utf8Length } from '#base';
import { base64Length, defineKind, type ObjectOf } from '#api';
import type { FieldErrors } from '#errors';
import { bytesScalar, stringScalar, t } from '#schema';
import { MAX_DATA_BYTES, validateClosed, validateData } from './data-rules.ts';

class Body extends t.message('core/v1.ConfigMap', {
  immutable: t.maybe.bool(4),
  data: t.map(2, stringScalar),
  binaryData: t.map(3, bytesScalar),
}) {}

export const ConfigMap = defineKind(Body, {
  group: '',
  kind: 'ConfigMap',
  plural: 'configmaps',
  shortNames: ['cm'],
  scope: 'Namespaced',
  versions: { v1: { schema: Body } },
  storage: 'v1',
  columns: [
    {
      name: 'Data',
      type: 'string',
      description: 'How many entries there are in data and binaryData together.',
      cell: ({ data, binaryData }) => Object.keys(data ?? {}).length + Object.keys(binaryData ?? {}).length,
    },
  ],
  validate(next, live, at) {
    validateClosed(next, live, ['data', 'binaryData'], at);
    const { data, binaryData } = next;
    const refuseTwice = (key: string, here: FieldErrors): void => {
      if (Object.hasOwn(binaryData ?? {}, key)) here.invalid(key, 'duplicate of key present in binaryData');
    };
    const bytes = validateData(data, utf8Length, at.child('data'), refuseTwice) + validateData(binaryData, base64Length, at.child('binaryData'));
    if (bytes > MAX_DATA_BYTES) at.key('').tooLong('', MAX_DATA_BYTES);
  },
});
export type ConfigMap = ObjectOf<typeof ConfigMap>;
