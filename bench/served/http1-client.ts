import { connect, type TLSSocket } from 'node:tls';

/** One keep-alive connection that has one request under way at most. As little work per answer as can be: the client must not be what is measured. */
export class Http1Client {
  readonly #socket: TLSSocket;
  readonly #onAnswer: (status: number) => void;
  #pending: Buffer | undefined = undefined;
  #status = 0;
  /** Body bytes still to come; -1: the answer comes in chunks; undefined: its head is not there yet. */
  #left: number | undefined = undefined;
  #chunkLeft = 0;

  constructor(port: number, onReady: () => void, onAnswer: (status: number) => void) {
    this.#onAnswer = onAnswer;
    this.#socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] }, onReady);
    this.#socket.on('data', (bytes: Buffer) => this.#take(bytes));
    this.#socket.on('error', () => {});
    this.#socket.on('close', () => this.#onAnswer(0));
  }

  send(request: string): void {
    this.#socket.write(request);
  }

  close(): void {
    this.#socket.removeAllListeners('close').destroy();
  }

  #take(more: Buffer): void {
    let bytes = this.#pending === undefined ? more : Buffer.concat([this.#pending, more]);
    this.#pending = undefined;
    if (this.#left === undefined) {
      const end = bytes.indexOf('\r\n\r\n');
      if (end < 0) return void (this.#pending = bytes);
      this.#readHead(bytes.toString('latin1', 0, end));
      bytes = bytes.subarray(end + 4);
    }
    if (this.#left === -1) return this.#takeChunks(bytes);
    this.#left = (this.#left ?? 0) - bytes.length;
    if (this.#left <= 0) this.#finish();
  }

  #readHead(head: string): void {
    this.#status = Number(head.slice(9, 12));
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    this.#left = length === undefined ? -1 : Number(length);
    this.#chunkLeft = 0;
  }

  /** Chunks are a size in hexadecimal, a line end, so many bytes, a line end; the last has size 0. */
  #takeChunks(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length) {
      if (this.#chunkLeft > 0) {
        const taken = Math.min(this.#chunkLeft, bytes.length - at);
        this.#chunkLeft -= taken;
        at += taken;
        continue;
      }
      const lineEnd = bytes.indexOf('\r\n', at);
      if (lineEnd < 0) return void (this.#pending = bytes.subarray(at));
      const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
      if (size === 0) {
        if (bytes.length < lineEnd + 4) return void (this.#pending = bytes.subarray(at));
        return this.#finish();
      }
      this.#chunkLeft = size + 2;
      at = lineEnd + 2;
    }
  }

  #finish(): void {
    this.#left = undefined;
    this.#onAnswer(this.#status);
  }
}
