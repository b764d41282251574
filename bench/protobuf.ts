/** Objects to protobuf and back, beside the same in JSON; a page of a list and the frames of a watch. */
import { brandOf, objectTypeOf } from '#api';
import { createJsonCodec, createProtobufCodec, negotiate, OFFERS, withParts } from '#codec';
import { Deployment } from '#kinds';
import { tellPerSecond } from './per-second.ts';

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

console.log(`a deployment of ${bytes.length} bytes in JSON, ${encoded.length} in protobuf`);
tellPerSecond('encode, JSON', () => json.encode(type, object));
tellPerSecond('encode, protobuf', () => protobuf.encode(type, object));
tellPerSecond('decode, JSON', () => json.decode(expected, bytes));
tellPerSecond('decode, protobuf', () => protobuf.decode(expected, encoded));
tellPerSecond('frame, protobuf', () => protobuf.frame('MODIFIED', encoded));
tellPerSecond('list of 500, protobuf', () => withParts(protobuf.list(envelope), page), 10);
tellPerSecond('negotiate', () => negotiate('application/json;as=Table;v=v1;g=meta.orch.io,application/json', OFFERS.objects, brand));
