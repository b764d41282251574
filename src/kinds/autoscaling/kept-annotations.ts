import type { Brand, ObjectMeta } from '#api';
import { escapeMarkup } from '#base';
import { decode, DecodeFailure, t, type MessageClass } from '#schema';
import { autoscalerCondition, type AutoscalerCondition } from './autoscaler-condition.ts';
import type { Behavior, ScalingRules } from './behavior.ts';
import { flatMetricSpec, flatMetricStatus, type FlatMetricSpec, type FlatMetricStatus } from './flat-metrics.ts';

/** Fields that an older version does not have, kept in annotations as JSON text. */
export interface Kept {
  readonly metrics?: readonly FlatMetricSpec[];
  readonly currentMetrics?: readonly FlatMetricStatus[];
  readonly conditions?: readonly AutoscalerCondition[];
  readonly behavior?: Behavior;
}

const KEYS = { metrics: 'metrics', currentMetrics: 'current-metrics', conditions: 'conditions', behavior: 'behavior' } as const;
type Member = keyof typeof KEYS;
const MEMBERS = Object.keys(KEYS) as readonly Member[];

const annotationOf = (member: Member, brand: Brand): string => `autoscaling.alpha.${brand.names.domain}/${KEYS[member]}`;

/** Writes the fields to annotations, except absent ones. Changes `metadata`. */
export function keepInAnnotations(metadata: ObjectMeta, kept: Kept, brand: Brand): void {
  const texts: [string, string][] = [];
  for (const member of MEMBERS) {
    const value = kept[member];
    if (value === undefined || (Array.isArray(value) && value.length === 0)) continue;
    texts.push([annotationOf(member, brand), jsonText(member === 'behavior' ? spellBehavior(value as Behavior) : value)]);
  }
  if (texts.length > 0) metadata.annotations = { ...metadata.annotations, ...Object.fromEntries(texts) };
}

/** Reads the fields from the annotations and removes those; malformed text counts as absent. Changes `metadata`. */
export function takeFromAnnotations(metadata: ObjectMeta, brand: Brand): Kept {
  const kept = {
    metrics: readList(textOf(metadata, 'metrics', brand), flatMetricSpec),
    currentMetrics: readList(textOf(metadata, 'currentMetrics', brand), flatMetricStatus),
    conditions: readList(textOf(metadata, 'conditions', brand), autoscalerCondition('v1')),
    behavior: readBehavior(textOf(metadata, 'behavior', brand)),
  };
  dropAnnotations(metadata, brand);
  return Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined)) as Kept;
}

/** Removes the annotations, which have no meaning in a version with all fields. Changes `metadata`. */
export function dropAnnotations(metadata: ObjectMeta, brand: Brand): void {
  const { annotations } = metadata;
  if (annotations === undefined) return;
  const names = MEMBERS.map((member) => annotationOf(member, brand));
  if (!names.some((name) => Object.hasOwn(annotations, name))) return;
  const others = Object.entries(annotations).filter(([name]) => !names.includes(name));
  if (others.length === 0) delete metadata.annotations;
  else metadata.annotations = Object.fromEntries(others);
}

function textOf({ annotations }: ObjectMeta, member: Member, brand: Brand): unknown {
  const name = annotationOf(member, brand);
  const text = annotations !== undefined && Object.hasOwn(annotations, name) ? annotations[name] : undefined;
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readList<T>(value: unknown, item: MessageClass<T>): readonly T[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const list = read(t.message('autoscaling/v1.Kept', { items: t.many(1, item) }), { items: value });
  return list === undefined ? undefined : (list.items ?? []);
}

function read<T>(message: MessageClass<T>, value: object): T | undefined {
  try {
    return decode(message.type, value) as T;
  } catch (error) {
    if (error instanceof DecodeFailure) return undefined;
    throw error;
  }
}

/** The JSON that kube-apiserver writes: Go field names, capitalized, and null for absent values. */
interface SpelledRules {
  readonly StabilizationWindowSeconds: number | null;
  readonly SelectPolicy: string | null;
  readonly Policies: readonly { readonly Type: string; readonly Value: number; readonly PeriodSeconds: number }[] | null;
}

function spellBehavior({ scaleUp, scaleDown }: Behavior): object {
  return { ScaleUp: spellRules(scaleUp), ScaleDown: spellRules(scaleDown) };
}

function spellRules(rules: ScalingRules | undefined): SpelledRules | null {
  if (rules === undefined) return null;
  return {
    StabilizationWindowSeconds: rules.stabilizationWindowSeconds ?? null,
    SelectPolicy: rules.selectPolicy ?? null,
    Policies: rules.policies?.map(({ type, value, periodSeconds }) => ({ Type: type, Value: value, PeriodSeconds: periodSeconds })) ?? null,
  };
}

const spelledPolicy = t.message('autoscaling/v1.KeptPolicy', { Type: t.string(1).required(), Value: t.int32(2).required(), PeriodSeconds: t.int32(3).required() });
const spelledRules = t.message('autoscaling/v1.KeptRules', {
  StabilizationWindowSeconds: t.maybe.int32(1),
  SelectPolicy: t.maybe.string(2),
  Policies: t.many(3, spelledPolicy).keepEmpty(),
});
const spelledBehavior = t.message('autoscaling/v1.KeptBehavior', { ScaleUp: t.perhaps(1, spelledRules), ScaleDown: t.perhaps(2, spelledRules) });

/** Reads a behavior, also with the field names of newer versions: case does not matter. Without any rules there is no behavior. */
function readBehavior(value: unknown): Behavior | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const spelled = read(spelledBehavior, capitalized(value) as object);
  const { ScaleUp: up, ScaleDown: down } = spelled ?? {};
  if (!up && !down) return undefined;
  return { ...(up ? { scaleUp: unspellRules(up) } : {}), ...(down ? { scaleDown: unspellRules(down) } : {}) };
}

const NAMES: ReadonlyMap<string, string> = new Map(
  [spelledBehavior, spelledRules, spelledPolicy].flatMap(({ type }) => [...type.fields.keys()]).map((name) => [name.toLowerCase(), name]),
);

/** Depth of the field names that are capitalized: behavior, rules, list of policies, policy. */
const MAX_DEPTH = 4;

function capitalized(value: unknown, depth = MAX_DEPTH): unknown {
  if (typeof value !== 'object' || value === null || depth === 0) return value;
  if (Array.isArray(value)) return value.map((item) => capitalized(item, depth - 1));
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [NAMES.get(name.toLowerCase()) ?? name, capitalized(inner, depth - 1)]));
}

function unspellRules({ StabilizationWindowSeconds: window, SelectPolicy: policy, Policies: policies }: InstanceType<typeof spelledRules>): ScalingRules {
  return {
    ...(window === undefined ? {} : { stabilizationWindowSeconds: window }),
    ...(policy === undefined ? {} : { selectPolicy: policy }),
    ...(policies ? { policies: policies.map(({ Type, Value, PeriodSeconds }) => ({ type: Type, value: Value, periodSeconds: PeriodSeconds })) } : {}),
  };
}

/** JSON as Go writes it: labels sorted by name, and characters of HTML markup escaped. */
function jsonText(value: unknown): string {
  return escapeMarkup(JSON.stringify(value, sortLabels));
}

function sortLabels(name: string, value: unknown): unknown {
  if (name !== 'matchLabels' || typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
