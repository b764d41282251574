import type { Command } from './command.ts';

interface Row {
  readonly summary: string;
  /** Imports the command when it runs: `serve` starts without the client code, and client commands without the server code. */
  readonly load: () => Promise<Command>;
}

/** One row per command, in the order of the help. */
export const COMMANDS: ReadonlyMap<string, Row> = new Map<string, Row>([
  ['serve', { summary: 'run a server in the foreground', load: async () => (await import('./commands/serve.ts')).serve }],
  ['backup', { summary: 'copy the store of a server to a file', load: async () => (await import('./commands/backup.ts')).backup }],
  ['restore', { summary: 'make a store from a backup', load: async () => (await import('./commands/restore.ts')).restoreStore }],
  ['check', { summary: 'verify a store or a backup', load: async () => (await import('./commands/check.ts')).check }],
  ['envtest', { summary: 'put what envtest starts into a folder', load: async () => (await import('./commands/envtest.ts')).envtest }],
  ['get', { summary: 'show objects', load: async () => (await import('./commands/get.ts')).get }],
  ['apply', { summary: 'make objects be as a file says', load: async () => (await import('./commands/apply.ts')).apply }],
  ['create', { summary: 'make the objects of a file', load: async () => (await import('./commands/create.ts')).create }],
  ['delete', { summary: 'delete objects', load: async () => (await import('./commands/delete.ts')).deleteObjects }],
  ['api-resources', { summary: 'list the resources a server has', load: async () => (await import('./commands/api-resources.ts')).apiResources }],
  ['version', { summary: 'show the versions of client and server', load: async () => (await import('./commands/version.ts')).version }],
]);
