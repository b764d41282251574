import { checkDnsSubdomain, report } from '#api';
import type { FieldErrors } from '#errors';
import type { WindowsSecurityContextOptions } from './security-context.ts';

const MAX_CREDENTIAL_KIB = 64;
const MAX_DOMAIN = 256;
const MAX_USER = 104;

const NETBIOS_DOMAIN = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const DNS_LABEL = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?';
const DNS_DOMAIN = new RegExp(`^${DNS_LABEL}(?:\\.${DNS_LABEL})*$`);

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

export function validateWindowsOptions(options: WindowsSecurityContextOptions | undefined, at: FieldErrors): void {
  const { gmsaCredentialSpecName, gmsaCredentialSpec, runAsUserName } = options ?? {};
  if (gmsaCredentialSpecName !== undefined) report(at.child('gmsaCredentialSpecName'), gmsaCredentialSpecName, checkDnsSubdomain(gmsaCredentialSpecName));
  if (gmsaCredentialSpec !== undefined) {
    const size = bytesOf(gmsaCredentialSpec);
    const here = at.child('gmsaCredentialSpec');
    if (size === 0) here.invalid(gmsaCredentialSpec, 'gmsaCredentialSpec cannot be an empty string');
    else if (size > MAX_CREDENTIAL_KIB * 1024) here.invalid(gmsaCredentialSpec, `gmsaCredentialSpec size must be under ${MAX_CREDENTIAL_KIB} KiB`);
  }
  if (runAsUserName !== undefined) {
    const here = at.child('runAsUserName');
    for (const fault of userFaults(runAsUserName)) here.invalid(runAsUserName, `runAsUserName${fault}`);
  }
}

/** `USER` or `DOMAIN\USER`. */
function userFaults(name: string): readonly string[] {
  if (name === '') return [' cannot be an empty string'];
  if (/[\u0000-\u001f\u007f]/.test(name)) return [' cannot contain control characters'];
  const parts = name.split('\\');
  if (parts.length > 2) return [' cannot contain more than one backslash'];
  const domain = parts.length === 2 ? parts[0] : undefined;
  return [...(domain === undefined ? [] : domainFaults(domain)), ...accountFaults(parts.at(-1) ?? '')];
}

function domainFaults(domain: string): readonly string[] {
  return [
    ...(bytesOf(domain) >= MAX_DOMAIN ? [`'s Domain length must be under ${MAX_DOMAIN} characters`] : []),
    ...(NETBIOS_DOMAIN.test(domain) || DNS_DOMAIN.test(domain) ? [] : ["'s Domain doesn't match the NetBios nor the DNS format"]),
  ];
}

function accountFaults(user: string): readonly string[] {
  return [
    ...(user === '' ? ["'s User cannot be empty"] : []),
    ...(bytesOf(user) > MAX_USER ? [`'s User length must not be longer than ${MAX_USER} characters`] : []),
    ...(/^[. ]+$/.test(user) ? ["'s User cannot contain only periods or spaces"] : []),
    ...(/["/\\:;|=,+*?<>@[\]]/.test(user) ? [`'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]`] : []),
  ];
}
