import { FieldErrors, invalid } from '#errors';
import { validateObjectMeta, validateObjectMetaUpdate, type ApiObject, type KindDefinition } from '#api';
import { hookContext } from './hook-context.ts';
import type { Guard, Registry } from './registry.ts';

/** Runs the metadata rules and the kind's own; throws `Invalid` with every cause. What is accepted gets its final form. */
export function validate(of: Registry, next: ApiObject, live: ApiObject | undefined, guard: Guard): void {
  const { resource } = of;
  const at = new FieldErrors();
  const context = hookContext(of, guard);
  const { kind } = resource;
  if (live === undefined) {
    // A kind that never looks at metadata itself hears of it only where nothing else is wrong.
    if (kind.repeatsMetadataRules?.length === 0) kind.validate?.(next, live, at, context);
    if (at.isEmpty) validateNewMetadata(kind, next.metadata, at.child('metadata'));
    if (kind.repeatsMetadataRules?.length !== 0) kind.validate?.(next, live, at, context);
  } else {
    validateChangedMetadata(kind, next.metadata, live.metadata, guard.subresource, at.child('metadata'));
    kind.validate?.(next, live, at, context);
  }
  if (!at.isEmpty) throw invalid({ group: kind.errorGroup ?? resource.group, kind: kind.kind }, next.metadata.name ?? '', at.causes);
  kind.settle?.(next);
  for (const text of kind.warn?.(next, live, context) ?? []) guard.warn(text);
}

function validateNewMetadata({ scope, nameForm = 'dns-subdomain', takesAnyFinalizer }: KindDefinition<never>, next: ApiObject['metadata'], at: FieldErrors): void {
  validateObjectMeta(next, { scope, nameForm, takesAnyFinalizer }, at);
}

/**
 * The rules of all kinds come first, and know neither the names nor the finalizers of a kind. The kind repeats them with its own; where
 * nothing is wrong and nothing of these is there, nothing can come of it.
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

/** A write to a subresource is a change, and seldom looked at as a new object. */
function rulesOf({ repeatsMetadataRules: rules = ['change', 'content'], subresources }: KindDefinition<never>, subresource: string): readonly ('change' | 'content')[] {
  if (subresource === '') return rules;
  return subresources?.[subresource]?.repeatsMetadataRules ?? (rules.length === 0 ? [] : ['change']);
}

/** Runs before anything scarce is taken for the object. Throws `Invalid` where its kind refuses it. */
export function refuse(of: Registry, next: ApiObject, live: ApiObject | undefined, guard: Guard): void {
  const { kind, group } = of.resource;
  const causes = kind.refuse?.(next, live, hookContext(of, guard)) ?? [];
  if (causes.length > 0) throw invalid({ group: kind.errorGroup ?? group, kind: kind.kind }, next.metadata.name ?? '', causes);
}
