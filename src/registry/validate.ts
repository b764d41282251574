import { FieldErrors } from '#errors';
import { validateObjectMeta, validateObjectMetaUpdate, type ApiObject, type KindDefinition } from '#api';
import { hookContext } from './hook-context.ts';
import { invalidObject } from './invalid-object.ts';
import type { Guard, Registry } from './registry.ts';

/** Runs the metadata rules and those of the kind. Throws `Invalid` with every cause. A valid object gets its final form, and warnings are sent. */
export function validate(of: Registry, next: ApiObject, live: ApiObject | undefined, guard: Guard): void {
  const { resource } = of;
  const at = new FieldErrors();
  const context = hookContext(of, guard);
  const { kind } = resource;
  if (live === undefined) {
    // For a kind whose own rules do not cover metadata, the metadata rules run only when its own rules found nothing.
    if (kind.repeatsMetadataRules?.length === 0) kind.validate?.(next, live, at, context);
    if (at.isEmpty) validateNewMetadata(kind, next.metadata, at.child('metadata'));
    if (kind.repeatsMetadataRules?.length !== 0) kind.validate?.(next, live, at, context);
  } else {
    validateChangedMetadata(kind, next.metadata, live.metadata, guard.subresource, at.child('metadata'));
    kind.validate?.(next, live, at, context);
  }
  if (!at.isEmpty) throw invalidObject(resource, next.metadata.name ?? '', at.causes);
  kind.settle?.(next, context);
  for (const text of kind.warn?.(next, live, context) ?? []) guard.warn(text);
}

function validateNewMetadata({ scope, nameForm = 'dns-subdomain', takesAnyFinalizer }: KindDefinition<never>, next: ApiObject['metadata'], at: FieldErrors): void {
  validateObjectMeta(next, { scope, nameForm, takesAnyFinalizer }, at);
}

/**
 * The general metadata rules run first, without the kind's rules for names and finalizers; then the kind repeats them with its own. If the first pass
 * found nothing and there are neither `generateName` nor finalizers, the second pass cannot find anything and is skipped.
 */
function validateChangedMetadata(kind: KindDefinition<never>, next: ApiObject['metadata'], live: ApiObject['metadata'], subresource: string, at: FieldErrors): void {
  const { scope, nameForm = 'dns-subdomain', takesAnyFinalizer } = kind;
  validateObjectMeta(next, { scope, nameForm: 'path-segment', takesAnyFinalizer: true }, at);
  validateObjectMetaUpdate(next, live, { takesAnyFinalizer: true }, at);
  if (at.isEmpty && !next.generateName && !next.finalizers?.length) return;
  for (const rule of rulesOf(kind, subresource)) {
    if (rule === 'content') validateObjectMeta(next, { scope, nameForm, takesAnyFinalizer }, at);
    else validateObjectMetaUpdate(next, live, { takesAnyFinalizer }, at);
  }
}

/** Which metadata rules a kind repeats on an update. For a subresource these are mostly only the rules about changes. */
function rulesOf({ repeatsMetadataRules: rules = ['change', 'content'], subresources }: KindDefinition<never>, subresource: string): readonly ('change' | 'content')[] {
  if (subresource === '') return rules;
  return subresources?.[subresource]?.repeatsMetadataRules ?? (rules.length === 0 ? [] : ['change']);
}

/** The kind's checks that run before addresses and ports are allocated. Throws `Invalid`. */
export function refuse(of: Registry, next: ApiObject, live: ApiObject | undefined, guard: Guard): void {
  const causes = of.resource.kind.refuse?.(next, live, hookContext(of, guard)) ?? [];
  if (causes.length > 0) throw invalidObject(of.resource, next.metadata.name ?? '', causes);
}
