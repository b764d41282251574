import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer, Authorizer, Question } from '#request';
import { privilegedGroup, union } from './index.ts';

const VERDICTS = ['allow', 'deny', 'noOpinion'] as const;
const question = (more: Partial<Question> = {}): Question => ({ user: { name: 'u', groups: [] }, isResourceRequest: false, path: '/', ...more }) as Question;
const { signal } = new AbortController();

function saying(verdict: Answer['verdict'], asked: string[]): Authorizer {
  return {
    authorize() {
      asked.push(verdict);
      return { verdict, reason: verdict };
    },
  };
}

for (const first of VERDICTS) {
  for (const second of VERDICTS) {
    const expected = first === 'noOpinion' ? second : first;
    test(`${first} before ${second} is ${expected}, and nobody is asked in vain`, async () => {
      const asked: string[] = [];
      assert.equal((await union([saying(first, asked), saying(second, asked)]).authorize(question(), signal)).verdict, expected);
      assert.deepEqual(asked, first === 'noOpinion' ? [first, second] : [first]);
    });
  }
}

test('what failed is told where nobody decides, and else is of no interest', async () => {
  const failing = (failure: string): Authorizer => ({ authorize: () => ({ verdict: 'noOpinion', reason: '', failure }) });
  const failureOf = async (...modules: Authorizer[]): Promise<unknown> => (await union(modules).authorize(question(), signal)).failure;
  assert.equal(await failureOf(failing('a'), saying('noOpinion', [])), 'a');
  assert.equal(await failureOf(failing('a'), failing('b')), '[a, b]');
  assert.equal(await failureOf(failing('a'), saying('allow', [])), undefined);
  assert.equal(await failureOf(failing('a'), saying('deny', [])), undefined);
  assert.equal(await failureOf(saying('noOpinion', [])), undefined);
});

test('the reasons of all who do not decide are told in their order, and only theirs', async () => {
  const because = (reason: string, verdict: Answer['verdict'] = 'noOpinion'): Authorizer => ({ authorize: async () => ({ verdict, reason }) });
  const reasonOf = async (...modules: Authorizer[]): Promise<string> => (await union(modules).authorize(question(), signal)).reason;
  assert.equal(await reasonOf(because('a'), because(''), because('b')), 'a\nb');
  assert.equal(await reasonOf(because('a'), because('b', 'deny'), because('c')), 'b');
  assert.equal(await reasonOf(because('a'), because('', 'allow')), '');
});

test('the rules of all are listed, and whether one cannot list its own', () => {
  const listing = (path: string, more: { readonly isIncomplete?: boolean; readonly failure?: string } = {}): Authorizer => {
    const rules = [{ verbs: ['get'], nonResourceURLs: [path] }];
    return { ...saying('noOpinion', []), rulesOf: () => ({ rules, isIncomplete: false, ...more }) };
  };
  const listed = (...modules: Authorizer[]): unknown => {
    const { rules, ...rest } = union(modules).rulesOf?.({ name: 'u', groups: [] }, 'n') ?? { rules: [] };
    return { paths: rules.flatMap(({ nonResourceURLs }) => nonResourceURLs), ...rest };
  };
  assert.deepEqual(listed(listing('/a'), listing('/b')), { paths: ['/a', '/b'], isIncomplete: false });
  assert.deepEqual(listed(listing('/a'), listing('/b', { isIncomplete: true })), { paths: ['/a', '/b'], isIncomplete: true });
  assert.deepEqual(listed(saying('allow', []), listing('/b')), { paths: ['/b'], isIncomplete: true });
  assert.deepEqual(listed(listing('/a', { failure: 'x' }), listing('/b', { failure: 'y' })), { paths: ['/a', '/b'], isIncomplete: false, failure: '[x, y]' });
});

test('nobody allows nothing', async () => {
  assert.equal((await union([]).authorize(question(), signal)).verdict, 'noOpinion');
});

test('system:masters may everything', async () => {
  const verdictOf = async (one: Authorizer, more: Partial<Question>): Promise<string> => (await one.authorize(question(more), signal)).verdict;
  assert.equal(await verdictOf(privilegedGroup, { user: { name: 'u', groups: ['x', 'system:masters'] } }), 'allow');
  assert.equal(await verdictOf(privilegedGroup, { user: { name: 'system:masters', groups: ['system:masters2'] } }), 'noOpinion');
});

test('system:masters needs no rules, and a review of rules lists none for it', () => {
  const user = { name: 'u', groups: ['system:masters'] };
  const held: Authorizer = { ...saying('noOpinion', []), rulesOf: () => ({ rules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }], isIncomplete: false }) };
  assert.deepEqual(union([privilegedGroup, held]).rulesOf?.(user, 'n'), { rules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }], isIncomplete: false });
});
