import { stringScalar, t } from '#schema';
import { ObjectReference } from '../core/object-reference.ts';

class EndpointConditions extends t.message('discovery/v1.EndpointConditions', {
  ready: t.maybe.bool(1),
  serving: t.maybe.bool(2),
  terminating: t.maybe.bool(3),
}) {}

class ForZone extends t.message('discovery/v1.ForZone', { name: t.string(1).required() }) {}

class EndpointHints extends t.message('discovery/v1.EndpointHints', { forZones: t.many(1, ForZone, 'atomic') }) {}

export class Endpoint extends t.message('discovery/v1.Endpoint', {
  addresses: t.strings(1, 'set').required(),
  conditions: t.one(2, EndpointConditions),
  hostname: t.maybe.string(3),
  targetRef: t.perhaps(4, ObjectReference),
  deprecatedTopology: t.map(5, stringScalar),
  nodeName: t.maybe.string(6),
  zone: t.maybe.string(7),
  hints: t.perhaps(8, EndpointHints),
}) {}

export class EndpointPort extends t.message(
  'discovery/v1.EndpointPort',
  {
    name: t.maybe.string(1).default(''),
    protocol: t.maybe.string(2).default('TCP'),
    port: t.maybe.int32(3),
    appProtocol: t.maybe.string(4),
  },
  { isAtomic: true },
) {}

export class EndpointSliceV1 extends t.message('discovery/v1.EndpointSlice', {
  addressType: t.string(4).required(),
  endpoints: t.many(2, Endpoint, 'atomic').required(),
  ports: t.many(3, EndpointPort, 'atomic').always(),
}) {}
