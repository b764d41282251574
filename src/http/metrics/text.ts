import { setImmediate } from '#base';
import type { Reply } from '#request';
import type { Family } from './family.ts';
import { deprecatedHelp } from './lifetime.ts';
import type { Metrics } from './registry.ts';
import { Histogram, type Value } from './series.ts';

/** After this time the event loop gets its turn. */
const SLICE_MS = 5;
const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
const encoder = new TextEncoder();

/** All metrics in the Prometheus text format. Written in slices: a large scrape must not block the event loop. @spec 6 */
export async function metricsReply(metrics: Metrics): Promise<Reply> {
  const families = await metrics.read();
  const body: Uint8Array[] = [];
  let text = '';
  let sliceEndsMs = performance.now() + SLICE_MS;
  for (const part of partsOf(families)) {
    text += part;
    if (performance.now() < sliceEndsMs) continue;
    body.push(encoder.encode(text));
    text = '';
    await new Promise((resolve) => setImmediate(resolve));
    sliceEndsMs = performance.now() + SLICE_MS;
  }
  body.push(encoder.encode(text));
  return { status: 200, headers: { 'content-type': CONTENT_TYPE }, body };
}

/** Series by series; a metric without series is left out. */
function* partsOf(families: readonly Family<Value | Histogram>[]): Generator<string> {
  for (const { facts, series } of families) {
    const { name, type, deprecatedSince } = facts;
    const help = deprecatedSince === undefined ? facts.help : deprecatedHelp(deprecatedSince, facts.help);
    let isFirst = true;
    for (const { labels, one } of series) {
      if (isFirst) yield `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
      isFirst = false;
      if (one instanceof Histogram) yield histogramText(name, labels, one);
      else yield `${name}${labels === '' ? '' : `{${labels}}`} ${formatNumber(one.value)}\n`;
    }
  }
}

function histogramText(name: string, labels: string, { bounds, counts, sum }: Histogram): string {
  const bucket = `${name}_bucket{${labels === '' ? '' : `${labels},`}le="`;
  const own = labels === '' ? '' : `{${labels}}`;
  let text = '';
  let count = 0;
  for (let i = 0; i < bounds.length; i++) {
    count += counts[i] as number;
    text += `${bucket}${bounds[i]}"} ${count}\n`;
  }
  count += counts[bounds.length] as number;
  return `${text}${bucket}+Inf"} ${count}\n${name}_sum${own} ${formatNumber(sum)}\n${name}_count${own} ${count}\n`;
}

const formatNumber = (value: number): string => (Number.isFinite(value) ? String(value) : Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf');
