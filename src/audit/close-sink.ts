import { failureText, type Log } from '#base';
import type { Sink } from './sink.ts';

/** Closes a sink. One that cannot be closed is logged: what is closed after it must be closed all the same. Never rejects. */
export async function closeSink(sink: Sink, log: Log): Promise<void> {
  try {
    await sink.close();
  } catch (cause) {
    log.error('an audit sink could not be closed', { sink: sink.name, error: failureText(cause) });
  }
}
