import type { Operation } from './operation.ts';

/** The first part of admission may change the object, the second may only refuse it. */
export type Step = 'admit' | 'validate';

/** Webhooks call the second part by another name. */
export type WebhookType = 'admit' | 'validating';

/** Something that was run, and how it ended. */
export interface Run {
  readonly operation: Operation;
  readonly rejected: boolean;
  readonly durationMs: number;
}

/** One plugin that ran, in one of the two parts. */
export interface PluginRun extends Run {
  readonly name: string;
  readonly step: Step;
}

/** One call of a webhook. */
export interface WebhookRun extends Run {
  readonly name: string;
  readonly type: WebhookType;
  /** 200 where it allowed the request, what it refused with, or what the failure of the call amounts to; 0: a fault of this server. */
  readonly code: number;
}

/** Why a webhook stood in the way. @spec 6 */
export interface WebhookRejection {
  readonly name: string;
  readonly type: WebhookType;
  readonly operation: Operation;
  readonly errorType: 'calling_webhook_error' | 'no_error' | 'apiserver_internal_error';
  /** Codes above 600 are cut to 600. */
  readonly rejectionCode: number;
}

/** Told of everything that admission does, for metrics. Must be quick and never throw. */
export interface AdmissionObserver {
  plugin(run: PluginRun): void;
  /** All plugins of one part. */
  step(run: Run & { readonly step: Step }): void;
  webhook(run: WebhookRun): void;
  webhookRejected(rejection: WebhookRejection): void;
  /** A webhook failed and its policy lets requests pass. */
  webhookFailedOpen(webhook: { readonly name: string; readonly type: WebhookType }): void;
}
