import { startBare, startCommitting, startLoadMaker, type Bare, type LoadMaker, type Watched } from './child.ts';
import { probeEngine, type EngineWork } from './engine-probe.ts';
import { hasH2load, runH2load } from './h2load.ts';
import { rateOf, type FanOut, type Load, type Measured } from './load.ts';
import { NAMESPACE } from './objects.ts';
import { besideLine, headLine, plainLine, rowLine, type Figure, type Row } from './report.ts';
import { ask, startServed, type Served } from './server.ts';

export interface SessionOptions {
  /** Of each measurement. */
  readonly seconds: number;
  readonly warmUpSeconds: number;
  /** Measure only rows whose name contains this. */
  readonly only: string | undefined;
}

/** What a row says of its load; the rest is the same for all. */
export type RowLoad = Omit<Load, 'do' | 'port' | 'protocol' | 'seconds' | 'warmUpSeconds'> & Partial<Load>;

const TLS_FOLDER = 'test/fixtures/tls';

/** The three processes of a run, and the table as it grows. */
export class Session {
  readonly served: Served;
  readonly bare: Bare;
  readonly #maker: LoadMaker;
  readonly #options: SessionOptions;
  readonly #hasH2load = hasH2load();
  longestTurnMs = 0;

  static async open(options: SessionOptions): Promise<Session> {
    const served = await startServed();
    const session = new Session(served, await startBare(TLS_FOLDER), options);
    const idle = await served.observe();
    console.log(plainLine('start until /readyz is 200, empty store', `${served.startMs.toFixed(0)} ms`, '500 ms'));
    console.log(plainLine('resident memory, idle', `${idle.rssMegabytes.toFixed(0)} MB`, '110 MB'));
    const made = await ask(served.port, 'POST', '/api/v1/namespaces', JSON.stringify({ metadata: { name: NAMESPACE } }));
    if (made.status !== 201) throw new Error(`the namespace could not be made: ${made.status}`);
    console.log(`\n${headLine()}${session.#hasH2load ? '' : '\n(h2load is not installed: reads of one object are limited by a client in JavaScript; compare cpu)'}`);
    return session;
  }

  private constructor(served: Served, bare: Bare, options: SessionOptions) {
    this.served = served;
    this.bare = bare;
    this.#options = options;
    this.#maker = startLoadMaker();
  }

  wants(work: string): boolean {
    return this.#options.only === undefined || work.includes(this.#options.only);
  }

  /** How long one measurement runs, warming up included. */
  get secondsEach(): number {
    return this.#options.warmUpSeconds + this.#options.seconds;
  }

  /** Ours under this load. */
  measure(load: RowLoad): Promise<Figure> {
    return this.#run(this.served, this.#full(load, this.served.port));
  }

  /** A bare server under the same load, answering with `bytes`. */
  measureBare(load: RowLoad, bytes: number): Promise<Figure> {
    const full = this.#full({ ...load, path: `/bytes/${bytes}` }, 0);
    return this.#run(this.bare, { ...full, port: this.bare[full.protocol] });
  }

  /** A server without an API that commits the body and answers with it, under the same load. */
  async measureCommitting(load: RowLoad): Promise<Figure> {
    const committing = await startCommitting(TLS_FOLDER);
    const figure = await this.#run(committing, this.#full({ ...load, protocol: 'h1' }, committing.h1));
    await committing.stop();
    return figure;
  }

  async measureEngine(work: EngineWork, writers: number): Promise<Figure> {
    return { measured: await probeEngine(work, writers, 1_100, this.#options.seconds) };
  }

  async measureFanOut(order: Omit<FanOut, 'do' | 'seconds' | 'warmUpSeconds'>, of: Watched): Promise<Figure> {
    const { seconds, warmUpSeconds } = this.#options;
    return this.#run(of, { do: 'fan-out', seconds, warmUpSeconds, ...order });
  }

  /** Requests `first` to `last`, as fast as they go; for making objects. Throws when one fails. */
  async fill(load: RowLoad & { readonly last: number }): Promise<Measured> {
    const figure = await this.#run(this.served, { ...this.#full(load, this.served.port), warmUpSeconds: 0, seconds: 600 });
    const failed = Object.entries(figure.measured.failures);
    if (failed.length > 0) throw new Error(`${load.method} ${load.path} failed: ${failed.map(([status, count]) => `${count} x ${status}`).join(', ')}`);
    return figure.measured;
  }

  row(row: Row): void {
    console.log(rowLine(row));
  }

  /** A figure to judge the row before it by, without a bar. */
  beside(work: string, figure: Figure): void {
    console.log(besideLine(work, figure));
  }

  async close(): Promise<void> {
    await Promise.all([this.#maker.stop(), this.bare.stop()]);
    await this.served.stop();
  }

  #full(load: RowLoad, port: number): Load {
    const { seconds, warmUpSeconds } = this.#options;
    return { do: 'requests', protocol: 'h1', port, seconds, warmUpSeconds, ...load };
  }

  async #run(of: Watched, order: Load | FanOut): Promise<Figure> {
    let begun: Promise<unknown> | undefined;
    const begin = (): void => void (begun = of.observe());
    const measured = isForH2load(order, this.#hasH2load) ? await runH2load(order, begin) : await this.#maker.run(order, begin);
    await begun;
    const { cpuUs, longestTurnMs } = await of.observe();
    if (of === this.served) this.longestTurnMs = Math.max(this.longestTurnMs, longestTurnMs);
    return { measured, cpuUs: cpuUs / Math.max(1, measured.count), longestTurnMs };
  }
}

/** Reads of small answers, where the client counts. */
const isForH2load = (order: Load | FanOut, has: boolean): order is Load => has && order.do === 'requests' && order.method === 'GET' && order.clients === 64;

/** The slower of two probes. */
export const slower = <F extends Figure>(a: F, b: F): F => (rateOf(a.measured) < rateOf(b.measured) ? a : b);
