import { connect } from 'node:tls';
import { Http1Client } from './http1-client.ts';
import { Latencies } from './latency.ts';
import { TOKEN, type FanOut, type Measured } from './load.ts';
import { pause } from './pause.ts';

const HEAD = `Host: localhost\r\nAuthorization: Bearer ${TOKEN}\r\nAccept: application/json\r\nUser-Agent: bench\r\n`;
const MARK = '"sentAt":"';
const LINE_END = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Micro-seconds on a clock that only this process reads. */
const nowUs = (): number => Math.round(performance.now() * 1000);

/** Counts the events that reach all watchers while writers write. */
export async function runFanOut(work: FanOut, begin: () => void): Promise<Measured> {
  const latencies = new Latencies();
  let count = 0;
  let ended = 0;
  const watchers = await Promise.all(
    Array.from({ length: work.watchers }, () =>
      openWatch(
        work,
        (events, sentAtUs) => {
          count += events;
          if (sentAtUs > 0) latencies.add((nowUs() - sentAtUs) / 1000);
        },
        () => (ended += 1),
      ),
    ),
  );
  let stopped = false;
  const failures: Record<string, number> = {};
  const betweenMs = work.writesPerSecond === undefined ? 0 : (1000 * work.writers) / work.writesPerSecond;
  const writers = Array.from({ length: work.writers }, (_, id) => {
    let dueMs = betweenMs === 0 ? 0 : performance.now() + (betweenMs * id) / work.writers;
    const write = (): void => {
      if (stopped) return;
      const earlyMs = dueMs - performance.now();
      if (earlyMs > 0) return void setTimeout(write, earlyMs);
      dueMs += betweenMs;
      const body = work.body.replaceAll('{c}', String(id)).replaceAll('{t}', String(nowUs()));
      const path = work.writePath.replaceAll('{c}', String(id));
      client.send(`${work.method} ${path} HTTP/1.1\r\n${HEAD}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    };
    const client = new Http1Client(work.port, write, (status) => {
      if (status < 200 || status > 299) failures[status] = (failures[status] ?? 0) + 1;
      if (status > 0) write();
    });
    return client;
  });
  await pause(work.warmUpSeconds * 1000);
  latencies.clear();
  const countBefore = count;
  const from = performance.now();
  begin();
  await pause(work.seconds * 1000);
  const seconds = (performance.now() - from) / 1000;
  const seen = count - countBefore;
  stopped = true;
  if (ended > 0) failures['watches ended early'] = ended;
  for (const client of writers) client.close();
  for (const close of watchers) close();
  return { count: seen, seconds, p50Ms: latencies.at(0.5), p99Ms: latencies.at(0.99), failures, next: 0 };
}

/** Events are lines; a carriage return stands only in the framing of chunks, whose line ends do not count. The first event of a piece is timed. */
function openWatch(work: FanOut, onEvents: (count: number, sentAtUs: number) => void, onEnd: () => void): Promise<() => void> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port: work.port, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] }, () => {
      socket.write(`GET ${work.watchPath} HTTP/1.1\r\n${HEAD}\r\n`);
    });
    let isOpen = false;
    let lastByte = 0;
    socket.on('error', () => {});
    socket.on('close', onEnd);
    socket.on('data', (bytes: Buffer) => {
      let events = 0;
      for (let at = bytes.indexOf(LINE_END); at >= 0; at = bytes.indexOf(LINE_END, at + 1)) {
        if ((at === 0 ? lastByte : bytes[at - 1]) !== CARRIAGE_RETURN) events += 1;
      }
      lastByte = bytes[bytes.length - 1] ?? 0;
      if (!isOpen) resolve(() => socket.removeListener('close', onEnd).destroy());
      isOpen = true;
      const mark = bytes.indexOf(MARK);
      onEvents(events, mark < 0 ? 0 : Number.parseInt(bytes.toString('latin1', mark + MARK.length, mark + MARK.length + 16), 10) || 0);
    });
  });
}
