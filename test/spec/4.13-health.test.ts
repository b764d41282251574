import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TEST_TOKENS } from '#testing';
import { everywhere, PLACES } from './world.ts';

const PROBES = ['healthz', 'livez', 'readyz'] as const;

everywhere(PLACES.withSockets, (world) => {
  test('R4.13-01 R4.13-02 R4.13-04 R4.13-09 the three probes answer 200 and ok, to anyone', async () => {
    for (const probe of PROBES) {
      for (const authorization of ['', `Bearer ${TEST_TOKENS.bob}`, `Bearer ${TEST_TOKENS.admin}`]) {
        const answer = await world.get(`/${probe}`, { authorization });
        assert.deepEqual([answer.status, answer.text], [200, 'ok'], `${probe} as ${authorization}`);
      }
    }
  });

  test('R4.13-06 R4.13-07 R4.13-08 R4.13-10 R4.13-11 verbose names every check, each of which can be asked alone', async () => {
    for (const probe of PROBES) {
      const lines = (await world.get(`/${probe}?verbose`)).text.trimEnd().split('\n');
      assert.equal(lines.at(-1), `${probe} check passed`);
      const names = lines.slice(0, -1).map((line) => /^\[\+\](\S+) ok$/.exec(line)?.[1] ?? assert.fail(line));
      assert.ok(names.includes('ping'));
      for (const name of names) {
        const one = await world.get(`/${probe}/${name}`);
        assert.deepEqual([one.status, one.text], [200, 'ok'], name);
      }
      assert.equal((await world.get(`/${probe}/no-such-check`)).status, 404);
    }
  });

  test('R4.13-13 R4.13-14 checks are excluded by name', async () => {
    const { text, status } = await world.get('/readyz?verbose&exclude=ping&exclude=log');
    assert.equal(status, 200);
    assert.ok(text.includes('[+]ping excluded: ok\n') && text.includes('[+]log excluded: ok\n'), text);
  });
});
