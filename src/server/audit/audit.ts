import { failureText } from '#base';
import {
  compilePolicy,
  createAuditStages,
  createBatch,
  createBlocking,
  createLogSink,
  createObjectReader,
  createWebhookSink,
  LogFile,
  readPolicy,
  truncating,
  type AuditObserver,
  type AuditStages,
  type Backend,
  type LineTarget,
  type Sink,
} from '#audit';
import type { Catalog } from '#api';
import { readKubeconfig } from '#transport';
import { LOG_DEFAULTS, WEBHOOK_DEFAULTS, type SettledDelivery, type SettledLog, type SettledWebhook } from './options.ts';
import type { Settings } from '../options.ts';

/** Audit of a server, put together. */
export interface BuiltAudit {
  readonly stages: AuditStages;
  /** Opens the sinks of audit events, before requests are served. Rejects with the reason where one cannot be opened. */
  start(): Promise<void>;
  /** Delivers buffered events. Never rejects. */
  close(): Promise<void>;
}

/** The audit of a server; undefined where none is configured. Throws an `Error` that names the place in the policy. @spec 6 */
export function buildAudit(settings: Settings, catalog: Catalog, observer: AuditObserver): BuiltAudit | undefined {
  const { audit, clock } = settings;
  if (audit === undefined) return undefined;
  const { sinks = [] } = audit;
  if (audit.log === undefined && audit.webhook === undefined && sinks.length === 0) return undefined;
  const log: SettledLog | undefined = audit.log && { ...LOG_DEFAULTS, ...audit.log };
  const webhook: SettledWebhook | undefined = audit.webhook && { ...WEBHOOK_DEFAULTS, ...audit.webhook };
  const backends: Backend[] = [];
  const { brand } = catalog;
  const judge = compilePolicy(readPolicy(audit.policy));
  const readObject = createObjectReader(catalog);
  const add = (sink: Sink, { mode, batch, truncate }: SettledDelivery, atOnce: number): void => {
    const small = truncate === undefined ? sink : truncating(sink, { ...truncate, brand, observer });
    backends.push(
      mode === 'batch'
        ? createBatch(small, { ...batch, atOnce, clock, observer, log: settings.log })
        : createBlocking(small, { isStrict: mode === 'blocking-strict', observer, log: settings.log }),
    );
  };
  return {
    stages: createAuditStages({ brand, clock, backends, observer, readObject, judge }),
    async start() {
      // Log lines must stay in order: one delivery at a time. A webhook may get several batches at once.
      if (log !== undefined) add(createLogSink(await openTarget(log, settings), log.format), log, 1);
      if (webhook !== undefined) add(await openWebhookSink(webhook, settings, catalog), webhook, MAX_CALLS);
      for (const { sink, ...delivery } of sinks) add(sink, { ...LOG_DEFAULTS, ...delivery }, 1);
    },
    async close() {
      await Promise.all(backends.map((backend) => backend.close()));
    },
  };
}

/** Deliveries to the webhook under way at the same time. */
const MAX_CALLS = 8;

const MAX_LOG_BYTES = 100 * 1024 * 1024;

async function openTarget({ path, ...limits }: SettledLog, { clock, log }: Settings): Promise<LineTarget> {
  if (path === '-') return standardOutput;
  const file = new LogFile({ ...limits, maxBytes: limits.maxBytes === 0 ? MAX_LOG_BYTES : limits.maxBytes, path, clock, log });
  try {
    await file.open();
  } catch (cause) {
    throw new Error(`audit log ${path} cannot be written: ${failureText(cause)}`, { cause });
  }
  return file;
}

const standardOutput: LineTarget = {
  append: (text) => new Promise((resolve, reject) => process.stdout.write(text, (cause) => (cause ? reject(cause) : resolve()))),
  close: () => Promise.resolve(),
};

async function openWebhookSink({ configFile, firstDelayMs }: SettledWebhook, { clock }: Settings, { brand }: Catalog): Promise<Sink> {
  return createWebhookSink(await readKubeconfig(configFile), { brand, clock, firstDelayMs });
}
