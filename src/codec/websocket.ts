/** The opcodes of frames. RFC 6455, 5.2. */
const OPCODES = { text: 0x1, binary: 0x2, close: 0x8, ping: 0x9, pong: 0xa } as const;

/** The type of a frame: data (text, binary) or control (close, ping, pong). */
export type WebsocketOpcode = keyof typeof OPCODES;

const LAST = 0x80;
const MASKED = 0x80;
const SHORT = 126;
const LONG = 127;

/** Encodes a message as one unmasked frame, as servers send. */
export function websocketFrame(opcode: WebsocketOpcode, payload: Uint8Array): Uint8Array {
  const { length } = payload;
  const head = Buffer.allocUnsafe(length < SHORT ? 2 : length < 0x1_0000 ? 4 : 10);
  head[0] = LAST | OPCODES[opcode];
  if (length < SHORT) head[1] = length;
  else if (length < 0x1_0000) {
    head[1] = SHORT;
    head.writeUInt16BE(length, 2);
  } else {
    head[1] = LONG;
    head.writeBigUInt64BE(BigInt(length), 2);
  }
  return Buffer.concat([head, payload]);
}

/** A close frame: 1000 is a normal closure, 1002 a protocol error of the client. */
export const websocketClose = (code: 1000 | 1002): Uint8Array => websocketFrame('close', Buffer.from([code >> 8, code & 0xff]));

/** What a client says about the connection; its messages are ignored. */
export type WebsocketSignal = { readonly is: 'close' | 'error' } | { readonly is: 'ping'; readonly payload: Uint8Array };

/** The longest payload of a control frame. RFC 6455, 5.5. */
const MAX_CONTROL_BYTES = 125;

/** Listens to a client of which nothing is wanted: skips its messages, however long, without keeping them. */
export class WebsocketListener {
  #waiting = Buffer.alloc(0);
  /** The remaining bytes of a data frame that is skipped. */
  #toSkip = 0;
  #isOver = false;

  /** The events in the next bytes. After a close or an error there are no more. */
  take(bytes: Uint8Array): readonly WebsocketSignal[] {
    const signals: WebsocketSignal[] = [];
    this.#waiting = Buffer.concat([this.#waiting, bytes]);
    for (let signal = this.#next(); signal !== 'more'; signal = this.#next()) {
      if (signal === undefined) continue;
      signals.push(signal);
      if (signal.is !== 'ping') this.#isOver = true;
    }
    return signals;
  }

  #next(): WebsocketSignal | undefined | 'more' {
    if (this.#isOver) this.#waiting = Buffer.alloc(0);
    this.#skip();
    const head = this.#toSkip > 0 ? undefined : headIn(this.#waiting);
    if (head === undefined) return 'more';
    if (!head.isMasked) return { is: 'error' };
    if (head.opcode < OPCODES.close) {
      this.#waiting = this.#waiting.subarray(head.bytes);
      this.#toSkip = head.length;
      return undefined;
    }
    if (head.opcode === OPCODES.close) return { is: 'close' };
    if (head.length > MAX_CONTROL_BYTES) return { is: 'error' };
    if (this.#waiting.length < head.bytes + head.length) return 'more';
    const payload = unmasked(this.#waiting.subarray(head.bytes - 4, head.bytes), this.#waiting.subarray(head.bytes, head.bytes + head.length));
    this.#waiting = this.#waiting.subarray(head.bytes + head.length);
    return head.opcode === OPCODES.ping ? { is: 'ping', payload } : undefined;
  }

  #skip(): void {
    const skipped = Math.min(this.#toSkip, this.#waiting.length);
    this.#waiting = this.#waiting.subarray(skipped);
    this.#toSkip -= skipped;
  }
}

interface Head {
  readonly opcode: number;
  readonly isMasked: boolean;
  readonly length: number;
  /** The size of the head, the mask included. */
  readonly bytes: number;
}

/** Decodes the head of a frame; undefined: it is not complete yet. */
function headIn(bytes: Buffer): Head | undefined {
  if (bytes.length < 2) return undefined;
  const [first = 0, second = 0] = bytes;
  const short = second & 0x7f;
  const size = (short < SHORT ? 2 : short === SHORT ? 4 : 10) + ((second & MASKED) === 0 ? 0 : 4);
  if (bytes.length < size) return undefined;
  const length = short < SHORT ? short : short === SHORT ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  return { opcode: first & 0x0f, isMasked: (second & MASKED) !== 0, length, bytes: size };
}

const unmasked = (mask: Buffer, bytes: Buffer): Buffer => Buffer.from(bytes.map((byte, index) => byte ^ (mask[index % 4] ?? 0)));
