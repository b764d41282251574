import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { silentLog, systemClock } from '#base';
import { StorageFailure } from '../../storage-failure.ts';
import { readLocation, type Location } from './location.ts';

const file = (name: string): string => encodeURIComponent(fileURLToPath(new URL(`../../../../test/fixtures/tls/${name}`, import.meta.url)));
/** A file that holds nothing for TLS. */
const here = encodeURIComponent(fileURLToPath(import.meta.url));
const certificate = `certfile=${file('client.crt')}`;
const key = `keyfile=${file('client.key')}`;
const read = (location: string): Promise<Location> => readLocation({ location, historySeconds: 300, clock: systemClock, log: silentLog.warn });

describe('where etcd is', () => {
  it('is read from the URL, with defaults', async () => {
    assert.deepEqual(await read('a'), { members: ['a:2379'], root: '/', compactionMs: 300_000 });
    assert.equal((await read('a?tls=false')).tls, undefined);
    assert.equal((await read('a?compaction-seconds=0')).compactionMs, 0);
    const { tls, ...rest } = await read('10.0.0.1:1,b.example:2,[::1]:3,an_etcd:65535?prefix=registry/x/&tls=true&compaction-seconds=0.5');
    assert.deepEqual(rest, { members: ['10.0.0.1:1', 'b.example:2', '[::1]:3', 'an_etcd:65535'], root: '/registry/x/', compactionMs: 500 });
    assert.deepEqual(Object.keys(tls ?? {}), ['current']);
    assert.deepEqual(Object.keys((await read(`a?${certificate}&${key}`)).tls ?? {}), ['cert', 'key', 'current'], 'a file turns TLS on');
  });

  it('says what is wrong with it', async () => {
    const rows = [
      ['', /no address/],
      ['a,', /no address/],
      ['http://a', /no address/],
      ['root:secret@a', /^the address of etcd: it names a user, whom it cannot have: the certificate of a client says who it is, certfile and keyfile$/],
      ['a?prefx=/x', /prefx is not known; choose from prefix/],
      ['a?tls=1', /tls=1 is neither true nor false/],
      ['a?tls=', /tls= is neither true nor false/],
      ['a?cafile=', /cafile= names no file/],
      ['a?tls=true&certfile=&keyfile=', /certfile= names no file/],
      ['a?compaction-seconds=soon', /no number of seconds/],
      ['a?compaction-seconds=-1', /no number of seconds/],
      ['a?compaction-seconds=', /no number of seconds/],
      [`a?${certificate}`, /needs both certfile and keyfile/],
      [`a?${key}`, /needs both certfile and keyfile/],
      ['a:0', /a:0 has no port between 1 and 65535/],
      ['b,a:65536', /a:65536 has no port between 1 and 65535/],
      [`a?cafile=${here}`, /the cafile of etcd holds no certificate in the form PEM: .*location\.test/],
      [`a?cafile=${file('client.key')}`, /the cafile of etcd holds no certificate/],
      [`a?certfile=${here}&${key}`, /the certfile of etcd holds no certificate/],
      [`a?${certificate}&keyfile=${file('client.crt')}`, /the keyfile of etcd holds no private key without a password/],
      [`a?${certificate}&keyfile=${file('server.key')}`, /the keyfile of etcd is not the key of the certificate in its certfile/],
      ['a?certfile=/nowhere.pem', /the certfile of etcd cannot be read: ENOENT: .*\/nowhere.pem/],
    ] as const;
    for (const [location, message] of rows) {
      await assert.rejects(read(location), (error) => error instanceof StorageFailure && error.code === 'unavailable' && message.test(error.message), location);
    }
  });
});
