import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Precondition } from '../engine.ts';
import { MAX_OBJECT_BYTES } from '../write.ts';
import { isFailure, keyOfNote, note, setText, taken, type Note, type TestedStore } from './test-support.ts';

/** Tests of `write`, conflicts and retries included. */
export function writeSuite(tested: TestedStore): void {
  const { create, update, remove, watch, names } = tested;

  it('creates only while its preconditions hold, and asks for them again when one failed', async () => {
    const place = await create(note('place', '1'));
    const known = { key: place.stored.key, revision: place.stored.revision };
    await update('place', setText('2'));
    const asked: boolean[] = [];
    const preconditions = async (isAgain: boolean): Promise<readonly Precondition[]> => {
      asked.push(isAgain);
      if (!isAgain) return [known];
      const now = await tested.store.get(known.key, 'latest');
      if (now === undefined) throw new Error('it is gone');
      return [{ key: known.key, revision: now.revision }];
    };
    const made = await create(note('a', '1'), { assume: 'absent', preconditions });
    assert.deepEqual([made.did, asked.splice(0)], ['create', [false, true]]);
    await update('a', setText('2'), { preconditions });
    assert.deepEqual(asked, [], 'what is there already is changed under whatever stands');
    await remove('place');
    await assert.rejects(create(note('b', '1'), { assume: 'absent', preconditions }), /it is gone/);
    assert.deepEqual(await names(), ['a']);
  });

  it('R2.2-09 creates, replaces and removes, and shows the new resourceVersion', async () => {
    const made = await create(note('a', '1'));
    assert.deepEqual([made.did, made.stored.revision, made.stored.object.metadata.resourceVersion], ['create', 2, '2']);
    const changed = await update('a', setText('2'));
    assert.deepEqual([changed.did, changed.stored.object.text, changed.stored.object.metadata.resourceVersion], ['replace', '2', '3']);
    const gone = await remove('a');
    assert.deepEqual([gone.did, gone.stored.object.text, gone.stored.object.metadata.resourceVersion, gone.stored.revision], ['remove', '2', '3', 3]);
    assert.equal(await tested.store.get(keyOfNote('a'), 'latest'), undefined);
  });

  it('gives the decider its own copy, with the resourceVersion', async () => {
    await create(note('a', '1'));
    const before = (await tested.store.get(keyOfNote('a'), 'latest'))!;
    const { object } = before;
    await update('a', (live) => {
      assert.equal(live.metadata.resourceVersion, '2');
      live.text = 'changed';
    });
    assert.equal(object.text, '1');
    assert.equal(before.object.text, '1');
  });

  it('refuses an object beyond the limit, in a dry run too, and leaves what stands', async () => {
    await create(note('a', '1'));
    const others = tested.codec.encode(note('a', '')).length;
    await assert.rejects(update('a', setText('x'.repeat(MAX_OBJECT_BYTES - others + 1)), { dryRun: true }), isFailure('tooLarge'));
    await update('a', setText('x'.repeat(MAX_OBJECT_BYTES - others)), { dryRun: true });
    const tooLong = 'x'.repeat(MAX_OBJECT_BYTES);
    for (const dryRun of [false, true]) {
      await assert.rejects(update('a', setText(tooLong), { dryRun }), isFailure('tooLarge'));
      await assert.rejects(create(note('b', tooLong), { dryRun }), isFailure('tooLarge'));
    }
    assert.equal(await tested.engine.head(), 2);
    assert.equal((await update('a', setText('2'))).did, 'replace');
  });

  it('what others made small meanwhile is not refused for the size it had', async () => {
    await create(note('a', 'x'.repeat(1000)));
    const large = (await tested.store.get(keyOfNote('a'), 'latest'))?.object;
    await update('a', setText('1'));
    const added = await update('a', (live) => void (live.text += 'x'.repeat(MAX_OBJECT_BYTES - 1000)), { assume: large });
    assert.equal(added.stored.object.text?.length, MAX_OBJECT_BYTES - 999);
  });

  it('writes nothing when nothing changes or nothing is wanted', async () => {
    await create(note('a', '1'));
    const same = await update('a', () => {});
    assert.deepEqual([same.did, same.stored.revision], ['nothing', 2]);
    const kept = await tested.store.write(keyOfNote('a'), async () => ({ keep: true }));
    assert.deepEqual([kept.did, kept.stored.revision], ['nothing', 2]);
    assert.equal(await tested.engine.head(), 2);
  });

  it('passes on what the decider throws, and has written nothing then', async () => {
    const mine = new Error('mine');
    await assert.rejects(
      tested.store.write(keyOfNote('a'), async () => {
        throw mine;
      }),
      mine,
    );
    await create(note('a', '1'));
    await assert.rejects(create(note('a', '2')), taken);
    assert.equal(await tested.engine.head(), 2);
  });

  it('passes on what a decider throws that takes the object for absent, whatever stands there: it is not asked again', async () => {
    await create(note('a', '1'));
    const asked: (Note | undefined)[] = [];
    const refused = new Error('refused');
    const decide = (live: Note | undefined): never => {
      asked.push(live);
      throw refused;
    };
    await assert.rejects(tested.store.write(keyOfNote('a'), decide, { assume: 'absent' }), refused);
    assert.deepEqual(asked, [undefined]);
  });

  it('asks right before each commit, again after a conflict too, whether it may be made: what that throws reaches the caller, and nothing is written', async () => {
    const { stored } = await create(note('a', '1'));
    await update('a', setText('2'));
    let commits = 0;
    const counting = { beforeCommit: () => void (commits += 1) };
    for (const decide of [() => {}, setText('3')]) await update('a', decide, { ...counting, dryRun: true });
    await update('a', () => {}, counting);
    assert.equal(commits, 0, 'there was nothing to write');
    await update('a', setText('3'), { ...counting, seen: stored });
    assert.equal(commits, 2);
    const over = new Error('over');
    const beforeCommit = (): never => {
      throw over;
    };
    await assert.rejects(update('a', setText('4'), { beforeCommit }), over);
    await assert.rejects(remove('a', { beforeCommit }), over);
    await assert.rejects(create(note('b', '1'), { beforeCommit }), over);
    assert.equal(await tested.engine.head(), 4);
  });

  it('lets exactly one of 20 racing creates win', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, (_, i) => create(note('a', `${i}`), { assume: 'absent' })));
    const won = outcomes.flatMap((outcome, i) => (outcome.status === 'fulfilled' ? [i] : []));
    assert.equal(won.length, 1);
    for (const outcome of outcomes) if (outcome.status === 'rejected') assert.equal(outcome.reason, taken);
    assert.equal((await tested.store.get(keyOfNote('a'), 'latest'))?.object.text, `${won[0]}`);
  });

  it('loses nothing of 50 racing updates', async () => {
    await create(note('a', '0'));
    await Promise.all(Array.from({ length: 50 }, () => update('a', (live) => void (live.text = String(Number(live.text) + 1)))));
    assert.equal((await tested.store.get(keyOfNote('a'), 'latest'))?.object.text, '50');
  });

  it('gives up after very many lost races', async () => {
    await create(note('a', '0'));
    let asked = 0;
    await assert.rejects(
      tested.store.write(keyOfNote('a'), async (live) => {
        asked++;
        await update('a', setText(`${asked}`));
        return { put: { ...live!, text: 'never' } };
      }),
      isFailure('contended'),
    );
    assert.equal(asked, 100);
  });

  it('R4.8-09 does everything but write in a dry-run', async () => {
    const made = await create(note('a', '1'), { dryRun: true });
    assert.deepEqual([made.did, made.stored.revision, 'resourceVersion' in made.stored.object.metadata], ['create', 0, false]);
    await create(note('a', '1'));
    await assert.rejects(create(note('a', '2'), { dryRun: true }), taken);
    await assert.rejects(create(note('a', '2'), { dryRun: true, assume: 'absent' }), taken);
    const changed = await update('a', setText('2'), { dryRun: true });
    assert.deepEqual([changed.did, changed.stored.object.text, changed.stored.object.metadata.resourceVersion], ['replace', '2', '2']);
    const gone = await remove('a', { dryRun: true });
    assert.deepEqual([gone.did, gone.stored.object.text], ['remove', '1']);
    assert.equal((await tested.store.get(keyOfNote('a'), 'latest'))?.object.text, '1');
    assert.equal(await tested.engine.head(), 2);
  });

  it('shows the last state of what it removes', async () => {
    await create(note('a', '1'));
    const gone = await tested.store.write(keyOfNote('a'), async (live) => ({ remove: true, last: { ...live!, text: 'final' } }));
    assert.deepEqual([gone.stored.object.text, gone.stored.object.metadata.resourceVersion], ['final', '2']);
  });

  it('asks again when an assumption was wrong, whatever was decided from it', async () => {
    const { stored } = await create(note('a', '1'));
    await update('a', setText('2'));
    const seen: (string | undefined)[] = [];
    const decide = (decision: 'put' | 'keep' | 'throw') => async (live: Note | undefined) => {
      seen.push(live?.text);
      if (live?.text === '2') return { keep: true } as const;
      if (decision === 'throw') throw new Error('misled');
      return decision === 'put' ? { put: { ...live!, text: 'x' } } : ({ keep: true } as const);
    };
    for (const assumption of [{ assume: stored.object }, { seen: stored }]) {
      for (const decision of ['put', 'keep', 'throw'] as const) {
        const written = await tested.store.write(keyOfNote('a'), decide(decision), assumption);
        assert.equal(written.did, 'nothing');
        assert.equal(written.stored.revision, 3);
      }
      assert.deepEqual(seen.splice(0), ['1', '2', '1', '2', '1', '2']);
    }
  });

  it('takes what it has shown before for what stands there, and asks again when it was wrong', async () => {
    const { stored } = await create(note('a', '1'));
    const asked: (string | undefined)[] = [];
    const change = async (live: Note | undefined): Promise<{ put: Note }> => {
      asked.push(live?.text);
      return { put: { ...live!, text: `${live?.text}+` } };
    };
    await tested.store.write(keyOfNote('a'), change, { seen: stored });
    const written = await tested.store.write(keyOfNote('a'), change, { seen: stored });
    assert.deepEqual([asked, written.stored.object.text, written.stored.revision], [['1', '1', '1+'], '1++', 4]);
  });

  it('looks for itself where what is assumed has no version', async () => {
    const asked: (string | undefined)[] = [];
    const decide = async (live: Note | undefined): Promise<{ put: Note }> => {
      asked.push(live?.text);
      return { put: note('a', `${asked.length}`) };
    };
    for (let round = 0; round < 2; round++) await tested.store.write(keyOfNote('a'), decide, { assume: note('a', 'made up') });
    assert.deepEqual(asked, [undefined, '1']);
  });

  it('asks once when an assumption was right', async () => {
    const { object } = (await create(note('a', '1'))).stored;
    let asked = 0;
    const written = await tested.store.write(
      keyOfNote('a'),
      async (live) => {
        asked++;
        return { put: { ...live!, text: '2' } };
      },
      { assume: object },
    );
    assert.deepEqual([asked, written.stored.revision], [1, 3]);
  });

  it('removes what has a time to live', async () => {
    const collector = await watch();
    await create(note('a', '1'), { ttlSeconds: 60 });
    tested.clock.turn(60_000);
    await collector.count(2);
    assert.deepEqual(collector.summary(), ['ADDED a=1 2', 'DELETED a=1 3']);
  });
}
