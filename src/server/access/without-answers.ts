import type { Log } from '#base';

/** Error messages contain response bodies of webhooks only behind these words. */
const QUOTED = /((?:answered with (?:status \d+(?: \(redirects are not followed\))?|something that is no JSON): |an error on the server \())"(?:[^"\\]|\\.)*"?/g;
const REST = /((?:denied the request|sent a patch that (?:cannot be applied|breaks the object)): )[\s\S]*/;
const LEFT_OUT = '<not logged>';

/** The text without the responses of webhooks. */
const textWithoutAnswers = (text: string): string => text.replace(QUOTED, `$1${LEFT_OUT}`).replace(REST, `$1${LEFT_OUT}`);

/**
 * A log that omits responses of webhooks: a user who chooses a webhook's address could make this server call internal servers, and read their
 * responses wherever logs are shown. API clients still get them in their responses.
 */
export function withoutAnswers(log: Log): Log {
  const line = (level: keyof Log) => (message: string, fields?: Readonly<Record<string, unknown>>) =>
    log[level](textWithoutAnswers(message), fields === undefined ? undefined : Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, clean(value)])));
  return { info: line('info'), warn: line('warn'), error: line('error') };
}

/** Strings and errors are cleaned; other logged values are numbers and short lists of names. */
function clean(value: unknown): unknown {
  if (typeof value === 'string') return textWithoutAnswers(value);
  return value instanceof Error ? cleanFailure(value) : value;
}

/** The same error where it contains no response; else a copy, with its fields and causes cleaned as well. */
function cleanFailure(failure: Error): Error {
  const cause = failure.cause instanceof Error ? cleanFailure(failure.cause) : failure.cause;
  const message = textWithoutAnswers(failure.message);
  const stack = failure.stack === undefined ? undefined : textWithoutAnswers(failure.stack);
  if (message === failure.message && stack === failure.stack && cause === failure.cause) return failure;
  const copy = Object.create(Object.getPrototypeOf(failure) as object, Object.getOwnPropertyDescriptors(failure)) as Error;
  for (const [name, text] of Object.entries({ message, stack, cause })) Object.defineProperty(copy, name, { value: text, enumerable: false, configurable: true });
  return copy;
}
