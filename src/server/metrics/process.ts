import { readdir, readFile } from 'node:fs/promises';
import { monitorEventLoopDelay, type IntervalHistogram } from 'node:perf_hooks';
import type { Metrics } from '#http';

const RESOLUTION_MS = 20;
const QUANTILES = [50, 90, 99] as const;

/** Metrics of the process: CPU time, memory, open files, and event loop delay. @spec 6 */
export function processMetrics(metrics: Metrics): void {
  const cpu = metrics.counter('process_cpu_seconds_total', 'Processor time of the server, of all its threads.').withLabels();
  const resident = metrics.gauge('process_resident_memory_bytes', 'Memory in use that is not shared or swapped out.').withLabels();
  const started = metrics.gauge('process_start_time_seconds', 'When the server was started, in seconds since the epoch.').withLabels();
  const heap = metrics.gauge('nodejs_heap_size_used_bytes', 'Memory of objects, those not yet collected included.').withLabels();
  const outside = metrics.gauge('nodejs_external_memory_bytes', 'Memory of byte arrays outside the heap.').withLabels();
  started.set((performance.timeOrigin || Date.now()) / 1_000);
  metrics.collect(() => {
    const { user, system } = process.cpuUsage();
    cpu.set((user + system) / 1e6);
    const memory = process.memoryUsage();
    resident.set(memory.rss);
    heap.set(memory.heapUsed);
    outside.set(memory.external);
  });
  systemFigures(metrics);
  eventLoopDelay(metrics);
}

/** What only Linux reports. Absent elsewhere. */
function systemFigures(metrics: Metrics): void {
  const virtual = metrics.gauge('process_virtual_memory_bytes', 'Addresses that the server has reserved.');
  const open = metrics.gauge('process_open_fds', 'Files and connections open.');
  const most = metrics.gauge('process_max_fds', 'Files and connections that may be open.');
  // -1 where the system sets no limit of virtual memory, as other exporters report it.
  const mostVirtual = metrics.gauge('process_virtual_memory_max_bytes', 'Addresses that the server may reserve; -1: any number.');
  metrics.collect(async () => {
    const [status, limits, files] = await Promise.all([readFile('/proc/self/status', 'utf8'), readFile('/proc/self/limits', 'utf8'), readdir('/proc/self/fd')]);
    open.withLabels().set(files.length);
    const kibibytes = /^VmSize:\s+(\d+) kB$/m.exec(status)?.[1];
    if (kibibytes !== undefined) virtual.withLabels().set(Number(kibibytes) * 1024);
    const limit = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
    if (limit !== undefined) most.withLabels().set(Number(limit));
    mostVirtual.withLabels().set(Number(/^Max address space\s+(\d+)/m.exec(limits)?.[1] ?? -1));
  });
}

/** Measured between scrapes, from the first one on: a server that is not scraped has no cost. */
function eventLoopDelay(metrics: Metrics): void {
  const delays = QUANTILES.map((quantile) => {
    const help = `How late the one thread of the server came to its work since the last scrape, in ${quantile} of 100 cases at most.`;
    return { quantile, delay: metrics.gauge(`nodejs_eventloop_delay_p${quantile}_seconds`, help) };
  });
  let monitor: IntervalHistogram | undefined;
  metrics.collect(() => {
    if (monitor === undefined) {
      monitor = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
      monitor.enable();
      return;
    }
    // The monitor's own interval is part of what it measures.
    for (const { quantile, delay } of delays) delay.withLabels().set(Math.max(0, monitor.percentile(quantile) / 1e9 - RESOLUTION_MS / 1e3));
    monitor.reset();
  });
}
