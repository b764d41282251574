/** One clause of an `Accept` header. `parameters` are all but `q`; of repeated ones the last counts. */
export interface Clause {
  readonly type: string;
  readonly subtype: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

/** The most clauses that are read: more than any client sends. */
const MAX_CLAUSES = 64;

/** The clauses of an `Accept` header in the order in which they are tried. Malformed clauses are skipped. @spec 4.7 */
export function parseAccept(header: string): readonly Clause[] {
  const clauses: Clause[] = [];
  for (const part of header.split(',', MAX_CLAUSES)) {
    const clause = parseClause(part);
    if (clause !== undefined) putInOrder(clauses, clause);
  }
  return clauses;
}

/**
 * Inserts a clause after those that precede it. This is not a total order: an exact type precedes an adjacent wildcard whatever their qualities are,
 * so the result depends on the order of the header.
 */
function putInOrder(clauses: Clause[], clause: Clause): void {
  let at = clauses.length;
  while (at > 0 && goesBefore(clause, clauses[at - 1]!)) at--;
  clauses.splice(at, 0, clause);
}

function goesBefore(one: Clause, other: Clause): boolean {
  return one.quality > other.quality || (one.type !== '*' && other.type === '*') || (one.subtype !== '*' && other.subtype === '*');
}

function parseClause(part: string): Clause | undefined {
  const [mediaType, ...rest] = part.trim().split(';') as [string, ...string[]];
  const [type, subtype = '', more = ''] = mediaType.split('/') as [string, ...string[]];
  if (more !== '' || (subtype === '' && type.trim() !== '*')) return undefined;
  return { type: type.trim(), subtype: subtype === '' ? '*' : subtype.trim(), ...readParameters(rest) };
}

/** Reads the parameters of a clause; those without a value are skipped. */
function readParameters(texts: readonly string[]): Pick<Clause, 'parameters' | 'quality'> {
  const parameters = new Map<string, string>();
  let quality = 1;
  for (const text of texts) {
    const [name = '', value = '', more = ''] = text.split('=');
    if (value === '' || more !== '') continue;
    if (name.trim() === 'q') quality = qualityOf(value);
    else parameters.set(name.trim(), value.trim());
  }
  return { parameters, quality };
}

/** The value of `q`; 0 if it is not a number, or has spaces around it. */
function qualityOf(text: string): number {
  const quality = text === text.trim() ? Number(text) : Number.NaN;
  return Number.isNaN(quality) ? 0 : quality;
}
