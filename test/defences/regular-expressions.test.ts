// A match that takes longer than linear time would keep these tests from ever ending.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestAnswer } from '#testing';
import { brokenInto, doneOrRefused } from '../robustness/judge.ts';
import { established } from '../support/definitions.ts';

const server = brokenInto();
const LENGTH = 200_000;
const DEFINITIONS = '/apis/apiextensions.orch.io/v1/customresourcedefinitions';

const define = async (plural: string, value: object): Promise<void> => {
  const kind = plural[0]?.toUpperCase() + plural.slice(1, -1);
  const properties = { spec: { type: 'object', properties: { v: value } } };
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties } } }];
  const spec = { group: 'example.com', scope: 'Cluster', names: { plural, kind }, versions };
  const answer = await server().request('POST', DEFINITIONS, { apiVersion: 'apiextensions.orch.io/v1', kind: 'CustomResourceDefinition', metadata: { name: `${plural}.example.com` }, spec });
  assert.equal(answer.status, 201, answer.text);
  await established(server(), `${DEFINITIONS}/${plural}.example.com`);
};

const make = (plural: string, v: string): Promise<TestAnswer> => {
  const kind = plural[0]?.toUpperCase() + plural.slice(1, -1);
  return server().request('POST', `/apis/example.com/v1/${plural}`, { apiVersion: 'example.com/v1', kind, metadata: { generateName: 'x-' }, spec: { v } });
};

