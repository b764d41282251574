import { jsonText } from '#base';
import type { AdmissionRequest } from '../plugin.ts';
import { checkQualifiedName, type Brand } from '#api';
import type { Candidate } from './hook-index.ts';

/**
 * What webhooks leave in the audit event of a request. Keys that begin with `patch.` hold what was written: the audit log keeps them from
 * level `Request` on.
 * @spec 6
 */
export interface Trace {
  mutated(isMutated: boolean): void;
  patched(patch: readonly unknown[]): void;
  failedOpen(): void;
}

/** `round` is 1 when webhooks are asked again. */
export function traceOf(request: Readonly<AdmissionRequest>, { hook, position }: Candidate, round: number, brand: Brand): Trace {
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

/** A validating webhook was passed over because it failed. */
export function traceFailedOpen(request: Readonly<AdmissionRequest>, { hook, position }: Candidate, brand: Brand): void {
  request.annotate(`failed-open.validating.webhook.${brand.group('admission')}/round_0_index_${position}`, hook.name);
}

/** What a webhook wants to be noted, under its own name. Keys that cannot stand in an audit event are passed over. */
export function traceOwn(request: Readonly<AdmissionRequest>, webhook: string, annotations: Readonly<Record<string, string>>): void {
  for (const [key, value] of Object.entries(annotations)) {
    const full = `${webhook}/${key}`;
    if (checkQualifiedName(full) === undefined) request.annotate(full, value);
  }
}
