import { failureText, type Log } from '#base';
import { loadDescriptions } from '#kinds';

export interface SchemaWords {
  /** To be awaited before the first document with descriptions. Where they cannot be loaded, the log says so once, and documents do without. */
  load(): Promise<void>;
  /** The description of a message or one of its fields; undefined: there is none, or they are not loaded. */
  readonly describe: (message: string, member?: string) => string | undefined;
}

/**
 * Field descriptions, loaded on first use: few clients request documents with descriptions, and the start does not pay for them. By then the files of
 * this program may be those of another version.
 */
export function schemaWords(log: Log, loadAll = loadDescriptions): SchemaWords {
  let find: SchemaWords['describe'] = () => undefined;
  let loading: Promise<void> | undefined;
  const load = async (): Promise<void> => {
    try {
      find = await loadAll();
    } catch (cause) {
      log.warn('descriptions of fields cannot be loaded, OpenAPI goes without: where the files of this program were replaced, start the server anew', { cause: failureText(cause) });
    }
  };
  return {
    load: () => (loading ??= load()),
    describe: (message, member) => find(message, member),
  };
}
