import { parseIncludeObject, Table, toTable } from '#api';
import type { ListEnvelope } from '#codec';
import type { Reply } from '#request';
import type { Stored } from '#registry';
import { codecOf, replyBytes, servedObject } from './encode-stored.ts';
import type { VerbContext } from './verb-context.ts';

type TableForm = ReturnType<typeof toTable>;

/** Objects as rows. Without list metadata the row of a single object says the version. @spec 2.5 */
export function tableReply(context: VerbContext, status: number, items: readonly Stored[], metadata: ListEnvelope['metadata'] | undefined): Reply {
  const codec = codecOf(context);
  return replyBytes(context, status, encodeTable(context, tableObject(context, items, metadata, false)), codec.mediaType);
}

export const encodeTable = (context: VerbContext, table: TableForm): Uint8Array =>
  codecOf(context).encode(tableType, table as TableForm & { apiVersion: string; kind: string });

/** Only the first event of a watch needs to say what the columns are. */
export function tableObject(
  context: VerbContext,
  items: readonly Stored[],
  metadata: ListEnvelope['metadata'] | undefined,
  withoutColumns: boolean,
): TableForm {
  const { route, accepted, env, request } = context;
  return toTable(
    {
      kind: route.resource.kind,
      brand: env.catalog.brand,
      version: accepted.asVersion ?? 'v1',
      includeObject: parseIncludeObject(request.query.get('includeObject') ?? ''),
      metadata: metadata ?? { resourceVersion: items[0]?.object.metadata.resourceVersion ?? '' },
      nowMs: env.clock.nowMs(),
      withoutColumns,
    },
    items.map((stored) => ({ stored: stored.object, served: () => servedObject(context, stored) })),
  );
}

/** A Table is no object: it has list metadata of its own. */
const tableType = Table.type;
