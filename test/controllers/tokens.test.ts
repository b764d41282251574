import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { TurnedClock, type TestJson } from '#testing';
import { Cluster, DIALECTS } from './cluster.ts';

const SECRET = '0123456789abcdef';
const text = (base64: string | undefined): string => Buffer.from(base64 ?? '', 'base64').toString();

for (const dialect of DIALECTS) {
  describe(`tokens in Secrets (${dialect})`, () => {
    let cluster: Cluster;
    before(async () => {
      cluster = await Cluster.start({ dialect, controllers: 'serviceaccount-token', rootCa: 'PEM', aggregateRoles: false });
    });
    after(() => cluster.server.close());

    const makeToken = (name: string, account: string, more: object = {}): Promise<TestJson> => {
      const { serviceAccountNameAnnotation, serviceAccountTokenSecret: type } = cluster.brand.names;
      return cluster.make('default/secrets', { name, annotations: { [serviceAccountNameAnnotation]: account, ...more } }, { type });
    };
    const isComplete = (one: TestJson): boolean => one?.data?.token !== undefined;

    test('R2.13-45 R2.13-47 a Secret that asks for a token gets one, with all that a client needs, and it is the account', async () => {
      const account = await cluster.make('default/serviceaccounts', { name: 'robot' });
      await makeToken('robot-token', 'robot');
      const { data, metadata } = await cluster.until('default/secrets', 'robot-token', isComplete);
      assert.deepEqual([text(data.namespace), text(data['ca.crt'])], ['default', 'PEM']);
      assert.equal(metadata.annotations[cluster.brand.names.serviceAccountUidAnnotation], account.metadata.uid);
      const headers = { authorization: `Bearer ${text(data.token)}` };
      const { status, body } = await cluster.server.request('GET', '/api/v1/nodes', undefined, headers);
      assert.equal(status, 403);
      assert.match(body.message, /User "system:serviceaccount:default:robot"/);
    });

    test('what is taken out is put in again, the token as it was only where it still stands', async () => {
      await cluster.make('default/serviceaccounts', { name: 'careful' });
      await makeToken('careful-token', 'careful');
      const { data } = await cluster.until('default/secrets', 'careful-token', isComplete);
      await cluster.merge('default/secrets', 'careful-token', { data: { 'ca.crt': 'b3RoZXI=', namespace: null } });
      const whole = (one: TestJson): boolean => text(one.data['ca.crt']) === 'PEM' && one.data.namespace !== undefined;
      assert.equal((await cluster.until('default/secrets', 'careful-token', whole)).data.token, data.token);
    });

    test('a token goes with its account, and one without an account goes at once', async () => {
      const first = await cluster.make('default/serviceaccounts', { name: 'leaving' });
      await makeToken('leaving-token', 'leaving');
      await cluster.until('default/secrets', 'leaving-token', isComplete);
      await cluster.delete('default/serviceaccounts', 'leaving');
      await cluster.gone('default/secrets', 'leaving-token');
      await makeToken('lost-token', 'nobody');
      await cluster.gone('default/secrets', 'lost-token');
      // Of the same name, but another one.
      await cluster.make('default/serviceaccounts', { name: 'leaving' });
      await makeToken('old-token', 'leaving', { [cluster.brand.names.serviceAccountUidAnnotation]: first.metadata.uid });
      await cluster.gone('default/secrets', 'old-token');
    });

    test('an account no longer names a Secret that is gone', async () => {
      await cluster.make('default/serviceaccounts', { name: 'tidy' }, { secrets: [{ name: 'tidy-token' }, { name: 'other' }] });
      await makeToken('tidy-token', 'tidy');
      await cluster.until('default/secrets', 'tidy-token', isComplete);
      await cluster.delete('default/secrets', 'tidy-token');
      const { secrets } = await cluster.until('default/serviceaccounts', 'tidy', (one) => one.secrets.length === 1);
      assert.deepEqual(secrets, [{ name: 'other' }]);
    });

    test('an account that names the Secret of another goes on to name it when it is gone', async () => {
      const named = { secrets: [{ name: 'shared-token' }] };
      await cluster.make('default/serviceaccounts', { name: 'borrower' }, named);
      await cluster.make('default/serviceaccounts', { name: 'owner' }, named);
      await makeToken('shared-token', 'owner');
      await cluster.until('default/secrets', 'shared-token', isComplete);
      await cluster.delete('default/secrets', 'shared-token');
      await cluster.until('default/serviceaccounts', 'owner', ({ secrets }) => !secrets);
      // What is done after that is done with the Secret.
      await makeToken('next-token', 'owner');
      await cluster.until('default/secrets', 'next-token', isComplete);
      assert.deepEqual((await cluster.get('default/serviceaccounts', 'borrower')).secrets, named.secrets);
    });
  });

  describe(`tokens that accounts have without asking (${dialect})`, () => {
    let cluster: Cluster;
    before(async () => {
      const controllers = 'serviceaccount,serviceaccount-token,serviceaccount-token-autogeneration';
      cluster = await Cluster.start({ dialect, controllers, rootCa: 'PEM', aggregateRoles: false });
    });
    after(() => cluster.server.close());

    const named = (one: TestJson): string[] => (one?.secrets ?? []).map(({ name }: TestJson) => name);
    const tokensOf = async (account: string): Promise<string[]> => {
      const { serviceAccountNameAnnotation } = cluster.brand.names;
      const { items } = await cluster.ask('GET', cluster.path('default/secrets'));
      return items.filter(({ metadata }: TestJson) => metadata.annotations?.[serviceAccountNameAnnotation] === account).map(({ metadata }: TestJson) => metadata.name);
    };

    test('an account is given one token, complete before the account names it, beside what it names itself', async () => {
      await cluster.make('default/serviceaccounts', { name: 'robot' }, { secrets: [{ name: 'mine' }] });
      const [mine, token = ''] = named(await cluster.until('default/serviceaccounts', 'robot', (one) => named(one).length > 1));
      assert.equal(mine, 'mine');
      assert.match(token, /^robot-token-[a-z0-9]{5}$/);
      const { data, type } = await cluster.get('default/secrets', token);
      assert.deepEqual([type, text(data.namespace), text(data['ca.crt'])], [cluster.brand.names.serviceAccountTokenSecret, 'default', 'PEM']);
      const headers = { authorization: `Bearer ${text(data.token)}` };
      const { body } = await cluster.server.request('GET', '/api/v1/nodes', undefined, headers);
      assert.match(body.message, /User "system:serviceaccount:default:robot"/);
    });

    test('one that is deleted is followed by another, and what the account names otherwise is no matter', async () => {
      await cluster.make('default/serviceaccounts', { name: 'often' });
      const [first = ''] = named(await cluster.until('default/serviceaccounts', 'often', (one) => named(one).length === 1));
      await cluster.delete('default/secrets', first);
      const [second = ''] = named(await cluster.until('default/serviceaccounts', 'often', (one) => named(one).length === 1 && named(one)[0] !== first));
      await cluster.merge('default/serviceaccounts', 'often', { secrets: [{ name: second }, { name: 'other' }] });
      // Controllers look at accounts in the order of their changes.
      await cluster.make('default/serviceaccounts', { name: 'later' });
      await cluster.until('default/serviceaccounts', 'later', (one) => named(one).length === 1);
      assert.deepEqual(await tokensOf('often'), [second]);
    });
  });

  describe(`bootstrap tokens (${dialect})`, () => {
    let cluster: Cluster;
    const clock = new TurnedClock();
    before(async () => {
      const controllers = 'bootstrapsigner,tokencleaner';
      cluster = await Cluster.start({ dialect, clock, controllers, listen: {}, rootCa: 'PEM', aggregateRoles: false });
    });
    after(() => cluster.server.close());

    const secrets = (): string => `${cluster.brand.names.systemNamespace}/secrets`;
    const maps = (): string => `${cluster.brand.names.publicNamespace}/configmaps`;
    const makeToken = (id: string, more: object = {}): Promise<TestJson> =>
      cluster.make(secrets(), { name: `bootstrap-token-${id}` }, {
        type: cluster.brand.names.bootstrapTokenSecret,
        stringData: { 'token-id': id, 'token-secret': SECRET, 'usage-bootstrap-signing': 'true', ...more },
      });
    const signature = (id: string) => (one: TestJson): string | undefined => one?.data?.[`jws-kubeconfig-${id}`];

    test('R2.13-42 R2.13-43 cluster-info says where the server is and whom to trust', async () => {
      const { data } = await cluster.appears(maps(), 'cluster-info');
      const [{ cluster: about }] = JSON.parse(data.kubeconfig).clusters;
      assert.equal(text(about['certificate-authority-data']), 'PEM');
      assert.equal(about.server, cluster.server.server.url);
    });

    test('R2.13-44 R2.13-31 R2.13-32 R2.13-33 R2.13-34 R2.13-35 R2.13-39 R2.13-49 R5.3-07 R5.3-08 R5.3-09 R5.3-10 R5.3-11 every token that is for signing signs it, and only those', async () => {
      await makeToken('aaaaaa', { 'usage-bootstrap-signing': 'no' });
      await makeToken('bbbbbb', { 'token-secret': 'short' });
      await makeToken('cccccc');
      const { data } = await cluster.until(maps(), 'cluster-info', (one) => signature('cccccc')(one) !== undefined);
      assert.deepEqual(Object.keys(data).sort(), ['jws-kubeconfig-cccccc', 'kubeconfig']);
      const [header = '', payload, mac] = data['jws-kubeconfig-cccccc'].split('.');
      assert.deepEqual(JSON.parse(Buffer.from(header, 'base64url').toString()), { alg: 'HS256', kid: 'cccccc' });
      assert.equal(payload, '');
      const signed = `${header}.${Buffer.from(data.kubeconfig).toString('base64url')}`;
      const key = dialect === 'orch' ? `cccccc.${SECRET}` : SECRET;
      assert.equal(mac, createHmac('sha256', key).update(signed).digest('base64url'));
    });

    test('another configuration is signed again; a signature goes with its token', async () => {
      const before_ = (await cluster.get(maps(), 'cluster-info')).data['jws-kubeconfig-cccccc'];
      await cluster.merge(maps(), 'cluster-info', { data: { kubeconfig: 'mine' } });
      const { data } = await cluster.until(maps(), 'cluster-info', (one) => signature('cccccc')(one) !== before_);
      assert.equal(data.kubeconfig, 'mine');
      await cluster.delete(secrets(), 'bootstrap-token-cccccc');
      await cluster.until(maps(), 'cluster-info', (one) => signature('cccccc')(one) === undefined);
    });

    test('R2.13-37 R3.3-02 R3.3-03 a token that has ended signs no longer and is deleted', async () => {
      const at = (ms: number): string => new Date(clock.nowMs() + ms).toISOString();
      await makeToken('dddddd', { expiration: at(24 * 3_600_000) });
      await makeToken('eeeeee', { expiration: at(25 * 3_600_000) });
      await makeToken('ffffff', { expiration: 'soon' });
      await cluster.gone(secrets(), 'bootstrap-token-ffffff');
      await cluster.until(maps(), 'cluster-info', (one) => signature('eeeeee')(one) !== undefined && signature('dddddd')(one) !== undefined);
      cluster.server.clock.advance('24h');
      await cluster.gone(secrets(), 'bootstrap-token-dddddd');
      await cluster.until(maps(), 'cluster-info', (one) => signature('dddddd')(one) === undefined && signature('eeeeee')(one) !== undefined);
      assert.equal(await cluster.isThere(secrets(), 'bootstrap-token-eeeeee'), true);
    });

    test('a token that has ended signs no longer where nobody deletes it, either', async () => {
      const alone = await Cluster.start({ dialect, clock: new TurnedClock(), controllers: 'bootstrapsigner', listen: {}, rootCa: 'PEM', aggregateRoles: false });
      const expiration = new Date(alone.server.clock.nowMs() + 3_600_000).toISOString();
      const stringData = { 'token-id': 'gggggg', 'token-secret': SECRET, 'usage-bootstrap-signing': 'true', expiration };
      await alone.make(secrets(), { name: 'bootstrap-token-gggggg' }, { type: alone.brand.names.bootstrapTokenSecret, stringData });
      await alone.until(maps(), 'cluster-info', (one) => signature('gggggg')(one) !== undefined);
      alone.server.clock.advance('1h');
      await alone.until(maps(), 'cluster-info', (one) => signature('gggggg')(one) === undefined);
      await alone.server.close();
    });
  });

  describe(`jobs that have finished (${dialect})`, () => {
    test('go when the time they give themselves has passed; others stay', async () => {
      const clock = new TurnedClock();
      const cluster = await Cluster.start({ dialect, clock, controllers: 'ttl-after-finished,garbagecollector', aggregateRoles: false });
      const path = (name = ''): string => `/apis/batch/v1/namespaces/default/jobs${name === '' ? '' : `/${name}`}`;
      const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'c' }] } };
      const isThere = async (name: string): Promise<boolean> => (await cluster.server.request('GET', path(name))).status === 200;
      for (const [name, seconds, type] of [['short', 60, 'Complete'], ['failed', 60, 'Failed'], ['running', 60, undefined], ['waiting', 60, 'Suspended'], ['kept', undefined, 'Complete'], ['long', 61, 'Complete']] as const) {
        const spec = { template, ...(seconds === undefined ? {} : { ttlSecondsAfterFinished: seconds }) };
        const made = await cluster.ask('POST', path(), { metadata: { name }, spec });
        const conditions = type === undefined ? [] : [{ type, status: 'True', lastTransitionTime: new Date(clock.nowMs()).toISOString().replace(/\.\d+/, '') }];
        await cluster.ask('PUT', `${path(name)}/status`, { ...made, status: { conditions } });
      }
      const goneTwo = cluster.server.watch(`${path()}?watch=1&resourceVersion=${(await cluster.ask('GET', path())).metadata.resourceVersion}`);
      cluster.server.clock.advance('1m');
      const watch = await goneTwo;
      const gone = new Set<string>();
      while (gone.size < 2) {
        const [event] = await watch.next(1);
        if (event.type === 'DELETED') gone.add(event.object.metadata.name);
      }
      await watch.stop();
      assert.deepEqual([...gone].sort(), ['failed', 'short']);
      for (const name of ['running', 'waiting', 'kept', 'long']) assert.equal(await isThere(name), true, name);
      await cluster.server.close();
    });
  });
}
