import { checkDnsSubdomain, checkPortNumber, report } from '#api';
import { hasControlCharacter, isUriAuthority, isUriEscaped } from '#base';
import { goQuoted, type FieldErrors } from '#errors';
import { t } from '#schema';

const HTTPS_PORT = 443;

class ServiceReference extends t.message('admissionregistration/v1.ServiceReference', {
  namespace: t.string(1).required(),
  name: t.string(2).required(),
  path: t.maybe.string(3),
  port: t.maybe.int32(4).default(HTTPS_PORT),
}) {}

/** The location of a webhook: a URL or a service. */
export class WebhookClientConfig extends t.message('admissionregistration/v1.WebhookClientConfig', {
  url: t.maybe.string(3),
  service: t.perhaps(1, ServiceReference),
  caBundle: t.bytes(2),
}) {}

const FORM = '; desired format: https://host[/path]';

export function validateWebhookClient({ url, service }: WebhookClientConfig, at: FieldErrors): void {
  if ((url === undefined) === (service === undefined)) at.required('exactly one of url or service is required');
  else if (url !== undefined) validateUrl(url, at.child('url'));
  else if (service !== undefined) validateService(service, at.child('service'));
}

function validateUrl(text: string, at: FieldErrors): void {
  const fault = faultOf(text);
  if (fault !== undefined) {
    at.required(`url must be a valid URL: parse ${goQuoted(text)}: ${fault}${FORM}`);
    return;
  }
  const [, scheme = '', authority = '', query = '', fragment = ''] = PARTS.exec(text) ?? [];
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  if (scheme.toLowerCase() !== 'https') at.invalid(scheme.toLowerCase(), `'https' is the only allowed URL scheme${FORM}`);
  if (host === '') at.invalid(host, `host must be provided${FORM}`);
  if (authority.includes('@')) at.invalid(authority.slice(0, authority.lastIndexOf('@')), 'user information is not permitted in the URL');
  if (fragment !== '') at.invalid(fragment, 'fragments are not permitted in the URL');
  if (query !== '') at.invalid(query, 'query parameters are not permitted in the URL');
}

/** Scheme, authority, query and fragment. */
const PARTS = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/([^/?#]*))?[^?#]*(?:\?([^#]*))?(?:#(.*))?$/s;
/** What is behind the scheme, up to the query; and the fragment. */
const REST = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?([^?#]*)(?:\?[^#]*)?(?:#(.*))?$/s;

const BAD_ESCAPE = `every '%' must be followed by two hexadecimal digits`;

/** Why a text is no URL at all; undefined: it is one, whatever it says. */
function faultOf(text: string): string | undefined {
  const [beforeFragment = ''] = text.split('#', 1);
  if (hasControlCharacter(beforeFragment)) return 'control characters must be percent-encoded';
  if (text.startsWith(':')) return 'missing protocol scheme';
  const [, scheme, rest = '', fragment = ''] = REST.exec(text) ?? [];
  if (!isUriEscaped(fragment)) return BAD_ESCAPE;
  // Behind a scheme without a slash anything is allowed.
  if (scheme !== undefined && !rest.startsWith('/')) return undefined;
  const [first = ''] = rest.split('/', 1);
  if (first.includes(':')) return 'first path segment in URL cannot contain colon';
  const hasAuthority = rest.startsWith('//');
  const [authority = ''] = hasAuthority ? rest.slice(2).split('/', 1) : [];
  if (!isUriAuthority(authority)) return `${goQuoted(authority)} must be a host, with a number behind its colon where it has a port`;
  return isUriEscaped(hasAuthority ? rest.slice(2 + authority.length) : rest) ? undefined : BAD_ESCAPE;
}

function validateService({ namespace, name, path, port }: ServiceReference, at: FieldErrors): void {
  // The fields are swapped, as in kube-apiserver.
  if (namespace === '') at.child('name').required('service name is required');
  if (name === '') at.child('namespace').required('service namespace is required');
  if (port !== undefined) report(at.child('port'), port, checkPortNumber(port)?.map((why) => `port is not valid: ${why}`));
  if (path !== undefined && path !== '' && path !== '/') validatePath(path, at.child('path'));
}

function validatePath(path: string, at: FieldErrors): void {
  if (path === '//') {
    at.invalid(path, 'segment[0] may not be empty');
    return;
  }
  if (!path.startsWith('/')) at.invalid(path, `must start with a '/'`);
  // kube-apiserver skips one byte, whatever it is: the rest of a multi-byte character is a fault.
  const steps = path.replace(/^[\u0000-\u007f]/, '');
  for (const [position, segment] of steps.replace(/\/$/, '').split('/').entries()) {
    if (segment === '') at.invalid(path, `segment[${position}] may not be empty`);
    else report(at, path, checkDnsSubdomain(segment)?.map((why) => `segment[${position}]: ${why}`));
  }
}
