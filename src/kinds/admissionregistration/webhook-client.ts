import { checkDnsSubdomain, checkPortNumber, report } from '#api';
import type { FieldErrors } from '#errors';
import { t } from '#schema';

const HTTPS_PORT = 443;

class ServiceReference extends t.message('admissionregistration/v1.ServiceReference', {
  namespace: t.string(1).required(),
  name: t.string(2).required(),
  path: t.maybe.string(3),
  port: t.maybe.int32(4).default(HTTPS_PORT),
}) {}

/** Where a webhook is: at a URL or behind a service. */
export class WebhookClientConfig extends t.message('admissionregistration/v1.WebhookClientConfig', {
  url: t.maybe.string(3),
  service: t.perhaps(1, ServiceReference),
  caBundle: t.bytes(2),
}) {}

export function validateWebhookClient({ url, service }: WebhookClientConfig, at: FieldErrors): void {
  if ((url === undefined) === (service === undefined)) at.required('must have one of url and service');
  else if (url !== undefined) validateUrl(url, at.child('url'));
  else if (service !== undefined) validateService(service, at.child('service'));
}

function validateUrl(text: string, at: FieldErrors): void {
  const parts = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(text);
  if (parts === null || /[\u0000-\u0020\u007f]/.test(parts[2] ?? '')) {
    at.required('must be a URL');
    return;
  }
  const [, scheme = '', authority = '', , query = '', fragment = ''] = parts;
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  if (scheme.toLowerCase() !== 'https') at.invalid(text, `must begin with 'https://'`);
  if (host === '') at.invalid(text, 'must name a host');
  if (authority.includes('@')) at.invalid(text, 'must not name a user');
  if (fragment !== '') at.invalid(text, `must not have a part after '#'`);
  if (query !== '') at.invalid(text, `must not have parameters after '?'`);
}

function validateService({ namespace, name, path, port }: ServiceReference, at: FieldErrors): void {
  // The recorded server calls each by the name of the other, and clients know it that way.
  if (name === '') at.child('namespace').required();
  if (namespace === '') at.child('name').required();
  if (port !== undefined) report(at.child('port'), port, checkPortNumber(port));
  if (path !== undefined && path !== '' && path !== '/') validatePath(path, at.child('path'));
}

function validatePath(path: string, at: FieldErrors): void {
  if (path === '//') {
    at.invalid(path, 'must not have an empty segment');
    return;
  }
  if (!path.startsWith('/')) at.invalid(path, `must begin with '/'`);
  for (const segment of path.slice(1).replace(/\/$/, '').split('/')) {
    if (segment === '') at.invalid(path, 'must not have an empty segment');
    else report(at, path, checkDnsSubdomain(segment));
  }
}
