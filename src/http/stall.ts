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

/** Responses that ended in this turn of the event loop. Nearly all are written by the next: a timer for each would cost more than sending them. */
let draining: Draining[] = [];

function checkDraining(): void {
  const looked = draining;
  draining = [];
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
