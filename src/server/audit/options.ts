import type { LogFormat, Sink } from '#audit';

/** The audit policy and its sinks. Without a policy and a sink nothing is recorded. @spec 6 */
export interface AuditSettings {
  /** The text of an audit policy, YAML or JSON. */
  readonly policy: string;
  readonly log?: AuditLogSettings;
  readonly webhook?: AuditWebhookSettings;
  /** Sinks of the embedding program. Default: none. */
  readonly sinks?: readonly AuditSinkSettings[];
}

/** `batch`: requests do not wait. `blocking`: they wait. `blocking-strict`: they fail when their first event cannot be stored. */
export type AuditMode = 'batch' | 'blocking' | 'blocking-strict';

/** Delivery options of all sinks. Absent members have the defaults of the flags. */
export interface DeliverySettings {
  /** Default: `batch` for the webhook, `blocking` for others. */
  readonly mode?: AuditMode;
  /** For mode `batch`. */
  readonly batch?: BatchSettings;
  /** Absent: events of any size. */
  readonly truncate?: { readonly maxEventBytes: number; readonly maxBatchBytes: number };
}

/** How events are gathered before they are delivered together. */
export interface BatchSettings {
  readonly bufferSize: number;
  readonly maxSize: number;
  readonly maxWaitMs: number;
  readonly throttle?: { readonly perSecond: number; readonly burst: number };
}

export interface AuditLogSettings extends DeliverySettings {
  /** `-`: standard output. */
  readonly path: string;
  /** Default `json`. */
  readonly format?: LogFormat;
  /** At this size the file is rotated. 0, the default: at 100 MiB, as in 1.23. */
  readonly maxBytes?: number;
  /** How long rotated files are kept. 0, the default: for ever. */
  readonly maxAgeMs?: number;
  /** How many rotated files are kept. 0, the default: all. */
  readonly maxBackups?: number;
  /** Default false. */
  readonly compress?: boolean;
}

export interface AuditWebhookSettings extends DeliverySettings {
  /** A kubeconfig file. */
  readonly configFile: string;
  /** Delay before the first retry. Default 10 seconds. */
  readonly firstDelayMs?: number;
}

/** Has the defaults of the log. Batches are delivered one at a time. */
export interface AuditSinkSettings extends DeliverySettings {
  readonly sink: Sink;
}

/** The default options of the log. @spec 6 */
export const LOG_DEFAULTS = {
  mode: 'blocking',
  batch: { bufferSize: 10_000, maxSize: 1, maxWaitMs: 0 },
  format: 'json',
  maxBytes: 0,
  maxAgeMs: 0,
  maxBackups: 0,
  compress: false,
} as const satisfies Omit<AuditLogSettings, 'path'>;
export const WEBHOOK_DEFAULTS = {
  mode: 'batch',
  batch: { bufferSize: 10_000, maxSize: 400, maxWaitMs: 30_000, throttle: { perSecond: 10, burst: 15 } },
  firstDelayMs: 10_000,
} as const satisfies Omit<AuditWebhookSettings, 'configFile'>;

/** Delivery options with all defaults filled in, except the bounds on event size. */
export type SettledDelivery = DeliverySettings & Required<Pick<DeliverySettings, 'mode' | 'batch'>>;
export type SettledLog = SettledDelivery & Required<Omit<AuditLogSettings, keyof DeliverySettings>>;
export type SettledWebhook = SettledDelivery & Required<Omit<AuditWebhookSettings, keyof DeliverySettings>>;
