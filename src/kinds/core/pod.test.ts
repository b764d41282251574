import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileFieldSelector, parseFieldSelector } from '#api';
import { cellsOf, write } from '../test-support.ts';
import { Pod } from './pod.ts';
import { container, templateOf } from './pod/test-support.ts';

type Spec = Pod['spec'];

const made = (spec: object = {}, metadata: object = {}): Pod =>
  write(Pod, { body: { metadata, spec: { containers: [container()], ...spec } } }).object as Pod;
const withStatus = (pod: Pod, status: object): Pod => write(Pod, { body: { ...pod, status }, live: pod, subresource: 'status' }).object as Pod;
const resources = (requests: object | undefined, limits?: object): object => ({ resources: { requests, limits } });
const full = { cpu: '1', memory: '1Gi' };

test('a new pod is pending, whatever it says of itself', () => {
  const body = { spec: { containers: [container()] }, status: { phase: 'Running', podIP: '1.2.3.4' } };
  const { object, causes } = write(Pod, { body });
  assert.deepEqual([causes, (object as Pod).status], [[], { phase: 'Pending', qosClass: 'BestEffort' }]);
  assert.equal((object as Pod).spec.enableServiceLinks, true);
});

test('the class of service follows from requests and limits', () => {
  const rows: readonly (readonly [containers: object[], qosClass: string])[] = [
    [[container()], 'BestEffort'],
    [[container(resources({ cpu: '0' }))], 'BestEffort'],
    [[container(resources({ 'example.com/gpu': '1' }, { 'example.com/gpu': '1' }))], 'BestEffort'],
    [[container(resources({ cpu: '1' }))], 'Burstable'],
    [[container(resources(undefined, full))], 'Guaranteed'],
    [[container(resources({ cpu: '1000m', memory: '1024Mi' }, full))], 'Guaranteed'],
    [[container(resources({ cpu: '500m' }, full))], 'Burstable'],
    [[container(resources({ cpu: '0' }, full))], 'Burstable'],
    [[container(resources({ cpu: '500m' }, full)), container({ name: 'd', ...resources(undefined, full) })], 'Burstable'],
    [[container(resources(undefined, full)), container({ name: 'd' })], 'Burstable'],
  ];
  for (const [containers, qosClass] of rows) assert.equal(made({ containers }).status.qosClass, qosClass, JSON.stringify(containers));
  assert.equal(made({ containers: [container(resources(undefined, full))], initContainers: [container({ name: 'i' })] }).status.qosClass, 'Burstable');
});

test('seccomp profiles are said as members and as annotations', () => {
  const [pod, one] = ['seccomp.security.alpha.orch.io/pod', 'container.seccomp.security.alpha.orch.io/c'];
  const profile = (type: string, more: object = {}): object => ({ securityContext: { seccompProfile: { type, ...more } } });
  assert.deepEqual(made(profile('RuntimeDefault')).metadata.annotations, { [pod]: 'runtime/default' });
  const local = made({ containers: [container(profile('Localhost', { localhostProfile: 'a.json' }))] });
  assert.deepEqual(local.metadata.annotations, { [one]: 'localhost/a.json' });
  const old = made({}, { annotations: { [pod]: 'unconfined', [one]: 'docker/default' } });
  assert.deepEqual(old.spec.securityContext?.seccompProfile, { type: 'Unconfined' });
  assert.deepEqual(old.spec.containers?.[0]?.securityContext?.seccompProfile, { type: 'RuntimeDefault' });
});

test('seccomp profiles of as many containers as a body allows', () => {
  const containers = Array.from({ length: 25_000 }, (_, n) => container({ name: `c${n}`, securityContext: { seccompProfile: { type: 'RuntimeDefault' } } }));
  const { annotations = {} } = made({ containers }).metadata;
  assert.deepEqual([Object.keys(annotations).length, annotations['container.seccomp.security.alpha.orch.io/c24999']], [25_000, 'runtime/default']);
});

test('annotations from before init containers are dropped, from pods and templates', () => {
  const annotations = { 'pod.beta.orch.io/init-containers': '[]', 'pod.alpha.orch.io/init-container-statuses': '[]', a: 'b' };
  assert.deepEqual(made({}, { annotations }).metadata.annotations, { a: 'b' });
  assert.deepEqual(templateOf({}, { annotations }).metadata.annotations, { a: 'b' });
  const { a: _, ...old } = annotations;
  assert.deepEqual(made({}, { annotations: old }).metadata.annotations, undefined);
});

