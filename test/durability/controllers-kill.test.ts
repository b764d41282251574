import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { brandOf } from '#api';
import type { TestJson } from '#testing';
import { linesOf, start } from '../cli/orch-command.ts';
import { newRequester, person } from '../support/certificate-requests.ts';
import { ApiConnection } from './api-connection.ts';

/** 6 in the ordinary suite; CI asks for 200. */
const ROUNDS = Number(process.env['KILL_ROUNDS'] ?? 6);
/** The server is killed at a random moment of this span after the first acknowledged wish of the round. */
const LIFE_MS = 120;
/** In every so many rounds it is killed a second time, while it makes good what the first time left undone. */
const TWICE_EVERY = 3;
const DEPENDENTS = 5;
const POLICIES = ['Background', 'Foreground', 'Orphan'] as const;

const { names, group } = brandOf('orch');
const NAMESPACES = '/api/v1/namespaces';
const MAPS = `${NAMESPACES}/default/configmaps`;
const SECRETS = `${NAMESPACES}/default/secrets`;
const REQUESTS = `/apis/${group('certificates')}/v1/certificatesigningrequests`;

type Objects = ReadonlyMap<string, TestJson>;

/** What controllers owe for something that the server has acknowledged. */
interface Debt {
  readonly collection: string;
  readonly what: string;
  isPaid(objects: Objects): boolean;
}

const cwd = mkdtempSync(join(tmpdir(), 'orch-controllers-kill-'));
after(() => rmSync(cwd, { recursive: true }));

/** What is asked of the server in every round, under names of its own; resolves to what is owed then, step by step. */
type Wish = (api: ApiConnection, name: string, owe: (debt: Debt) => void) => Promise<void>;

let csr = '';

const wishes: Readonly<Record<string, Wish>> = {
  async certificate(api, name, owe) {
    const spec = { signerName: names.clientSigner, usages: ['client auth'], request: csr };
    const made = await api.send('POST', REQUESTS, { metadata: { name }, spec });
    const conditions = [{ type: 'Approved', status: 'True', reason: 'Test', message: '' }];
    await api.send('PUT', `${REQUESTS}/${name}/approval`, { ...made, status: { conditions } });
    // A request that was signed is taken away after an hour, which many rounds last.
    let isSigned = false;
    owe({ collection: REQUESTS, what: `${name} is signed`, isPaid: (objects) => (isSigned ||= objects.get(name)?.status.certificate !== undefined) });
  },
  async emptied(api, name, owe) {
    await api.send('POST', NAMESPACES, { metadata: { name } });
    for (const [resource, count] of [['configmaps', 3], ['secrets', 2], ['serviceaccounts', 1]] as const) {
      for (let at = 0; at < count; at++) await api.send('POST', `${NAMESPACES}/${name}/${resource}`, { metadata: { name: `one-${at}` } });
    }
    await api.send('DELETE', `${NAMESPACES}/${name}`);
    owe({ collection: NAMESPACES, what: `${name} is gone`, isPaid: (objects) => !objects.has(name) });
  },
  async furnished(api, name, owe) {
    await api.send('POST', NAMESPACES, { metadata: { name } });
    owe({ collection: `${NAMESPACES}/${name}/serviceaccounts`, what: `${name} has an account`, isPaid: (objects) => objects.has('default') });
    owe({ collection: `${NAMESPACES}/${name}/configmaps`, what: `${name} has the root certificate`, isPaid: (objects) => objects.has(names.rootCaConfigMap) });
  },
  async token(api, name, owe) {
    const annotations = { [names.serviceAccountNameAnnotation]: 'default' };
    await api.send('POST', SECRETS, { metadata: { name, annotations }, type: names.serviceAccountTokenSecret });
    owe({ collection: SECRETS, what: `${name} holds a token`, isPaid: (objects) => objects.get(name)?.data?.token !== undefined });
  },
  ...Object.fromEntries(
    POLICIES.map((propagationPolicy): [string, Wish] => [
      propagationPolicy.toLowerCase(),
      async (api, name, owe) => {
        const owner = await api.send('POST', MAPS, { metadata: { name } });
        const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name, uid: owner.metadata.uid, blockOwnerDeletion: true }];
        const dependents = Array.from({ length: DEPENDENTS }, (_, at) => `${name}-${at}`);
        await Promise.all(dependents.map((one) => api.send('POST', MAPS, { metadata: { name: one, ownerReferences } })));
        await api.send('DELETE', `${MAPS}/${name}`, { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy });
        const isDone = (one: TestJson): boolean => (propagationPolicy === 'Orphan' ? one !== undefined && one.metadata.ownerReferences === undefined : one === undefined);
        owe({ collection: MAPS, what: `${name} and its dependents`, isPaid: (objects) => !objects.has(name) && dependents.every((one) => isDone(objects.get(one))) });
      },
    ]),
  ),
};

/** Resolves when everything is paid. */
async function settle(api: ApiConnection, debts: readonly Debt[]): Promise<void> {
  const collections = new Set(debts.map(({ collection }) => collection));
  await Promise.all([...collections].map((collection) => api.until(collection, (objects) => debts.every((debt) => debt.collection !== collection || debt.isPaid(objects)))));
}

describe(`a server that is killed while its controllers work, ${ROUNDS} rounds`, () => {
  before(async () => {
    csr = (await (await newRequester()).make({ subject: person('a') })).base64;
  });

  it('R1-22 nothing that was acknowledged stays undone after the restart', async () => {
    const all: Debt[] = [];
    let open: Debt[] = [];
    for (let round = 0; round <= ROUNDS; round++) {
      const server = start(['serve', '--secure-port=0', '--data-dir=data'], { cwd });
      server.stderr.resume();
      const exit = once(server, 'exit');
      const [url = ''] = /https:\/\/\S+/.exec(await linesOf(server)()) ?? [];
      const api = new ApiConnection(url, join(cwd, 'data'));
      const kill = (): void => void setTimeout(() => server.kill('SIGKILL'), Math.random() * LIFE_MS);
      if (round === ROUNDS) {
        await settle(api, all);
        server.kill('SIGTERM');
      } else if (round > 0 && round % TWICE_EVERY === 0) kill();
      else {
        await settle(api, open);
        open = [];
        const owe = (debt: Debt): void => {
          if (open.length === 0) kill();
          open.push(debt);
          all.push(debt);
        };
        // What the server could not acknowledge any more is not owed.
        await Promise.allSettled(Object.entries(wishes).map(([word, wish]) => wish(api, `${word}-${round}`, owe)));
        assert.ok(open.length > 0, 'nothing was acknowledged in this round');
      }
      await exit;
      api.close();
    }
  });
});
