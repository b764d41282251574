type Fields = Readonly<Record<string, unknown>>;

/**
 * The log for the operator. Never pass tokens, keys or bodies. A field named `cause` is for an error that was thrown, whose message JSON alone would
 * lose.
 */
export interface Log {
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
}

/** Writes nothing. */
export const silentLog: Log = { info() {}, warn() {}, error() {} };

/** Characters that JSON does not escape but that terminals or line readers interpret: control characters, line ends, changes of direction. */
const ACTED_ON = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** The same JSON with those characters escaped, safe for a log. */
export const quietJson = (json: string): string => json.replace(ACTED_ON, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
