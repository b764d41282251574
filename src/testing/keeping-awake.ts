import { clearInterval, setInterval } from '#base';

/** A server without sockets holds no process back; a test that waits for it does. */
export async function keepingAwake<T>(work: Promise<T>): Promise<T> {
  const awake = setInterval(() => {}, 60_000);
  try {
    return await work;
  } finally {
    clearInterval(awake);
  }
}
