import { compareUtf8 } from '#base';
import { areStoredTogether, type ApiObject, type Brand, type Catalog, type Resource, type ServedVersion } from '#api';
import type { AdmissionRequest, Operation } from '../plugin.ts';
import { formOf, type Form } from './form.ts';
import { hooksOf, type ConfigurationKind, type Hook } from './hook.ts';
import { ruleMatches, type Subject } from './rule.ts';

/** A webhook with a rule that matches a request; its selectors are still to be matched. */
export interface Candidate {
  readonly hook: Hook;
  /** Its index among all webhooks. */
  readonly position: number;
  /** The index of the matching rule. */
  readonly rule: number;
  /** The form in which it receives the request. */
  readonly form: Form;
}

type Asked = Pick<AdmissionRequest, 'operation' | 'resource' | 'served' | 'subresource'>;

const NONE: readonly Candidate[] = [];

/**
 * The webhooks of all configurations of one kind, indexed for requests. Rules are evaluated once for each resource, version, subresource and
 * operation; after that a request costs two look-ups, however many webhooks there are.
 * @spec 4.11
 */
export class HookIndex {
  readonly #catalog: Catalog;
  readonly #configurationKind: ConfigurationKind;
  readonly #byConfiguration = new Map<string, readonly Hook[]>();
  #hooks: readonly Hook[] = [];
  #candidates = new WeakMap<Resource, Map<string, readonly Candidate[]>>();

  constructor(catalog: Catalog, configurationKind: ConfigurationKind) {
    this.#catalog = catalog;
    this.#configurationKind = configurationKind;
  }

  /** Ordered by the name of their configuration, then by their position in it. */
  get hooks(): readonly Hook[] {
    return this.#hooks;
  }

  put(configuration: ApiObject): void {
    this.#byConfiguration.set(configuration.metadata.name ?? '', hooksOf(configuration, this.#configurationKind));
    this.#rebuild();
  }

  remove(name: string): void {
    if (this.#byConfiguration.delete(name)) this.#rebuild();
  }

  /** The webhooks whose rules match, in the order of `hooks`. */
  candidates(request: Asked): readonly Candidate[] {
    if (this.#hooks.length === 0) return NONE;
    const { operation, resource, served, subresource } = request;
    let known = this.#candidates.get(resource);
    if (known === undefined) this.#candidates.set(resource, (known = new Map()));
    const key = `${operation} ${served.version} ${subresource}`;
    let found = known.get(key);
    if (found === undefined) known.set(key, (found = this.#find(request)));
    return found;
  }

  #rebuild(): void {
    const names = [...this.#byConfiguration.keys()].sort(compareUtf8);
    this.#hooks = names.flatMap((name) => this.#byConfiguration.get(name) ?? []);
    this.#candidates = new WeakMap();
  }

  #find(request: Asked): readonly Candidate[] {
    const { brand } = this.#catalog;
    if (isWebhookConfiguration(request.resource, brand)) return NONE;
    const own = subjectOf(request.operation, request.resource, request.served, request.subresource);
    let equivalents: readonly Equivalent[] | undefined;
    return this.#hooks.flatMap((hook, position) => {
      const rule = hook.rules.findIndex((one) => ruleMatches(one, own));
      if (rule >= 0) return { hook, position, rule, form: formOf(request.resource, request.served, request.subresource, brand) };
      if (!hook.takesEquivalents) return [];
      const found = throughEquivalent(hook, (equivalents ??= equivalentsOf(this.#catalog, request)));
      return found === undefined ? [] : { hook, position, rule: found.rule, form: formOf(found.resource, found.served, request.subresource, brand, request.resource) };
    });
  }
}

/** Webhooks are never called for webhook configurations: an administrator can always remove one that blocks requests. */
const isWebhookConfiguration = ({ group, plural }: Resource, brand: Brand): boolean =>
  group === brand.group('admissionregistration') && (plural === 'mutatingwebhookconfigurations' || plural === 'validatingwebhookconfigurations');

function subjectOf(operation: Operation, { group, plural, kind }: Resource, served: ServedVersion, subresource: string): Subject {
  return { operation, group, version: served.version, resource: plural, subresource, isNamespaced: kind.scope === 'Namespaced' };
}

interface Equivalent {
  readonly resource: Resource;
  readonly served: ServedVersion;
  readonly subject: Subject;
}

/** Equivalent resources and versions for the same stored objects: other versions (of a custom resource each is one of its own), and other groups that serve them. */
function equivalentsOf(catalog: Catalog, { operation, resource, served, subresource }: Asked): readonly Equivalent[] {
  return catalog.resources
    .filter((other) => areStoredTogether(other.kind, resource.kind) && (subresource === '' || Object.hasOwn(other.kind.subresources ?? {}, subresource)))
    .flatMap((other) => other.versions.map((version) => ({ resource: other, served: version, subject: subjectOf(operation, other, version, subresource) })))
    .filter((one) => one.resource !== resource || one.served !== served);
}

/** The first rule that matches an equivalent, and that equivalent. */
function throughEquivalent({ rules }: Hook, equivalents: readonly Equivalent[]): (Equivalent & { readonly rule: number }) | undefined {
  for (const [rule, declared] of rules.entries()) {
    const found = equivalents.find(({ subject }) => ruleMatches(declared, subject));
    if (found !== undefined) return { ...found, rule };
  }
  return undefined;
}
