/** What the load is made of; placeholders as in `load.ts`. The core kinds are the same in both dialects. */
export const NAMESPACE = 'bench';
export const collection = (resource: string): string => `/api/v1/namespaces/${NAMESPACE}/${resource}`;
export const DEPLOYMENTS = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments`;

/** About 1 KB. */
export const configMap = (name: string, data: Readonly<Record<string, string>> = {}): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { text: 'x'.repeat(800), ...data } });

/** One of ten groups; a selector of one group takes 10 %. */
export const labelled = (name: string, group: number): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels: { group: `g${group}`, app: 'bench' } }, data: { text: 'x'.repeat(800) } });

export const secret = (name: string): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { name }, data: { key: Buffer.from('x'.repeat(600)).toString('base64') } });

/** About 0.5 KB; stored, with its defaults, its token's volume and ownership, about 3 KB. */
export const pod = (name: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { app: 'bench' } },
    spec: {
      containers: [{ name: 'main', image: 'registry.test/bench:1', env: [{ name: 'A', value: 'x'.repeat(100) }], ports: [{ containerPort: 8080 }] }],
    },
  });

const wideContainer = (at: number): object => ({
  name: `c-${at}`,
  image: `registry.test/wide:${at}`,
  command: ['run'],
  args: ['--all'],
  workingDir: '/work',
  imagePullPolicy: 'Always',
  resources: { requests: { cpu: '10m', memory: '16Mi' }, limits: { cpu: '20m', memory: '32Mi' } },
  livenessProbe: { httpGet: { path: '/live', port: 8080 }, periodSeconds: 10, timeoutSeconds: 2 },
  securityContext: { runAsNonRoot: true, readOnlyRootFilesystem: true },
  env: Array.from({ length: 6 }, (_, n) => ({ name: `VARIABLE_${n}`, value: `value ${n}` })),
  ports: [{ containerPort: 8080 + at, name: `p-${at}`, protocol: 'TCP' }],
});

/** 50 containers; who applies it owns about 2,000 fields. */
export const wideDeployment = (name: string, note: string): string =>
  JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels: { app: 'wide' }, annotations: { note } },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: 'wide' } },
      template: { metadata: { labels: { app: 'wide' } }, spec: { containers: Array.from({ length: 50 }, (_, at) => wideContainer(at)) } },
    },
  });

export const mergePatch = JSON.stringify({ data: { count: '{n}' } });
export const applyConfig = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'own-{c}' }, data: { applied: '{n}' } });
