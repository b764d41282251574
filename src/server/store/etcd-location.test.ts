import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { etcdStore, rootOf } from './etcd-location.ts';

describe('the store that etcd flags name', () => {
  it('is one URL', () => {
    assert.equal(etcdStore({ servers: 'http://127.0.0.1:2379' }), 'etcd://127.0.0.1:2379');
    assert.equal(etcdStore({ servers: 'a:1, b:2/', prefix: '/registry', compactionSeconds: 0 }), 'etcd://a:1,b:2?prefix=%2Fregistry&compaction-seconds=0');
    assert.equal(
      etcdStore({ servers: 'https://[::1]:1', caFile: 'ca.pem', certFile: 'a b.pem', keyFile: 'k' }),
      'etcd://[::1]:1?tls=true&cafile=ca.pem&certfile=a+b.pem&keyfile=k',
    );
  });

  it('takes an empty flag for one that is not given', () => {
    const nothing = { prefix: '', caFile: '', certFile: '', keyFile: '' };
    assert.deepEqual(['http://a:1', 'https://a:1'].map((servers) => etcdStore({ servers, ...nothing })), ['etcd://a:1', 'etcd://a:1?tls=true']);
  });

  it('is refused where it would not mean what it says', () => {
    assert.throws(() => etcdStore({ servers: 'http://a,https://b' }), /all servers of etcd are reached by https, or none/);
    assert.throws(() => etcdStore({ servers: 'http://a', caFile: 'x' }), /write https/);
    assert.throws(() => etcdStore({ servers: 'ftp://a' }), /no address/);
    assert.throws(() => etcdStore({ servers: '' }), /no address/);
  });

  it('says where its keys begin', () => {
    assert.deepEqual(['memory://', 'lmdb://x?prefix=/y', 'etcd://a', 'etcd://a?prefix=', 'etcd://a?prefix=x//y/'].map(rootOf), [undefined, undefined, undefined, undefined, '/x/y']);
  });
});
