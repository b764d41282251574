import { loadDescriptions } from '#kinds';

export interface SchemaWords {
  /** Before the first document that has words in it. */
  load(): Promise<void>;
  /** About a message, or one of its members; undefined: there are none, or they are not loaded. */
  readonly describe: (message: string, member?: string) => string | undefined;
}

/** Few callers ask for documents with words: they cost the start nothing. */
export function schemaWords(): SchemaWords {
  let find: SchemaWords['describe'] = () => undefined;
  let loading: Promise<void> | undefined;
  return {
    load: () => (loading ??= loadDescriptions().then((loaded) => void (find = loaded))),
    describe: (message, member) => find(message, member),
  };
}
