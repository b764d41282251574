import type { LogFormat, Sink } from '#audit';

/** What is kept of requests, and where. Nothing is without a policy and a place. @spec 6 */
export interface AuditSettings {
  /** The text of an audit policy, YAML or JSON. */
  readonly policy: string;
  readonly log?: AuditLogSettings;
  readonly webhook?: AuditWebhookSettings;
  /** Of the program that embeds the server. Default: none. */
  readonly sinks?: readonly AuditSinkSettings[];
}

/** `batch`: requests do not wait. `blocking`: they wait. `blocking-strict`: they fail when their first event cannot be stored. */
export type AuditMode = 'batch' | 'blocking' | 'blocking-strict';

/** What all places have. What is not said is as the flags have it by default. */
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
  /** 0, the default: the file is never put aside. */
  readonly maxBytes?: number;
  /** 0, the default: files that are put aside stay for ever. */
  readonly maxAgeMs?: number;
  /** 0, the default: all of them stay. */
  readonly maxBackups?: number;
  /** Default false. */
  readonly compress?: boolean;
}

export interface AuditWebhookSettings extends DeliverySettings {
  /** A kubeconfig file. */
  readonly configFile: string;
  /** Before the first repetition. Default 10 seconds. */
  readonly firstDelayMs?: number;
}

/** Settled as those of the log are. One batch is delivered after the other. */
export interface AuditSinkSettings extends DeliverySettings {
  readonly sink: Sink;
}

/** What nobody has said. @spec 6 */
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

/** Nothing is left open but how large events may be. */
export type SettledDelivery = DeliverySettings & Required<Pick<DeliverySettings, 'mode' | 'batch'>>;
export type SettledLog = SettledDelivery & Required<Omit<AuditLogSettings, keyof DeliverySettings>>;
export type SettledWebhook = SettledDelivery & Required<Omit<AuditWebhookSettings, keyof DeliverySettings>>;
