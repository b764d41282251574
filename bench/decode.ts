/** JSON bytes to values, small and large, and to a whole object and back: what every write pays. */
import { objectTypeOf } from '#api';
import { parseJson } from '#base';
import { createJsonCodec } from '#codec';
import { int32Scalar, quantityScalar, stringScalar, t } from '#schema';
import { tellPerSecond } from './per-second.ts';

class EnvVar extends t.message('bench.EnvVar', { name: t.string(1).required(), value: t.string(2) }) {}
class Container extends t.message('bench.Container', {
  name: t.string(1).required(),
  image: t.string(2),
  command: t.strings(3),
  args: t.strings(4),
  ports: t.many(6, int32Scalar),
  env: t.many(7, EnvVar),
  limits: t.map(8, quantityScalar),
  requests: t.map(9, quantityScalar),
  stdin: t.bool(16),
  tty: t.bool(18),
}) {}
class PodSpec extends t.message('bench.PodSpec', {
  containers: t.many(2, Container).always(),
  restartPolicy: t.string(3),
  nodeSelector: t.map(7, stringScalar),
  hostNetwork: t.bool(11),
}) {}
class Template extends t.message('bench.Template', { labels: t.map(1, stringScalar), spec: t.one(2, PodSpec) }) {}
class Spec extends t.message('bench.Spec', {
  replicas: t.maybe.int32(1),
  selector: t.map(2, stringScalar),
  template: t.one(3, Template),
  paused: t.bool(7),
}) {}
class Body extends t.message('bench.Deployment', { spec: t.one(2, Spec) }) {}

const container = (name: string): object => ({
  name,
  image: `registry.example.com/${name}:1.2.3`,
  args: ['--port', '8080'],
  ports: [8080, 9090],
  env: [{ name: 'A', value: 'one' }, { name: 'B', value: 'two' }],
  limits: { cpu: '500m', memory: '128Mi' },
  requests: { cpu: '100m', memory: '64Mi' },
});
const bytes = Buffer.from(
  JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'default', labels: { app: 'web', tier: 'front' }, annotations: { note: 'x'.repeat(100) } },
    spec: {
      replicas: 3,
      selector: { app: 'web' },
      template: { labels: { app: 'web' }, spec: { containers: [container('one'), container('two')] } },
    },
  }),
);

const codec = createJsonCodec();
const type = objectTypeOf(Body);
const expected = { apiVersion: 'apps/v1', kind: 'Deployment', type };
const object = codec.decode(expected, bytes);

console.log(`a deployment of ${bytes.length} bytes`);
tellPerSecond('JSON.parse', () => JSON.parse(bytes.toString()) as unknown);
tellPerSecond('parse', () => parseJson(bytes));
tellPerSecond('parse and decode', () => codec.decode(expected, bytes));
tellPerSecond('encode', () => codec.encode(type, object));

const LIST_BYTES = 1_048_576;
const list = Buffer.from(`[${Array.from({ length: Math.ceil(LIST_BYTES / bytes.length) }, () => bytes.toString()).join(',')}]`);

// What `parse` takes longer is the looking over that our own rules need.
console.log(`a list of ${list.length.toLocaleString('en')} bytes`);
tellPerSecond('JSON.parse', () => JSON.parse(list.toString()) as unknown, 2);
tellPerSecond('parse', () => parseJson(list), 2);
