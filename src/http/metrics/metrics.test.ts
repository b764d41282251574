import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metrics } from './registry.ts';
import { metricsReply } from './text.ts';

async function textOf(metrics: Metrics): Promise<string> {
  const reply = await metricsReply(metrics);
  assert.deepEqual([reply.status, reply.headers['content-type']], [200, 'text/plain; version=0.0.4; charset=utf-8']);
  assert.ok('body' in reply);
  return Buffer.concat(reply.body instanceof Uint8Array ? [reply.body] : reply.body).toString('utf8');
}

test('metrics stand by name, each explained once, with buckets that add up, and numbers as Prometheus writes them', async () => {
  const metrics = new Metrics();
  const took = metrics.histogram('took_seconds', 'Time.', [0.1, 1], ['verb']).withLabels('get');
  for (const value of [0.1, 0.5, 3]) took.observe(value);
  metrics.counter('asked_total', 'Questions.').withLabels().add(2);
  const odd = metrics.gauge('odd', 'Odd numbers.', ['of']);
  for (const number of [NaN, Infinity, -Infinity, -0.5, 1e21]) odd.withLabels(String(number)).set(number);
  metrics.gauge('unused', 'Nothing.', ['a']);
  assert.equal(
    await textOf(metrics),
    [
      '# HELP asked_total Questions.',
      '# TYPE asked_total counter',
      'asked_total 2',
      '# HELP odd Odd numbers.',
      '# TYPE odd gauge',
      'odd{of="NaN"} NaN',
      'odd{of="Infinity"} +Inf',
      'odd{of="-Infinity"} -Inf',
      'odd{of="-0.5"} -0.5',
      'odd{of="1e+21"} 1e+21',
      '# HELP took_seconds Time.',
      '# TYPE took_seconds histogram',
      'took_seconds_bucket{verb="get",le="0.1"} 1',
      'took_seconds_bucket{verb="get",le="1"} 2',
      'took_seconds_bucket{verb="get",le="+Inf"} 3',
      'took_seconds_sum{verb="get"} 3.6',
      'took_seconds_count{verb="get"} 3',
      '',
    ].join('\n'),
  );
});

test('values of labels cannot end their line', async () => {
  const metrics = new Metrics();
  metrics.gauge('a', 'A.', ['l']).withLabels('x"} 1\ny\\').set(1);
  assert.match(await textOf(metrics), /^a\{l="x\\"\} 1\\ny\\\\"\} 1$/m);
});

test('series have a bound: what is beyond is counted together', async () => {
  const metrics = new Metrics();
  const family = metrics.counter('a_total', 'A.', ['l']);
  for (let i = 0; i < 10_005; i++) family.withLabels(`v${i}`).add(1);
  const lines = (await textOf(metrics)).split('\n').filter((line) => line.startsWith('a_total'));
  assert.equal(lines.length, 10_001);
  assert.ok(lines.includes('a_total{l="other"} 5'));
});

test('a figure that cannot be read takes no other with it', async () => {
  const metrics = new Metrics();
  const good = metrics.gauge('good', 'Good.');
  metrics.collect(() => Promise.reject(new Error('no')));
  metrics.collect(() => good.withLabels().set(1));
  assert.match(await textOf(metrics), /^good 1$/m);
});

test('what is read anew for every scrape shows nothing that is gone, and what is counted adds up', async () => {
  const metrics = new Metrics();
  const things = metrics.gauge('things', 'Things.', ['of']);
  const counted = metrics.counter('seen_total', 'Seen.', ['what']);
  let there = ['a', 'b'];
  metrics.collect(() => {
    things.clear();
    for (const of of there) things.withLabels(of).add(1);
    counted.withLabels('scrape').add(1);
  });
  const shown = async (): Promise<readonly string[]> => (await textOf(metrics)).split('\n').filter((line) => /^[a-z]/.test(line));
  assert.deepEqual(await shown(), ['seen_total{what="scrape"} 1', 'things{of="a"} 1', 'things{of="b"} 1']);
  there = ['b'];
  assert.deepEqual(await shown(), ['seen_total{what="scrape"} 2', 'things{of="b"} 1']);
});

test('a label shows the values that are allowed, and all others together', async () => {
  const metrics = new Metrics({ allowedLabels: new Map([['a_total,verb', ['get', 'list']]]) });
  const family = metrics.counter('a_total', 'A.', ['verb', 'code']);
  for (const [verb, code] of [['get', '200'], ['list', '200'], ['put', '200'], ['post', '200'], ['post', '409']] as const) family.withLabels(verb, code).add(1);
  metrics.counter('b_total', 'B.', ['verb']).withLabels('put').add(1);
  assert.deepEqual((await textOf(metrics)).split('\n').filter((line) => /^[a-z]/.test(line)), [
    'a_total{verb="get",code="200"} 1',
    'a_total{verb="list",code="200"} 1',
    'a_total{verb="unexpected",code="200"} 2',
    'a_total{verb="unexpected",code="409"} 1',
    'b_total{verb="put"} 1',
  ]);
});

test('R9-23 R9-24 R9-25 R9-26 a metric that will go says so in its text, is hidden after three releases, and comes back for one more where that is asked for', async () => {
  const shownIn = async (release?: string): Promise<readonly string[]> => {
    const metrics = new Metrics(release === undefined ? {} : { release });
    metrics.gauge('aging', 'Ages.', [], '1.20.0').withLabels().set(1);
    metrics.counter('aged_total', 'Aged.', [], '1.19.0').withLabels().add(1);
    metrics.counter('young_total', 'Young.').withLabels().add(1);
    return (await textOf(metrics)).split('\n').filter((line) => line.startsWith('# HELP'));
  };
  const young = '# HELP young_total Young.';
  const aging = '# HELP aging (Deprecated since 1.20.0) Ages.';
  const aged = '# HELP aged_total (Deprecated since 1.19.0) Aged.';
  assert.deepEqual(await shownIn('1.23'), [young]);
  // As `--show-hidden-metrics-for-version=1.22` has it: what that release showed.
  assert.deepEqual(await shownIn('1.22'), [aging, young]);
  assert.deepEqual(await shownIn('1.21'), [aged, aging, young]);
  assert.deepEqual(await shownIn(), [aged, aging, young]);
});
