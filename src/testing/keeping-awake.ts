import { clearInterval, setInterval } from '#base';

/** Keeps the process alive while a test waits for `work`: a server without sockets does not. */
export async function keepingAwake<T>(work: Promise<T>): Promise<T> {
  const awake = setInterval(() => {}, 60_000);
  try {
    return await work;
  } finally {
    clearInterval(awake);
  }
}
