import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startAudited } from './audited.ts';
import { ask, codesOf } from './raw-connection.ts';

const PATH = '/api/v1/namespaces/default/configmaps';
const ADMIN = 'Host: x\r\nAuthorization: Bearer admintoken\r\n';
/** What HTTP lets pass in a header, and what a line of a log must not contain. As Latin-1, which is how Node reads headers. */
const TRICKS = 'a\t"}\\\u0085\u009b2J\u00a0';

for (const format of ['json', 'legacy'] as const) {
  test(`log lines cannot be forged: every event is one line of plain characters (${format})`, async () => {
    const { server, written, close } = await startAudited(format, { over: 'http1' });
    try {
      const encoded = '%0d%0a%7b%22kind%22:%22Event%22%7d%1b%5b2J%e2%80%a8%e2%80%ae%c2%9b';
      for (const path of [`${PATH}/${encoded}`, `/${encoded}`, `${PATH}?labelSelector=${encoded}`, `/apis/${encoded}/v1/x`]) {
        const answer = await ask(server, `GET ${path} HTTP/1.1\r\n${ADMIN}User-Agent: ${TRICKS}\r\nX-Forwarded-For: ${TRICKS}\r\nConnection: close\r\n\r\n`);
        assert.equal(codesOf(answer).length, 1, answer);
      }
      const name = `forged-${format}`;
      const data = { k: '\r\n{"kind":"Event"}\u001b[2J\u2028\u202e\u009b' };
      assert.equal((await server.request('POST', PATH, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data })).status, 201);
      const { audit } = written();
      for (const line of audit.trimEnd().split('\n')) {
        assert.doesNotMatch(line, /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/);
        if (format === 'json') assert.equal((JSON.parse(line) as { readonly kind: string }).kind, 'Event');
        else assert.match(line, /^\S+ AUDIT: id="/);
      }
      if (format === 'json') assert.ok(audit.split('\n').some((line) => line !== '' && (JSON.parse(line) as { readonly requestObject?: { readonly data?: object } }).requestObject?.data !== undefined));
    } finally {
      await close();
    }
  });
}

test('request ids cannot be forged: an id from outside is repeated only where it is short and plain', async () => {
  const { server, written, close } = await startAudited('json');
  try {
    const idFor = async (id: string): Promise<string | undefined> => (await server.request('GET', PATH, undefined, { 'audit-id': id })).headers['audit-id'];
    for (const good of ['a', '0b5c6e6c-0d5c-4d7c-9b0b-3f1d8a7a2b11', 'x'.repeat(64)]) assert.equal(await idFor(good), good);
    for (const bad of ['x'.repeat(65), 'a b', 'a\tb', 'a\u0000b', 'a\nb', '\u001b[2J', 'ü', '\u2028']) {
      const id = await idFor(bad);
      assert.match(id ?? '', /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, JSON.stringify(bad));
    }
    assert.doesNotMatch(written().audit, /x{65}|a b|2J/);
  } finally {
    await close();
  }
});
