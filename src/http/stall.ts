import { clearTimeout, setImmediate, setTimeout } from '#base';
import type { ResponseWriter } from './response-writer.ts';

/**
 * After the end of a response: closes the connection when what is still buffered does not move for the timeout. Costs nearly nothing when all is
 * written soon.
 */
export function watchForStall(writer: ResponseWriter, stallTimeoutMs: number): void {
  if (isDrained(writer)) return;
  if (draining.push({ writer, stallTimeoutMs }) === 1) setImmediate(checkDraining);
}

interface Draining {
  readonly writer: ResponseWriter;
  readonly stallTimeoutMs: number;
}

/** What the next turn of the event loop has not written, one timer looks at again: over HTTP/2 half of all responses take a few turns. */
const SECOND_LOOK_MS = 20;

/** Responses that ended in this turn of the event loop. Nearly all are written soon: a timer for each would cost more than sending them. */
let draining: Draining[] = [];
/** Those that the turn after it had not written. */
let late: Draining[] = [];

function checkDraining(): void {
  const looked = draining;
  draining = [];
  for (const one of looked) {
    if (!isDrained(one.writer) && late.push(one) === 1) setTimeout(checkLate, SECOND_LOOK_MS).unref();
  }
}

function checkLate(): void {
  const looked = late;
  late = [];
  for (const { writer, stallTimeoutMs } of looked) if (!isDrained(writer)) cutWhenStalled(writer, stallTimeoutMs);
}

const isDrained = (writer: ResponseWriter): boolean => writer.bufferedBytes === 0 || writer.isGone;

function cutWhenStalled(writer: ResponseWriter, stallTimeoutMs: number): void {
  const timer = setTimeout(() => writer.cut(), stallTimeoutMs).unref();
  const calm = (): void => clearTimeout(timer);
  writer.onFinish(calm);
  writer.onGone(calm);
}

/** Resolves when the writer takes more, or its client is gone; one that takes nothing for the timeout is cut off. */
export async function drained(writer: ResponseWriter, gone: Promise<void>, stallTimeoutMs: number): Promise<void> {
  const timer = setTimeout(() => writer.cut(), stallTimeoutMs).unref();
  await new Promise<void>((resolve) => {
    writer.onDrain(resolve);
    void gone.then(resolve);
  });
  clearTimeout(timer);
}
