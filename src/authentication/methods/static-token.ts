import { hash } from 'node:crypto';
import type { Log } from '#base';
import type { Identity, TokenAuthenticator } from '#request';
import { commonAudiences } from '../claims.ts';

interface Surroundings {
  readonly log: Log;
  /** Audiences of this server: the tokens are valid for them. */
  readonly audiences: readonly string[];
}

/**
 * Authenticates tokens from a file of `token,user,uid[,"group1,group2"]` records, read as kube-apiserver reads it: spaces are part of what they stand
 * beside, a record without a token is skipped, and of records with the same token the last one counts; both are logged.
 * Tokens are stored and compared as SHA-256 digests: none stays in memory in clear, and lookup time reveals nothing about one.
 * Throws an `Error` that names the line of a record that cannot be parsed.
 * @spec 5.3
 */
export function staticTokens(file: string, { log, audiences: own }: Surroundings): TokenAuthenticator {
  const identities = new Map<string, Identity>();
  for (const { line, cells } of recordsOf(file)) {
    const [token = '', name = '', uid, groups] = cells;
    if (uid === undefined) throw malformed(line);
    if (token === '') {
      log.warn('a record of the token file has no token and is skipped', { line });
      continue;
    }
    const key = digestOf(token);
    if (identities.has(key)) log.warn('a token is in the token file again: the user of its last record has it', { line });
    identities.set(key, { user: { name, groups: groups?.split(',') ?? [], ...(uid === '' ? {} : { uid }) }, audiences: own });
  }
  return {
    name: 'token-file',
    authenticateToken(token, question) {
      const identity = identities.get(digestOf(token));
      if (identity === undefined) return undefined;
      const audiences = question.audiences === own ? own : commonAudiences(question.audiences, own);
      if (audiences.length === 0) return undefined;
      return audiences === own ? identity : { user: identity.user, audiences };
    },
  };
}

const digestOf = (text: string): string => hash('sha256', text, 'base64');

const malformed = (line: number): Error => new Error(`token file, line ${line}: expected token,user,uid[,"group1,group2"]`);

/** The records of RFC 4180 CSV, each with the line it begins in. Empty lines are none; what is in quotes may go over several lines. */
function* recordsOf(file: string): Generator<{ readonly line: number; readonly cells: readonly string[] }> {
  const text = file.replaceAll('\r\n', '\n').replace(/\r$/, '');
  const form = /(?:"((?:[^"]|"")*)"|([^",\n]*))([,\n]|$)/y;
  let line = 1;
  while (form.lastIndex < text.length) {
    const start = form.lastIndex;
    const cells: string[] = [];
    for (let end = ','; end === ','; ) {
      const cell = form.exec(text);
      if (cell === null) throw malformed(line);
      cells.push(cell[1]?.replaceAll('""', '"') ?? cell[2] ?? '');
      end = cell[3] ?? '';
    }
    if (text[start] !== '\n') yield { line, cells };
    line += text.slice(start, form.lastIndex).split('\n').length - 1;
  }
}
