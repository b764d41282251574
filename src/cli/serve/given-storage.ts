import { brandOf, DIALECTS } from '#api';
import type { StorageFormat } from '#server';
import type { FlagValues } from '../parse-flags.ts';
import { UsageError } from '../usage-error.ts';

const PROTOBUF = DIALECTS.map((dialect) => brandOf(dialect).names.protobuf);

/** The storage options from the flags. Throws `UsageError` that names the flag. */
export function readGivenStorage(flags: FlagValues): { readonly storageFormat?: StorageFormat } {
  const mediaType = flags.text('storage-media-type');
  if (mediaType === undefined) return {};
  if (mediaType === 'application/json') return { storageFormat: 'json' };
  if (PROTOBUF.includes(mediaType)) return { storageFormat: 'protobuf' };
  throw new UsageError(`--storage-media-type is one of application/json, ${PROTOBUF.join(', ')}, not ${JSON.stringify(mediaType)}`);
}
