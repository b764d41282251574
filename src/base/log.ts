type Fields = Readonly<Record<string, unknown>>;

/** What happened, for the operator. Never pass tokens, keys or bodies. */
export interface Log {
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
}

export const silentLog: Log = { info() {}, warn() {}, error() {} };
