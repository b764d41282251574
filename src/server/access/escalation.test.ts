import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { StillClock } from '#base';
import { openEngine, type Engine } from '#storage';
import { passing } from '#test-support';
import { startServerOn, type RunningServer } from '../start.ts';

const RBAC = 'rbac.authorization.orch.io';
const TOKENS = 'ta,admin,1,"system:masters"\ntb,bob,2\ntc,carol,3\n';

/** One of several servers on a store. While it lags, it hears of changes only once it has asked for the newest revision or has written. */
interface Lagging {
  readonly engine: Engine;
  lag(): void;
  readonly isBehind: boolean;
}

function lagging(store: Engine): Lagging {
  let isLagging = false;
  const held: (() => void)[] = [];
  const catchUp = (): void => {
    isLagging = false;
    for (const tell of held.splice(0)) tell();
  };
  const engine: Engine = {
    ...passing(store),
    head() {
      catchUp();
      return store.head();
    },
    commit(write) {
      catchUp();
      return store.commit(write);
    },
    follow(prefix, position, feed, signal) {
      const changes: typeof feed.changes = (batch, upTo) => {
        if (isLagging) held.push(() => feed.changes(batch, upTo));
        else feed.changes(batch, upTo);
      };
      store.follow(prefix, position, { changes, lost: (why) => feed.lost(why) }, signal);
    },
    close: () => Promise.resolve(),
  };
  return {
    engine,
    lag: () => void (isLagging = true),
    get isBehind() {
      return isLagging && held.length > 0;
    },
  };
}

describe('nobody grants more than they have, whichever server on the store changed a role', () => {
  let near: RunningServer;
  let far: RunningServer;
  let distance: Lagging;

  before(async () => {
    const store = await openEngine('memory://');
    distance = lagging(store);
    const options = { listen: false, tokens: TOKENS, controllers: 'none', aggregateRoles: false, clock: new StillClock() } as const;
    near = await startServerOn(store, options);
    far = await startServerOn(distance.engine, options);
    const own = [
      { verbs: ['create', 'update', 'get'], apiGroups: [RBAC], resources: ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'] },
      { verbs: ['get'], apiGroups: [''], resources: ['pods'] },
    ];
    await by('ta', near, 'POST', 'clusterroles', role('granter', own));
    await by('ta', near, 'POST', 'clusterrolebindings', binding('granter', 'granter', 'bob', 'carol'));
  });
  after(async () => {
    await far.close();
    await near.close();
  });

  const role = (name: string, rules: readonly object[]): object => ({ metadata: { name }, rules });
  const binding = (name: string, to: string, ...users: readonly string[]): object => ({
    metadata: { name },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: to },
    subjects: users.map((user) => ({ kind: 'User', apiGroup: RBAC, name: user })),
  });
  const pods = (...verbs: readonly string[]): readonly object[] => [{ verbs, apiGroups: [''], resources: ['pods'] }];

  async function by(who: string, server: RunningServer, method: string, path: string, body: object): Promise<number> {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${who}` };
    const answer = await server.exchange({ method, path: `/apis/${RBAC}/v1/${path}`, headers, body: JSON.stringify(body) });
    return answer.status;
  }

  /** What the server that lags answers to a write of bob. */
  async function behind(path: string, body: object): Promise<number> {
    assert.ok(distance.isBehind, 'the server has heard of the change already');
    return by('tb', far, 'POST', path, body);
  }

  test('a role that was widened elsewhere is not bound by who does not hold its rules', async () => {
    assert.equal(await by('ta', far, 'POST', 'clusterroles', role('narrow', pods('get'))), 201);
    distance.lag();
    assert.equal(await by('ta', near, 'PUT', 'clusterroles/narrow', role('narrow', [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }])), 200);
    assert.equal(await behind('clusterrolebindings', binding('wide', 'narrow', 'eve')), 403);
  });

  test('a role that was made elsewhere can be bound at once', async () => {
    distance.lag();
    assert.equal(await by('tc', near, 'POST', 'clusterroles', role('fresh', pods('get'))), 201);
    assert.equal(await behind('clusterrolebindings', binding('fresh', 'fresh', 'dora')), 201);
  });

  test('what was granted elsewhere can be granted on, and what was taken away elsewhere cannot', async () => {
    await by('ta', near, 'POST', 'clusterroles', role('lister', pods('list')));
    distance.lag();
    assert.equal(await by('ta', near, 'POST', 'clusterrolebindings', binding('lister', 'lister', 'bob')), 201);
    assert.equal(await behind('clusterroles', role('lists', pods('list'))), 201);
    distance.lag();
    assert.equal(await by('ta', near, 'DELETE', 'clusterrolebindings/lister', {}), 200);
    assert.equal(await behind('clusterroles', role('lists-again', pods('list'))), 403);
  });

  test('in a namespace the rules of its own roles count, as they are stored', async () => {
    const local = (name: string, to: string, user: string): object => ({ ...binding(name, to, user), roleRef: { apiGroup: RBAC, kind: 'Role', name: to } });
    await by('ta', near, 'POST', 'namespaces/default/roles', role('watcher', pods('watch')));
    await by('ta', near, 'POST', 'namespaces/default/rolebindings', local('watcher', 'watcher', 'bob'));
    assert.equal(await by('tb', far, 'POST', 'namespaces/default/rolebindings', local('watcher-too', 'watcher', 'dora')), 201);
    assert.equal(await by('tb', far, 'POST', 'namespaces/orch-system/roles', role('watcher', pods('watch'))), 403);
    assert.equal(await by('ta', near, 'PUT', 'namespaces/default/roles/watcher', role('watcher', pods('watch', 'delete'))), 200);
    assert.equal(await by('tb', far, 'POST', 'namespaces/default/roles', role('deleter', pods('delete'))), 201);
  });
});
