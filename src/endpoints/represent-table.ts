import { parseIncludeObject, tableHead, tableRow, toTable, Table, type ApiObject, type TableRequest, type TableSource } from '#api';
import type { ListEnvelope } from '#codec';
import type { Reply } from '#request';
import type { Stored } from '#registry';
import { codecOf, servedObject } from './encode-stored.ts';
import { generateDocument } from './generated-document.ts';
import { replyDocument } from './reply-bytes.ts';
import { Turns } from './turns.ts';
import type { VerbContext } from './verb-context.ts';

/** Replies with objects as rows of a Table. Without list metadata the Table has the resourceVersion of its single object. @spec 2.5 */
export function tableReply(context: VerbContext, status: number, items: readonly Stored[], metadata?: ListEnvelope['metadata']): Promise<Reply> {
  const request = requestOf(context, metadata ?? versionOf(items[0]?.object));
  const table = codecOf(context).table(tableHead(request));
  const rows = generateDocument(table, inOrderOfRows(context, items), new Turns(context.request), (stored) => tableRow(request, rowOf(context, stored)));
  return replyDocument(context, status, rows);
}

function inOrderOfRows({ route }: VerbContext, items: readonly Stored[]): readonly Stored[] {
  const { kind } = route.resource;
  return kind.compareRows === undefined ? items : [...items].sort((one, other) => kind.compareRows?.(one.object, other.object) ?? 0);
}

/** The Table of a watch event. Only the first event of a watch needs the column definitions. */
export function encodeRow(context: VerbContext, source: TableSource, isFirst: boolean): Uint8Array {
  const table = toTable({ ...requestOf(context, versionOf(source.stored)), withoutColumns: !isFirst }, [source]);
  return codecOf(context).partCodec.encode(Table.type, table as typeof table & { apiVersion: string; kind: string });
}

function requestOf({ route, accepted, env, request }: VerbContext, metadata: TableRequest['metadata']): TableRequest {
  return {
    kind: route.resource.kind,
    brand: env.catalog.brand,
    version: accepted.asVersion ?? 'v1',
    includeObject: parseIncludeObject(request.query.get('includeObject') ?? ''),
    metadata,
    nowMs: env.clock.nowMs(),
  };
}

/** Objects that were never stored (dry runs, computed objects) have no resourceVersion. */
function versionOf(object: ApiObject | undefined): TableRequest['metadata'] {
  const { resourceVersion = '' } = object?.metadata ?? {};
  return resourceVersion === '' ? {} : { resourceVersion };
}

/** The source of an object's row: the stored object, and its served version on demand. */
export const rowOf = (context: VerbContext, stored: Stored): TableSource => ({ stored: stored.object, served: () => servedObject(context, stored) });
