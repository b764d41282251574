import { told, type Facts, type Problem } from './facts.ts';
import type { History, WriteRecord } from './history.ts';

/**
 * Writes happen one at a time between question and answer: in the order of their revisions, each on what the one before it left, and never
 * refused without a reason.
 */
export function checkWrites(history: History, facts: Facts): readonly Problem[] {
  const problems: Problem[] = [];
  const say = (write: WriteRecord, what: string): void => void problems.push(`${write.op} of ${write.key} (${write.value ?? 'nothing'}) ${what}`);
  const begun = new Map<string, number>();
  for (const { value, start } of history.writes) if (value !== undefined) begun.set(value, start);

  for (const fact of facts.all) {
    if (fact.value !== undefined && !begun.has(fact.value)) problems.push(`${told(fact)}, and nobody wrote that`);
  }
  const values = new Map<string, number>();
  for (const { value, revision } of facts.all) {
    if (value === undefined) continue;
    if (values.has(value)) problems.push(`${value} was written twice, at ${values.get(value)} and ${revision}`);
    values.set(value, revision);
  }

  for (const write of history.writes) {
    if (write.outcome === 'done') checkDone(write, facts, (what) => say(write, what));
    if (write.outcome !== 'refused') continue;
    const { expect = 0, key, end } = write;
    const others = facts.ofKey(key).filter((fact) => fact.value === undefined || (begun.get(fact.value) ?? 0) < end);
    const hasReason = write.op === 'patch' ? isEverAbsent(facts, key) : others.some(({ revision }) => revision > expect);
    if (!hasReason) say(write, `was refused, though nothing had changed since ${expect}`);
    if (write.value !== undefined && values.has(write.value)) say(write, `was refused, and happened at ${values.get(write.value)}`);
  }
  return [...problems, ...checkOrder(history)];
}

function checkDone({ op, key, expect, revision }: WriteRecord, facts: Facts, say: (what: string) => void): void {
  if (op === 'delete') {
    const next = facts.ofKey(key).find((fact) => fact.revision > (expect ?? 0));
    if (next === undefined) say(`of ${expect} was acknowledged, and nobody ever saw it`);
    else if (next.value !== undefined) say(`of ${expect} was acknowledged, and next comes ${told(next)}`);
    return;
  }
  if (revision === undefined) return say('was acknowledged without a revision');
  const before = facts.at(key, revision - 1);
  const stood = before?.value === undefined ? 0 : before.revision;
  if (op === 'patch' && stood === 0) say(`at ${revision} changed what did not exist`);
  if (op !== 'patch' && stood !== expect) say(`at ${revision} expected ${expect}, and there stood ${stood}`);
}

/** Also before its first fact. */
const isEverAbsent = (facts: Facts, key: string): boolean => {
  const [first] = facts.ofKey(key);
  return first === undefined || facts.before(first) === undefined || facts.ofKey(key).some(({ value }) => value === undefined);
};

/** Who begins after another was answered gets a higher revision. */
function checkOrder({ writes }: History): readonly Problem[] {
  const done = writes.filter((write): write is WriteRecord & { revision: number } => write.outcome === 'done' && write.revision !== undefined);
  const byEnd = done.toSorted((one, other) => one.end - other.end);
  const problems: Problem[] = [];
  let passed = 0;
  let highest = 0;
  let of = '';
  for (const write of done.toSorted((one, other) => one.start - other.start)) {
    for (; byEnd[passed] !== undefined && byEnd[passed]!.end < write.start; passed++) {
      const { revision, key } = byEnd[passed]!;
      if (revision > highest) [highest, of] = [revision, key];
    }
    if (write.revision <= highest) problems.push(`${write.op} of ${write.key} got ${write.revision} after that of ${of} was answered with ${highest}`);
  }
  return problems;
}
