import { cloneJson, isJsonObject, memberOf, when } from '#base';
import { apply as applyConfig, resetFieldsOf } from '#apply';
import { objectTypeOf, toServedVersion, type ApiObject } from '#api';
import { expectedOf, setDefaults, toStorage } from './decode-body.ts';
import { nameless } from './object-place.ts';
import type { WriteOptions } from './options.ts';
import { CHANGES, parseConfig, parsePatch, readPatched, type PatchSource } from './patch-document.ts';
import type { ChangeMechanism, Mechanism } from './patch-media-types.ts';
import type { VerbContext } from './verb-context.ts';
import { inEachVersion } from './version-forms.ts';
import { isRepeated, remember, type LastApply } from './repeated-applies.ts';
import { trackWrite } from './track-write.ts';

/** A patch document, parsed once and applied as often as conflicts with other writes require. */
export interface Patch {
  /** Whether it can create an object that does not exist. */
  readonly mayCreate: boolean;
  /** The next object in the storage version, `managedFields` included. Throws `BadRequest`, `Invalid`, `Conflict`. */
  apply(live: ApiObject | undefined, options: WriteOptions): ApiObject | Promise<ApiObject>;
}

/** Prepares a patch. The document is parsed by the first `apply` that needs it, which throws `BadRequest` where it is malformed. */
export const preparePatch = (context: VerbContext, mechanism: Mechanism, body: Uint8Array): Patch =>
  mechanism === 'apply' ? prepareApply(context, body) : changing(context, mechanism, body);

/** Patches that change the live object in the version of the request. */
function changing(context: VerbContext, mechanism: ChangeMechanism, body: Uint8Array): Patch {
  const { resource, served } = context.route;
  const expected = expectedOf(context.route, mechanism);
  // Objects with a schema are decoded into a new object, so the live one need not be copied first.
  const isShownAsStored = served === resource.storage && served.down === undefined && expected.type.open === undefined;
  let from: PatchSource | undefined;
  return {
    mayCreate: false,
    apply(live, options) {
      if (live === undefined) throw new Error('only an apply makes objects');
      from ??= parsePatch(mechanism, body);
      const document = isShownAsStored ? live : toServedVersion(served, cloneJson(live));
      const patched = CHANGES[from.mechanism](expected.type, document, from.patch);
      if (expected.type.open === undefined && from.mechanism !== 'strategic') checkApiVersion(context, patched);
      const next = toStorage(context, readPatched(expected, patched, from));
      return trackWrite(context, options, next, live, resource.kind.isCustom !== true && hasEmptiedOwners(patched));
    },
  };
}

/** A result without `apiVersion` is refused as an object whose name cannot be determined, as kube-apiserver does. Throws `BadRequest`. */
function checkApiVersion(context: VerbContext, patched: unknown): void {
  if (!isJsonObject(patched)) return;
  const said = memberOf(patched, 'apiVersion');
  if (said === undefined || said === null || said === '') throw nameless(context);
}

/**
 * Whether a patch empties `managedFields`, which resets them: a patch that names the field means it. In an update, an empty list may just be how a
 * client encodes an absent one (R4.9-24). Custom resources have no such reset.
 */
function hasEmptiedOwners(patched: unknown): boolean {
  const metadata = isJsonObject(patched) ? patched['metadata'] : undefined;
  const owners = isJsonObject(metadata) ? metadata['managedFields'] : undefined;
  return Array.isArray(owners) && owners.length === 0;
}

function prepareApply(context: VerbContext, body: Uint8Array): Patch {
  const { route, env } = context;
  let config: { readonly read: unknown } | undefined;
  return {
    mayCreate: true,
    apply(live, options) {
      const requested: LastApply = { body, manager: options.fieldManager, isForced: options.force ?? false, served: route.served, subresource: route.subresource };
      // A repeated apply that is known to change nothing skips parsing and merging.
      if (live !== undefined && isRepeated(live, requested)) return cloneJson(live);
      const { read } = (config ??= { read: parseConfig(body) });
      const applied = inEachVersion(route.resource, (forms) =>
        applyConfig({
          type: objectTypeOf(route.resource.storage.schema),
          live,
          config: read,
          manager: options.fieldManager,
          isForced: options.force ?? false,
          apiVersion: route.served.apiVersion,
          kind: route.resource.kind.kind,
          subresource: route.subresource,
          nowMs: env.clock.nowMs(),
          defaults: (object) => setDefaults(context, object as ApiObject),
          resetFields: resetFieldsOf(route.resource.kind, route.subresource),
          forms,
          lastAppliedAnnotation: env.catalog.brand.names.lastAppliedAnnotation,
        }),
      );
      return when(applied, ({ object, isChanged }) => {
        if (live !== undefined && !isChanged) remember(live, requested);
        return object as unknown as ApiObject;
      });
    },
  };
}
