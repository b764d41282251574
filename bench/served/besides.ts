import { Http1Client } from './http1-client.ts';
import { Latencies } from './latency.ts';
import { TOKEN } from './load.ts';
import type { Served } from './server.ts';

const READ = '/api/v1/namespaces/kube-system';

/** What a client that reads one object after another noticed, and what the server did meanwhile. */
export interface Seen {
  readonly tookMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly reads: number;
  readonly cpuMs: number;
  readonly longestTurnMs: number;
  readonly rssMegabytes: number;
  readonly peakRssMegabytes: number;
}

/** Reads one object after another until `until` resolves. */
export async function besides(served: Served, until: () => Promise<void>): Promise<Seen> {
  const latencies = new Latencies();
  let isOver = false;
  let reads = 0;
  let sentAt = 0;
  const ask = `GET ${READ} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\nAccept: application/json\r\nUser-Agent: bench\r\n\r\n`;
  const client = await new Promise<Http1Client>((resolve) => {
    const next = (): void => {
      sentAt = performance.now();
      opened.send(ask);
    };
    const opened: Http1Client = new Http1Client(
      served.port,
      () => {
        resolve(opened);
        next();
      },
      (status) => {
        if (status !== 200) throw new Error(`reading was answered with ${status}`);
        latencies.add(performance.now() - sentAt);
        reads += 1;
        if (!isOver) next();
      },
    );
  });
  await served.observe();
  const from = performance.now();
  await until();
  const tookMs = performance.now() - from;
  isOver = true;
  client.close();
  const { cpuUs, longestTurnMs, rssMegabytes, peakRssMegabytes } = await served.observe();
  return { tookMs, p50Ms: latencies.at(0.5), p99Ms: latencies.at(0.99), reads, cpuMs: cpuUs / 1000, longestTurnMs, rssMegabytes, peakRssMegabytes };
}
