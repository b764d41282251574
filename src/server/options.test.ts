import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle, type ServerOptions } from './options.ts';

test('one of several servers is elected where others may write to the store, unless it is said otherwise', () => {
  const rows: readonly (readonly [options: ServerOptions, isElected: boolean])[] = [
    [{}, false],
    [{ store: 'memory://' }, false],
    [{ store: 'lmdb://data' }, false],
    [{ store: 'sqlite://data' }, false],
    [{ store: 'lmdb://data', isStoreShared: true }, true],
    [{ store: 'etcd://127.0.0.1:2379' }, true],
    [{ store: 'etcd://127.0.0.1:2379', leaderElection: false }, false],
    [{ leaderElection: true }, true],
  ];
  for (const [options, isElected] of rows) assert.equal(settle(options).leaderElection, isElected, JSON.stringify(options));
});

test('nobody is anonymous where everybody may do everything', () => {
  const rows: readonly (readonly [options: ServerOptions, isAnonymous: boolean])[] = [
    [{}, true],
    [{ anonymous: false }, false],
    [{ authorization: { modes: ['AlwaysAllow'] } }, false],
    [{ anonymous: true, authorization: { modes: ['AlwaysAllow'] } }, false],
    [{ authorization: { modes: ['RBAC', 'AlwaysAllow'] } }, false],
    [{ authorization: { modes: ['Node', 'RBAC'] } }, true],
  ];
  for (const [options, isAnonymous] of rows) assert.equal(settle(options).anonymous, isAnonymous, JSON.stringify(options));
});

test('a dialect that is none is refused', () => {
  assert.throws(() => settle({ dialect: 'klingon' as never }), /dialect "klingon" is not known; choose one of orch, kubernetes/);
});
