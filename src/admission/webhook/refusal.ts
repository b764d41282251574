import { isJsonObject, memberIn, memberOf, textAt, type JsonObject } from '#base';
import { ApiError, REASONS, type Cause, type ErrorDetails, type Reason, type Status } from '#errors';
import { int32Scalar } from '#schema';

/** The refusal of a request by a webhook, whose reason may be unknown to the rest of the server. */
export class WebhookRefusal extends ApiError {
  readonly #saidReason: string;

  /** `status` is the Status that the webhook sent. Its message is the end of this error's message: clients that know the webhook compare it. */
  constructor(webhook: string, status: JsonObject | undefined) {
    const [message, reason] = [textAt(status, 'message'), textAt(status, 'reason')];
    const denied = `admission webhook ${JSON.stringify(webhook)} denied the request`;
    const why = message || reason;
    super(isReason(reason) ? reason : '', `${denied}${why === '' ? ' without explanation' : `: ${why}`}`, detailsOf(status), { code: codeOf(status) });
    this.#saidReason = reason;
  }

  override toStatus(): Status {
    const status = super.toStatus();
    return this.#saidReason === '' ? status : { ...status, reason: this.#saidReason };
  }
}

const isReason = (text: string): text is Reason => Object.hasOwn(REASONS, text);

/** A refusal is an error: a code below 400 is replaced by 400, and so is a number that no client could read. */
const codeOf = (status: JsonObject | undefined): number => Math.max(400, int32Scalar.read(memberIn(status, 'code')) ?? 400);

function detailsOf(status: JsonObject | undefined): ErrorDetails | undefined {
  const given = memberIn(status, 'details');
  if (!isJsonObject(given)) return undefined;
  const causes = memberOf(given, 'causes');
  const wait = int32Scalar.read(memberOf(given, 'retryAfterSeconds')) ?? 0;
  return {
    ...textsOf(given, ['name', 'group', 'kind', 'uid']),
    ...(Array.isArray(causes) ? { causes: causes.filter(isJsonObject).map((cause): Cause => textsOf(cause, ['reason', 'message', 'field'])) } : {}),
    ...(wait > 0 ? { retryAfterSeconds: wait } : {}),
  };
}

const textsOf = (from: JsonObject, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, textAt(from, name)]).filter(([, text]) => text !== '')) as Record<string, string>;
