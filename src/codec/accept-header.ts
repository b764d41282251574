/** One clause of an `Accept` header. Parameters but `q`; of those that come twice the last counts. */
export interface Clause {
  readonly type: string;
  readonly subtype: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

/** More clauses than any client sends; the others are not looked at. */
const MAX_CLAUSES = 64;

/** The clauses of an `Accept` header in the order in which they are tried. What is no clause is left out. @spec 4.7 */
export function parseAccept(header: string): readonly Clause[] {
  const clauses: Clause[] = [];
  for (const part of header.split(',', MAX_CLAUSES)) {
    const clause = parseClause(part);
    if (clause !== undefined) putInOrder(clauses, clause);
  }
  return clauses;
}

/**
 * Behind those that go before it. That is no order of all: an exact type goes before a wildcard next to it whatever their qualities are, so it
 * matters where each stood.
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

/** What has no value is no parameter. */
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

/** What is no number, spaces around it included, counts for nothing. */
function qualityOf(text: string): number {
  const quality = text === text.trim() ? Number(text) : Number.NaN;
  return Number.isNaN(quality) ? 0 : quality;
}
