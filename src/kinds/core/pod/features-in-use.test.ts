import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiObject, KindDefinition } from '#api';
import { cloneJson } from '#base';
import { allKinds } from '../../index.gen.ts';
import { write } from '../../test-support.ts';
import { POD_PLACES } from './pod-places.table.ts';
import type { PodSpec } from './pod-spec.ts';
import { container } from './test-support.ts';

const PROBE = { exec: { command: ['true'] } };
const PAGES = { cpu: '1', 'hugepages-2Mi': '3Mi' };

/** What a pod can have only of features that are off. */
const USING = {
  containers: [container({ livenessProbe: PROBE, startupProbe: PROBE, securityContext: {}, resources: { limits: PAGES, requests: PAGES } })],
  securityContext: { sysctls: [{ name: 'net/ipv4/ip_forward', value: '1' }] },
  dnsConfig: { searches: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] },
};

interface Place {
  readonly name: string;
  readonly kind: KindDefinition;
  readonly path: readonly string[];
}

/** Every kind with pods in it, and where in its objects they are. */
const places: readonly Place[] = Object.entries(POD_PLACES).map(([name, path]) => {
  const kind = allKinds.find(({ group, plural }) => `${group}/${plural}` === name);
  assert.ok(kind, name);
  return { name, kind, path };
});

const OWN: Readonly<Record<string, object>> = { 'apps/statefulsets': { serviceName: 's' }, 'batch/cronjobs': { schedule: '@daily' } };

function bodyOf({ name, path }: Place, spec: object): object {
  const labels = { app: 'a' };
  const isJob = name.startsWith('batch/');
  const pod: object = { metadata: { labels }, spec: { restartPolicy: isJob ? 'Never' : 'Always', ...spec } };
  const body = path.reduceRight((inner, step) => ({ [step]: inner }), pod) as { readonly spec?: object };
  const more = { ...(name.startsWith('apps/') && { selector: { matchLabels: labels } }), ...OWN[name] };
  return { metadata: { uid: 'u' }, ...body, ...(path[0] === 'spec' && { spec: { ...body.spec, ...more } }) };
}

const podIn = (object: ApiObject, { path }: Place): { readonly metadata: object; readonly spec: PodSpec } =>
  path.reduce<unknown>((value, step) => (value as Record<string, unknown>)[step], object) as ReturnType<typeof podIn>;
const specIn = (object: ApiObject, place: Place): PodSpec => podIn(object, place).spec;

/** The object as a cluster has stored it in which these features are on. */
function storedThere(place: Place, spec: object): ApiObject {
  const live = cloneJson(write(place.kind as never, { body: bodyOf(place, spec) }).object);
  const pods = specIn(live, place);
  pods.os = { name: 'linux' };
  for (const one of pods.containers ?? []) {
    for (const probe of [one.livenessProbe, one.startupProbe]) if (probe !== undefined) probe.terminationGracePeriodSeconds = 5;
    if (one.securityContext !== undefined) one.securityContext.procMount = 'Unmasked';
  }
  return live;
}

/** The same with another label, which a client sends. */
const labelled = (object: ApiObject): ApiObject => ({ ...cloneJson(object), metadata: { ...cloneJson(object.metadata), labels: { app: 'a', more: 'b' } } });

test('a deletion cost that was stored as no number may stay so, in a pod and in a template', () => {
  const cost = { annotations: { 'controller.orch.io/pod-deletion-cost': 'much' } };
  for (const place of places) {
    const live = cloneJson(write(place.kind as never, { body: bodyOf(place, { containers: [container()] }) }).object);
    const costly = cloneJson(live);
    Object.assign(podIn(costly, place).metadata, cost);
    assert.deepEqual(write(place.kind as never, { body: labelled(costly), live: costly }).causes, [], place.name);
    assert.notDeepEqual(write(place.kind as never, { body: costly, live }).causes, [], place.name);
  }
});

test('a stored pod or template keeps what it uses of features that are off', () => {
  for (const place of places) {
    const live = storedThere(place, USING);
    const { object } = write(place.kind as never, { body: labelled(live), live });
    assert.deepEqual(specIn(object, place), specIn(live, place), place.name);
  }
});

test('what a stored pod or template uses of features that are off is no fault in it', () => {
  for (const place of places) {
    const live = storedThere(place, USING);
    assert.deepEqual(write(place.kind as never, { body: labelled(live), live }).causes, [], place.name);
  }
});

test('features that are off cannot be taken into use by an update', () => {
  for (const place of places.filter(({ name }) => name !== '/pods')) {
    const live = write(place.kind as never, { body: bodyOf(place, { containers: [container()] }) }).object;
    const { object } = write(place.kind as never, { body: storedThere(place, USING), live });
    const { os, containers } = specIn(object, place);
    assert.deepEqual([os, containers?.[0]?.livenessProbe?.terminationGracePeriodSeconds, containers?.[0]?.securityContext?.procMount], [undefined, undefined, 'Default'], place.name);
  }
});

test('a stored template that names its operating system has nothing of another one', () => {
  const place = places.find(({ name }) => name === 'apps/deployments');
  assert.ok(place);
  const live = storedThere(place, { containers: [container()] });
  const faults = (name: string, spec: object): readonly string[] => {
    const body = labelled(live);
    Object.assign(specIn(body, place), { os: { name } }, spec);
    return write(place.kind as never, { body, live }).causes.map((cause) => cause.replace('spec.template.', ''));
  };
  assert.deepEqual(faults('', {}), ['Required spec.os.name']);
  assert.deepEqual(faults('beos', {}), ['NotSupported spec.os']);
  const windows = { securityContext: { windowsOptions: { runAsUserName: 'a' } } };
  assert.deepEqual(faults('linux', { ...windows, containers: [container(windows)] }), ['Forbidden spec.securityContext.windowsOptions', 'Forbidden spec.containers[0].securityContext.windowsOptions']);
  assert.deepEqual(faults('windows', { ...windows, containers: [container(windows)] }), []);
  const unix = { hostPID: true, shareProcessNamespace: false, securityContext: { fsGroup: 1, runAsUser: 1 }, containers: [container({ securityContext: { privileged: false } })] };
  assert.deepEqual(faults('windows', unix), ['Forbidden spec.hostPID', 'Forbidden spec.securityContext.fsGroup', 'Forbidden spec.shareProcessNamespace', 'Forbidden spec.securityContext.runAsUser', 'Forbidden spec.containers[0].securityContext.privileged']);
});
