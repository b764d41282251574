/** Values of common types as Go prints them in error messages. See `errors/go-value.ts`. */
import type { LabelSelector } from '#api';
import { goStruct, goTextMap, goTexts, GoValue } from '#errors';
import { parseQuantity } from '#schema';
import type { Toleration } from './core/pod/toleration.ts';

/** Go prints pointers as addresses; this one, which has no meaning, is shown for all of them. */
const ADDRESS = '0xc000000000';

export const goPointer = (type: string, value: unknown): GoValue =>
  new GoValue(`(*${type})(${value === undefined || value === null ? 'nil' : ADDRESS})`);

export function goList(type: string, items: readonly GoValue[] | null | undefined): GoValue {
  return new GoValue(() => (items === null || items === undefined ? `[]${type}(nil)` : `[]${type}{${items.map(({ text }) => text).join(', ')}}`));
}

export function goLabelSelector({ matchLabels, matchExpressions }: LabelSelector): GoValue {
  const requirement = 'v1.LabelSelectorRequirement';
  const items = matchExpressions?.map(({ key, operator, values }) => goStruct(requirement, { Key: key, Operator: operator, Values: goTexts(values) }));
  return goStruct('v1.LabelSelector', { MatchLabels: goTextMap(matchLabels), MatchExpressions: goList(requirement, items) });
}

export function goIntOrString(value: number | string | undefined): GoValue {
  const [IntVal, StrVal] = typeof value === 'string' ? [0, value] : [value ?? 0, ''];
  return goStruct('intstr.IntOrString', { Type: typeof value === 'string' ? 1 : 0, IntVal, StrVal });
}

/** A quantity as Go prints it; malformed text is shown as it is. */
export function goQuantity(text: string | undefined): GoValue | string | undefined {
  const amount = text === undefined ? undefined : parseQuantity(text);
  if (text === undefined || amount === undefined) return text;
  const format = { binary: 'BinarySI', decimal: 'DecimalSI', exponent: 'DecimalExponent' }[amount.form];
  const number = new GoValue(`resource.int64Amount{value:${amount.mantissa}, scale:${amount.exponent}}`);
  return goStruct('resource.Quantity', { i: number, d: new GoValue('resource.infDecAmount{Dec:(*inf.Dec)(nil)}'), s: text, Format: format });
}

export function goToleration({ key, operator, value, effect, tolerationSeconds }: Toleration): GoValue {
  const seconds = goPointer('int64', tolerationSeconds);
  return goStruct('core.Toleration', { Key: key ?? '', Operator: operator ?? '', Value: value ?? '', Effect: effect ?? '', TolerationSeconds: seconds });
}
