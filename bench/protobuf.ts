/** Objects to protobuf and back, beside the same in JSON; a page of a list and the frames of a watch. */
import { brandOf, objectTypeOf } from '#api';
import { createJsonCodec, createProtobufCodec, negotiate, OFFERS, withParts } from '#codec';
import { Deployment } from '#kinds';

const SPAN_MS = 400;

const container = (name: string): object => ({
  name,
  image: `registry.example.com/${name}:1.2.3`,
  args: ['--port', '8080'],
  ports: [{ containerPort: 8080, name: 'http', protocol: 'TCP' }],
  env: [{ name: 'A', value: 'one' }, { name: 'B', valueFrom: { configMapKeyRef: { name: 'settings', key: 'b' } } }],
  resources: { limits: { cpu: '500m', memory: '128Mi' }, requests: { cpu: '100m', memory: '64Mi' } },
  livenessProbe: { httpGet: { path: '/healthz', port: 8080 }, periodSeconds: 10 },
});
const bytes = Buffer.from(
  JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'default', uid: 'e1c8a7d0', resourceVersion: '123456', creationTimestamp: '2023-04-05T06:07:08Z', labels: { app: 'web' } },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [container('one'), container('two')] } },
    },
  }),
);

const brand = brandOf('orch');
const json = createJsonCodec();
const protobuf = createProtobufCodec(brand);
const version = Deployment.versions['v1'];
if (version === undefined) throw new Error('there is no v1 of Deployment');
const type = objectTypeOf(version.schema);
const expected = { apiVersion: 'apps/v1', kind: 'Deployment', type };
const object = json.decode(expected, bytes);
const encoded = protobuf.encode(type, object);
const page = Array.from({ length: 500 }, () => encoded);
const envelope = { apiVersion: 'apps/v1', kind: 'DeploymentList', metadata: { resourceVersion: '1' } };

function measure(name: string, work: () => unknown, batch = 100): void {
  for (let warm = 0; warm < batch * 20; warm++) work();
  const from = performance.now();
  let count = 0;
  while (performance.now() - from < SPAN_MS) {
    for (let i = 0; i < batch; i++) work();
    count += batch;
  }
  const perSecond = Math.round((count / (performance.now() - from)) * 1_000);
  console.log(`${name.padEnd(24)} ${perSecond.toLocaleString('en').padStart(12)} /s`);
}

console.log(`a deployment of ${bytes.length} bytes in JSON, ${encoded.length} in protobuf`);
measure('encode, JSON', () => json.encode(type, object));
measure('encode, protobuf', () => protobuf.encode(type, object));
measure('decode, JSON', () => json.decode(expected, bytes));
measure('decode, protobuf', () => protobuf.decode(expected, encoded));
measure('frame, protobuf', () => protobuf.frame('MODIFIED', encoded));
measure('list of 500, protobuf', () => withParts(protobuf.list(envelope), page), 10);
measure('negotiate', () => negotiate('application/json;as=Table;v=v1;g=meta.orch.io,application/json', OFFERS.objects, brand));
