import { badRequest } from '#errors';

/**
 * Percent-decodes a path. Bytes that are no valid UTF-8 become U+FFFD: no stored object has such a name, but a path behind a proxy may. Throws
 * `BadRequest` for invalid escapes.
 */
export function decodePath(path: string): string {
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return new TextDecoder().decode(bytesOf(path));
  }
}

const PERCENT = 0x25;

function bytesOf(path: string): Uint8Array {
  const bytes: number[] = [];
  for (let at = 0; at < path.length; at++) {
    const code = path.charCodeAt(at);
    if (code === PERCENT) bytes.push(escaped(path.slice(at + 1, (at += 2) + 1)));
    else bytes.push(code);
  }
  return Uint8Array.from(bytes);
}

function escaped(digits: string): number {
  if (!/^[0-9a-f]{2}$/i.test(digits)) throw badRequest('the path of the request is not valid percent-encoding');
  return Number.parseInt(digits, 16);
}
