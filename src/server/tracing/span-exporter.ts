import { failureText, type Clock, type Log } from '#base';
import { createHttpClient, currentTrace } from '#transport';

/** One finished request. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly isFailed: boolean;
  readonly attributes: Readonly<Record<string, string | number>>;
}

export interface ExporterOptions {
  readonly endpoint: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Further spans are dropped: tracing must not slow requests down. */
const MAX_WAITING = 2_048;
const MAX_BATCH = 512;
const EVERY_MS = 5_000;
const CALL_MS = 10_000;
const MAX_ANSWER_BYTES = 65_536;
const KIND_SERVER = 2;
const STATUS_ERROR = 2;

/** Sends spans to a collector in batches, as OTLP over HTTP in JSON. */
export class SpanExporter {
  readonly #options: ExporterOptions;
  readonly #http;
  #waiting: Span[] = [];
  #cancel: (() => void) | undefined;
  /** Pending while a batch is on its way: what comes meanwhile waits, as far as there is room. */
  #sending: Promise<void> | undefined;
  #isFailing = false;
  #isClosing = false;

  constructor(options: ExporterOptions) {
    this.#options = options;
    this.#http = createHttpClient({ server: options.endpoint, isVerified: true, namespace: '' }, { maxAnswerBytes: MAX_ANSWER_BYTES, maxConnections: 1 });
  }

  add(span: Span): void {
    if (this.#waiting.length >= MAX_WAITING) return;
    this.#waiting.push(span);
    this.#arrange();
  }

  /** Sends buffered spans, as long as the collector takes them. Never rejects. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#flush();
    await this.#sending;
    this.#http.close();
  }

  /** A full batch is sent at once, others after a while. */
  #arrange(): void {
    if (this.#waiting.length >= MAX_BATCH) this.#flush();
    // Outside of the trace of the request that happens to start the timer.
    else this.#cancel ??= currentTrace.run(undefined, () => this.#options.clock.after(EVERY_MS, () => this.#flush()));
  }

  #flush(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    if (this.#waiting.length > 0) this.#sending ??= currentTrace.run(undefined, () => this.#sendBatches());
  }

  async #sendBatches(): Promise<void> {
    const isEnough = (): boolean => (this.#isClosing ? this.#waiting.length === 0 || this.#isFailing : this.#waiting.length < MAX_BATCH);
    do {
      await this.#send(this.#waiting.splice(0, MAX_BATCH));
    } while (!isEnough());
    this.#sending = undefined;
    if (this.#waiting.length > 0 && !this.#isClosing) this.#arrange();
  }

  async #send(spans: readonly Span[]): Promise<void> {
    const { log, endpoint } = this.#options;
    try {
      const signal = AbortSignal.timeout(CALL_MS);
      const { status } = await this.#http.request({ method: 'POST', path: '/v1/traces', headers: { 'content-type': 'application/json' }, body: JSON.stringify(documentOf(spans)), signal });
      if (status < 200 || status > 299) throw new Error(`it answered with status ${status}`);
      this.#isFailing = false;
    } catch (cause) {
      if (!this.#isFailing) log.warn('traces cannot be delivered', { endpoint, why: failureText(cause) });
      this.#isFailing = true;
    }
  }
}

const valueOf = (value: string | number): object => (typeof value === 'number' ? { intValue: String(value) } : { stringValue: value });
const attributesOf = (all: Readonly<Record<string, string | number>>): readonly object[] => Object.entries(all).map(([key, value]) => ({ key, value: valueOf(value) }));
const nanosOf = (ms: number): string => String(BigInt(Math.round(ms * 1_000)) * 1_000n);

function documentOf(spans: readonly Span[]): object {
  const resource = { attributes: attributesOf({ 'service.name': 'apiserver' }) };
  const written = spans.map(({ traceId, spanId, parentSpanId, name, startMs, endMs, isFailed, attributes }) => ({
    traceId,
    spanId,
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    name,
    kind: KIND_SERVER,
    startTimeUnixNano: nanosOf(startMs),
    endTimeUnixNano: nanosOf(endMs),
    attributes: attributesOf(attributes),
    ...(isFailed ? { status: { code: STATUS_ERROR } } : {}),
  }));
  return { resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'orch' }, spans: written }] }] };
}
