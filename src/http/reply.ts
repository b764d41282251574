import { failureStack, setImmediate, type Log } from '#base';
import type { MadeReply, Reply, StreamReply } from '#request';
import { BATCH_BYTES, batches, COALESCED_BYTES, type Runs } from './body-batches.ts';
import type { Incoming } from './received.ts';
import { openTunnel } from './upgrade-tunnel.ts';
import type { ResponseHead, ResponseWriter } from './response-writer.ts';
import { ResponseOutlet } from './response-outlet.ts';
import { drained, watchForStall } from './stall.ts';

/** What all responses of one listener share. */
export interface SendOptions {
  readonly log: Log;
  /** A response whose client takes nothing for this long is cut off. */
  readonly stallTimeoutMs: number;
  /** Open streams; the listener asks them to end when it closes. */
  readonly openOutlets: Set<{ shutdown(): void }>;
  /** Whether the listener is closing: streams begun then are asked to end at once. */
  readonly isClosing: () => boolean;
}

/**
 * The stall timeout of streams that may pause. Not endless: Node loses some resets of TLS connections that it writes to, and what is sent on such a one
 * would never end.
 */
const LONGEST_PAUSE_MS = 24 * 3_600_000;
const NO_WARNINGS: readonly string[] = [];

const hasNoBody = (status: number): boolean => status === 204 || status === 304 || status < 200;
const sizeOf = (slices: readonly Uint8Array[]): number => slices.reduce((sum, slice) => sum + slice.length, 0);

/** Writes `reply` to `writer`. Resolves, or returns undefined at once, when all of it was handed over or the client is gone; never throws. */
export function sendReply(reply: Reply, received: Incoming, writer: ResponseWriter, options: SendOptions): Promise<void> | undefined {
  if (writer.isGone) return undefined;
  try {
    const warnings = received.source.warnings?.headerValues() ?? NO_WARNINGS;
    if ('stream' in reply) {
      received.forgetParts();
      const { status, headers, tunnel } = reply;
      if (tunnel !== undefined && writer.handOver !== undefined) return openTunnel(writer.handOver({ status, headers, contentLength: undefined, warnings }), tunnel, options);
      return sendStream(reply, received.method, warnings, writer, options);
    }
    if ('pieces' in reply) return sendMade(reply, received, warnings, writer, options);
    const { status, headers, body } = reply;
    const contentLength = body instanceof Uint8Array ? body.length : sizeOf(body);
    if (hasNoBody(status)) writer.sendHead({ status, headers, contentLength: undefined, warnings });
    else if (received.method === 'HEAD') writer.sendHead({ status, headers, contentLength, warnings });
    else return sendBytes({ status, headers, contentLength, warnings }, body, writer, options);
  } catch (failure) {
    giveUp(failure, received, writer, options.log);
  }
  return undefined;
}

function sendBytes(head: ResponseHead, body: Uint8Array | readonly Uint8Array[], writer: ResponseWriter, options: SendOptions): Promise<void> | undefined {
  const { contentLength: size = 0 } = head;
  const whole = body instanceof Uint8Array ? body : body.length === 1 ? body[0] : undefined;
  if (size > (whole === undefined ? COALESCED_BYTES : BATCH_BYTES)) {
    writer.begin(head);
    return sendSlices([body instanceof Uint8Array ? [body] : body], writer, options);
  }
  writer.sendAll(head, whole ?? Buffer.concat(body as readonly Uint8Array[]));
  watchForStall(writer, options.stallTimeoutMs);
  return undefined;
}

async function sendMade({ status, headers, pieces }: MadeReply, received: Incoming, warnings: readonly string[], writer: ResponseWriter, options: SendOptions): Promise<void> {
  const head = { status, headers, contentLength: undefined, warnings };
  try {
    if (received.method === 'HEAD') writer.sendHead(head);
    else {
      writer.begin(head);
      await sendSlices(pieces, writer, options);
    }
  } catch (failure) {
    abortReply(failure, writer, options);
  }
}

/** Sends the body of a response that has begun. */
async function sendSlices(runs: Runs, writer: ResponseWriter, { stallTimeoutMs }: SendOptions): Promise<void> {
  const gone = new Promise<void>((resolve) => writer.onGone(resolve));
  for await (const slices of runs) {
    for (const batch of batches(slices)) {
      if (writer.isGone) return;
      // A socket that takes everything at once drains within the same turn, so that waiting for it alone does not let others go on.
      if (!writer.writeAll(batch)) await drained(writer, gone, stallTimeoutMs);
      await nextTurn();
    }
  }
  if (writer.isGone) return;
  writer.end();
  watchForStall(writer, stallTimeoutMs);
}

function sendStream(
  { status, headers, stream, mayPause }: StreamReply,
  method: string,
  warnings: readonly string[],
  writer: ResponseWriter,
  options: SendOptions,
): Promise<void> | undefined {
  const head = { status, headers, contentLength: undefined, warnings };
  if (method === 'HEAD') {
    writer.sendHead(head);
    return undefined;
  }
  writer.begin(head);
  const sending = mayPause === true ? { ...options, stallTimeoutMs: LONGEST_PAUSE_MS } : options;
  const outlet = new ResponseOutlet(writer, sending.stallTimeoutMs);
  options.openOutlets.add(outlet);
  if (options.isClosing()) outlet.shutdown();
  return untilSent(started(stream, outlet), outlet, writer, sending);
}

function started(stream: StreamReply['stream'], outlet: ResponseOutlet): Promise<void> {
  try {
    return stream(outlet);
  } catch (failure) {
    return Promise.reject(failure as Error);
  }
}

/** May take hours: this closure keeps of the request and its response only the writer in memory. */
async function untilSent(sent: Promise<void>, outlet: ResponseOutlet, writer: ResponseWriter, options: SendOptions): Promise<void> {
  try {
    await sent;
    await outlet.drained();
    if (writer.isGone) return;
    writer.end();
    watchForStall(writer, options.stallTimeoutMs);
  } catch (failure) {
    abortReply(failure, writer, options);
  } finally {
    options.openOutlets.delete(outlet);
  }
}

/**
 * A response that has begun cannot be turned into an error: the client notices the missing end. While the server shuts down that is no error to log.
 */
function abortReply(failure: unknown, writer: ResponseWriter, { log, isClosing }: SendOptions): void {
  if (!writer.isGone && !isClosing()) log.error('an answer broke off', { error: failureStack(failure) });
  writer.cut();
}

/**
 * The response could not even begin (a header value that HTTP forbids, for instance): a fault of the server, reported to the log only. What would have
 * been streamed ends with the request.
 */
function giveUp(failure: unknown, received: Incoming, writer: ResponseWriter, log: Log): void {
  log.error('an answer could not be sent', { id: received.id, error: failureStack(failure) });
  received.source.abort(failure);
  try {
    writer.sendHead({ status: 500, headers: {}, contentLength: 0, warnings: NO_WARNINGS });
  } catch {
    writer.cut();
  }
}

/** Not `nextTurn` of `#base`, which queues behind the slices of long computations: handing over a batch takes far less than such a slice. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
