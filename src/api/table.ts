/**
 * The Table form: rows and columns for people.
 * @spec 2.5
 */
import { badRequest } from '#errors';
import { jsonScalar, t } from '#schema';
import { formatAge } from './age.ts';
import type { Brand } from './brand.ts';
import type { Column, KindDefinition } from './kind.ts';
import { metadataAlone } from './metadata-alone.ts';
import type { ApiObject } from './object.ts';
import { ListMeta } from './object-meta.ts';

export class TableColumnDefinition extends t.message('apis/meta/v1.TableColumnDefinition', {
  name: t.string(0).required(),
  type: t.string(0).required(),
  format: t.string(0).required(),
  description: t.string(0).required(),
  priority: t.int32(0).required(),
}) {}

/** A condition of a row: `Completed` is the only type. */
export class TableRowCondition extends t.message('apis/meta/v1.TableRowCondition', {
  type: t.string(0).required(),
  status: t.string(0).required(),
  reason: t.string(0),
  message: t.string(0),
}) {}

/** One object of a Table: its cells, and the object in the form that `includeObject` asks for. */
export class TableRow extends t.message('apis/meta/v1.TableRow', {
  cells: t.many(0, jsonScalar).required(),
  conditions: t.many(0, TableRowCondition),
  object: t.json(0).always(),
}) {}

/** Has no protobuf form. */
export class Table extends t.message('apis/meta/v1.Table', {
  kind: t.string(0),
  apiVersion: t.string(0),
  metadata: t.one(0, ListMeta),
  columnDefinitions: t.many(0, TableColumnDefinition).required(),
  rows: t.many(0, TableRow).required(),
}) {}

/** What a row contains beside its cells. */
type IncludeObject = 'None' | 'Metadata' | 'Object';

/** The `includeObject` parameter. Throws `BadRequest`. */
export function parseIncludeObject(text: string): IncludeObject {
  if (text === '' || text === 'Metadata') return 'Metadata';
  if (text === 'None' || text === 'Object') return text;
  throw badRequest(`Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(text)}: must be 'Metadata', 'Object', 'None', or empty`);
}

const nameColumn: Column = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'The name of the object, unique among those of its kind in its namespace.',
  cell: (object) => object.metadata.name ?? '',
};

const ageColumn: Column = {
  name: 'Age',
  type: 'string',
  description: 'How long ago the object was created, by the clock of the server.',
  cell: (object, nowMs) => formatAge(object.metadata.creationTimestamp, nowMs),
};

const createdColumn: Column = {
  name: 'Created At',
  type: 'date',
  description: 'The moment at which the object was created, by the clock of the server.',
  cell: (object) => object.metadata.creationTimestamp ?? null,
};

const wholeColumns = new WeakMap<KindDefinition, readonly Column[]>();

/**
 * All columns of a kind: name, its own, age, and then its columns for `-o wide` only; a kind that declares a column `Name` or `Age` itself places it
 * freely. A kind without columns shows name and creation time.
 */
export function columnsOf(kind: KindDefinition): readonly Column[] {
  let columns = wholeColumns.get(kind);
  if (columns === undefined) {
    columns = kind.columns === undefined ? [nameColumn, createdColumn] : kind.isCustom === true ? [nameColumn, ...kind.columns] : complete(kind.columns);
    wholeColumns.set(kind, columns);
  }
  return columns;
}

function complete(own: readonly Column[]): readonly Column[] {
  const has = (name: string): boolean => own.some((column) => column.name === name);
  const shown = own.filter((column) => (column.priority ?? 0) === 0);
  const onDemand = own.filter((column) => (column.priority ?? 0) > 0);
  if (has('Name')) return own;
  return has('Age') ? [nameColumn, ...own] : [nameColumn, ...shown, ageColumn, ...onDemand];
}

/** The requested Table. */
export interface TableRequest {
  readonly kind: KindDefinition;
  readonly brand: Brand;
  /** The version of the Table itself, `v1` or `v1beta1`. */
  readonly version: string;
  readonly includeObject: IncludeObject;
  readonly metadata: ListMeta;
  readonly nowMs: number;
  /** Set for later events of a watch: only the first one has the column definitions. */
  readonly withoutColumns?: boolean;
}

/** An object in the storage version, for the columns, and in the requested version. */
export interface TableSource {
  readonly stored: ApiObject;
  /** Called only with `includeObject=Object`. */
  served(): ApiObject;
}

/** A whole Table, for few enough objects to convert in one turn of the event loop. */
export function toTable(request: TableRequest, sources: readonly TableSource[]): Table {
  return { ...tableHead(request), rows: sources.map((source) => tableRow(request, source)) };
}

/** A Table without its rows, which may be too many to produce at once. */
export function tableHead(request: TableRequest): Omit<Table, 'rows'> {
  return {
    kind: 'Table',
    apiVersion: `${request.brand.group('meta')}/${request.version}`,
    metadata: request.metadata,
    columnDefinitions: request.withoutColumns === true ? null : columnsOf(request.kind).map(describe),
  };
}

/** One object as a row. */
export function tableRow(request: TableRequest, source: TableSource): TableRow {
  const cells = columnsOf(request.kind).map((column) => column.cell(source.stored, request.nowMs));
  const ended = request.kind.ended?.(source.stored);
  const object = rowObject(request, source);
  return ended === undefined ? { cells, object } : { cells, conditions: [{ type: 'Completed', status: 'True', ...ended }], object };
}

function describe(column: Column): TableColumnDefinition {
  return {
    name: column.name,
    type: column.type,
    format: column.format ?? '',
    description: column.description ?? '',
    priority: column.priority ?? 0,
  };
}

function rowObject(request: TableRequest, source: TableSource): TableRow['object'] {
  if (request.includeObject === 'None') return null;
  if (request.includeObject === 'Object') return { ...source.served() };
  const apiVersion = `${request.brand.group('meta')}/${request.version}`;
  return { kind: 'PartialObjectMetadata', apiVersion, metadata: metadataAlone(request.kind, request.brand, source.stored.metadata) };
}
