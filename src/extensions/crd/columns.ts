import { formatDuration, type Column } from '#api';
import { canonicalJson } from '#base';
import { goPlain } from '#errors';
import { readMoment } from '#schema';
import type { DefinitionVersion } from './definition.ts';
import { compileJsonPath, type FindValues } from './json-path.ts';

type Declared = NonNullable<DefinitionVersion['additionalPrinterColumns']>[number];
type Cell = ReturnType<Column['cell']>;

const AGE: Declared = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp', description: 'How long ago the object was created, by the clock of the server.' };

/** The columns of a version, after the name. A column with an invalid path drops itself and all later ones. @spec 2.5 */
export function columnsOf({ additionalPrinterColumns: declared }: DefinitionVersion): readonly Column[] {
  const columns: Column[] = [];
  for (const column of declared === undefined || declared.length === 0 ? [AGE] : declared) {
    const find = compileJsonPath(column.jsonPath);
    if (find === undefined) break;
    columns.push(createColumn(column, find));
  }
  return columns;
}

function createColumn({ name, type, format, description, priority, jsonPath }: Declared, find: FindValues): Column {
  const show = Object.hasOwn(SHOW, type) ? SHOW[type] : undefined;
  return {
    name,
    type: type as Column['type'],
    ...(format ? { format } : {}),
    description: description || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
    ...(priority === undefined ? {} : { priority }),
    cell(object, nowMs) {
      const [value] = find(object);
      return value === undefined || show === undefined ? null : show(value, nowMs);
    },
  };
}

/** What times are before anybody sets them. */
const NO_MOMENT = Date.parse('0001-01-01T00:00:00Z');

const isNumber = (value: unknown): value is number | bigint => typeof value === 'number' || typeof value === 'bigint';

/** Formats a value for a column type; a value of another type is not shown. */
const SHOW: Readonly<Record<string, (value: unknown, nowMs: number) => Cell>> = {
  string: (value) => (typeof value === 'object' && value !== null ? canonicalJson(value) : value === null ? '<no value>' : goPlain(value)),
  integer: (value) => (typeof value === 'number' ? Math.trunc(value) : typeof value === 'bigint' ? value : null),
  number: (value) => (isNumber(value) ? Number(value) : null),
  boolean: (value) => (typeof value === 'boolean' ? value : null),
  date(value, nowMs) {
    if (typeof value !== 'string') return null;
    const moment = value === '' || value === 'null' ? NO_MOMENT : readMoment(value);
    if (moment === undefined) return '<invalid>';
    return moment === NO_MOMENT ? '<unknown>' : formatDuration(nowMs - moment);
  },
};
