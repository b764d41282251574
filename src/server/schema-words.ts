import { loadDescriptions } from '#kinds';

export interface SchemaWords {
  /** To be awaited before the first document with descriptions. */
  load(): Promise<void>;
  /** The description of a message or one of its fields; undefined: there is none, or they are not loaded. */
  readonly describe: (message: string, member?: string) => string | undefined;
}

/** Field descriptions, loaded on first use: few clients request documents with descriptions, and the start does not pay for them. */
export function schemaWords(): SchemaWords {
  let find: SchemaWords['describe'] = () => undefined;
  let loading: Promise<void> | undefined;
  return {
    load: () => (loading ??= loadDescriptions().then((loaded) => void (find = loaded))),
    describe: (message, member) => find(message, member),
  };
}
