import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOf } from '#api';
import { externalAddress, settleServices } from './options.ts';
import { servingNames } from './serving-names.ts';

test('where others reach the server: what it is told, or where it listens, as far as that is known', () => {
  const everywhere = { host: '0.0.0.0', port: 6443 };
  const rows: readonly (readonly [services: Parameters<typeof externalAddress>[0], place: Parameters<typeof externalAddress>[1], expected: string | undefined])[] = [
    [{ advertiseAddress: '192.0.2.7' }, everywhere, '192.0.2.7:6443'],
    [{ advertiseAddress: '2001:db8::7' }, everywhere, '[2001:db8::7]:6443'],
    [{ advertiseAddress: '192.0.2.7', externalHost: 'api.example.com' }, everywhere, 'api.example.com:6443'],
    [{ externalHost: 'api.example.com:443' }, everywhere, 'api.example.com:443'],
    [{ externalHost: '[2001:db8::7]:443' }, {}, '[2001:db8::7]:443'],
    [{}, { host: '192.0.2.7', port: 6443 }, '192.0.2.7:6443'],
    [{}, { host: '127.0.0.1', port: 6443 }, undefined],
    [{ advertiseAddress: '192.0.2.7' }, {}, undefined],
  ];
  for (const [services, place, expected] of rows) assert.equal(externalAddress(services, place), expected);
});

test('node ports are any that there are, in their order', () => {
  assert.deepEqual(settleServices({ nodePorts: [1, 65_535] }).nodePorts, [1, 65_535]);
  for (const nodePorts of [[0, 9], [9, 65_536], [9, 8], [Number.NaN, 9]] as const) assert.throws(() => settleServices({ nodePorts }), /node ports are a range/);
});

test('a server is asked for by where it listens, by what others are told, and by the Service that pods know', () => {
  const ofService = ['kubernetes', 'kubernetes.default', 'kubernetes.default.svc'];
  const rows: readonly (readonly [services: Parameters<typeof servingNames>[0], host: string, expected: readonly string[]])[] = [
    [{}, '127.0.0.1', ['127.0.0.1', ...ofService, '10.0.0.1']],
    [{ advertiseAddress: '192.0.2.7', externalHost: 'api.example.com:443' }, '0.0.0.0', ['0.0.0.0', '192.0.2.7', 'api.example.com', ...ofService, '10.0.0.1']],
    [{ externalHost: '[2001:db8::7]:443', clusterIps: ['fd00::/108', '10.9.0.0/16'] }, '::', ['::', '2001:db8::7', ...ofService, 'fd00::1']],
    [{ externalHost: '2001:db8::7' }, 'fe80::1%eth0', ['2001:db8::7', ...ofService, '10.0.0.1']],
  ];
  for (const [services, host, expected] of rows) assert.deepEqual(servingNames(services, host, brandOf('kubernetes')), expected);
  assert.ok(servingNames({}, '127.0.0.1', brandOf('orch')).includes('orch.default.svc'));
  for (const services of [{ clusterIps: ['nonsense'] }, { advertiseAddress: 'nonsense' }]) assert.throws(() => servingNames(services, '::', brandOf('orch')), /^Error: (service-cluster-ip-range|advertise-address): /);
});
