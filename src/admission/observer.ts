import type { Operation } from './operation.ts';

/** The phases of admission: the first may change the object, the second may only refuse it. */
export type Step = 'admit' | 'validate';

/** The phases as metrics of webhooks name them. */
export type WebhookType = 'admit' | 'validating';

/** A completed run, and its outcome. */
export interface Run {
  readonly operation: Operation;
  readonly rejected: boolean;
  readonly durationMs: number;
}

/** A run of one plugin, in one of the two phases. */
export interface PluginRun extends Run {
  readonly name: string;
  readonly step: Step;
}

/** One call of a webhook. */
export interface WebhookRun extends Run {
  readonly name: string;
  readonly type: WebhookType;
  /** 200 where the webhook allowed the request, else the code of its refusal or of the failed call; 0: an internal error of this server. */
  readonly code: number;
}

/** A request that a webhook, or the failure of its call, rejected. @spec 6 */
export interface WebhookRejection {
  readonly name: string;
  readonly type: WebhookType;
  readonly operation: Operation;
  readonly errorType: 'calling_webhook_error' | 'no_error' | 'apiserver_internal_error';
  /** Codes above 600 are cut to 600. */
  readonly rejectionCode: number;
}

/** A request that PodSecurity looked at. */
export interface PodSecurityRequest {
  readonly operation: Operation;
  readonly resource: 'pod' | 'controller';
  readonly subresource: string;
}

/** What one mode of PodSecurity made of a request. */
export interface PodSecurityVerdict extends PodSecurityRequest {
  readonly decision: 'allow' | 'deny';
  readonly mode: 'enforce' | 'audit' | 'warn';
  readonly level: string;
  /** `latest` or `v1.22`; `future` where the namespace names a version that this release has no rules of. */
  readonly version: string;
}

/** Receives what PodSecurity decides, for metrics. */
export interface PodSecurityObserver {
  evaluated(verdict: PodSecurityVerdict): void;
  exempted(request: PodSecurityRequest): void;
  /** The labels of the namespace could not be read: what they say nothing of was held to the strictest level. */
  failed(request: PodSecurityRequest): void;
}

/** Receives all runs of admission, for metrics. Implementations must be fast and must not throw. */
export interface AdmissionObserver {
  plugin(run: PluginRun): void;
  /** All plugins of one phase. */
  step(run: Run & { readonly step: Step }): void;
  webhook(run: WebhookRun): void;
  webhookRejected(rejection: WebhookRejection): void;
  /** A webhook failed, and its failurePolicy let the request pass. */
  webhookFailedOpen(webhook: { readonly name: string; readonly type: WebhookType }): void;
  /** Default: nobody is told what PodSecurity decides. */
  readonly podSecurity?: PodSecurityObserver;
}
