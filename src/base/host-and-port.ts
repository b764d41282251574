/** A host and a port as in a URL: an IPv6 address is put in brackets. */
export const hostAndPort = (host: string, port: number): string => `${host.includes(':') ? `[${host}]` : host}:${port}`;
