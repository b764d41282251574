import type { IncomingHttpHeaders } from 'node:http';

/** Headers with one value each; repeated headers are joined by a comma. Pseudo headers are left out. */
export function flatHeaders(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !name.startsWith(':')) flat[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return flat;
}
