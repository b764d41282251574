import { steady } from '#base';
import { badRequest, timeout } from '#errors';
import { isReviewVersion, REVIEW_VERSIONS } from '#kinds';
import { SERVER_ITSELF } from '#request';
import { readHostCredentials } from '#transport';
import type { WebhookType } from '../observer.ts';
import type { AdmissionEnv, AdmissionRequest } from '../plugin.ts';
import { asInternalError, CallFailure, explainCall } from './call-failure.ts';
import { WebhookConnections } from './connections.ts';
import type { ConfigurationKind } from './hook.ts';
import { HookIndex, type Candidate } from './hook-index.ts';
import { WebhookRefusal } from './refusal.ts';
import { BadAnswer, makeReview, readAnswer, type ReviewAnswer, type Shown } from './review.ts';
import { kubeConfigFileOf } from './settings.ts';
import { traceOwn } from './traces.ts';

export interface DeskOptions {
  /** Under which the administrator configures it. */
  readonly plugin: string;
  readonly configurationKind: ConfigurationKind;
  readonly type: WebhookType;
}

/** What becomes of an answer that allows the request; `help` is what follows the message of a failure. */
type Use<T> = (answer: ReviewAnswer, help: () => string) => Promise<T> | T;

/** Knows the webhooks of one kind and asks them. */
export class WebhookDesk {
  readonly #env: AdmissionEnv;
  readonly #options: DeskOptions;
  readonly #index: HookIndex;
  readonly #connections: WebhookConnections;
  readonly #kubeConfigFile: string | undefined;

  /** Throws an `Error` where the configuration of the plugin is not right. */
  constructor(env: AdmissionEnv, options: DeskOptions) {
    this.#env = env;
    this.#options = options;
    this.#index = new HookIndex(env.catalog, options.configurationKind);
    this.#connections = new WebhookConnections(env.objects, env.clock, env.brand);
    this.#kubeConfigFile = kubeConfigFileOf(options.plugin, env.config(options.plugin));
  }

