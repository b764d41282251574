import assert from 'node:assert/strict';
import { test } from 'node:test';
import { definePlugin, type AdmissionHooks, type AdmissionRequest } from '#admission';
import { startServer } from './start.ts';

type Members = Record<string, unknown>;
type Object = Members & { readonly metadata: Members };

/** What a server with a plugin of these hooks answers to the creation of an object, what is stored then, and what its log says. */
async function created(path: string, object: object, hooks: Partial<AdmissionHooks>): Promise<{ readonly status: number; readonly stored: Object; readonly logged: string }> {
  const lines: string[] = [];
  const log = { info: () => {}, warn: () => {}, error: (message: string, facts?: object) => void lines.push(`${message} ${JSON.stringify(facts)}`) };
  const plugin = definePlugin({ name: 'Own', enabled: true, band: 'builtin', create: () => ({ on: ['CREATE'], kinds: ['/configmaps', '/pods'], ...hooks }) });
  const server = await startServer({ listen: false, controllers: 'none', tokens: 'secret,admin,1,"system:masters"', admission: { plugins: [plugin], disable: ['ServiceAccount'] }, log });
  const headers = { authorization: 'Bearer secret', 'content-type': 'application/json' };
  const { status } = await server.exchange({ method: 'POST', path, headers, body: JSON.stringify(object) });
  const answer = await server.exchange({ method: 'GET', path: `${path}/a`, headers });
  await server.close();
  assert.ok('body' in answer);
  return { status, stored: JSON.parse(new TextDecoder().decode(answer.body)) as Object, logged: lines.join('\n') };
}

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const CONFIG_MAP = { metadata: { name: 'a' }, data: { text: 'x' } };

type Change = (object: Object, request: AdmissionRequest) => unknown;

/** What plain JavaScript makes of a config map that is none any more, and what the log says. */
const BROKEN: readonly (readonly [why: string, change: Change])[] = [
  ['data.text: expected string, found the number 5', (object) => void (object['data'] = { text: 5 })],
  ['metadata.annotations.at: expected string, found an object', ({ metadata }) => void (metadata['annotations'] = { at: new Date(0) })],
  ['what it left is no ConfigMap of v1', (object) => void (object['kind'] = 'Secret')],
  ['what it left is no ConfigMap of v1', (_object, request) => void (request.object = {} as typeof request.object)],
  ['it left no object: mutate changes the members of request.object', (_object, request) => void (request.object = undefined)],
  ['a plugin refuses by throwing what refuse(request, why) makes; it returned false or an error', () => new Error('no team')],
];

for (const [why, change] of BROKEN) {
  test(`what a plugin makes of an object is not stored where it has no form of its kind: ${why}`, async () => {
    const mutate = (request: AdmissionRequest): void => change(request.object as unknown as Object, request) as undefined;
    const { status, stored, logged } = await created(CONFIG_MAPS, CONFIG_MAP, { mutate });
    assert.equal(status, 500);
    assert.equal(stored['reason'], 'NotFound');
    assert.ok(logged.includes(why), logged);
  });
}

test('what a plugin makes of an object is stored in normal form, with defaults, as what webhooks make of it', async () => {
  const mutate = ({ object }: AdmissionRequest): void => {
    const { spec } = object as unknown as { readonly spec: { containers: object[] } };
    spec.containers.push({ image: 'side', name: 'side', unknown: true });
  };
  const { status, stored } = await created('/api/v1/namespaces/default/pods', { metadata: { name: 'a' }, spec: { containers: [{ name: 'main', image: 'main' }] } }, { mutate });
  assert.equal(status, 201);
  const { containers } = stored['spec'] as { readonly containers: readonly Members[] };
  assert.deepEqual(containers[1], { ...containers[0], name: 'side', image: 'side' });
});

test('a plugin that returns a refusal, and does not throw it, lets nothing pass', async () => {
  for (const validate of [() => false, async () => new Error('no team')]) {
    const { status, logged } = await created(CONFIG_MAPS, CONFIG_MAP, { validate: validate as () => void });
    assert.equal(status, 500);
    assert.match(logged, /a plugin refuses by throwing what refuse\(request, why\) makes/);
  }
});
