/** As addresses stand in URLs, and in what people read: colons of the host are in brackets. */
export const hostAndPort = (host: string, port: number): string => `${host.includes(':') ? `[${host}]` : host}:${port}`;
