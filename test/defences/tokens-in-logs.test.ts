import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TEST_TOKENS } from '#testing';
import { startAudited } from './audited.ts';
import { ask } from './raw-connection.ts';

const PATH = '/api/v1/namespaces/default/configmaps';
const UNKNOWN = 'neverissued.but.looks-like-a-token';

test('tokens in logs: none that was issued or shown stands in the log or the audit log, wherever it was sent', async () => {
  const { server, written, close } = await startAudited('json', { over: 'http1' });
  try {
    const secrets: string[] = [...Object.values(TEST_TOKENS), UNKNOWN];
    const made = await server.request('POST', '/api/v1/namespaces/default/serviceaccounts', { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' } });
    assert.equal(made.status, 201);
    const issued = await server.request('POST', '/api/v1/namespaces/default/serviceaccounts/robot/token', { apiVersion: 'authentication.orch.io/v1', kind: 'TokenRequest', spec: {} });
    assert.equal(issued.status, 201, issued.text);
    secrets.push(issued.body.status.token as string);
    const kept = await server.request('POST', '/api/v1/namespaces/default/secrets', { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { password: 'plain-password' } });
    assert.equal(kept.status, 201);
    secrets.push('plain-password', Buffer.from('plain-password').toString('base64'));

    for (const token of secrets) {
      const bearer = { authorization: `Bearer ${token}` };
      await server.request('GET', PATH, undefined, bearer);
      await server.request('POST', PATH, 'no object', bearer);
      await server.request('GET', '/api/v1/namespaces/default/secrets/s', undefined, bearer);
      await server.request('GET', PATH, undefined, { authorization: `bearer  ${token}` });
      await server.request('GET', PATH, undefined, { authorization: `Basic ${Buffer.from(`x:${token}`).toString('base64')}` });
      await server.request('GET', PATH, undefined, { cookie: `token=${token}` });
      const review = { apiVersion: 'authentication.orch.io/v1', kind: 'TokenReview', spec: { token } };
      await server.request('POST', '/apis/authentication.orch.io/v1/tokenreviews', review);
      const protocol = `base64url.bearer.authorization.orch.io.${Buffer.from(token).toString('base64url')}`;
      await ask(server, `GET ${PATH}?watch=1&timeoutSeconds=1 HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Protocol: ${protocol}\r\n\r\n`);
    }
    const { audit, log } = written();
    assert.ok(audit.length > 1000);
    for (const secret of secrets) {
      for (const form of [secret, Buffer.from(secret).toString('base64url'), encodeURIComponent(secret)]) {
        assert.ok(!audit.includes(form), `${form} stands in the audit log`);
        assert.ok(!log.includes(form), `${form} stands in the log`);
      }
    }
  } finally {
    await close();
  }
});
