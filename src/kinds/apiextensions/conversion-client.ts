import { t } from '#schema';

const HTTPS_PORT = 443;

class ServiceReference extends t.message('apiextensions/v1.ServiceReference', {
  namespace: t.string(1).required(),
  name: t.string(2).required(),
  path: t.maybe.string(3),
  port: t.maybe.int32(4).default(HTTPS_PORT),
}) {}

/** The location of a conversion webhook: a URL or a service. */
export class WebhookClientConfig extends t.message('apiextensions/v1.WebhookClientConfig', {
  url: t.maybe.string(3),
  service: t.perhaps(1, ServiceReference),
  caBundle: t.bytes(2),
}) {}
