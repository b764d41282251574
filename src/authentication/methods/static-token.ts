import { hash } from 'node:crypto';
import { unauthorized } from '#errors';
import type { Authenticator, User } from '#request';
import { bearerToken } from './bearer-token.ts';

/**
 * Tokens from a file of `token,user,uid[,"group1,group2"]` lines.
 * Kept and compared as SHA-256 digests: nothing of a token stays in memory in clear, and look-up time says nothing about it.
 * Throws an `Error` that names the line of a file it cannot read.
 * @spec 5.3
 */
export function staticToken(file: string): Authenticator {
  const users = new Map<string, User>();
  file.split(/\r?\n/).forEach((line, at) => {
    if (line.trim() === '') return;
    const [token, name, uid, groups] = parseLine(line);
    if (!token || !name || uid === undefined) {
      throw new Error(`token file, line ${at + 1}: expected token,user,uid[,"group1,group2"]`);
    }
    const list = (groups ?? '').split(',').map((group) => group.trim()).filter((group) => group !== '');
    users.set(digestOf(token), { name, groups: list, ...(uid === '' ? {} : { uid }) });
  });
  return {
    name: 'token-file',
    async authenticate(request) {
      const token = bearerToken(request);
      if (token === undefined) return undefined;
      const user = users.get(digestOf(token));
      if (user === undefined) throw unauthorized();
      return { user };
    },
  };
}

const digestOf = (text: string): string => hash('sha256', text, 'base64');

/** One line of RFC 4180 CSV. */
function parseLine(line: string): readonly string[] {
  const cells: string[] = [];
  const form = /\s*(?:"((?:[^"]|"")*)"|([^,]*))\s*(,|$)/y;
  for (;;) {
    const cell = form.exec(line);
    if (cell === null) return [];
    cells.push((cell[1]?.replaceAll('""', '"') ?? cell[2] ?? '').trim());
    if (cell[3] === '') return cells;
  }
}
