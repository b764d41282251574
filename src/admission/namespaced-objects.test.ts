import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { deferred, StillClock, type Deferred } from '#base';
import type { ApiObject, KindName, ObjectAccess } from '#api';
import { NamespacedObjects } from './namespaced-objects.ts';
import { make } from './test-support.ts';

const LIMITS: KindName = { group: '', kind: 'LimitRange' };
const limits = (name: string, namespace = 'n'): ApiObject => make('LimitRange', name, {}, { namespace });

describe('the objects of a namespace', () => {
  /** What the store answers when it is asked, in order, and for which namespaces it was. */
  let answers: Deferred<readonly ApiObject[]>[];
  let asked: string[];
  let clock: StillClock;
  let known: NamespacedObjects<ApiObject>;
  const list = (_kind: KindName, namespace: string): Promise<readonly ApiObject[]> => {
    asked.push(namespace);
    const answer = deferred<readonly ApiObject[]>();
    answers.push(answer);
    return answer.promise;
  };
  beforeEach(() => {
    [answers, asked, clock] = [[], [], new StillClock()];
    known = new NamespacedObjects(LIMITS, { objects: { list } as unknown as ObjectAccess, clock });
  });
  const names = (namespace = 'n'): readonly (string | undefined)[] => known.in(namespace).map(({ metadata }) => metadata.name);
  const lookAndFind = async (...found: readonly ApiObject[]): Promise<void> => {
    const looking = known.look('n');
    answers.at(-1)?.resolve(found);
    await looking;
  };

  it('are those that were heard of, by name, and the store is not asked', () => {
    for (const name of ['b', 'a', 'b']) known.put(limits(name));
    known.put(limits('c', 'm'));
    assert.deepEqual([names(), names('m'), known.look('n')], [['a', 'b'], ['c'], undefined]);
    known.remove({ namespace: 'n', name: 'a' });
    assert.deepEqual([names(), known.look('n'), asked], [['b'], undefined, []]);
  });

  it('are those of the store where none was heard of; it is asked once for all who ask, and again after half a minute', async () => {
    const both = [known.look('n') ?? assert.fail(), known.look('n') ?? assert.fail()];
    answers[0]?.resolve([limits('b'), limits('a')]);
    await Promise.all(both);
    assert.deepEqual([names(), names('m'), asked], [['a', 'b'], [], ['n']]);
    clock.turn(29_999);
    assert.equal(known.look('n'), undefined);
    clock.turn(1);
    await lookAndFind();
    assert.deepEqual([names(), asked], [[], ['n', 'n']]);
  });

  it('are what was heard last: what the store said before, or was asked before, does not count any more', async () => {
    await lookAndFind(limits('a'));
    known.put(limits('b'));
    assert.deepEqual(names(), ['b']);
    known.remove({ namespace: 'n', name: 'b' });
    assert.deepEqual(names(), []);

    const early = known.look('n');
    known.put(limits('c'));
    known.remove({ namespace: 'n', name: 'c' });
    const late = known.look('n');
    answers[2]?.resolve([limits('d')]);
    await late;
    answers[1]?.resolve([limits('c')]);
    await early;
    assert.deepEqual(names(), ['d']);
  });

  it('are not those of an answer that something was heard after, also while the store is asked again', async () => {
    const early = known.look('n');
    known.put(limits('a'));
    known.remove({ namespace: 'n', name: 'a' });
    const late = known.look('n');
    answers[0]?.resolve([limits('a')]);
    await early;
    assert.deepEqual(names(), []);
    answers[1]?.resolve([limits('b')]);
    await late;
    assert.deepEqual(names(), ['b']);
  });

  it('are asked for again where the store could not be asked', async () => {
    const failing = known.look('n');
    answers[0]?.reject(new Error('no store'));
    await assert.rejects(async () => failing, /no store/);
    await lookAndFind(limits('a'));
    assert.deepEqual(names(), ['a']);
  });
});
