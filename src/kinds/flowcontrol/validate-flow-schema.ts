import { checkDnsLabel, checkDnsSubdomain, report } from '#api';
import { goStruct, goTexts, type FieldErrors } from '#errors';
import type { FlowPathRule, FlowResourceRule, FlowRule, FlowSchemaSpec, FlowSubject } from './flow-schema-messages.ts';

const MAX_PRECEDENCE = 10_000;
/** The schema with the first precedence. */
const EXEMPT = 'exempt';
const DISTINGUISHERS = ['ByNamespace', 'ByUser'];
const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];

export function validateFlowSchemaSpec(name: string, spec: FlowSchemaSpec, at: FieldErrors): void {
  validatePrecedence(name, spec.matchingPrecedence, at.child('matchingPrecedence'));
  const method = spec.distinguisherMethod;
  if (method !== undefined && !DISTINGUISHERS.includes(method.type)) {
    at.child('distinguisherMethod', 'type').notSupported(goStruct('flowcontrol.FlowDistinguisherMethod', { Type: method.type }), DISTINGUISHERS);
  }
  const level = spec.priorityLevelConfiguration.name;
  const place = at.child('priorityLevelConfiguration', 'name');
  if (level === '') place.required('must reference a priority level');
  else report(place, level, checkDnsSubdomain(level));
  for (const [position, rule] of (spec.rules ?? []).entries()) validateRule(rule, at.child('rules').index(position));
}

function validatePrecedence(name: string, precedence: number, at: FieldErrors): void {
  if (precedence <= 0) at.invalid(precedence, 'must be a positive value');
  if (precedence > MAX_PRECEDENCE) at.invalid(precedence, `must not be greater than ${MAX_PRECEDENCE}`);
  if (precedence === 1 && name !== EXEMPT) at.invalid(precedence, `only the schema named '${EXEMPT}' may have matchingPrecedence 1`);
}

function validateRule({ subjects, resourceRules, nonResourceRules }: FlowRule, at: FieldErrors): void {
  if ((subjects?.length ?? 0) === 0) at.child('subjects').required('subjects must contain at least one value');
  for (const [position, subject] of (subjects ?? []).entries()) validateSubject(subject, at.child('subjects').index(position));
  if ((resourceRules?.length ?? 0) === 0 && (nonResourceRules?.length ?? 0) === 0) at.required('at least one of resourceRules and nonResourceRules has to be non-empty');
  for (const [position, rule] of (resourceRules ?? []).entries()) validateResourceRule(rule, at.child('resourceRules').index(position));
  for (const [position, rule] of (nonResourceRules ?? []).entries()) validatePathRule(rule, at.child('nonResourceRules').index(position));
}

/** The field for the subject, by kind. */
const SUBJECT_MEMBERS = { ServiceAccount: 'serviceAccount', User: 'user', Group: 'group' } as const;
type SubjectKind = keyof typeof SUBJECT_MEMBERS;

const isSubjectKind = (kind: string): kind is SubjectKind => Object.hasOwn(SUBJECT_MEMBERS, kind);

function validateSubject(subject: FlowSubject, at: FieldErrors): void {
  const { kind } = subject;
  if (!isSubjectKind(kind)) {
    at.child('kind').notSupported(kind, Object.keys(SUBJECT_MEMBERS).sort());
    return;
  }
  validateOwnMember(subject, kind, at.child(SUBJECT_MEMBERS[kind]));
  for (const [other, member] of Object.entries(SUBJECT_MEMBERS)) {
    if (other !== kind && subject[member] !== undefined) at.child(member).forbidden(`${member} is forbidden when subject kind is not '${other}'`);
  }
}

function validateOwnMember({ serviceAccount, user, group }: FlowSubject, kind: SubjectKind, at: FieldErrors): void {
  const described = { ServiceAccount: serviceAccount, User: user, Group: group }[kind];
  if (described === undefined) at.required(`${SUBJECT_MEMBERS[kind]} is required when subject kind is '${kind}'`);
  else if ('namespace' in described) validateAccount(described, at);
  else if (described.name === '') at.child('name').required();
}

function validateAccount({ namespace, name }: NonNullable<FlowSubject['serviceAccount']>, at: FieldErrors): void {
  if (name === '') at.child('name').required();
  else if (name !== '*') report(at.child('name'), name, checkDnsSubdomain(name));
  if (namespace === '') at.child('namespace').required('must specify namespace for service account');
  else report(at.child('namespace'), namespace, checkDnsLabel(namespace));
}

function validateVerbs(verbs: readonly string[], at: FieldErrors): void {
  if (verbs.length === 0) at.required('verbs must contain at least one value');
  else if (verbs.includes('*')) validateAlone(verbs, 'verbs', at);
  else if (!verbs.every((verb) => VERBS.includes(verb))) at.notSupported(goTexts(verbs), VERBS);
}

function validateAlone(list: readonly string[], what: string, at: FieldErrors): void {
  if (list.length > 1 && list.includes('*')) at.invalid(list, `if '*' is present, must not specify other ${what}`);
}

function validateChoice(list: readonly string[], item: string, at: FieldErrors): void {
  if (list.length === 0) at.required(`resource rules must supply at least one ${item}`);
  else validateAlone(list, `${item}s`, at);
}

function validateResourceRule(rule: FlowResourceRule, at: FieldErrors): void {
  validateVerbs(rule.verbs ?? [], at.child('verbs'));
  validateChoice(rule.apiGroups ?? [], 'api group', at.child('apiGroups'));
  validateChoice(rule.resources ?? [], 'resource', at.child('resources'));
  const namespaces = rule.namespaces ?? [];
  const place = at.child('namespaces');
  if (namespaces.length === 0 && rule.clusterScope !== true) place.required('resource rules that are not cluster scoped must supply at least one namespace');
  else if (namespaces.includes('*')) validateAlone(namespaces, 'namespaces', place);
  else for (const [position, namespace] of namespaces.entries()) report(place.index(position), namespace, checkDnsLabel(namespace)?.map((why) => `each member of this list must be '*' or a DNS-1123 label; ${why}`));
}

function validatePathRule({ verbs, nonResourceURLs }: FlowPathRule, at: FieldErrors): void {
  validateVerbs(verbs ?? [], at.child('verbs'));
  const paths = nonResourceURLs ?? [];
  const place = at.child('nonResourceURLs');
  if (paths.length === 0) place.required('nonResourceURLs must contain at least one value');
  else if (paths.includes('*')) validateAlone(paths, 'non-resource URLs', place);
  else for (const [position, path] of paths.entries()) validatePath(path, place.index(position));
}

function validatePath(path: string, at: FieldErrors): void {
  const firstStar = path.indexOf('*');
  if (path === '') at.invalid(path, 'must not be empty');
  else if (!path.startsWith('/')) at.invalid(path, 'must start with slash');
  else if (path.includes(' ')) at.invalid(path, 'must not contain white-space');
  else if (path.includes('//')) at.invalid(path, 'must not contain double slash');
  else if (firstStar >= 0 && !(path.endsWith('/*') && firstStar === path.length - 1)) at.invalid(path, 'wildcard can only do suffix matching');
}
