import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { test } from 'node:test';
import { ca, textReply, withListener } from './test-support.ts';

test('small answers that a client of HTTP/2 gives no room for are cut off, and others on its connection are not', { timeout: 30_000 }, () =>
  withListener(async ({ path }) => (path === '/empty' ? { status: 204, headers: {}, body: new Uint8Array(0) } : textReply('small')), { limits: { stallTimeoutMs: 100 } }, async ({ port }) => {
    const session = connectHttp2(`https://localhost:${port}`, { ca, settings: { initialWindowSize: 0 } });
    const failures = await Promise.all(
      Array.from({ length: 3 }, async () => {
        const [failure] = (await once(session.request({ ':path': '/' }), 'error')) as [Error];
        return failure.message;
      }),
    );
    const empty = session.request({ ':path': '/empty' });
    const [head] = (await once(empty, 'response')) as [{ ':status'?: number }];
    session.close();
    for (const failure of failures) assert.match(failure, /NGHTTP2_INTERNAL_ERROR/);
    assert.equal(head[':status'], 204);
  }));
