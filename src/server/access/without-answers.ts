import type { Log } from '#base';

/** What others have answered stands behind these words in messages of failures, and there alone. */
const QUOTED = /((?:answered with (?:status \d+(?: \(redirects are not followed\))?|something that is no JSON)): )"(?:[^"\\]|\\.)*"?/g;
const DENIED = /(denied the request: )[\s\S]*/;
const LEFT_OUT = '<not logged>';

/** A text without what a webhook has answered. */
const textWithoutAnswers = (text: string): string => text.replace(QUOTED, `$1${LEFT_OUT}`).replace(DENIED, `$1${LEFT_OUT}`);

/**
 * The log without what webhooks have answered: who chooses where they are could make this server call something inside, and read the answer
 * where logs are shown. The callers of the API are told all the same.
 */
export function withoutAnswers(log: Log): Log {
  const line = (level: keyof Log) => (message: string, fields?: Readonly<Record<string, unknown>>) =>
    log[level](textWithoutAnswers(message), fields === undefined ? undefined : Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, clean(value)])));
  return { info: line('info'), warn: line('warn'), error: line('error') };
}

/** Texts and failures are what logs are given; other values are numbers and short lists of names. */
function clean(value: unknown): unknown {
  if (typeof value === 'string') return textWithoutAnswers(value);
  return value instanceof Error ? cleanFailure(value) : value;
}

/** The same failure where nothing is in it; else a copy, with its fields and the failures behind it. */
function cleanFailure(failure: Error): Error {
  const cause = failure.cause instanceof Error ? cleanFailure(failure.cause) : failure.cause;
  const message = textWithoutAnswers(failure.message);
  const stack = failure.stack === undefined ? undefined : textWithoutAnswers(failure.stack);
  if (message === failure.message && stack === failure.stack && cause === failure.cause) return failure;
  const copy = Object.create(Object.getPrototypeOf(failure) as object, Object.getOwnPropertyDescriptors(failure)) as Error;
  for (const [name, text] of Object.entries({ message, stack, cause })) Object.defineProperty(copy, name, { value: text, enumerable: false, configurable: true });
  return copy;
}
