import type { ApiObject } from '#api';
import type { AdmissionRequest } from '../plugin.ts';
import { toWebhookForm, type Form } from './form.ts';
import type { ReviewedObjects } from './review.ts';

type Converted = Map<string, Promise<ApiObject>>;

/** The objects of a request as webhooks receive them: converted once for each kind and version, as each conversion may be a call of another webhook. */
export class ShownObjects {
  readonly #request: Readonly<AdmissionRequest>;
  readonly #new: Converted = new Map();
  readonly #old: Converted = new Map();

  constructor(request: Readonly<AdmissionRequest>) {
    this.#request = request;
  }

  /** Rejects with `InternalError` where a custom resource cannot be converted. */
  async in(form: Form): Promise<ReviewedObjects> {
    const { object, live } = this.#request;
    return { object: await once(this.#new, object, form), oldObject: await once(this.#old, live, form) };
  }

  /** To be called when the object of the request has changed. */
  changed(): void {
    this.#new.clear();
  }
}

function once(made: Converted, object: ApiObject | undefined, form: Form): Promise<ApiObject> | undefined {
  if (object === undefined) return undefined;
  const { group, version, kind } = form.gvk;
  const key = `${group}/${version} ${kind}`;
  let shown = made.get(key);
  if (shown === undefined) made.set(key, (shown = Promise.resolve(toWebhookForm(object, form))));
  return shown;
}
