import { jsonText } from '#base';
import type { AdmissionRequest } from '../plugin.ts';
import { checkQualifiedName, type Brand } from '#api';
import type { Candidate } from './hook-index.ts';

/**
 * The audit annotations for the call of a mutating webhook. Those whose keys begin with `patch.` hold content: the audit log keeps them from level
 * `Request` on.
 * @spec 6
 */
export interface WebhookAnnotations {
  mutated(isMutated: boolean): void;
  patched(patch: readonly unknown[]): void;
  failedOpen(): void;
}

/** `round`: 0, or 1 where the webhook is called again (reinvocation). */
export function annotationsOf(request: Readonly<AdmissionRequest>, { hook, position }: Candidate, round: number, brand: Brand): WebhookAnnotations {
  const prefix = `mutation.webhook.${brand.group('admission')}/`;
  const place = `round_${round}_index_${position}`;
  const who = { configuration: hook.configuration, webhook: hook.name };
  return {
    mutated: (mutated) => request.annotate(`${prefix}${place}`, JSON.stringify({ ...who, mutated })),
    patched: (patch) =>
      request.annotate(`patch.webhook.${brand.group('admission')}/${place}`, jsonText({ ...who, patch, patchType: 'JSONPatch' })),
    failedOpen: () => request.annotate(`failed-open.${prefix}${place}`, hook.name),
  };
}

/**
 * Annotates that a validating webhook failed and was ignored, as its failurePolicy says. `place`: its place among those called for the request, by
 * which kube-apiserver counts here.
 */
export function annotateFailedOpen(request: Readonly<AdmissionRequest>, { hook }: Candidate, place: number, brand: Brand): void {
  request.annotate(`failed-open.validating.webhook.${brand.group('admission')}/round_0_index_${place}`, hook.name);
}

/** Adds the `auditAnnotations` of a webhook's response, prefixed with its name. Keys that are not qualified names are dropped. */
export function annotateOwn(request: Readonly<AdmissionRequest>, webhook: string, annotations: Readonly<Record<string, string>>): void {
  for (const [key, value] of Object.entries(annotations)) {
    const full = `${webhook}/${key}`;
    if (checkQualifiedName(full) === undefined) request.annotate(full, value);
  }
}
