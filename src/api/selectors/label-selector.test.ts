import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FieldErrors } from '#errors';
import { compileSelectorMessage, faultOfValues, formatLabels, formatSelectorMessage, isUsableSelector, validateLabelSelector, type LabelSelector } from './label-selector.ts';

const expression = (operator: string, ...values: readonly string[]): LabelSelector => ({
  matchExpressions: [{ key: 'k', operator, ...(values.length === 0 ? {} : { values: [...values] }) }],
});

const cases: readonly {
  readonly name: string;
  readonly selector: LabelSelector;
  readonly causes?: readonly string[];
  readonly matches?: string;
  readonly line?: string;
}[] = [
  { name: 'empty', selector: {}, matches: 'abc', line: '<none>' },
  { name: 'labels', selector: { matchLabels: { k: 'v', j: 'w' } }, matches: '', line: 'j=w,k=v' },
  { name: 'In', selector: expression('In', 'w', 'v'), matches: 'ab', line: 'k in (v,w)' },
  { name: 'NotIn', selector: expression('NotIn', 'v'), matches: 'bc', line: 'k notin (v)' },
  { name: 'Exists', selector: expression('Exists'), matches: 'ab', line: 'k' },
  { name: 'DoesNotExist', selector: expression('DoesNotExist'), matches: 'c', line: '!k' },
  { name: 'bad key', selector: { matchLabels: { 'bad key!': 'v' } }, causes: ['FieldValueInvalid s.matchLabels'] },
  { name: 'bad value', selector: { matchLabels: { k: 'bad value!' } }, causes: ['FieldValueInvalid s.matchLabels'] },
  { name: 'In without values', selector: expression('In'), causes: ['FieldValueRequired s.matchExpressions[0].values'] },
  { name: 'Exists with values', selector: expression('Exists', 'v'), causes: ['FieldValueForbidden s.matchExpressions[0].values'] },
  { name: 'operator', selector: expression('Like', 'v'), causes: ['FieldValueInvalid s.matchExpressions[0].operator'] },
  {
    name: 'empty key, which is both missing and malformed',
    selector: { matchExpressions: [{ key: '', operator: 'Exists' }] },
    causes: ['FieldValueInvalid s.matchExpressions[0].key', 'FieldValueInvalid s.matchExpressions[0].key'],
  },
];

const OBJECTS = { a: { k: 'v' }, b: { k: 'w' }, c: undefined };

for (const { name, selector, causes, matches, line } of cases) {
  test(`label selector: ${name}`, () => {
    const at = new FieldErrors('s');
    validateLabelSelector(selector, at);
    assert.deepEqual(
      at.causes.map((cause) => `${cause.reason} ${cause.field}`),
      causes ?? [],
    );
    const holds = compileSelectorMessage(selector);
    if (matches !== undefined)
      assert.equal(
        Object.entries(OBJECTS)
          .filter(([, labels]) => holds(labels))
          .map(([key]) => key)
          .join(''),
        matches,
      );
    if (line !== undefined) assert.equal(formatSelectorMessage(selector), line);
  });
}

const WHY =
  `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character ` +
  `(e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`;

test('label selector: values that no label can have are told requirement by requirement', () => {
  const told: readonly (readonly [values: readonly string[], fault: string | undefined])[] = [
    [['v', ''], undefined],
    [['v', 'w '], `values[1][k]: Invalid value: "w ": ${WHY}`],
    [['w ', 'x y'], `[values[0][k]: Invalid value: "w ": ${WHY}, values[1][k]: Invalid value: "x y": ${WHY}]`],
    [[`${'w'.repeat(63)} `], `values[0][k]: Invalid value: "${'w'.repeat(63)} ": must be no more than 63 characters; ${WHY}`],
  ];
  for (const [values, fault] of told) {
    const selector: LabelSelector = { matchExpressions: [{ key: 'j', operator: 'Exists' }, ...(expression('NotIn', ...values).matchExpressions ?? [])] };
    assert.deepEqual([faultOfValues(selector), isUsableSelector(selector)], [fault, fault === undefined]);
  }
  const two: LabelSelector = { matchExpressions: [{ key: 'j', operator: 'In', values: ['w '] }, { key: 'k', operator: 'In', values: ['x '] }] };
  assert.equal(faultOfValues(two), `values[0][j]: Invalid value: "w ": ${WHY}`);
});

test('an absent selector matches nothing', () => {
  assert.equal(compileSelectorMessage(undefined)({ k: 'v' }), false);
});

test('a selector that nothing can be selected by is shown as an error, whole', () => {
  const fine = { key: 'a', operator: 'Exists' };
  const odd = [{ key: 'k', operator: 'NotIn', values: ['a', 'x'.repeat(64)] }, { key: 'k', operator: 'In' }, { key: 'k', operator: 'Like', values: ['a'] }, { key: 'a b', operator: 'Exists' }];
  for (const one of odd) assert.equal(formatSelectorMessage({ matchExpressions: [fine, one] }), '<error>');
  assert.equal(formatSelectorMessage({ matchLabels: { k: 'a b' } }), '<error>');
  assert.equal(formatSelectorMessage({ matchLabels: { k: 'v' }, matchExpressions: [fine, { key: 'n', operator: 'DoesNotExist' }] }), 'a,k=v,!n');
});

test('labels are shown in the order of their text, not of their keys as in a selector', () => {
  const labels = { app: 'web', 'app.example.com/name': 'shop', 'app-kind': 'x' };
  assert.equal(formatLabels(labels), 'app-kind=x,app.example.com/name=shop,app=web');
  assert.equal(formatSelectorMessage({ matchLabels: labels }), 'app=web,app-kind=x,app.example.com/name=shop');
  assert.deepEqual([formatLabels({}), formatLabels(undefined)], ['<none>', '<none>']);
});
