/**
 * Raw headers (name, value, name, value, …) as a map by lower-case name. Pseudo headers of HTTP/2 are left out; `:authority` becomes `host` where
 * that is missing.
 */
export function headerMap(raw: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const map = new Map<string, string[]>();
  let authority: string | undefined;
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = (raw[at] as string).toLowerCase();
    const value = raw[at + 1] as string;
    if (name.charCodeAt(0) === 0x3a) {
      if (name === ':authority') authority = value;
      continue;
    }
    const known = map.get(name);
    if (known === undefined) map.set(name, [value]);
    else known.push(value);
  }
  if (authority !== undefined && !map.has('host')) map.set('host', [authority]);
  return map;
}
