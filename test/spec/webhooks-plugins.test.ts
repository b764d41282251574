// The admission configuration file and the plugins that live from it.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { readAdmissionConfigurationFile } from '#server';
import { systemClock } from '#base';
import { usedMib } from '#test-support';
import type { TestAnswer, TestJson, TestServerOptions } from '#testing';
import { expect, expectFailure } from './world.ts';
import { allowing, type Behaviour } from '../support/webhook-server.ts';
import { WebhookWorld } from '../support/webhook-world.ts';

for (const dialect of ['orch', 'kubernetes'] as const) {
  describe(dialect, () => {
    let folder = '';
    before(() => void (folder = mkdtempSync(path.join(tmpdir(), 'orch-admission-'))));
    after(() => rmSync(folder, { recursive: true, force: true }));
    const file = (name: string, content: unknown): string => {
      const place = path.join(folder, name);
      writeFileSync(place, typeof content === 'string' ? content : JSON.stringify(content));
      return place;
    };

    /** Runs with a server whose plugins are configured by a file. */
    async function withServer(enable: readonly string[], plugins: (world: WebhookWorld) => Promise<readonly object[]>, run: (world: WebhookWorld) => Promise<void>, options: TestServerOptions = {}): Promise<void> {
      const world = new WebhookWorld(dialect);
      try {
        await world.listen();
        const entries = await plugins(world);
        const config = await readAdmissionConfigurationFile(file('admission.yaml', configuration(world, entries)));
        await world.start({ ...options, admission: { enable, config } });
        await run(world);
      } finally {
        await world.end();
      }
    }
    const configuration = (world: WebhookWorld, plugins: readonly object[]): object => ({ apiVersion: `${world.brand.group('apiserver.config')}/v1`, kind: 'AdmissionConfiguration', plugins });

    const limits = (world: WebhookWorld, list: readonly object[]): object => ({ apiVersion: `${world.brand.group('eventratelimit')}/v1alpha1`, kind: 'Configuration', limits: list });
    const happen = (world: WebhookWorld, namespace: string, more: object = {}, headers: Record<string, string> = {}, query = ''): Promise<TestAnswer> =>
      world.request('POST', `/api/v1/namespaces/${namespace}/events${query}`, { apiVersion: 'v1', kind: 'Event', metadata: { name: world.fresh('e') }, involvedObject: { kind: 'Pod', namespace, name: 'p' }, source: { component: 'c' }, ...more }, headers);

    const withLimits = (list: readonly object[], run: (world: WebhookWorld) => Promise<void>): Promise<void> =>
      withServer(['EventRateLimit'], async (world) => [{ name: 'EventRateLimit', configuration: limits(world, list) }], run);

    test('R8-19 R8-20 R2.8-01 R2.8-02 R2.8-03 R2.8-04 R2.8-05 R2.8-06 R4.11-05 R4.11-33 a configuration inside the file: one bucket for the whole server', async () => {
      await withLimits([{ type: 'Server', qps: 1, burst: 2 }], async (world) => {
        const [one, two] = [await world.namespace(), await world.namespace()];
        expect(201, await happen(world, one));
        expect(201, await happen(world, two));
        const refused = expectFailure(429, 'TooManyRequests', await happen(world, one));
        assert.equal(refused.message, 'Too many requests: limit reached on type Server for key ');
        expect(201, await happen(world, one, {}, {}, '?dryRun=All'));
        expect(201, await world.createMap(one));
        const group = `${world.brand.group('events')}/v1`;
        const event = { metadata: { name: world.fresh('e') }, eventTime: '2020-01-01T00:00:00.000000Z', regarding: { kind: 'Pod', namespace: one, name: 'p' }, reason: 'r', action: 'a', type: 'Normal', reportingController: 'a/b', reportingInstance: 'i' };
        expect(201, await world.request('POST', `/apis/${group}/namespaces/${one}/events`, { apiVersion: group, kind: 'Event', ...event }));
        world.clock.turn(1000);
        expect(201, await happen(world, one));
        expect(429, await happen(world, one));
      });
    });

    test('R2.8-03 R2.8-07 a configuration in a file of its own, relative to the other: one bucket for each namespace', async () => {
      const plugins = async (world: WebhookWorld): Promise<readonly object[]> => {
        file('limits.yaml', limits(world, [{ type: 'Namespace', qps: 1, burst: 1, cacheSize: 2 }]));
        return [{ name: 'EventRateLimit', path: 'limits.yaml' }];
      };
      await withServer(['EventRateLimit'], plugins, async (world) => {
        const names = [await world.namespace(), await world.namespace(), await world.namespace()] as const;
        expect(201, await happen(world, names[0]));
        const refused = expect(429, await happen(world, names[0]));
        assert.equal(refused.message, `Too many requests: limit reached on type Namespace for key ${names[0]}`);
        // Only so many buckets are kept: the one used least recently is forgotten.
        expect(201, await happen(world, names[1]));
        expect(201, await happen(world, names[2]));
        expect(201, await happen(world, names[0]));
        expect(429, await happen(world, names[2]));
      });
    });

    test('R2.8-08 R2.8-09 buckets for each user, and for each source and object; both say what is used up', async () => {
      await withLimits([{ type: 'User', qps: 1, burst: 2 }, { type: 'SourceAndObject', qps: 1, burst: 1 }], async (world) => {
        const namespace = await world.namespace();
        const impersonating = { 'impersonate-user': 'jane', 'impersonate-group': 'system:masters' };
        expect(201, await happen(world, namespace));
        assert.match(expect(429, await happen(world, namespace)).message, /^Too many requests: limit reached on type SourceAndObject for key cPod/);
        assert.match(expect(429, await happen(world, namespace)).message, /^Too many requests: \[limit reached on type User for key admin, limit reached on type SourceAndObject for key /);
        expect(429, await happen(world, namespace, { source: { component: 'other' } }));
        expect(201, await happen(world, namespace, { source: { component: 'other' }, involvedObject: { kind: 'Pod', namespace, name: 'q' } }, impersonating));
      });
    });

    test('R2.8-10 limits are positive, of a type that is known, and there is at least one', async () => {
      const rows: readonly (readonly [unknown, RegExp])[] = [
        [undefined, /must be a Configuration of eventratelimit/],
        [[], /limits must be a list with at least one limit/],
        [[{ type: 'Pod', qps: 1, burst: 1 }], /limits\[0\]\.type must be one of Server, Namespace, User, SourceAndObject/],
        [[{ type: 'Server', qps: 0, burst: 1 }], /limits\[0\]\.qps must be positive/],
        [[{ type: 'Server', qps: 1 }], /limits\[0\]\.burst must be positive/],
        [[{ type: 'User', qps: 1, burst: 1, cacheSize: -1 }], /limits\[0\]\.cacheSize must not be negative/],
      ];
      const world = new WebhookWorld(dialect);
      for (const [list, told] of rows) {
        const config = { EventRateLimit: list === undefined ? {} : limits(world, list as object[]) };
        await assert.rejects(world.start({ admission: { enable: ['EventRateLimit'], config } }), told);
      }
      await world.end();
    });

    /** A back end for image reviews, and the plugin that asks it. */
    async function withBackEnd(behaviour: Behaviour, policy: object, run: (world: WebhookWorld, pod: (namespace: string, image: string, more?: object) => Promise<TestAnswer>) => Promise<void>, options: TestServerOptions = {}): Promise<void> {
      const plugins = async (world: WebhookWorld): Promise<readonly object[]> => {
        const { url } = world.hooks.at('/review', behaviour);
        const kubeConfigFile = await connectionFile(world, url);
        return [{ name: 'ImagePolicyWebhook', configuration: { imagePolicy: { kubeConfigFile, ...policy } } }];
      };
      await withServer(['ImagePolicyWebhook'], plugins, async (world) => {
        const pod = async (namespace: string, image: string, metadata: object = {}): Promise<TestAnswer> =>
          world.request('POST', `/api/v1/namespaces/${namespace}/pods`, {
            apiVersion: 'v1', kind: 'Pod', metadata: { name: world.fresh('p'), ...metadata }, spec: { initContainers: [{ name: 'i', image: 'init' }], containers: [{ name: 'c', image }] },
          });
        await run(world, pod);
      }, options);
    }
    const connectionFile = async (world: WebhookWorld, server: string): Promise<string> => {
      const { cert, key } = await world.hooks.authority.issue('reviewer', []);
      const data = (pem: string): string => Buffer.from(pem).toString('base64');
      return file('connection.yaml', {
        'current-context': 'c',
        contexts: [{ name: 'c', context: { cluster: 'b', user: 'me' } }],
        clusters: [{ name: 'b', cluster: { server, 'certificate-authority-data': world.hooks.caBundle } }],
        users: [{ name: 'me', user: { 'client-certificate-data': data(cert), 'client-key-data': data(key) } }],
      });
    };
    const ready = async (world: WebhookWorld): Promise<string> => {
      const namespace = await world.namespace();
      expect(201, await world.request('POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } }));
      return namespace;
    };
    const verdict = (status: (review: TestJson) => object): Behaviour => ({ review }) => ({ ...review, status: status(review) });

    test('R1-20 R2.8-11 R2.8-12 R2.8-18 R2.8-19 R2.8-20 R2.8-21 R2.8-23 R4.11-35 R4.12-07 R4.12-08 R4.12-09 pods are created when the back end allows their images', async () => {
      const behaviour = verdict(({ spec }) => ({ allowed: !spec.containers.some(({ image }: TestJson) => image === 'bad'), reason: 'it is bad' }));
      await withBackEnd(behaviour, {}, async (world, pod) => {
        const namespace = await ready(world);
        const mark = `alpha.${world.brand.group('image-policy')}/ticket`;
        expect(201, await pod(namespace, 'good', { annotations: { [mark]: '7', 'example.com/other': 'x' } }));
        const [call] = world.hooks.callsAt('/review');
        assert.equal(call?.caller, 'reviewer');
        assert.deepEqual([call?.review.kind, call?.review.apiVersion], ['ImageReview', `${world.brand.group('imagepolicy')}/v1alpha1`]);
        assert.deepEqual(call?.review.spec, { containers: [{ image: 'good' }, { image: 'init' }], annotations: { [mark]: '7' }, namespace });
        const refused = expectFailure(403, 'Forbidden', await pod(namespace, 'bad'));
        assert.match(refused.message, /^pods "p-\d+" is forbidden: image policy webhook backend denied one or more images: it is bad$/);
      });
    });

    test('R2.8-13 R2.8-14 RX-24 verdicts are remembered as long as the policy says', async () => {
      const behaviour = verdict(({ spec }) => ({ allowed: spec.containers[0].image === 'good' }));
      await withBackEnd(behaviour, { allowTTL: 60, denyTTL: 10 }, async (world, pod) => {
        const namespace = await ready(world);
        const asked = async (image: string, status: number): Promise<number> => {
          const before = world.hooks.heard.length;
          expect(status, await pod(namespace, image));
          return world.hooks.heard.length - before;
        };
        assert.deepEqual([await asked('good', 201), await asked('good', 201), await asked('bad', 403), await asked('bad', 403)], [1, 0, 1, 0]);
        world.clock.turn(9_999);
        assert.deepEqual([await asked('good', 201), await asked('bad', 403)], [0, 0]);
        world.clock.turn(1);
        assert.deepEqual([await asked('good', 201), await asked('bad', 403)], [0, 1]);
        world.clock.turn(50_000);
        assert.equal(await asked('good', 201), 1);
      });
    });

    test('what is remembered of verdicts does not grow with the annotations of pods', async () => {
      const behaviour = verdict(() => ({ allowed: false }));
      await withBackEnd(behaviour, {}, async (world, pod) => {
        const namespace = await ready(world);
        const mark = `alpha.${world.brand.group('image-policy')}/ticket`;
        const refuse = async (n: number): Promise<void> => void expect(403, await pod(namespace, 'i', { annotations: { [mark]: `${n}${'x'.repeat(100_000)}` } }));
        await refuse(0);
        world.hooks.heard.splice(0);
        const before = await usedMib();
        for (let n = 1; n <= 150; n++) {
          await refuse(n);
          if (n < 150) world.hooks.heard.splice(0);
        }
        await refuse(150);
        assert.equal(world.hooks.heard.splice(0).length, 1);
        const grown = (await usedMib()) - before;
        assert.ok(grown < 7, `${grown} MiB`);
      });
    });

    for (const [what, more] of [['of another version than was asked in', { apiVersion: 'v9' }], ['whose status is a text', { status: 'allowed' }]] as const) {
      test(`RX-23 an answer ${what} is none, and the default decides`, async () => {
        for (const [defaultAllow, status] of [[true, 201], [false, 403]] as const) {
          await withBackEnd(({ review }) => ({ ...review, status: { allowed: status !== 201 }, ...more }), { defaultAllow }, async (world, pod) => {
            expect(status, await pod(await ready(world), 'any'));
            assert.equal(world.hooks.heard.length, 1);
          });
        }
      });
    }

    test('an answer without a status allows nothing, whatever the default is', async () => {
      for (const status of [undefined, null]) {
        await withBackEnd(({ review }) => ({ ...review, status }), { defaultAllow: true }, async (world, pod) => {
          const refused = expectFailure(403, 'Forbidden', await pod(await ready(world), 'any'));
          assert.match(refused.message, /^pods "p-\d+" is forbidden: one or more images rejected by webhook backend$/);
        });
      }
    });

    test('R2.8-15 R2.8-16 a back end that is out of order is asked again after a while, five times in all; then the default decides', async () => {
      for (const [defaultAllow, status] of [[true, 201], [false, 403]] as const) {
        await withBackEnd((_heard, response) => void response.writeHead(503).end(), { defaultAllow, retryBackoff: 1 }, async (world, pod) => {
          const namespace = await ready(world);
          expect(status, await pod(namespace, 'any'));
          assert.equal(world.hooks.heard.length, 5);
        }, { clock: systemClock });
      }
    });

    test('R2.8-16 R2.8-23 the audit event has what the back end says of the images, and that a pod was admitted because it failed; the pod is as it was sent', async () => {
      const behaviour: Behaviour = (heard, response) => {
        const { review } = heard;
        const [{ image }] = review.spec.containers;
        if (image === 'failing') return void response.writeHead(400).end();
        return { ...review, status: { allowed: image === 'good', auditAnnotations: { scanned: image, 'not/good': 'x', number: 1 } } };
      };
      const log = path.join(folder, `audit-of-${dialect}.log`);
      const policy = JSON.stringify({ apiVersion: `audit.${dialect === 'orch' ? 'orch' : 'k8s'}.io/v1`, kind: 'Policy', omitStages: ['RequestReceived'], rules: [{ level: 'Metadata', resources: [{ group: '', resources: ['pods'] }] }] });
      await withBackEnd(behaviour, { defaultAllow: true }, async (world, pod) => {
        const namespace = await ready(world);
        const { metadata } = expect(201, await pod(namespace, 'failing'));
        assert.equal(metadata.annotations, undefined);
        for (const [image, status] of [['good', 201], ['good', 201], ['bad', 403]] as const) expect(status, await pod(namespace, image));
        const prefix = `imagepolicywebhook.${world.brand.group('image-policy')}/`;
        const told = readFileSync(log, 'utf8').trim().split('\n').map((line) => Object.entries((JSON.parse(line) as TestJson).annotations).filter(([key]) => key.startsWith('imagepolicy')));
        assert.deepEqual(told, [['failed-open', 'true'], ['scanned', 'good'], ['scanned', 'good'], ['scanned', 'bad']].map(([key, value]) => [[`${prefix}${key}`, value]]));
      }, { audit: { policy, log: { path: log } } });
    });

    test('a back end that refuses is asked once, whatever its answer says', async () => {
      await withBackEnd((_heard, response) => void response.writeHead(400).end('no status 500 here'), { defaultAllow: false, retryBackoff: 1 }, async (world, pod) => {
        expect(403, await pod(await ready(world), 'any'));
        assert.equal(world.hooks.heard.length, 1);
      }, { clock: systemClock });
    });

    test('R2.8-11 R2.8-12 R2.8-17 a policy needs a connection file with an https address, and times in bounds', async () => {
      const world = new WebhookWorld(dialect);
      const start = (imagePolicy: unknown): Promise<void> => world.start({ admission: { enable: ['ImagePolicyWebhook'], config: { ImagePolicyWebhook: { imagePolicy } } } });
      await world.listen();
      const kubeConfigFile = await connectionFile(world, 'http://127.0.0.1:1/');
      await assert.rejects(start(undefined), /must have imagePolicy/);
      await assert.rejects(start({}), /imagePolicy\.kubeConfigFile must be the path of a connection file/);
      await assert.rejects(start({ kubeConfigFile }), /must be an https address/);
      await assert.rejects(start({ kubeConfigFile: path.join(folder, 'nothing') }), /nothing cannot be read/);
      for (const [member, value] of [['allowTTL', 1801], ['denyTTL', -2], ['retryBackoff', 300_001]] as const) {
        await assert.rejects(start({ kubeConfigFile, [member]: value }), new RegExp(`imagePolicy\\.${member} must be a whole number from 1 to `));
      }
      await world.end();
    });

    test('webhooks are shown the credentials that the connection file has for their host', async () => {
      const plugins = async (world: WebhookWorld): Promise<readonly object[]> => {
        const issue = async (name: string): Promise<object> => {
          const { cert, key } = await world.hooks.authority.issue(name, []);
          return { 'client-certificate': file(`${name}.crt`, cert), 'client-key': file(`${name}.key`, key) };
        };
        const users = [
          { name: `127.0.0.1:${world.hooks.port}`, user: await issue('exact') },
          { name: '*', user: { token: 'for-everyone' } },
        ];
        const kubeConfigFile = file('webhooks.yaml', { users });
        const configuration = { apiVersion: `${world.brand.group('apiserver.config')}/v1`, kind: 'WebhookAdmissionConfiguration', kubeConfigFile };
        return [{ name: 'ValidatingAdmissionWebhook', configuration }];
      };
      await withServer([], plugins, async (world) => {
        const namespace = await world.namespace();
        const exact = world.webhook(namespace, allowing());
        const other = world.webhook(namespace, allowing(), { name: 'other.example.com' });
        const url = other.clientConfig.url.replace('127.0.0.1', 'localhost');
        await world.register('Validating', [exact, { ...other, clientConfig: { ...other.clientConfig, url } }]);
        const third = world.webhook(namespace, allowing(), { name: 'third.example.com' });
        await world.register('Mutating', [third]);
        expect(201, await world.createMap(namespace));
        const shown = [exact, other, third].map((hook) => world.calls(hook)[0]).map((call) => [call?.caller, call?.headers.authorization]);
        assert.deepEqual(shown, [['exact', undefined], [undefined, 'Bearer for-everyone'], [undefined, undefined]]);
      });
    });

    test('configurations may be of the versions that there were before v1', async () => {
      const world = new WebhookWorld(dialect);
      const kubeConfigFile = file('earlier.yaml', { users: [{ name: '*', user: { token: 'for-everyone' } }] });
      const plugins = [{ name: 'ValidatingAdmissionWebhook', configuration: { apiVersion: `${world.brand.group('apiserver.config')}/v1alpha1`, kind: 'WebhookAdmission', kubeConfigFile } }];
      const config = await readAdmissionConfigurationFile(file('admission.yaml', { apiVersion: `${world.brand.group('apiserver')}/v1alpha1`, kind: 'AdmissionConfiguration', plugins }));
      await world.start({ admission: { config } });
      const namespace = await world.namespace();
      const hook = world.webhook(namespace, allowing());
      await world.register('Validating', [hook]);
      expect(201, await world.createMap(namespace));
      assert.deepEqual(world.calls(hook).map(({ headers }) => headers.authorization), ['Bearer for-everyone']);
      await world.end();
    });

    test('a file may be the configuration of PodNodeSelector or ImagePolicyWebhook itself, as before there was an AdmissionConfiguration', async () => {
      const selectors = { podNodeSelectorPluginConfig: { clusterDefaultNodeSelector: 'env=test' } };
      const images = { imagePolicy: { kubeConfigFile: 'images.yaml' } };
      const read = (content: unknown): Promise<unknown> => readAdmissionConfigurationFile(file('alone.yaml', content));
      const both = { ...selectors, ...images };
      assert.deepEqual(await read(both), { ImagePolicyWebhook: both, PodNodeSelector: both });
      assert.deepEqual(await read(images), { ImagePolicyWebhook: images });
      const world = new WebhookWorld(dialect);
      const config = await readAdmissionConfigurationFile(file('alone.yaml', selectors));
      await world.start({ admission: { enable: ['PodNodeSelector'], disable: ['ServiceAccount'], config } });
      const namespace = await world.namespace();
      const pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } };
      const { spec } = expect(201, await world.request('POST', `/api/v1/namespaces/${namespace}/pods`, pod));
      assert.deepEqual(spec.nodeSelector, { env: 'test' });
      await world.end();
    });

    test('R2.8-01 R2.8-03 R4.11-06 what is wrong with the configuration fails the start and is named', async () => {
      const world = new WebhookWorld(dialect);
      const read = (content: unknown): Promise<unknown> => readAdmissionConfigurationFile(file('wrong.yaml', content));
      await assert.rejects(readAdmissionConfigurationFile(path.join(folder, 'absent.yaml')), /absent\.yaml cannot be read/);
      await assert.rejects(read('a: [b'), /wrong\.yaml is not YAML/);
      await assert.rejects(read({ kind: 'AdmissionConfiguration' }), /wrong\.yaml: it must be an AdmissionConfiguration of apiserver\.config/);
      await assert.rejects(read(configuration(world, [{}])), /plugins\[0\]\.name must be the name of a plugin/);
      await assert.rejects(read(configuration(world, [{ name: 'a', path: 'x', configuration: {} }])), /plugins\[0\] has both path and configuration/);
      await assert.rejects(read(configuration(world, [{ name: 'a' }, { name: 'a' }])), /names "a" twice/);
      await assert.rejects(read(configuration(world, [{ name: 'a', path: 'gone.yaml' }])), /gone\.yaml cannot be read/);
      await assert.rejects(world.start({ admission: { config: { Nobody: {} } } }), /admission plugin "Nobody" is not known/);
      await assert.rejects(world.start({ admission: { config: { MutatingAdmissionWebhook: { kind: 'Pod' } } } }), /MutatingAdmissionWebhook: must be a WebhookAdmissionConfiguration/);
      await world.end();
    });
  });
}
