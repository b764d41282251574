import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDurationMs } from '#base';
import { FLAGS, type Flag } from '../flags.table.ts';
import { LOG_DEFAULTS, WEBHOOK_DEFAULTS } from './options.ts';

const rows: readonly Flag[] = FLAGS;
const given = (name: string): Flag['default'] => rows.find((flag) => flag.name === name)?.default;
const milliseconds = (name: string): number | undefined => parseDurationMs(String(given(name)));

test('what a program leaves out is what the flags are by default', () => {
  const batchOf = (place: string) => ({
    bufferSize: given(`${place}-batch-buffer-size`),
    maxSize: given(`${place}-batch-max-size`),
    maxWaitMs: milliseconds(`${place}-batch-max-wait`),
    ...(given(`${place}-batch-throttle-enable`) === true ? { throttle: { perSecond: given(`${place}-batch-throttle-qps`), burst: given(`${place}-batch-throttle-burst`) } } : {}),
  });
  assert.deepEqual(LOG_DEFAULTS, {
    mode: given('audit-log-mode'),
    batch: batchOf('audit-log'),
    format: given('audit-log-format'),
    maxBytes: given('audit-log-maxsize'),
    maxAgeMs: given('audit-log-maxage'),
    maxBackups: given('audit-log-maxbackup'),
    compress: given('audit-log-compress'),
  });
  assert.deepEqual(WEBHOOK_DEFAULTS, { mode: given('audit-webhook-mode'), batch: batchOf('audit-webhook'), firstDelayMs: milliseconds('audit-webhook-initial-backoff') });
});
