import { steady, type Clock, type Log } from '#base';
import type { Received, Stage } from '#request';

export interface AccessLogOptions {
  readonly log: Log;
  readonly clock: Clock;
  /** Requests that take longer are logged. For streams the time until the response begins counts. */
  readonly slowMs: number;
}

const FIRST_FAILURE = 500;

/** Logs one line per slow or failed request. Never logs headers, bodies or the query (which may hold tokens). Leave the stage out to log nothing. */
export function accessLog({ log, clock, slowMs }: AccessLogOptions): Stage<Received> {
  const record = (context: Received, status: number): void => {
    const tookMs = steady(clock).nowMs() - context.arrivedAtMs;
    if (status < FIRST_FAILURE && tookMs < slowMs) return;
    const { id, method, path, remoteAddress } = context;
    log.info('request', { id, method, path, status, tookMs, ...(remoteAddress === undefined ? {} : { remoteAddress }) });
  };
  return (context, next) => {
    const fail = (thrown: unknown): never => {
      record(context, codeOf(thrown));
      throw thrown;
    };
    try {
      return next(context).then((reply) => {
        record(context, reply.status);
        return reply;
      }, fail);
    } catch (thrown) {
      return fail(thrown);
    }
  };
}

const codeOf = (thrown: unknown): number =>
  typeof thrown === 'object' && thrown !== null && 'code' in thrown && typeof thrown.code === 'number' ? thrown.code : FIRST_FAILURE;
