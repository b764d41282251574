import { hash } from 'node:crypto';
import type { Identity, TokenAuthenticator } from '#request';
import { commonAudiences } from '../claims.ts';

/**
 * Authenticates tokens from a file of `token,user,uid[,"group1,group2"]` lines.
 * Tokens are stored and compared as SHA-256 digests: none stays in memory in clear, and lookup time reveals nothing about one.
 * They are valid for `ownAudiences`, those of this server. Throws an `Error` that names the line of a file that cannot be parsed.
 * @spec 5.3
 */
export function staticTokens(file: string, ownAudiences: readonly string[]): TokenAuthenticator {
  const identities = new Map<string, Identity>();
  file.split(/\r?\n/).forEach((line, at) => {
    if (line.trim() === '') return;
    const [token, name, uid, groups] = parseLine(line);
    if (!token || !name || uid === undefined) {
      throw new Error(`token file, line ${at + 1}: expected token,user,uid[,"group1,group2"]`);
    }
    const list = (groups ?? '').split(',').map((group) => group.trim()).filter((group) => group !== '');
    identities.set(digestOf(token), { user: { name, groups: list, ...(uid === '' ? {} : { uid }) }, audiences: ownAudiences });
  });
  return {
    name: 'token-file',
    authenticateToken(token, question) {
      const identity = identities.get(digestOf(token));
      if (identity === undefined) return undefined;
      const audiences = question.audiences === ownAudiences ? ownAudiences : commonAudiences(question.audiences, ownAudiences);
      if (audiences.length === 0) return undefined;
      return audiences === ownAudiences ? identity : { user: identity.user, audiences };
    },
  };
}

const digestOf = (text: string): string => hash('sha256', text, 'base64');

/** The cells of one line of RFC 4180 CSV; empty: malformed. */
function parseLine(line: string): readonly string[] {
  const cells: string[] = [];
  const form = /\s*(?:"((?:[^"]|"")*)"|([^",]*))\s*(,|$)/y;
  for (;;) {
    const cell = form.exec(line);
    if (cell === null) return [];
    cells.push((cell[1]?.replaceAll('""', '"') ?? cell[2] ?? '').trim());
    if (cell[3] === '') return cells;
  }
}
