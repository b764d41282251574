import { inOneMessage } from '#errors';
import type { Brand } from '#api';
import { isDeepEqual } from '#base';
import { approvalOf, isProtectedGroup, structureFaults, unstructuredVersion, type Approval } from '#kinds';
import { formatTime } from '#schema';
import { acceptNames, withoutNames } from './accepted-names.ts';
import { conditionOf, isTrue, nameOf, type Condition, type Definition } from './definition.ts';

type Verdict = Omit<Condition, 'lastTransitionTime'>;

/**
 * Computes the status of a definition; undefined: it does not change. `others` are all other definitions. The names that it has itself are taken as well:
 * one of them cannot become another of its names as long as it is the first. `isShared`: other servers decide at the same time, and may not have heard of
 * each other. Names are only claimed then, and a definition is established in a second step, by who has seen the claim and none before it.
 */
export function decideStatus(definition: Definition, others: readonly Definition[], brand: Brand, nowMs: number, isShared = false): Definition['status'] | undefined {
  const { spec, status } = definition;
  const neighbours = others.filter((other) => other.spec.group === spec.group && nameOf(other) !== nameOf(definition));
  const own = isShared ? yielding(definition, neighbours) : definition;
  const { names, verdict } = acceptNames(own, [own, ...neighbours]);
  const isClaimed = !isShared || (isTrue(definition, 'NamesAccepted') && isDeepEqual(names, status.acceptedNames));
  const structure = unstructured(definition);
  const verdicts = [verdict, establishment(definition, verdict, isClaimed), ...structure, ...approvalVerdict(definition, brand)];
  const before = (status.conditions ?? []).filter(({ type }) => type !== 'NonStructuralSchema' || structure.length > 0);
  const conditions = verdicts.reduce<readonly Condition[]>((list, one) => withCondition(list, one, nowMs), before);
  const next = { ...status, acceptedNames: names, conditions: [...conditions] };
  return isDeepEqual(next, status) ? undefined : next;
}

/**
 * The definition without the names that another claimed before it. Whose claim is the first is seen by all servers alike: who establishes a definition
 * writes that revision of it which they have seen.
 */
function yielding(definition: Definition, neighbours: readonly Definition[]): Definition {
  if (isTrue(definition, 'Established')) return definition;
  const isBefore = (other: Definition): boolean => isTrue(other, 'Established') || revisionOf(other) < revisionOf(definition);
  return withoutNames(definition, neighbours.filter(isBefore));
}

const revisionOf = ({ metadata }: Definition): number => Number(metadata.resourceVersion ?? 0);

/** Established stays established: objects may exist. */
function establishment(definition: Definition, names: Verdict, isClaimed: boolean): Verdict {
  const before = conditionOf(definition, 'Established');
  if (before?.status === 'True') return before;
  if (names.status !== 'True') return { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' };
  const message = 'the initial names have been accepted';
  return isClaimed ? { type: 'Established', status: 'True', reason: 'InitialNamesAccepted', message } : { type: 'Established', status: 'False', reason: 'Installing', message };
}

/** The `NonStructuralSchema` condition: a definition that preserves all fields has it, for this if nothing else; no other can. */
function unstructured({ spec }: Definition): readonly Verdict[] {
  if (spec.preserveUnknownFields !== true) return [];
  const odd = unstructuredVersion(spec);
  // Of what is unsupported old servers took this keyword alone.
  if (odd !== undefined) return [{ type: 'NonStructuralSchema', status: 'Unknown', reason: 'StructuralError', message: `failed to check validation schema for version ${odd.name}: OpenAPIV3Schema 'schema' is not supported` }];
  const faults = structureFaults(spec).map(({ field, message }) => `${field}: ${message}`);
  return [{ type: 'NonStructuralSchema', status: 'True', reason: 'Violations', message: inOneMessage(faults) }];
}

const APPROVALS: Readonly<Record<Approval, Pick<Verdict, 'status' | 'reason'>>> = {
  approved: { status: 'True', reason: 'ApprovedAnnotation' },
  unapproved: { status: 'False', reason: 'UnapprovedAnnotation' },
  missing: { status: 'False', reason: 'MissingAnnotation' },
  bogus: { status: 'False', reason: 'InvalidAnnotation' },
};

/** The approval condition, only in groups that are reserved for the product. */
function approvalVerdict(definition: Definition, brand: Brand): readonly Verdict[] {
  if (!isProtectedGroup(definition.spec.group, brand)) return [];
  const { approval, told } = approvalOf(definition, brand);
  return [{ type: brand.names.apiApprovedCondition, ...APPROVALS[approval], message: told }];
}

/** Sets a condition; its time is that of its last status change. */
export function withCondition(conditions: readonly Condition[], verdict: Verdict, nowMs: number): readonly Condition[] {
  const before = conditions.find(({ type }) => type === verdict.type);
  const time = before?.status === verdict.status && before.lastTransitionTime ? before.lastTransitionTime : formatTime(nowMs);
  const next: Condition = { ...verdict, lastTransitionTime: time };
  return before === undefined ? [...conditions, next] : conditions.map((one) => (one === before ? next : one));
}
