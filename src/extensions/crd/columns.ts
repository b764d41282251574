import { formatAge, type Column } from '#api';
import { jsonText } from '#base';
import type { DefinitionVersion } from './definition.ts';
import { compileJsonPath } from './json-path.ts';

type Declared = NonNullable<DefinitionVersion['additionalPrinterColumns']>[number];
type Cell = ReturnType<Column['cell']>;

const AGE: Declared = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp', description: 'How long ago the object was created, by the clock of the server.' };

/** The columns of a version, after the name. @spec 2.5 */
export function columnsOf({ additionalPrinterColumns: declared }: DefinitionVersion): readonly Column[] {
  return (declared === undefined || declared.length === 0 ? [AGE] : declared).map(createColumn);
}

function createColumn({ name, type, format, description, priority, jsonPath }: Declared): Column {
  const find = compileJsonPath(jsonPath);
  const show = Object.hasOwn(SHOW, type) ? SHOW[type] : undefined;
  return {
    name,
    type: type as Column['type'],
    ...(format ? { format } : {}),
    description: description || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
    ...(priority === undefined ? {} : { priority }),
    cell(object, nowMs) {
      const value = find?.(object)[0];
      return value === undefined || value === null || show === undefined ? null : show(value, nowMs);
    },
  };
}

/** How a value is shown in a column of a type; what does not fit is not shown. */
const SHOW: Readonly<Record<string, (value: unknown, nowMs: number) => Cell>> = {
  string: (value) => (typeof value === 'string' ? value : jsonText(value)),
  integer: (value) => (typeof value === 'number' || typeof value === 'bigint' ? Math.trunc(Number(value)) : null),
  number: (value) => (typeof value === 'number' || typeof value === 'bigint' ? Number(value) : null),
  boolean: (value) => (typeof value === 'boolean' ? value : null),
  date(value, nowMs) {
    if (typeof value !== 'string') return null;
    return Number.isNaN(Date.parse(value)) ? '<invalid>' : formatAge(value, nowMs);
  },
};
