import type { Status } from '#errors';
import type { Reply } from '#request';
import { codecOf } from '../encode-stored.ts';
import { replyBytes } from '../reply-bytes.ts';
import type { VerbContext } from '../verb-context.ts';

/** Replies 201 with a Status of success, for actions without a result. */
export function replyDone(context: VerbContext): Reply {
  const status: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
  const codec = codecOf(context);
  return replyBytes(context, 201, codec.encodeStatus(status), codec.mediaType);
}
