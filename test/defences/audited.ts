// A server that writes down everything it can: its log, and a request of every stage and level for audit.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startTestServer, type TestServer, type TestServerOptions } from '#testing';

export interface Audited {
  readonly server: TestServer;
  /** All that was written so far. */
  written(): { readonly audit: string; readonly log: string };
  close(): Promise<void>;
}

export async function startAudited(format: 'json' | 'legacy', options: TestServerOptions = {}): Promise<Audited> {
  const folder = mkdtempSync(path.join(tmpdir(), 'orch-defences-'));
  const file = path.join(folder, 'audit.log');
  const lines: string[] = [];
  const note = (message: string, fields: object = {}): void => void lines.push(JSON.stringify({ message, ...fields }));
  const policy = JSON.stringify({ apiVersion: 'audit.orch.io/v1', kind: 'Policy', rules: [{ level: 'Metadata', resources: [{ group: '', resources: ['secrets', 'serviceaccounts/token'] }, { group: 'authentication.orch.io' }] }, { level: 'RequestResponse' }] });
  const server = await startTestServer({
    controllers: 'none',
    log: { info: note, warn: note, error: note },
    audit: { policy, log: { path: file, format } },
    ...options,
  });
  return {
    server,
    written: () => ({ audit: readFileSync(file, 'utf8'), log: lines.join('\n') }),
    async close() {
      await server.close();
      rmSync(folder, { recursive: true });
    },
  };
}
