import { FieldErrors, invalid } from '#errors';
import { validateMetadataContent, validateObjectMeta, validateObjectMetaUpdate, type ApiObject } from '#api';
import { hookContext } from './hook-context.ts';
import type { Guard, Registry } from './registry.ts';

/** Runs the metadata rules and the kind's own; throws `Invalid` with every cause. What is accepted gets its final form. */
export function validate(of: Registry, next: ApiObject, live: ApiObject | undefined, guard: Guard): void {
  const { resource } = of;
  const at = new FieldErrors();
  const context = hookContext(of, guard);
  const { kind } = resource;
  if (live === undefined) {
    const { scope, nameForm = 'dns-subdomain', takesAnyFinalizer } = kind;
    validateObjectMeta(next.metadata, { scope, nameForm, takesAnyFinalizer }, at.child('metadata'));
  } else {
    const metadata = at.child('metadata');
    const apply = (rule: 'content' | 'change'): void =>
      rule === 'content' ? validateMetadataContent(next.metadata, metadata) : validateObjectMetaUpdate(next.metadata, live.metadata, metadata);
    for (const rule of ['content', 'change'] as const) apply(rule);
    // Where nothing is wrong there is nothing to repeat.
    if (!at.isEmpty) for (const rule of kind.repeatsMetadataRules ?? (['change', 'content'] as const)) apply(rule);
  }
  kind.validate?.(next, live, at, context);
  if (!at.isEmpty) throw invalid({ group: kind.errorGroup ?? resource.group, kind: kind.kind }, next.metadata.name ?? '', at.causes);
  kind.settle?.(next);
  for (const text of kind.warn?.(next, live, context) ?? []) guard.warn(text);
}
