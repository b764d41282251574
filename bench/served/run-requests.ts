import { connect, type ClientHttp2Session } from 'node:http2';
import { Http1Client } from './http1-client.ts';
import { Latencies } from './latency.ts';
import { TOKEN, type Load, type Measured } from './load.ts';

/** Sends requests until the time is over. `begin` is called when warming up is. */
export function runRequests(load: Load, begin: () => void): Promise<Measured> {
  const run = new Run(load, begin);
  return load.protocol === 'h1' ? run.overHttp1() : run.overHttp2();
}

class Run {
  readonly #load: Load;
  readonly #begin: () => void;
  readonly #latencies = new Latencies();
  readonly #failures: Record<string, number> = {};
  #count = 0;
  #next: number;
  #measuring = false;
  #stopped = false;
  #from = 0;
  #underWay = 0;
  #onIdle: () => void = () => {};

  constructor(load: Load, begin: () => void) {
    this.#load = load;
    this.#begin = begin;
    this.#next = load.first ?? 0;
  }

  async overHttp1(): Promise<Measured> {
    const clients = await Promise.all(Array.from({ length: this.#load.clients }, (_, id) => this.#openHttp1(id)));
    const took = this.#watchClock();
    for (const again of clients) again.start();
    const measured = await took;
    for (const { client } of clients) client.close();
    return measured;
  }

  async overHttp2(): Promise<Measured> {
    const session = connect(`https://127.0.0.1:${this.#load.port}`, { rejectUnauthorized: false });
    session.on('error', () => {});
    await new Promise((resolve) => session.once('remoteSettings', resolve));
    const took = this.#watchClock();
    for (let id = 0; id < this.#load.clients; id += 1) this.#loopHttp2(session, id);
    const measured = await took;
    session.destroy();
    return measured;
  }

  #openHttp1(id: number): Promise<{ readonly client: Http1Client; start(): void }> {
    const fixed = this.#isFixed ? this.#http1Request(id, 0) : undefined;
    let sentAt = 0;
    const start = (): void => {
      const n = this.#take();
      if (n === undefined) return;
      sentAt = performance.now();
      client.send(fixed ?? this.#http1Request(id, n));
    };
    let client: Http1Client;
    return new Promise((resolve) => {
      client = new Http1Client(
        this.#load.port,
        () => resolve({ client, start }),
        (status) => {
          this.#answered(status, sentAt);
          start();
        },
      );
    });
  }

  #loopHttp2(session: ClientHttp2Session, id: number): void {
    const n = this.#take();
    if (n === undefined || session.destroyed) return;
    const { method, body, contentType } = this.#load;
    const filled = body && this.#fill(body, id, n);
    const sentAt = performance.now();
    const stream = session.request({
      ':method': method,
      ':path': this.#fill(this.#load.path, id, n),
      authorization: `Bearer ${TOKEN}`,
      accept: 'application/json',
      ...(contentType === undefined ? {} : { 'content-type': contentType }),
      // As clients in Go do.
      ...(filled === undefined ? {} : { 'content-length': Buffer.byteLength(filled) }),
    });
    let status = 0;
    stream.on('response', (headers) => (status = headers[':status'] ?? 0));
    stream.on('error', () => {});
    stream.on('end', () => {
      this.#answered(status, sentAt);
      this.#loopHttp2(session, id);
    });
    stream.resume();
    stream.end(filled);
  }

  get #isFixed(): boolean {
    return !this.#load.path.includes('{n}') && !(this.#load.body ?? '').includes('{n}');
  }

  #fill(text: string, id: number, n: number): string {
    return text.includes('{') ? text.replaceAll('{n}', String(n)).replaceAll('{c}', String(id)) : text;
  }

  #http1Request(id: number, n: number): string {
    const { method, path, body, contentType = 'application/json' } = this.#load;
    const head = `${method} ${this.#fill(path, id, n)} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\nAccept: application/json\r\nUser-Agent: bench\r\n`;
    if (body === undefined) return `${head}\r\n`;
    const filled = this.#fill(body, id, n);
    return `${head}Content-Type: ${contentType}\r\nContent-Length: ${Buffer.byteLength(filled)}\r\n\r\n${filled}`;
  }

  #take(): number | undefined {
    if (this.#stopped || this.#next > (this.#load.last ?? Infinity)) {
      if (this.#underWay === 0) this.#onIdle();
      return undefined;
    }
    this.#underWay += 1;
    return this.#next++;
  }

  #answered(status: number, sentAt: number): void {
    this.#underWay -= 1;
    if (status < 200 || status > 299) this.#failures[status] = (this.#failures[status] ?? 0) + 1;
    else if (this.#measuring) {
      this.#count += 1;
      this.#latencies.add(performance.now() - sentAt);
    }
  }

  /** Resolves when the time is over, or the requests are. */
  #watchClock(): Promise<Measured> {
    const start = (): void => {
      this.#measuring = true;
      this.#from = performance.now();
      this.#begin();
    };
    return new Promise((resolve) => {
      let seconds = 0;
      const end = (): void => {
        if (!this.#measuring) return;
        this.#measuring = false;
        seconds = (performance.now() - this.#from) / 1000;
        this.#stopped = true;
      };
      const warm = setTimeout(start, this.#load.warmUpSeconds * 1000);
      const over = setTimeout(end, (this.#load.warmUpSeconds + this.#load.seconds) * 1000);
      this.#onIdle = () => {
        clearTimeout(warm);
        clearTimeout(over);
        end();
        this.#onIdle = () => {};
        resolve({ count: this.#count, seconds, p50Ms: this.#latencies.at(0.5), p99Ms: this.#latencies.at(0.99), failures: this.#failures, next: this.#next });
      };
    });
  }
}
