import { isJsonObject, memberOf } from '#base';
import type { EventStatus } from './event.ts';
import { reaches, type Level } from './level.ts';

/**
 * The response status of an event. `answer` is the response body where it was parsed: a Status says more than the code. Its message and details may
 * quote the request, so they are kept only at levels that keep the request.
 * @spec 6
 */
export function statusOf(code: number, answer: unknown, level: Level): EventStatus {
  if (!isJsonObject(answer) || memberOf(answer, 'kind') !== 'Status') return { metadata: {}, code };
  const text = (name: string): Readonly<Record<string, string>> => {
    const value = memberOf(answer, name);
    return typeof value === 'string' && value !== '' ? { [name]: value } : {};
  };
  const isWhole = reaches(level, 'Request');
  const details = memberOf(answer, 'details');
  return {
    metadata: {},
    ...text('status'),
    ...(isWhole ? text('message') : {}),
    ...text('reason'),
    ...(isWhole && details !== undefined ? { details } : {}),
    code,
  };
}
