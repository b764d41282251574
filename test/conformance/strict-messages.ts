// How many of the recorded messages our server says to the letter, and the checked-in numbers below which that must not fall.
import fs from 'node:fs';
import path from 'node:path';

/** Areas about kinds: what is wrong with an object, and what became of it. */
const ABOUT_KINDS = /^(?:types-|validation-)|^(?:config-and-identity|namespaces|networking|pods|rbac|services|workloads)$/;

/** What the replaying program reports of a scenario; `step` is -1 where it could not be run. */
export interface Replayed {
  readonly name: string;
  readonly area: string;
  readonly failures: readonly { readonly step: number }[];
}

export interface Share {
  readonly verbatim: number;
  readonly compared: number;
}

interface Answer {
  readonly status?: number;
  readonly headers?: { readonly warning?: unknown };
  readonly json?: { readonly kind?: string; readonly status?: unknown };
  readonly text?: string;
  readonly events?: readonly { readonly type: string }[];
}

interface Step {
  readonly skip?: boolean;
  readonly response?: Answer;
}

const saysSomething = ({ status = 0, headers, json, text, events }: Answer): boolean =>
  headers?.warning !== undefined ||
  (json?.kind === 'Status' && json.status === 'Failure') ||
  (text !== undefined && status >= 400) ||
  (events?.some(({ type }) => type === 'ERROR') ?? false);

/** Area → its share. A step counts as one message; it is verbatim when nothing at all differs. Scenarios in `left` are left out. */
export function sharesOf(data: string, replayed: readonly Replayed[], left: ReadonlySet<string>): ReadonlyMap<string, Share> {
  const steps = readTranscripts(path.join(data, 'transcripts'));
  const loose = readLoose(path.join(data, 'scenarios'));
  const shares = new Map<string, Share>();
  for (const { name, area, failures } of replayed) {
    if (!ABOUT_KINDS.test(area) || left.has(name) || loose.has(name)) continue;
    const different = new Set(failures.map(({ step }) => step));
    const messages = (steps.get(name) ?? []).flatMap(({ response }, at) => (response !== undefined && saysSomething(response) ? [at] : []));
    const verbatim = different.has(-1) ? 0 : messages.filter((at) => !different.has(at)).length;
    const before = shares.get(area) ?? { verbatim: 0, compared: 0 };
    shares.set(area, { verbatim: before.verbatim + verbatim, compared: before.compared + messages.length });
  }
  return shares;
}

export const totalOf = (shares: ReadonlyMap<string, Share>): Share =>
  [...shares.values()].reduce((sum, one) => ({ verbatim: sum.verbatim + one.verbatim, compared: sum.compared + one.compared }), { verbatim: 0, compared: 0 });

export const percentOf = ({ verbatim, compared }: Share): string => `${((100 * verbatim) / Math.max(compared, 1)).toFixed(1)} %`;

/** The number of verbatim messages that was reached once. */
export function readFloor(home: string, dialect: string): number {
  return Number(fs.readFileSync(floorFile(home, dialect), 'utf8'));
}

export function raiseFloor(home: string, dialect: string, verbatim: number): void {
  if (verbatim > readFloor(home, dialect)) fs.writeFileSync(floorFile(home, dialect), `${verbatim}\n`);
}

const floorFile = (home: string, dialect: string): string => path.join(home, `verbatim-messages.${dialect}.txt`);

function readTranscripts(folder: string): ReadonlyMap<string, readonly Step[]> {
  const steps = new Map<string, readonly Step[]>();
  for (const file of fs.readdirSync(folder)) {
    for (const line of fs.readFileSync(path.join(folder, file), 'utf8').split('\n')) {
      if (line === '') continue;
      const transcript = JSON.parse(line) as { scenario: string; steps: readonly Step[] };
      steps.set(transcript.scenario, transcript.steps);
    }
  }
  return steps;
}

/** Scenarios whose texts vary in kube-apiserver. */
function readLoose(folder: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const file of fs.readdirSync(folder)) {
    const { scenarios } = JSON.parse(fs.readFileSync(path.join(folder, file), 'utf8')) as { scenarios: { name: string; looseMessages?: boolean }[] };
    for (const { name, looseMessages } of scenarios) if (looseMessages === true) names.add(name);
  }
  return names;
}
