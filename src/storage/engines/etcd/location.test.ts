import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { silentLog, systemClock } from '#base';
import { StorageFailure } from '../../engine.ts';
import { readLocation, type Location } from './location.ts';

/** Some file. */
const here = encodeURIComponent(fileURLToPath(import.meta.url));
const read = (location: string): Promise<Location> => readLocation({ location, historySeconds: 300, clock: systemClock, log: silentLog.warn });

describe('where etcd is', () => {
  it('is read from the URL, with defaults', async () => {
    assert.deepEqual(await read('a'), { members: ['a:2379'], root: '/', compactionMs: 300_000 });
    assert.equal((await read('a?tls=false')).tls, undefined);
    assert.equal((await read('a?compaction-seconds=0')).compactionMs, 0);
    const { tls, ...rest } = await read('10.0.0.1:1,b.example:2,[::1]:3?prefix=registry/x/&tls=true&compaction-seconds=0.5');
    assert.deepEqual(rest, { members: ['10.0.0.1:1', 'b.example:2', '[::1]:3'], root: '/registry/x/', compactionMs: 500 });
    assert.deepEqual(Object.keys(tls ?? {}), ['current']);
    assert.deepEqual(Object.keys((await read(`a?certfile=${here}&keyfile=${here}`)).tls ?? {}), ['cert', 'key', 'current'], 'a file turns TLS on');
  });

  it('says what is wrong with it', async () => {
    const rows = [
      ['', /no address/],
      ['a,', /no address/],
      ['http://a', /no address/],
      ['a?prefx=/x', /prefx is not known; choose from prefix/],
      ['a?tls=1', /tls=1 is neither true nor false/],
      ['a?tls=', /tls= is neither true nor false/],
      ['a?cafile=', /cafile= names no file/],
      ['a?tls=true&certfile=&keyfile=', /certfile= names no file/],
      ['a?compaction-seconds=soon', /no number of seconds/],
      ['a?compaction-seconds=-1', /no number of seconds/],
      ['a?compaction-seconds=', /no number of seconds/],
      [`a?certfile=${here}`, /needs both certfile and keyfile/],
      [`a?keyfile=${here}`, /needs both certfile and keyfile/],
      ['a?certfile=/nowhere.pem', /the certfile of etcd cannot be read: ENOENT: .*\/nowhere.pem/],
    ] as const;
    for (const [location, message] of rows) {
      await assert.rejects(read(location), (error) => error instanceof StorageFailure && error.code === 'unavailable' && message.test(error.message), location);
    }
  });
});
