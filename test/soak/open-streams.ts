import https from 'node:https';
import type { IncomingMessage } from 'node:http';

/** The body of an answer that the client may read, or leave where it is. */
export class OpenAnswer {
  readonly ended: Promise<void>;
  readonly #answer: IncomingMessage;
  #bytes = 0;

  private constructor(answer: IncomingMessage) {
    this.#answer = answer;
    this.ended = new Promise((resolve) => answer.once('close', resolve));
    answer.on('error', () => {});
  }

  /** Resolves when the head of the answer is there; nothing of the body has been read then. On a connection of its own. */
  static async open(url: string, path: string): Promise<OpenAnswer> {
    const headers = { authorization: 'Bearer admintoken', accept: 'application/json' };
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      https.get(`${url}${path}`, { rejectUnauthorized: false, agent: false, headers }, resolve).on('error', reject);
    });
    if (answer.statusCode !== 200) throw new Error(`${path} is answered with ${answer.statusCode}`);
    return new OpenAnswer(answer);
  }

  /** Read so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Reads what is there and what comes. */
  read(take: (chunk: Buffer) => void = () => {}): void {
    this.#answer.on('data', (chunk: Buffer) => {
      this.#bytes += chunk.length;
      take(chunk);
    });
  }

  /** Reads so many bytes or a little more, calls `run`, and stands still until `goOn`. */
  readUntil(bytes: number, run: () => void): void {
    let isPaused = false;
    this.read(() => {
      if (isPaused || this.#bytes < bytes) return;
      isPaused = true;
      this.#answer.pause();
      run();
    });
  }

  goOn(): void {
    this.#answer.resume();
  }

  /** Reads events; `take` gets the version of the object of each. */
  readVersions(take: (version: number) => void): void {
    let tail = '';
    this.read((chunk) => {
      const lines = (tail + chunk.toString('latin1')).split('\n');
      tail = lines.pop() ?? '';
      for (const line of lines) take(Number(/"resourceVersion":"(\d+)"/.exec(line.slice(0, 1_000))?.[1]));
    });
  }

  close(): void {
    this.#answer.destroy();
  }
}
