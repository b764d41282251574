import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOf } from '#api';
import type { Definition } from './definition.ts';
import { decideStatus, withCondition } from './decide-status.ts';

const BRAND = brandOf('kubernetes');
const NOW = Date.parse('2024-01-02T03:04:05Z');

function definition(name: string, names: Partial<Definition['spec']['names']> = {}, more: Partial<Definition> = {}): Definition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${name}.example.com`, creationTimestamp: null },
    spec: { group: 'example.com', scope: 'Namespaced', names: { plural: name, singular: name, kind: name, listKind: `${name}List`, ...names }, versions: [] },
    status: { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: ['v1'] },
    ...more,
  } as unknown as Definition;
}

const settled = (one: Definition, others: readonly Definition[] = []): Definition => ({ ...one, status: decideStatus(one, others, BRAND, NOW) ?? one.status });
const told = ({ status }: Definition): readonly string[] => (status.conditions ?? []).map(({ type, status: is, reason }) => `${type} ${is} ${reason ?? ''}`);

test('names that nobody has are accepted, and the definition is established', () => {
  const one = settled(definition('foos', { shortNames: ['fo'], categories: ['all'] }));
  assert.deepEqual(one.status.acceptedNames, { plural: 'foos', singular: 'foos', kind: 'foos', listKind: 'foosList', shortNames: ['fo'], categories: ['all'] });
  assert.deepEqual(told(one), ['NamesAccepted True NoConflicts', 'Established True InitialNamesAccepted']);
  assert.deepEqual(one.status.storedVersions, ['v1'], 'where objects are stored is another\'s to say');
  assert.equal(decideStatus(one, [one], BRAND, NOW + 5000), undefined, 'what is settled stays');
});

const CLASHES: readonly (readonly [title: string, names: Partial<Definition['spec']['names']>, reason: string])[] = [
  ['a plural', { plural: 'foos' }, 'PluralConflict'],
  ['a singular', { singular: 'foos' }, 'SingularConflict'],
  ['a short name', { shortNames: ['b', 'fo'] }, 'ShortNamesConflict'],
  ['a kind', { kind: 'foos' }, 'KindConflict'],
  ['the kind of a list', { listKind: 'foosList' }, 'ListKindConflict'],
];

for (const [title, names, reason] of CLASHES) {
  test(`${title} that another has is not accepted`, () => {
    const first = settled(definition('foos', { shortNames: ['fo'] }));
    const second = settled(definition('bars', names), [first]);
    assert.deepEqual(told(second), [`NamesAccepted False ${reason}`, 'Established False NotAccepted']);
    assert.equal(decideStatus(second, [first], BRAND, NOW + 5000), undefined, 'it is not told again and again');
    const elsewhere = definition('bars', names);
    assert.deepEqual(told(settled({ ...elsewhere, spec: { ...elsewhere.spec, group: 'other.com' } }, [first])).at(-1), 'Established True InitialNamesAccepted');
    assert.deepEqual(told(settled(second, [])).at(-1), 'Established True InitialNamesAccepted', 'once the other is gone it is');
  });
}

test('what is established stays so, with the names it had', () => {
  const first = settled(definition('foos', { shortNames: ['fo'] }));
  const second = settled(definition('bars', { shortNames: ['b'] }), [first]);
  const renamed = settled({ ...second, spec: { ...second.spec, names: { ...second.spec.names, shortNames: ['fo'] } } }, [first]);
  assert.deepEqual(renamed.status.acceptedNames.shortNames, ['b']);
  assert.deepEqual(told(renamed), ['NamesAccepted False ShortNamesConflict', 'Established True InitialNamesAccepted']);
});

test('each name that others have is told once, however often it is wanted', () => {
  const first = settled(definition('foos', { shortNames: ['fo', 'f'] }));
  const messages = (...shortNames: string[]): readonly (string | undefined)[] => (settled(definition('bars', { shortNames }), [first]).status.conditions ?? []).map(({ message }) => message);
  assert.equal(messages('fo', 'b', 'fo')[0], '"fo" is already in use');
  assert.equal(messages('fo', 'f', 'fo')[0], '["fo" is already in use, "f" is already in use]');
});

test('names are added to those a definition has, and given up', () => {
  const first = settled(definition('foos', { shortNames: ['fo'], categories: ['all'] }));
  const renamed = (names: Partial<Definition['spec']['names']>): Definition => settled({ ...first, spec: { ...first.spec, names: { ...first.spec.names, ...names } } }, [first]);
  const more = renamed({ shortNames: ['f', 'fo'] });
  assert.deepEqual([more.status.acceptedNames.shortNames, told(more)[0]], [['f', 'fo'], 'NamesAccepted True NoConflicts']);
  const { shortNames, categories } = renamed({ shortNames: [], categories: [] }).status.acceptedNames;
  assert.deepEqual([shortNames, categories], [undefined, undefined]);
});

test('a definition that keeps all fields is told what is not structural, as long as it does', () => {
  const one = definition('foos', {}, { spec: { ...definition('foos').spec, versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties: { a: {} } } } }] } });
  const loose = settled({ ...one, spec: { ...one.spec, preserveUnknownFields: true } });
  assert.deepEqual(told(loose).slice(2), ['NonStructuralSchema True Violations']);
  assert.match(loose.status.conditions?.at(-1)?.message ?? '', /spec\.preserveUnknownFields: .*properties\[a\]\.type: /);
  assert.equal(decideStatus(loose, [], BRAND, NOW + 5000), undefined, 'and not again and again');
  assert.deepEqual(told(settled({ ...loose, spec: one.spec })), ['NamesAccepted True NoConflicts', 'Established True InitialNamesAccepted']);
});

test('a definition whose schema cannot be checked is told so, as long as it keeps all fields', () => {
  const schema = { openAPIV3Schema: { $schema: 'http://json-schema.org/schema#', type: 'object', properties: { a: {} } } };
  const spec = { ...definition('foos').spec, versions: [{ name: 'v1', served: true, storage: true, schema }] } as Definition['spec'];
  const { status } = settled(definition('foos', {}, { spec: { ...spec, preserveUnknownFields: true } }));
  const { status: is, reason, message } = status.conditions?.at(-1) ?? {};
  assert.deepEqual([is, reason, message], ['Unknown', 'StructuralError', "failed to check validation schema for version v1: OpenAPIV3Schema 'schema' is not supported"]);
});

test('a name that a definition has itself becomes no other of its names', () => {
  const first = settled(definition('foos', { singular: 'foo', shortNames: ['fo'] }));
  const renamed = (names: Partial<Definition['spec']['names']>): Definition => settled({ ...first, spec: { ...first.spec, names: { ...first.spec.names, ...names } } });
  assert.deepEqual(told(renamed({ singular: 'foos' })), ['NamesAccepted False SingularConflict', 'Established True InitialNamesAccepted']);
  assert.deepEqual(told(renamed({ shortNames: ['fo', 'foo'] })), ['NamesAccepted False ShortNamesConflict', 'Established True InitialNamesAccepted']);
  const freed = renamed({ singular: 'fo', shortNames: [] });
  assert.equal(told(freed)[0], 'NamesAccepted False SingularConflict');
  assert.equal(told(settled(freed))[0], 'NamesAccepted True NoConflicts', 'which is free once the definition has given it up');
});

test('groups of the product itself need an approval, and say where it is told how to get one', () => {
  const { apiApprovedAnnotation, apiApprovedCondition: type, apiApprovedHelp } = BRAND.names;
  const of = (text: string | undefined): readonly (string | undefined)[] => {
    const one = definition('foos');
    const annotations = text === undefined ? {} : { annotations: { [apiApprovedAnnotation]: text } };
    const after = settled({ ...one, metadata: { ...one.metadata, ...annotations }, spec: { ...one.spec, group: 'x.k8s.io' } });
    return [...told(after).slice(2), after.status.conditions?.at(-1)?.message];
  };
  const wanted = `protected groups must have approval annotation "${apiApprovedAnnotation}"`;
  assert.deepEqual(of('https://example.com/1'), [`${type} True ApprovedAnnotation`, 'approved in https://example.com/1']);
  assert.deepEqual(of('unapproved, a\u200b "trial"'), [`${type} False UnapprovedAnnotation`, 'not approved: "unapproved, a\\u200b \\"trial\\""']);
  assert.deepEqual(of('unapproved://example.com/1').slice(0, 1), [`${type} False UnapprovedAnnotation`]);
  assert.deepEqual(of(undefined), [`${type} False MissingAnnotation`, `${wanted}, see ${apiApprovedHelp}`]);
  assert.deepEqual(of('x'), [`${type} False InvalidAnnotation`, `${wanted} with either a URL or a reason starting with "unapproved", see ${apiApprovedHelp}`]);
});

test('the time of a condition is that of its last change', () => {
  const verdict = { type: 'A', status: 'True', reason: 'x', message: '' };
  const one = withCondition([], verdict, NOW);
  const [same] = withCondition(one, { ...verdict, reason: 'y' }, NOW + 60_000);
  const [other] = withCondition(one, { ...verdict, status: 'False' }, NOW + 60_000);
  assert.deepEqual([same?.lastTransitionTime, same?.reason, other?.lastTransitionTime], ['2024-01-02T03:04:05Z', 'y', '2024-01-02T03:05:05Z']);
});