test('podIP and podIPs agree; the older member is believed', () => {
  const rows: readonly (readonly [sent: object, podIP: string | undefined, podIPs: string[]])[] = [
    [{ podIP: '1.1.1.1' }, '1.1.1.1', ['1.1.1.1']],
    [{ podIPs: [{ ip: '1.1.1.1' }, { ip: '::1' }] }, '1.1.1.1', ['1.1.1.1', '::1']],
    [{ podIP: '2.2.2.2', podIPs: [{ ip: '1.1.1.1' }, { ip: '::1' }] }, '2.2.2.2', ['2.2.2.2']],
    [{}, undefined, []],
  ];
  for (const [sent, podIP, podIPs] of rows) {
    const { status } = withStatus(made(), sent);
    assert.deepEqual([status.podIP, (status.podIPs ?? []).map(({ ip }) => ip)], [podIP, podIPs]);
  }
});

const ended = (exitCode: number): object => ({ state: { terminated: { exitCode } } });
const status = (name: string, more: object = {}): object => ({ name, image: '', imageID: '', ready: false, restartCount: 0, ...more });

test('what a status may say', () => {
  const never = made({ restartPolicy: 'Never' });
  const done = withStatus(never, { containerStatuses: [status('c', ended(1))] });
  const restarting = (restartPolicy: string, exitCode: number): Pod => withStatus(made({ restartPolicy }), { containerStatuses: [status('c', ended(exitCode))] });
  const rows: readonly (readonly [live: Pod, next: object, causes: string[]])[] = [
    [never, { nominatedNodeName: 'n' }, []],
    [never, { nominatedNodeName: 'N_' }, ['Invalid status.nominatedNodeName']],
    [never, { podIPs: [{ ip: 'x' }] }, ['Invalid status.podIPs[0]']],
    [never, { podIPs: [{ ip: '1.1.1.1' }, { ip: 'x' }] }, ['Invalid status.podIPs[1]', 'InternalError status.podIPs', 'Invalid status.podIPs']],
    [never, { podIPs: [{ ip: '1.1.1.1' }, { ip: '::1' }] }, []],
    [never, { podIPs: [{ ip: '1.1.1.1' }, { ip: '2.2.2.2' }] }, ['Invalid status.podIPs']],
    [never, { podIPs: [{ ip: '1.1.1.1' }, { ip: '::1' }, { ip: '::2' }] }, ['Invalid status.podIPs']],
    [never, { podIPs: [{ ip: '::1' }, { ip: '::1' }] }, ['Invalid status.podIPs', 'Duplicate status.podIPs[1]']],
    [done, { containerStatuses: [status('c')] }, ['Forbidden status.containerStatuses[0].state']],
    [done, { containerStatuses: [status('c', ended(2))] }, []],
    [{ ...done, spec: { ...done.spec, restartPolicy: 'OnFailure' } as Spec }, { containerStatuses: [status('c')] }, []],
    [restarting('OnFailure', 0), { containerStatuses: [status('c')] }, ['Forbidden status.containerStatuses[0].state']],
    [restarting('Always', 0), { containerStatuses: [status('c')] }, []],
    [withStatus(never, { containerStatuses: [status('c')] }), { containerStatuses: [status('c', { state: { running: {} } })] }, []],
    [{ ...never, status: { ...never.status, nominatedNodeName: 'N_' } }, { nominatedNodeName: 'N_' }, []],
    [{ ...never, status: { ...never.status, nominatedNodeName: 'n' } }, {}, []],
    [withStatus(made(), { ephemeralContainerStatuses: [status('c', ended(1))] }), { ephemeralContainerStatuses: [status('c')] }, ['Forbidden status.ephemeralContainerStatuses[0].state']],
  ];
  for (const [live, next, causes] of rows) {
    assert.deepEqual(write(Pod, { body: { ...live, status: next }, live, subresource: 'status' }).causes, causes, JSON.stringify(next));
  }
});

test('R4.3 Pod: the field for its node may be called as it was formerly', () => {
  const found = compileFieldSelector(parseFieldSelector('spec.host=n'), Pod);
  assert.deepEqual([found?.matches({ 'spec.nodeName': 'n' }), found?.matches({ 'spec.nodeName': 'm' })], [true, false]);
});

