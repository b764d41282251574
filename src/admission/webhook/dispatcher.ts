import { randomUUID, seldom, steady } from '#base';
import { badRequest, timeout } from '#errors';
import { isReviewVersion, REVIEW_VERSIONS } from '#kinds';
import { SERVER_ITSELF } from '#request';
import { readHostCredentials } from '#transport';
import type { WebhookType } from '../observer.ts';
import type { AdmissionEnv, AdmissionRequest } from '../plugin.ts';
import { annotateOwn } from './audit-annotations.ts';
import { asInternalError, CallFailure, explainCall } from './call-failure.ts';
import { WebhookConnections } from './connections.ts';
import type { ConfigurationKind, Hook } from './hook.ts';
import { HookIndex, type Candidate } from './hook-index.ts';
import { WebhookRefusal } from './refusal.ts';
import { BadAnswer, makeReview, readAnswer, type ReviewAnswer, type ReviewedObjects } from './review.ts';
import { kubeConfigFileOf } from './settings.ts';

export interface DispatcherOptions {
  /** The admission plugin that uses the dispatcher, by whose name the administrator configures it. */
  readonly plugin: string;
  readonly configurationKind: ConfigurationKind;
  readonly type: WebhookType;
}

/** Handles a response that allows the request; `help` is appended to the message of a failure. */
type Use<T> = (answer: ReviewAnswer, help: () => string) => Promise<T> | T;

/** Finds the mutating or validating webhooks that match a request, and calls them. */
export class WebhookDispatcher {
  readonly #env: AdmissionEnv;
  readonly #options: DispatcherOptions;
  readonly #index: HookIndex;
  readonly #connections: WebhookConnections;
  readonly #kubeConfigFile: string | undefined;
  readonly #isDue: (text: string) => boolean;

  /** Throws an `Error` where the configuration of the plugin is invalid. */
  constructor(env: AdmissionEnv, options: DispatcherOptions) {
    this.#env = env;
    this.#options = options;
    this.#index = new HookIndex(env.catalog, options.configurationKind);
    this.#connections = new WebhookConnections(env.objects, env.clock, env.brand, env.sendToSelf === undefined ? {} : { sendToSelf: env.sendToSelf });
    this.#kubeConfigFile = kubeConfigFileOf(options.plugin, env.config(options.plugin));
    this.#isDue = seldom(env.clock);
  }

  /** Reads the credentials for webhooks, and follows the webhook configurations until the signal aborts. */
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

  /** The webhooks whose rules match. None for requests of the server itself, which has to start whatever webhooks are registered. */
  candidates(request: Readonly<AdmissionRequest>): readonly Candidate[] {
    return request.user === SERVER_ITSELF ? [] : this.#index.candidates(request);
  }

  /**
   * Calls a webhook, and `use` with its response where it allows the request. undefined: the call failed, and failurePolicy `Ignore` lets the request
   * pass. Throws the error for the client.
   */
  async ask<T>(candidate: Candidate, request: Readonly<AdmissionRequest>, shown: ReviewedObjects, use: Use<T>): Promise<T | undefined> {
    const clock = steady(this.#env.clock);
    const { hook } = candidate;
    const startedMs = clock.nowMs();
    const help = (): string => ` (${hook.configurationKind} ${JSON.stringify(hook.configuration)}, rules[${candidate.rule}], after ${clock.nowMs() - startedMs} ms)`;
    try {
      const answer = await this.#call(candidate, request, shown);
      annotateOwn(request, hook.name, answer.auditAnnotations);
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
      this.#logIgnored(hook, cause.message);
      return undefined;
    }
  }

  /** Throws `CallFailure`, and `BadRequest` for a dry run of a webhook with side effects. */
  async #call(candidate: Candidate, request: Readonly<AdmissionRequest>, shown: ReviewedObjects): Promise<ReviewAnswer> {
    const { brand } = this.#env;
    const { hook } = candidate;
    if (request.dryRun) refuseSideEffects(hook.name, hook.sideEffects);
    const version = hook.reviewVersions.find(isReviewVersion);
    if (version === undefined) {
      throw new CallFailure(`could not create admission objects: webhook does not accept known AdmissionReview versions (${REVIEW_VERSIONS.join(', ')})`, 400);
    }
    const uid = randomUUID();
    const review = makeReview({ uid, version, brand }, candidate, request, shown);
    const answer = await this.#send(candidate, review, request);
    try {
      return readAnswer(answer, { uid, version, isMutating: this.#options.type === 'admit', brand });
    } catch (cause) {
      if (!(cause instanceof BadAnswer)) throw cause;
      throw new CallFailure(`received invalid webhook response: ${cause.message}`, 503, cause);
    }
  }

  async #send({ hook }: Candidate, review: object, { signal, deadlineAt = Infinity }: Readonly<AdmissionRequest>): Promise<unknown> {
    const leftSeconds = Math.max(1, Math.ceil((deadlineAt - steady(this.#env.clock).nowMs()) / 1000));
    let url = '';
    try {
      // The webhook learns how long its response is awaited at most; the end of the API request aborts the call.
      const call = this.#connections.prepare(hook.client, Math.min(hook.timeoutSeconds, leftSeconds));
      ({ url } = call);
      return await call.make(review, hook.timeoutSeconds * 1000, signal);
    } catch (cause) {
      throw explainCall(cause, url);
    }
  }

  /** Nobody else is told that a webhook does not work which was to see every such request. */
  #logIgnored({ name, id, configurationKind, configuration }: Hook, why: string): void {
    if (!this.#isDue(`${id} ${why}`)) return;
    this.#env.log?.warn('a webhook failed, and its requests pass, as its failurePolicy says', { webhook: name, [configurationKind]: configuration, why });
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

/** Refuses a dry run where the webhook may have side effects. Throws `CallFailure` or `BadRequest`. @spec 4.8 */
function refuseSideEffects(webhook: string, sideEffects: string | undefined): void {
  if (sideEffects === undefined) throw new CallFailure('Webhook SideEffects is nil', 400);
  if (!HARMLESS.has(sideEffects)) throw badRequest(`admission webhook ${JSON.stringify(webhook)} does not support dry run`);
}
