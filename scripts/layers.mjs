// The layer table: which folder of src may import which. One truth for the checker, for docs/layers.md and for readers.

const pure = ['base', 'errors', 'schema', 'api'];
const gate = [...pure, 'kinds', 'codec', 'request', 'transport'];

/** From the bottom to the top. `'*'` means every folder above it in this table. */
export const layers = {
  base: [],
  errors: ['base'],
  schema: ['base', 'errors'],
  api: ['base', 'errors', 'schema'],
  kinds: ['base', 'errors', 'schema', 'api'],
  codec: pure,
  patch: pure,
  apply: pure,
  request: ['base', 'errors', 'api'],
  transport: ['base', 'errors', 'codec'],
  storage: ['base', 'errors', 'api'],
  watchcache: ['base', 'errors', 'api', 'storage'],
  registry: [...pure, 'storage', 'watchcache'],
  authentication: gate,
  authorization: gate,
  admission: [...gate, 'patch'],
  audit: gate,
  flowcontrol: gate,
  endpoints: [...gate, 'patch', 'apply', 'admission', 'registry'],
  discovery: [...pure, 'codec', 'request'],
  extensions: [...gate, 'registry'],
  http: ['base', 'errors', 'codec', 'request'],
  client: [...pure, 'kinds', 'codec', 'transport'],
  controllers: [...pure, 'kinds', 'client'],
  server: ['*'],
  cli: ['base', 'errors', 'api', 'kinds', 'codec', 'patch', 'transport', 'client', 'server'],
  testing: ['base', 'api', 'client', 'server'],
};

/** Folders without the outside world: no `node:` module, no package, except the packages named here. */
export const pureFolders = {
  base: [],
  errors: [],
  schema: ['re2js'],
  api: [],
  kinds: [],
  codec: ['js-yaml'],
  patch: [],
  apply: [],
};

/** A package is imported in its home folders, in each of them and nowhere else; one that has no row here is imported nowhere. */
export const packages = {
  lmdb: ['storage/engines/lmdb'],
  '@grpc/grpc-js': ['storage/engines/etcd'],
  '@noble/ciphers': ['storage/encryption'],
  'js-yaml': ['codec'],
  '@peculiar/x509': ['controllers'],
  'reflect-metadata': ['controllers'],
  jose: ['authentication'],
  re2js: ['schema'],
};

/** Islands: a matching file may import, inside its own layer, only its own island and the files in `doors`. */
export const islands = [
  {
    rule: 'engines-are-islands',
    island: /^storage\/engines\/[^/]+(?=\/)/,
    doors: ['storage/engine.ts', 'storage/driver.ts', 'storage/entry.ts', 'storage/storage-failure.ts', 'storage/damage.ts', 'storage/longest-key.ts', 'storage/follow-tail.ts', 'storage/expiry.ts', 'storage/maintenance-log.ts', 'storage/opened-file.ts', 'storage/present-file.ts', 'storage/file-owner.ts', 'storage/free-bytes.ts', 'storage/world.ts'],
    layers: ['base', 'errors'],
    why: 'an engine knows its contract (storage/engine.ts: what it does, storage/driver.ts: how it is opened and maintained, storage/entry.ts: what it holds, storage/storage-failure.ts: how it fails), by what it finds damage (storage/damage.ts), how long a key may be (storage/longest-key.ts), how all of them are followed (storage/follow-tail.ts) and entries with a time to live deleted (storage/expiry.ts), what is told of maintenance that fails (storage/maintenance-log.ts), where a file is, whose it is, whether it still is and how much its disk has free (storage/present-file.ts, storage/file-owner.ts, storage/opened-file.ts, storage/free-bytes.ts), in which world a process has its id (storage/world.ts), base and errors, nothing else',
  },
  {
    rule: 'plugins-are-islands',
    island: /^admission\/plugins\/[^/]+\/[^/.]+(?=[/.])/,
    doors: ['admission/plugin.ts', 'admission/configuration-kind.ts', 'admission/deny-exec.ts', 'admission/namespaced-objects.ts', 'admission/referred-kinds.ts', 'admission/webhook/index.ts'],
    why: 'an admission plugin knows its contract (admission/plugin.ts), what several share (admission/configuration-kind.ts, admission/deny-exec.ts, admission/namespaced-objects.ts, admission/referred-kinds.ts, admission/webhook) and no other plugin',
  },
];

/** Files that are run, not imported. */
export const programs = ['cli/envtest/stand-in-etcd.ts', 'cli/main.ts', 'storage/engines/sqlite/writer.ts'];

/** Names that say nothing about what is inside. */
export const vagueNames = ['utils', 'util', 'helpers', 'helper', 'common', 'misc', 'types', 'manager', 'impl'];

/** The folders a folder may import, with `'*'` written out. */
export function allowed(from) {
  const to = layers[from] ?? [];
  if (!to.includes('*')) return to;
  const names = Object.keys(layers);
  return names.slice(0, names.indexOf(from));
}
