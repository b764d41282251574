import type { Catalog } from '#api';
import type { Received, Reply } from '#request';
import { withoutEndSlashes } from './end-slashes.ts';
import type { OpenapiSource } from './merge-openapi.ts';
import type { DescribeSchema } from './openapi-descriptions.ts';
import { OpenapiReplies } from './openapi-replies.ts';

export interface OpenapiOptions {
  /** Descriptions, loaded when a document is built. Default: none. */
  readonly describe?: DescribeSchema;
  /** Documents of aggregated servers to merge; a new array after every change. Default: none. */
  readonly openapiSources?: () => readonly OpenapiSource[];
  /** Whether there is version 3, too. Default: no. */
  readonly hasOpenapiV3?: boolean;
}

type Request = Pick<Received, 'headers'> & { readonly info: { readonly path: string } };

const V2 = '/openapi/v2';
const V3 = '/openapi/v3';
const NOTHING: readonly never[] = [];

/**
 * Serves `/openapi/v2` and, where it is on, `/openapi/v3` and below. Documents are built on first use and cached until `catalog.resources`, or what the
 * options return, is another array. undefined: another path.
 * @spec 4.9
 */
export function createOpenapi(catalog: Catalog, options: OpenapiOptions = {}): (request: Request) => Promise<Reply | undefined> {
  const replies = new OpenapiReplies(catalog, options.describe ?? (() => undefined), options.openapiSources ?? (() => NOTHING));
  return async ({ headers, info }) => {
    const valueOf = (name: string): string => headers.get(name)?.[0] ?? '';
    if (info.path === V2) return replies.reply(valueOf('accept'), valueOf('if-none-match'));
    const path = withoutEndSlashes(info.path);
    if (options.hasOpenapiV3 !== true || (path !== V3 && !path.startsWith(`${V3}/`))) return undefined;
    return replies.replyV3(path.slice(V3.length + 1), valueOf('accept'), valueOf('if-none-match'));
  };
}
