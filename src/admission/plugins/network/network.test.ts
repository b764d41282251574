import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiObject } from '#api';
import type { Ingress, Service } from '#kinds';
import { admit, make, refused } from '../../test-support.ts';
import { defaultIngressClass } from './default-ingress-class.ts';
import { denyServiceExternalIPs } from './deny-service-external-ips.ts';

const ingress = (spec: object = {}, metadata: object = {}): Ingress => make('Ingress', 'i', { spec }, metadata) as Ingress;
const ingressClass = (name: string, isDefault: string): ApiObject =>
  make('IngressClass', name, {}, { annotations: { 'ingressclass.orch.io/is-default-class': isDefault } });
const one = [ingressClass('a', 'true'), ingressClass('b', 'false'), make('IngressClass', 'c')];

test('R4.11-11 R4.11-37 DefaultIngressClass: new ingresses without a class get the default one', async () => {
  assert.equal((await admit(defaultIngressClass, ingress(), { known: one })).spec.ingressClassName, 'a');
  assert.equal((await admit(defaultIngressClass, ingress({ ingressClassName: 'x' }), { known: one })).spec.ingressClassName, 'x');
  const old = ingress({}, { annotations: { 'orch.io/ingress.class': 'legacy' } });
  assert.equal((await admit(defaultIngressClass, old, { known: one })).spec.ingressClassName, undefined);
  assert.equal((await admit(defaultIngressClass, ingress(), { known: one, live: ingress() })).spec.ingressClassName, undefined);
  assert.equal((await admit(defaultIngressClass, ingress())).spec.ingressClassName, undefined);
});

test('R4.11-39 DefaultIngressClass: with two default classes an ingress that needs one is refused', async () => {
  const known = [...one, ingressClass('d', 'true')];
  await assert.rejects(admit(defaultIngressClass, ingress(), { known }), refused('2 default IngressClasses were found, only 1 allowed'));
  await admit(defaultIngressClass, ingress({ ingressClassName: 'x' }), { known });
});

const service = (...externalIPs: string[]): Service => make('Service', 's', { spec: { externalIPs } }) as Service;

test('R4.11-31 R4.11-32 DenyServiceExternalIPs: no new addresses; those that are there may stay and go', async () => {
  const denied = refused('Use of external IPs is denied by admission control');
  await admit(denyServiceExternalIPs, service());
  await assert.rejects(admit(denyServiceExternalIPs, service('1.1.1.1')), denied);
  const live = service('1.1.1.1', '2.2.2.2');
  await admit(denyServiceExternalIPs, service('2.2.2.2', '1.1.1.1'), { live });
  await admit(denyServiceExternalIPs, service('2.2.2.2'), { live });
  await admit(denyServiceExternalIPs, service(), { live });
  await assert.rejects(admit(denyServiceExternalIPs, service('1.1.1.1', '3.3.3.3'), { live }), denied);
});
