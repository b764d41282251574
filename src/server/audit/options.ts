import type { LogFormat } from '#audit';

/** What is kept of requests, and where. Nothing is without a policy and a place. @spec 6 */
export interface AuditSettings {
  /** The text of an audit policy, YAML or JSON. */
  readonly policy: string;
  readonly log?: AuditLogSettings;
  readonly webhook?: AuditWebhookSettings;
}

/** `batch`: requests do not wait. `blocking`: they wait. `blocking-strict`: they fail when their first event cannot be stored. */
export type AuditMode = 'batch' | 'blocking' | 'blocking-strict';

/** What both places have. */
export interface DeliverySettings {
  readonly mode: AuditMode;
  /** For mode `batch`. */
  readonly batch: {
    readonly bufferSize: number;
    readonly maxSize: number;
    readonly maxWaitMs: number;
    readonly throttle?: { readonly perSecond: number; readonly burst: number };
  };
  /** Absent: events of any size. */
  readonly truncate?: { readonly maxEventBytes: number; readonly maxBatchBytes: number };
}

export interface AuditLogSettings extends DeliverySettings {
  /** `-`: standard output. */
  readonly path: string;
  readonly format: LogFormat;
  /** 0: the file is never put aside. */
  readonly maxBytes: number;
  readonly maxAgeMs: number;
  readonly maxBackups: number;
  readonly compress: boolean;
}

export interface AuditWebhookSettings extends DeliverySettings {
  /** A kubeconfig file. */
  readonly configFile: string;
  readonly firstDelayMs: number;
}
