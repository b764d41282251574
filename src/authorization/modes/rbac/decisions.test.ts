import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Answer, Question } from '#request';
import { Decisions } from './decisions.ts';

const QUESTION: Question = {
  isResourceRequest: true,
  path: '',
  verb: 'get',
  apiPrefix: 'api',
  group: '',
  version: 'v1',
  namespace: 'a',
  resource: 'pods',
  subresource: '',
  name: 'x',
  parts: [],
  user: { name: 'u', groups: ['g', 'h'] },
};

/** Asks, and says whether it had to be decided. */
function asking(): (question: Question, revision?: number) => boolean {
  const decisions = new Decisions();
  return (question, revision = 1) => {
    let decided = false;
    const answer: Answer = { verdict: 'allow', reason: JSON.stringify(question.user.groups) };
    const decide = (): Answer => {
      decided = true;
      return answer;
    };
    assert.deepEqual(decisions.remember(question, revision, decide), answer);
    return decided;
  };
}

test('the same question is decided once, until the policy changes', () => {
  const isDecided = asking();
  assert.deepEqual([isDecided(QUESTION), isDecided(QUESTION), isDecided({ ...QUESTION, user: { name: 'u', groups: ['g', 'h'] } })], [true, false, false]);
  assert.deepEqual([isDecided(QUESTION, 2), isDecided(QUESTION, 2), isDecided(QUESTION, 1)], [true, false, true]);
});

/** Each differs from the question in something a rule or a subject can speak about, some so that the texts joined are the same. */
const OTHERS: readonly Partial<Question>[] = [
  { verb: 'list' },
  { group: 'apps' },
  { namespace: '' },
  { resource: 'secrets' },
  { subresource: 'log' },
  { name: '' },
  { isResourceRequest: false, path: 'pods  a x' },
  { user: { name: 'v', groups: ['g', 'h'] } },
  { user: { name: 'u', groups: ['g'] } },
  { user: { name: 'u', groups: ['h', 'g'] } },
  { user: { name: 'u', groups: ['g h'] } },
  { user: { name: 'u get', groups: ['g', 'h'] }, verb: 'pods', resource: '' },
  { namespace: 'a x', name: '' },
  { namespace: '', name: 'a x' },
  { user: { name: 'u', groups: ['g', 'h', 'system:masters'] } },
];

test('a question that differs in anything that counts is decided by itself', () => {
  for (const other of OTHERS) {
    const isDecided = asking();
    isDecided(QUESTION);
    assert.equal(isDecided({ ...QUESTION, ...other }), true, JSON.stringify(other));
  }
});

test('paths are told apart, and from resources', () => {
  const isDecided = asking();
  const path = (text: string): Question => ({ ...QUESTION, isResourceRequest: false, path: text });
  assert.deepEqual(['/a', '/b', '/a', 'pods  a x'].map((text) => isDecided(path(text))), [true, true, false, true]);
});

/** Each is long by one of its members alone. */
const LONG = 'x'.repeat(10_000);
const LONG_ONES: readonly Partial<Question>[] = [
  { user: { name: LONG, groups: [] } },
  { user: { name: 'u', groups: Array.from({ length: 1000 }, (_, at) => `group-${at}-of-many`) } },
  { user: { name: 'u', groups: Array.from({ length: 10_000 }, () => '') } },
  { isResourceRequest: false, path: LONG },
  ...(['verb', 'group', 'resource', 'subresource', 'namespace', 'name'] as const).map((member) => ({ [member]: LONG })),
];

test('very long questions are not kept', () => {
  for (const long of LONG_ONES) {
    const decisions = new Decisions();
    let decided = 0;
    const decide = (): Answer => ({ verdict: 'allow', reason: String(++decided) });
    for (let times = 0; times < 2; times++) decisions.remember({ ...QUESTION, ...long }, 1, decide);
    assert.equal(decided, 2, Object.keys(long).join());
  }
});

test('answers with very long reasons are not kept', () => {
  const decisions = new Decisions();
  const reasons = ['x', 'y'].map((text) => text.repeat(100_000));
  const answers = reasons.map((reason) => decisions.remember(QUESTION, 1, () => ({ verdict: 'noOpinion', reason })));
  assert.ok(answers.every(({ reason }, at) => reason === reasons[at]));
});

/** Words with spaces, so that often the same text is made of different members. */
const word = fc.constantFrom('', ' ', '   ', 'a', 'a a');
const anyQuestion: fc.Arbitrary<Question> = fc
  .record({ isResourceRequest: fc.boolean(), path: word, verb: word, group: word, namespace: word, resource: word, subresource: word, name: word, user: word, groups: fc.array(word, { maxLength: 2 }) })
  .map(({ user, groups, ...asked }) => ({ ...QUESTION, ...asked, user: { name: user, groups } }));

/** What a decision depends on: a path has no resource, and a resource no path. */
const essenceOf = ({ isResourceRequest, path, verb, group, namespace, resource, subresource, name, user }: Question): string =>
  JSON.stringify([user, verb, isResourceRequest ? { group, namespace, resource, subresource, name } : path]);

test('whoever asks whatever, nobody gets the answer to the question of somebody else', () => {
  fc.assert(
    fc.property(fc.array(anyQuestion, { minLength: 20, maxLength: 100, size: 'max' }), (questions) => {
      const decisions = new Decisions();
      for (const question of questions) {
        const reason = essenceOf(question);
        assert.deepEqual(decisions.remember(question, 1, () => ({ verdict: 'allow', reason })), { verdict: 'allow', reason });
      }
    }),
  );
});
