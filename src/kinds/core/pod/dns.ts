import { t } from '#schema';

export class HostAlias extends t.message('core/v1.HostAlias', {
  ip: t.string(1),
  hostnames: t.strings(2),
}) {}

export class PodDNSConfigOption extends t.message('core/v1.PodDNSConfigOption', {
  name: t.string(1),
  value: t.maybe.string(2),
}) {}

export class PodDNSConfig extends t.message('core/v1.PodDNSConfig', {
  nameservers: t.strings(1),
  searches: t.strings(2),
  options: t.many(3, PodDNSConfigOption),
}) {}
