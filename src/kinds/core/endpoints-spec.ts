import { t } from '#schema';
import { ObjectReference } from './object-reference.ts';

export class EndpointAddress extends t.message(
  'core/v1.EndpointAddress',
  {
    ip: t.string(1).required(),
    hostname: t.string(3),
    nodeName: t.maybe.string(4),
    targetRef: t.perhaps(2, ObjectReference),
  },
  { isAtomic: true },
) {}

export class EndpointPort extends t.message(
  'core/v1.EndpointPort',
  {
    name: t.string(1),
    port: t.int32(2).required(),
    protocol: t.string(3).default('TCP'),
    appProtocol: t.maybe.string(4),
  },
  { isAtomic: true },
) {}

export class EndpointSubset extends t.message('core/v1.EndpointSubset', {
  addresses: t.many(1, EndpointAddress),
  notReadyAddresses: t.many(2, EndpointAddress),
  ports: t.many(3, EndpointPort),
}) {}
