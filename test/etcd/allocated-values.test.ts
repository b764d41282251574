// What services have allocated stands in etcd where, and as, Kubernetes' own servers keep it: on one etcd all of them know what the others have given.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestAnswer, TestServer } from '#testing';
import { NO_ETCD } from './etcd-process.ts';
import { entriesOf, putEntry } from './raw-entries.ts';
import { serverOnEtcd } from './server-on-etcd.ts';

const SERVICES = '/api/v1/namespaces/default/services';
const RECORDS = '/registry/ranges/';

/** A field of protobuf with bytes in it, up to 127 of them. */
const field = (number: number, bytes: Uint8Array | string): Buffer => Buffer.concat([Buffer.from([(number << 3) | 2, Buffer.from(bytes as string).length]), Buffer.from(bytes as string)]);

/** A record as kube-apiserver stores it: the envelope with version and kind, and in it metadata without anything, the range, and the number if there is one. */
const recordOf = (range: string, number: readonly number[]): Buffer =>
  Buffer.concat([
    Buffer.from('k8s\0'),
    field(1, Buffer.concat([field(1, 'v1'), field(2, 'RangeAllocation')])),
    field(2, Buffer.concat([field(1, ''), field(2, range), ...(number.length === 0 ? [] : [field(3, Buffer.from(number))])])),
  ]);

describe('what services have allocated, in etcd', { skip: NO_ETCD }, () => {
  const place = serverOnEtcd();
  const restart = (): Promise<TestServer> => place.restart({ dialect: 'kubernetes', controllers: 'none', services: { clusterIps: ['10.9.0.0/28'], nodePorts: [31_000, 31_007] } });
  const make = (server: TestServer, name: string, spec: object): Promise<TestAnswer> => server.request('POST', SERVICES, { metadata: { name }, spec: { type: 'NodePort', ports: [{ port: 80 }], ...spec } });
  const allocated = async (name: string): Promise<readonly [range: string, number: string]> => {
    const { range, data } = JSON.parse((await entriesOf(place.etcd)).get(`${RECORDS}${name}`) ?? '{}') as { range: string; data: string };
    return [range, Buffer.from(data, 'base64').toString('hex')];
  };

  it('stands in a record for addresses and one for ports, as a number of which each bit is one of them', async () => {
    const server = await restart();
    const made = await make(server, 'a', { clusterIP: '10.9.0.10', ports: [{ port: 80, nodePort: 31_003 }] });
    assert.equal(made.status, 201, made.text);
    // The first address is that of the API's own service.
    assert.deepEqual(await allocated('serviceips'), ['10.9.0.0/28', '0201']);
    assert.deepEqual(await allocated('servicenodeports'), ['31000-31007', '08']);
    assert.equal((await server.request('DELETE', `${SERVICES}/a`)).status, 200);
    assert.deepEqual([await allocated('serviceips'), await allocated('servicenodeports')], [['10.9.0.0/28', '01'], ['31000-31007', '']]);
  });

  it('is not given again where Kubernetes has given it', async () => {
    await restart();
    await putEntry(place.etcd, `${RECORDS}serviceips`, recordOf('10.9.0.0/28', [0b10, 0b1]));
    await putEntry(place.etcd, `${RECORDS}servicenodeports`, recordOf('31000-31007', []));
    const server = await restart();
    const taken = await make(server, 'a', { clusterIP: '10.9.0.10' });
    assert.deepEqual([taken.status, taken.body.details.causes[0].field], [422, 'spec.clusterIPs']);
    const made = await make(server, 'b', { clusterIP: '10.9.0.2', ports: [{ port: 80, nodePort: 31_000 }] });
    assert.equal(made.status, 201, made.text);
    assert.deepEqual([await allocated('serviceips'), await allocated('servicenodeports')], [['10.9.0.0/28', '0203'], ['31000-31007', '01']]);
  });
});