test('a status write leaves owners alone', () => {
  const live = made();
  const owner = { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u' };
  const body = { ...live, metadata: { ...live.metadata, ownerReferences: [owner] } };
  assert.equal(write(Pod, { body, live, subresource: 'status' }).object.metadata.ownerReferences, undefined);
});

test('containers for debugging are added, and nothing else changes with them', () => {
  const live = made();
  const debug = (spec: object, from = live): ReturnType<typeof write> =>
    write(Pod, { body: { ...from, metadata: { ...from.metadata, labels: { x: 'y' } }, spec: { ...from.spec, hostNetwork: true, ...spec } }, live: from, subresource: 'ephemeralcontainers' });
  const added = debug({ ephemeralContainers: [{ name: 'd', image: 'i' }] });
  assert.deepEqual(added.causes, []);
  const pod = added.object as Pod;
  assert.deepEqual([pod.metadata.labels, pod.spec.hostNetwork, pod.spec.ephemeralContainers?.length], [undefined, undefined, 1]);
  const list = ['Forbidden spec.ephemeralContainers'];
  assert.deepEqual(debug({ ephemeralContainers: [] }, pod).causes, list);
  assert.deepEqual(debug({ ephemeralContainers: [{ name: 'd', image: 'other' }] }, pod).causes, list);
  const twice = ['Duplicate spec.ephemeralContainers[1].name'];
  assert.deepEqual(debug({ ephemeralContainers: [{ name: 'd', image: 'other' }, { name: 'd', image: 'i' }] }, pod).causes, twice);
  assert.deepEqual(debug({ ephemeralContainers: [{ name: 'd', image: 'i' }, { name: 'd', image: 'other' }] }, pod).causes, [...twice, ...list]);
  const ofNode = { name: 'd', image: 'i', securityContext: { windowsOptions: { hostProcess: true } } };
  assert.deepEqual(debug({ ephemeralContainers: [ofNode] }).causes, ['Invalid spec', 'Invalid spec.hostNetwork', 'Forbidden spec']);
  assert.deepEqual(debug({ ephemeralContainers: [{ name: 'c', image: 'i' }] }).causes, ['Duplicate spec.ephemeralContainers[0].name']);
  assert.deepEqual(debug({ ephemeralContainers: [{ name: 'd', image: 'i' }, { name: 'e', image: 'i', targetContainerName: 'd' }] }).causes, []);
  assert.deepEqual(debug({ ephemeralContainers: [{ name: 'd', image: 'i', targetContainerName: 'd' }] }).causes, ['NotFound spec.ephemeralContainers[0].targetContainerName']);
});

test('what tables say', () => {
  const running = { state: { running: {} }, ready: true };
  const rows: readonly (readonly [status: object, ready: string, state: string, restarts: string])[] = [
    [{ phase: 'Pending' }, '0/1', 'Pending', '0'],
    [{ phase: 'Failed', reason: 'Evicted' }, '0/1', 'Evicted', '0'],
    [{ phase: 'Running', containerStatuses: [status('c', running)] }, '1/1', 'Running', '0'],
    [{ phase: 'Running', containerStatuses: [status('c', { state: { waiting: { reason: 'CrashLoopBackOff' } }, restartCount: 3 })] }, '0/1', 'CrashLoopBackOff', '3'],
    [{ phase: 'Failed', containerStatuses: [status('c', ended(7))] }, '0/1', 'ExitCode:7', '0'],
    [{ phase: 'Failed', containerStatuses: [status('c', { state: { terminated: { exitCode: 0, signal: 9 } } })] }, '0/1', 'Signal:9', '0'],
    [{ phase: 'Pending', initContainerStatuses: [status('i')] }, '0/1', 'Init:0/0', '0'],
    [{ phase: 'Pending', initContainerStatuses: [status('h', ended(0)), status('i', { state: { waiting: { reason: 'ErrImagePull' } } })] }, '0/1', 'Init:ErrImagePull', '0'],
    [{ phase: 'Pending', initContainerStatuses: [status('i', ended(2))] }, '0/1', 'Init:ExitCode:2', '0'],
  ];
  for (const [said, ...cells] of rows) assert.deepEqual(cellsOf(Pod, withStatus(made(), said)).slice(0, 3), cells, JSON.stringify(said));
  const completed = { state: { terminated: { exitCode: 0, reason: 'Completed' } } };
  const half = { phase: 'Running', containerStatuses: [status('c', completed), status('d', running)] };
  assert.equal(cellsOf(Pod, withStatus(made(), half))[1], 'NotReady');
  assert.equal(cellsOf(Pod, withStatus(made(), { ...half, conditions: [{ type: 'Ready', status: 'True' }] }))[1], 'Running');
  const again = { restartCount: 2, lastState: { terminated: { exitCode: 1, finishedAt: '1969-12-31T23:55:00Z' } } };
  assert.equal(cellsOf(Pod, withStatus(made(), { containerStatuses: [status('c', again)] }))[2], '2 (5m ago)');
  const uncounted = { lastState: again.lastState };
  assert.equal(cellsOf(Pod, withStatus(made(), { containerStatuses: [status('c', uncounted)] }))[2], '0 (5m ago)');
  const before = { initContainerStatuses: [status('i', { ...ended(0), ...again })], containerStatuses: [status('c', running)] };
  assert.equal(cellsOf(Pod, withStatus(made(), before))[2], '0 (5m ago)');
  const leaving = { ...made(), metadata: { ...made().metadata, deletionTimestamp: '1970-01-01T00:00:00Z' } };
  assert.equal(cellsOf(Pod, leaving)[1], 'Terminating');
  assert.equal(cellsOf(Pod, { ...leaving, status: { reason: 'NodeLost' } } as Pod)[1], 'Unknown');
  const gates = made({ nodeName: 'n', readinessGates: [{ conditionType: 'a' }, { conditionType: 'b' }] });
  const shown = withStatus(gates, { podIP: '1.1.1.1', conditions: [{ type: 'a', status: 'True' }] });
  assert.deepEqual(cellsOf(Pod, shown).slice(3), ['1.1.1.1', 'n', '<none>', '1/2']);
});

test('time to end: none without a node or after the end, else as asked or as the pod says', () => {
  const rows: readonly (readonly [spec: object, phase: string, asked: number | undefined, seconds: number])[] = [
    [{}, 'Pending', 20, 0],
    [{ nodeName: 'n' }, 'Running', undefined, 30],
    [{ nodeName: 'n' }, 'Running', 5, 5],
    [{ nodeName: 'n' }, 'Running', 0, 0],
    [{ nodeName: 'n', terminationGracePeriodSeconds: 7 }, 'Running', undefined, 7],
    [{ nodeName: 'n', terminationGracePeriodSeconds: -7 }, 'Running', undefined, 1],
    [{ nodeName: 'n' }, 'Succeeded', undefined, 0],
    [{ nodeName: 'n' }, 'Failed', 9, 0],
  ];
  for (const [spec, phase, asked, seconds] of rows) assert.equal(Pod.grace?.(withStatus(made(spec), { phase }), asked), seconds);
});

test('Pod: conditions that somebody reports have names of their own', () => {
  const body = { spec: { containers: [{ name: 'c', image: 'i' }] } };
  const live = write(Pod, { body }).object as Pod;
  const causes = (type: string): readonly string[] => write(Pod, { body: { ...body, status: { conditions: [{ type, status: 'True' }] } }, live, subresource: 'status' }).causes;
  assert.deepEqual(causes('Ready'), []);
  assert.deepEqual(causes('example.com/ready'), []);
  assert.deepEqual(causes('not ready'), ['Invalid metadata.conditions[0].Type']);
});

test('Pod: a claim that is made for it is not named as one that is there', () => {
  const claim = (claimName: string): object => ({ name: 'w', persistentVolumeClaim: { claimName } });
  const made = { name: 'v', ephemeral: { volumeClaimTemplate: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } } } };
  const causes = (volumes: object[]): readonly string[] => write(Pod, { body: { spec: { containers: [container()], volumes } } }).causes;
  assert.deepEqual(causes([claim('a-v'), made]), ['Invalid spec.volumes[0].persistentVolumeClaim.claimName']);
  assert.deepEqual(causes([claim('b-v'), made]), []);
});

test('Pod: a claim that is made for it begins with one source', () => {
  const of = (sources: object): object => ({ name: 'v', ephemeral: { volumeClaimTemplate: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...sources } } } });
  const causes = (sources: object): readonly string[] => write(Pod, { body: { spec: { containers: [container()], volumes: [of(sources)] } } }).causes;
  const source = { kind: 'PersistentVolumeClaim', name: 'a' };
  assert.deepEqual(causes({ dataSource: source, dataSourceRef: { ...source, name: 'b' } }), ['Invalid spec.volumes[0].ephemeral.volumeClaimTemplate.spec']);
  assert.deepEqual(causes({ dataSource: source, dataSourceRef: source }), []);
});

test('Pod: annotations are held to their rules whatever is written', () => {
  const live = made();
  const body = { ...live, metadata: { ...live.metadata, annotations: { 'controller.orch.io/pod-deletion-cost': 'much' } } };
  const said = (subresource: string): readonly string[] => write(Pod, { body, live, subresource }).messages;
  assert.deepEqual(said('status'), ['Invalid value: "much": must be a 32bit integer']);
  assert.deepEqual(said(''), ['Invalid value: "much": must be a 32bit integer', 'Invalid value: "much": must be a 32bit integer']);
});