  /** Reads what to show to webhooks, and follows the configurations until the signal aborts. */
  async start(signal: AbortSignal): Promise<void> {
    if (this.#kubeConfigFile !== undefined) this.#connections.credentialsOf = await readHostCredentials(this.#kubeConfigFile);
    signal.addEventListener('abort', () => this.#connections.keepOnly(new Set()), { once: true });
    const kind = { group: 'admissionregistration', kind: this.#options.configurationKind };
    const follower = {
      put: (configuration: Parameters<HookIndex['put']>[0]) => this.#change(() => this.#index.put(configuration)),
      remove: ({ name }: { readonly name: string }) => this.#change(() => this.#index.remove(name)),
    };
    await this.#env.objects.follow(kind, follower, signal);
  }

  #change(change: () => void): void {
    change();
    this.#connections.keepOnly(new Set(this.#index.hooks.map(({ client }) => client)));
  }

  /** None for what the server does on its own account: it has to start whatever was registered. */
  candidates(request: Readonly<AdmissionRequest>): readonly Candidate[] {
    return request.user === SERVER_ITSELF ? [] : this.#index.candidates(request);
  }

  /**
   * Asks a webhook, and gives `use` what it answered when it allows the request. undefined: it failed, and requests pass all the same.
   * Throws what the caller of the API is to be told.
   */
  async ask<T>(candidate: Candidate, request: Readonly<AdmissionRequest>, shown: Shown, use: Use<T>): Promise<T | undefined> {
    const clock = steady(this.#env.clock);
    const { hook } = candidate;
    const startedMs = clock.nowMs();
    const help = (): string => ` (${hook.configurationKind} ${JSON.stringify(hook.configuration)}, rules[${candidate.rule}], after ${clock.nowMs() - startedMs} ms)`;
    try {
      const answer = await this.#call(candidate, request, shown);
      traceOwn(request, hook.name, answer.auditAnnotations);
      for (const text of answer.warnings) request.warn(text);
      if (!answer.isAllowed) throw new WebhookRefusal(hook.name, answer.status);
      const result = await use(answer, help);
      this.#tell(candidate, request, startedMs, 200, false);
      return result;
    } catch (cause) {
      const isPassed = cause instanceof CallFailure && hook.failsOpen;
      this.#tellFailure(candidate, request, startedMs, cause, isPassed);
      if (!(cause instanceof CallFailure)) throw cause;
      if (!isPassed) throw asInternalError(`failed calling webhook ${JSON.stringify(hook.name)}: ${cause.message}`, help(), cause);
      if (request.signal.aborted) throw timeout('Timeout: request did not complete within requested timeout', 0);
      return undefined;
    }
  }

  /** Throws `CallFailure`, and `BadRequest` for a dry run that the webhook cannot take part in. */
  async #call(candidate: Candidate, request: Readonly<AdmissionRequest>, shown: Shown): Promise<ReviewAnswer> {
    const { brand } = this.#env;
    const { hook } = candidate;
    if (request.dryRun) refuseSideEffects(hook.name, hook.sideEffects);
    const version = hook.reviewVersions.find(isReviewVersion);
    if (version === undefined) {
      throw new CallFailure(`could not create admission objects: webhook does not accept known AdmissionReview versions (${REVIEW_VERSIONS.join(', ')})`, 400);
    }
    const uid = crypto.randomUUID();
    const review = makeReview(uid, version, candidate, request, shown, brand);
    const answer = await this.#send(candidate, review, request);
    try {
      return readAnswer(answer, { uid, version, isMutating: this.#options.type === 'admit', brand });
    } catch (cause) {
      if (!(cause instanceof BadAnswer)) throw cause;
      throw new CallFailure(`received invalid webhook response: ${cause.message}`, 503, cause);
    }
  }

  async #send({ hook }: Candidate, review: object, { signal, deadlineAt = Infinity }: Readonly<AdmissionRequest>): Promise<unknown> {
    const leftSeconds = Math.max(1, Math.ceil((deadlineAt - this.#env.clock.nowMs()) / 1000));
    let url = '';
    try {
      // A webhook is told how long anybody waits: the request that asks it ends by itself.
      const call = this.#connections.prepare(hook.client, Math.min(hook.timeoutSeconds, leftSeconds));
      ({ url } = call);
      return await call.make(review, hook.timeoutSeconds * 1000, signal);
    } catch (cause) {
      throw explainCall(cause, url);
    }
  }

  #tell({ hook }: Candidate, { operation }: Readonly<AdmissionRequest>, startedMs: number, code: number, rejected: boolean): void {
    const { observer, clock } = this.#env;
    observer?.webhook({ name: hook.name, type: this.#options.type, operation, rejected, durationMs: steady(clock).nowMs() - startedMs, code });
  }

  #tellFailure(candidate: Candidate, request: Readonly<AdmissionRequest>, startedMs: number, cause: unknown, isPassed: boolean): void {
    const { observer } = this.#env;
    if (observer === undefined) return;
    const { type } = this.#options;
    const { name } = candidate.hook;
    const isKnown = cause instanceof CallFailure || cause instanceof WebhookRefusal;
    const code = isKnown ? cause.code : 0;
    this.#tell(candidate, request, startedMs, code, !isPassed);
    if (isPassed) observer.webhookFailedOpen({ name, type });
    else {
      const errorType = cause instanceof CallFailure ? 'calling_webhook_error' : isKnown ? 'no_error' : 'apiserver_internal_error';
      observer.webhookRejected({ name, type, operation: request.operation, errorType, rejectionCode: Math.min(code, MAX_CODE) });
    }
  }
}

const MAX_CODE = 600;
const HARMLESS: ReadonlySet<string> = new Set(['None', 'NoneOnDryRun']);

/** A dry run never risks a side effect. @spec 4.8 */
function refuseSideEffects(webhook: string, sideEffects: string | undefined): void {
  if (sideEffects === undefined) throw new CallFailure('Webhook SideEffects is nil', 400);
  if (!HARMLESS.has(sideEffects)) throw badRequest(`admission webhook ${JSON.stringify(webhook)} does not support dry run`);
}
