import { randomBytes } from 'node:crypto';

/** The trace context of a span. */
export interface TraceParent {
  /** 32 digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits: the client's span. Absent: the trace begins here. */
  readonly spanId?: string;
  readonly isSampled: boolean;
}

const FORM = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const NOTHING = /^0+$/;

/** Parses a `traceparent` header; undefined: it is absent or invalid. */
export function readTraceParent(text: string | undefined): TraceParent | undefined {
  const [, traceId = '', spanId = '', flags = ''] = FORM.exec(text ?? '') ?? [];
  if (traceId === '' || NOTHING.test(traceId) || NOTHING.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** A new trace. */
export const newTrace = (isSampled: boolean): TraceParent => ({ traceId: randomBytes(16).toString('hex'), isSampled });

export const newSpanId = (): string => randomBytes(8).toString('hex');

export const formatTraceParent = (traceId: string, spanId: string, isSampled: boolean): string => `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
