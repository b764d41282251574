import { compileSelectorMessage, faultOfValues, isEmptySelector, type ApiObject, type LabelPredicate, type LabelSelector } from '#api';
import type { Rule } from './rule.ts';

export type ConfigurationKind = 'MutatingWebhookConfiguration' | 'ValidatingWebhookConfiguration';

export interface ClientConfig {
  readonly url?: string | null;
  readonly service?: { readonly namespace: string; readonly name: string; readonly path?: string | null; readonly port?: number | null } | null;
  /** Base64 of PEM. */
  readonly caBundle?: string | null;
}

/** One webhook in a stored configuration. */
interface Declared {
  readonly name: string;
  readonly clientConfig: ClientConfig;
  readonly rules?: readonly Rule[] | null;
  readonly failurePolicy?: string;
  readonly matchPolicy?: string;
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly sideEffects?: string;
  readonly timeoutSeconds?: number;
  readonly admissionReviewVersions?: readonly string[] | null;
  readonly reinvocationPolicy?: string;
}

export interface Configuration extends ApiObject {
  readonly webhooks?: readonly Declared[] | null;
}

/** A compiled selector; a text: why it cannot be used; undefined: it selects everything. */
export type Selector = LabelPredicate | string | undefined;

/**
 * One webhook, ready to be called. Defaults are those of the stored version; an object stored by an older release may lack fields that are required
 * since.
 */
export interface Hook {
  readonly configurationKind: ConfigurationKind;
  readonly configuration: string;
  readonly name: string;
  /** Tells it from all others, and stays when its configuration is written again. */
  readonly id: string;
  readonly client: ClientConfig;
  readonly rules: readonly Rule[];
  readonly takesEquivalents: boolean;
  readonly namespaceSelector: Selector;
  readonly objectSelector: Selector;
  /** Whether a failed call lets the request pass. */
  readonly failsOpen: boolean;
  readonly sideEffects: string | undefined;
  readonly timeoutSeconds: number;
  readonly reviewVersions: readonly string[];
  /** Called again where the object changes after its call. */
  readonly isReinvoked: boolean;
}

const TIMEOUT_SECONDS = 10;

/** The webhooks of a configuration, in order. */
export function hooksOf(configuration: ApiObject, configurationKind: ConfigurationKind): readonly Hook[] {
  const { metadata: { name: ofConfiguration = '' }, webhooks } = configuration as Configuration;
  return (webhooks ?? []).map((declared, position, all) => ({
    configurationKind,
    configuration: ofConfiguration,
    name: declared.name,
    id: `${ofConfiguration}/${declared.name}/${repeatsBefore(all, position)}`,
    client: declared.clientConfig,
    rules: declared.rules ?? [],
    takesEquivalents: declared.matchPolicy === 'Equivalent',
    namespaceSelector: selectorOf(declared.namespaceSelector),
    objectSelector: selectorOf(declared.objectSelector),
    failsOpen: declared.failurePolicy === 'Ignore',
    sideEffects: declared.sideEffects,
    timeoutSeconds: declared.timeoutSeconds ?? TIMEOUT_SECONDS,
    reviewVersions: declared.admissionReviewVersions ?? [],
    isReinvoked: declared.reinvocationPolicy === 'IfNeeded',
  }));
}

/** An older release stored webhooks whose names are not unique. */
const repeatsBefore = (all: readonly Declared[], position: number): number =>
  all.slice(0, position).filter(({ name }) => name === all[position]?.name).length;

const selectorOf = (selector: LabelSelector | undefined): Selector =>
  selector === undefined || isEmptySelector(selector) ? undefined : (faultOfValues(selector) ?? compileSelectorMessage(selector));
