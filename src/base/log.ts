type Fields = Readonly<Record<string, unknown>>;

/** What happened, for the operator. Never pass tokens, keys or bodies. A field named `cause` is what was thrown: JSON alone would lose its message. */
export interface Log {
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
}

/** Writes nothing. */
export const silentLog: Log = { info() {}, warn() {}, error() {} };

/** What a terminal or another reader of lines acts on, and JSON leaves as it is: control characters, line ends, changes of direction. */
const ACTED_ON = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** JSON text that stands in a log: the same value, in characters that nobody acts on. */
export const quietJson = (json: string): string => json.replace(ACTED_ON, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
