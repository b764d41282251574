import { FaultBudget, isJsonObject, memberOf } from '#base';
import type { FieldErrors } from '#errors';
import { checkEnum, checkFormat, checkNumber, checkString, checkType, typeOf, type JsonType } from './check-value.ts';
import { COMPARED_AT_ONCE, giveUp, newJudging, SOUGHT_AT_ONCE, takesTooLong, unlessGivenUp, type Judging } from './judging.ts';
import { judgeAllOf, judgeAnyOf, judgeNot, judgeOneOf } from './judge-alternatives.ts';
import { isSchema, type SchemaProps } from './props.ts';
import { append, FITTING, forbidden, GOOD, invalid, join, MAX_FAULTS, verdictOf, type Fault, type Verdict } from './verdict.ts';

/**
 * Validates a value against a schema and reports every fault. `at` is the path of the value; an empty path is the whole object.
 * Takes time in proportion to schema times value, up to a bound: beyond it the value is refused. Values with one `judging` share the bound.
 * @spec 4.9
 */
export function validateBySchema(props: SchemaProps, value: unknown, at: FieldErrors, judging: Judging = newJudging('object')): void {
  const { faults } = check(props, value, '', judging);
  const met = new Set<string>();
  const budget = new FaultBudget();
  for (const fault of faults) {
    // Alternatives often find the same fault.
    if (budget.isEnough || met.has(fault.text)) continue;
    met.add(fault.text);
    budget.add(fault.text.length);
    fault.report(placeOf(fault, at));
  }
}

function placeOf({ path }: Fault, at: FieldErrors): FieldErrors {
  // A member that no property declares has a dot before its name even at the top.
  const below = path?.startsWith('.') === true ? path.slice(1) : (path ?? '');
  if (below !== '') return at.child(below);
  return at.path === '' ? at.child('<nil>') : at;
}

/** undefined: the schema asks nothing of this sort. */
type Rule = (props: SchemaProps, value: never, path: string, judging: Judging) => Verdict | undefined;

/** The rules for a value of each type, in the order in which they are checked. */
const RULES: Readonly<Record<JsonType, readonly Rule[]>> = {
  null: [checkType, checkEnum],
  boolean: [checkType, checkAlternatives, checkEnum],
  string: [checkType, checkAlternatives, checkString, checkFormat, checkEnum],
  integer: [checkType, checkAlternatives, checkNumber, checkEnum],
  number: [checkType, checkAlternatives, checkNumber, checkEnum],
  array: [checkType, checkAlternatives, checkArray, checkEnum],
  object: [checkType, checkAlternatives, checkEnum, checkObject],
};

function check(props: SchemaProps, value: unknown, path: string, judging: Judging): Verdict {
  if (takesTooLong(judging, 1)) return giveUp(judging);
  const found = typeOf(value);
  const faults: Fault[] = [];
  // Of null only the rule on its type counts.
  let matches = found === 'null' ? 0 : 1;
  for (const rule of RULES[found]) {
    const verdict = rule(props, value as never, path, judging);
    if (verdict === undefined) continue;
    append(faults, verdict.faults);
    matches += verdict.matches + (found === 'null' ? 0 : 1);
  }
  return { faults, matches };
}

function checkArray(props: SchemaProps, value: readonly unknown[], path: string, judging: Judging): Verdict {
  const faults: Fault[] = [];
  let matches = 1;
  const { items, minItems, maxItems } = props;
  // List indexes are not in the paths that the API reports.
  if (isSchema(items)) {
    for (const item of value) {
      const verdict = check(items, item, path, judging);
      append(faults, verdict.faults);
      matches += verdict.matches;
    }
  }
  if (minItems !== undefined && value.length < minItems) faults.push(invalid(path, value.length, `should have at least ${minItems} items`));
  if (maxItems !== undefined && value.length > maxItems) faults.push(invalid(path, value.length, `should have at most ${maxItems} items`));
  return { faults, matches };
}

function checkObject(props: SchemaProps, value: Record<string, unknown>, path: string, judging: Judging): Verdict {
  const { minProperties, maxProperties, required = [] } = props;
  const names = Object.keys(value);
  if (minProperties !== undefined && names.length < minProperties) {
    return verdictOf([invalid(path, Number(minProperties), `should have at least ${minProperties} properties`)]);
  }
  if (maxProperties !== undefined && names.length > maxProperties) {
    return verdictOf([invalid(path, Number(maxProperties), `should have at most ${maxProperties} properties`)]);
  }
  if (takesTooLong(judging, names.length / SOUGHT_AT_ONCE + required.length / COMPARED_AT_ONCE)) return giveUp(judging);
  const faults: Fault[] = [];
  let matches = 0;
  const properties = (props.properties ?? {}) as Record<string, unknown>;
  // Alternatives mostly ask nothing of single members.
  const isAskedOfMembers = props.properties !== undefined || props.additionalProperties !== undefined;
  for (const name of isAskedOfMembers ? names : []) {
    const verdict = checkMember(props, properties, name, value[name], path, judging);
    append(faults, verdict.faults);
    matches += verdict.matches;
  }
  for (const name of required) {
    if (faults.length >= MAX_FAULTS) break;
    if (!Object.hasOwn(value, name)) faults.push({ path: join(path, name), text: `${join(path, name)} required`, report: (at) => at.required() });
  }
  return { faults, matches };
}

/** `path` is that of the object. */
function checkMember(props: SchemaProps, properties: Record<string, unknown>, name: string, value: unknown, path: string, judging: Judging): Verdict {
  const property = memberOf(properties, name) as SchemaProps | undefined;
  if (property !== undefined) return check(property, value, join(path, name), judging);
  const { additionalProperties } = props;
  if (isJsonObject(additionalProperties)) return check(additionalProperties, value, `${path}.${name}`, judging);
  return additionalProperties === false ? verdictOf([forbidden(path, name)]) : GOOD;
}

function checkAlternatives(props: SchemaProps, value: unknown, path: string, judging: Judging): Verdict {
  const { anyOf = [], oneOf = [], allOf = [], not } = props;
  if (anyOf.length + oneOf.length + allOf.length === 0 && not === undefined) return FITTING;
  const faults: Fault[] = [];
  let matches = 1;
  const judge = (verdict: Verdict): void => {
    append(faults, verdict.faults);
    matches += verdict.matches;
  };
  const tryAll = (schemas: readonly SchemaProps[]): readonly Verdict[] => schemas.map((one) => check(one, value, path, judging));
  if (anyOf.length > 0) judge(judgeAnyOf(tryAll(anyOf), path));
  if (oneOf.length > 0) judge(unlessGivenUp(judging, () => judgeOneOf(tryAll(oneOf), path)));
  if (allOf.length > 0) judge(judgeAllOf(tryAll(allOf), path));
  if (not !== undefined) judge(unlessGivenUp(judging, () => judgeNot(check(not, value, path, judging), path)));
  return { faults, matches };
}