test('regular expressions of exponential cost in schemas are matched in linear time', async () => {
  for (const [at, pattern] of ['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '^(.*a){20}$', '(x+x+)+y'].entries()) {
    const plural = `p${'abcde'[at]}s`;
    await define(plural, { type: 'string', pattern });
    const answer = await make(plural, `${(pattern.includes('x') ? 'x' : 'a').repeat(5_000)}!`);
    assert.equal(answer.status, 422, answer.text.slice(0, 300));
  }
});

test('formats of schemas are checked in linear time', async () => {
  const formats = ['email', 'hostname', 'ipv4', 'ipv6', 'cidr', 'uri', 'uuid', 'mac', 'isbn', 'creditcard', 'ssn', 'hexcolor', 'rgbcolor', 'byte', 'date', 'duration', 'datetime', 'date-time'];
  const texts = ['a'.repeat(LENGTH), '0'.repeat(LENGTH), 'a.'.repeat(LENGTH / 2), 'a-'.repeat(LENGTH / 2), ' '.repeat(LENGTH), ':'.repeat(LENGTH), `rgb(${' '.repeat(LENGTH)}`, `${'a'.repeat(LENGTH)}@${'a.'.repeat(1000)}!`, '1h'.repeat(LENGTH / 2)];
  for (const [at, format] of formats.entries()) {
    const plural = `f${String.fromCharCode(97 + at)}s`;
    await define(plural, { type: 'string', format });
    for (const text of texts) {
      const answer = await make(plural, text);
      assert.ok([201, 422].includes(answer.status), `${format}: ${answer.text.slice(0, 300)}`);
    }
  }
});

/** Starts of texts that patterns like to try again and again. */
const PIECES = ['a', 'a-', 'a.', 'a/', 'a:', '-', '.', '/', ' ', '*', '0', '=', '!', ',', '%', '\\', '"', '_', '$(', '@', '+'];

/** A pod has so many texts that longer ones would be refused for the length of the body, unread. */
const POD_LENGTH = 20_000;

/** Tries to make an object whose fields are bad; what refuses it is their validation, nothing before that. */
async function ask(path: string, body: object): Promise<void> {
  const answer = await server().request('POST', path, body);
  assert.equal(answer.status, 422, answer.text.slice(0, 300));
  doneOrRefused(answer);
}

async function askForPods(text: string): Promise<void> {
  const metadata = { name: text, generateName: text, labels: { [text]: text, a: text }, annotations: { [text]: 'v' }, finalizers: [text], ownerReferences: [{ apiVersion: text, kind: text, name: text, uid: text }] };
  const container = {
    name: text, image: text, workingDir: text, env: [{ name: text, value: text }], envFrom: [{ prefix: text }], ports: [{ name: text, containerPort: 1, hostIP: text }], volumeMounts: [{ name: text, mountPath: text, subPath: text }],
    resources: { limits: { [text]: '1' } }, livenessProbe: { httpGet: { path: text, port: text, host: text, httpHeaders: [{ name: text, value: text }] } },
  };
  const spec = {
    hostname: text, subdomain: text, nodeSelector: { [text]: text }, tolerations: [{ key: text, operator: 'Exists' }], serviceAccountName: text, hostAliases: [{ ip: text, hostnames: [text] }],
    dnsConfig: { nameservers: [text], searches: [text], options: [{ name: text }] }, securityContext: { sysctls: [{ name: text, value: text }], windowsOptions: { runAsUserName: text } }, priorityClassName: text,
    volumes: [{ name: text, hostPath: { path: text } }, { name: 'v', configMap: { name: text, items: [{ key: text, path: text }] } }],
  };
  const containers = [{ name: 'c', image: 'i' }];
  const path = '/api/v1/namespaces/default/podtemplates';
  const pods = { apiVersion: 'v1', kind: 'PodTemplate', metadata: { name: 'p' } };
  await ask(path, { ...pods, metadata, template: { metadata, spec: { containers } } });
  await ask(path, { ...pods, template: { spec: { containers: [container] } } });
  await ask(path, { ...pods, template: { spec: { containers, ...spec } } });
  doneOrRefused(await server().request('POST', path, { ...pods, template: { spec: { containers: [{ ...containers[0], resources: { limits: { cpu: text } } }] } } }));
}

test('what the fields of built-in kinds hold is checked in linear time', async () => {
  for (const piece of PIECES) {
    const text = `${piece.repeat(LENGTH / piece.length)}!`;
    await askForPods(`${piece.repeat(POD_LENGTH / piece.length)}!`);
    await ask('/api/v1/namespaces/default/services', { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' }, spec: { clusterIP: text, externalIPs: [text], externalName: text, loadBalancerSourceRanges: [text], ports: [{ name: text, port: 1, targetPort: text, appProtocol: text }] } });
    await ask('/apis/batch/v1/namespaces/default/cronjobs', { apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: 'c' }, spec: { schedule: text, jobTemplate: { spec: { template: { spec: { containers: [{ name: 'c', image: 'i' }], restartPolicy: 'Never' } } } } } });
    await ask('/apis/networking.orch.io/v1/namespaces/default/ingresses', { apiVersion: 'networking.orch.io/v1', kind: 'Ingress', metadata: { name: 'i' }, spec: { rules: [{ host: text, http: { paths: [{ path: text, pathType: 'Prefix', backend: { service: { name: text, port: { name: text } } } }] } }], tls: [{ hosts: [text] }] } });
    await ask('/apis/rbac.authorization.orch.io/v1/clusterroles', { apiVersion: 'rbac.authorization.orch.io/v1', kind: 'ClusterRole', metadata: { name: text }, rules: [{ verbs: [text], apiGroups: [text], resources: [text], nonResourceURLs: [text] }] });
  }
});

/** A `resourceVersion` that is none is answered with a 500, as in Kubernetes. */
const BAD_VERSION = [500];

test('headers, selectors and other texts of requests are read in linear time', async () => {
  for (const piece of PIECES) {
    const text = piece.repeat(20_000 / piece.length);
    const encoded = encodeURIComponent(text);
    for (const query of [`labelSelector=${encoded}`, `fieldSelector=${encoded}`, `labelSelector=a+in+(${encoded}`, `continue=${encoded}`, `limit=${encoded}`, `resourceVersion=${encoded}`, `timeout=${encoded}`, `fieldManager=${encoded}`, encoded, `${encoded}=1`]) {
      doneOrRefused(await server().request('GET', `/api/v1/namespaces/default/configmaps?${query}`), BAD_VERSION);
    }
    const header = `x${text}x`;
    for (const name of ['accept', 'accept-encoding', 'user-agent', 'authorization', 'content-type', 'audit-id', 'x-forwarded-for', 'if-none-match', 'traceparent', 'impersonate-user']) {
      doneOrRefused(await server().request('GET', '/api/v1/namespaces/default/configmaps', undefined, { [name]: header }));
    }
  }
});
