// The checked-in lists of scenarios that do not behave as recorded: not built yet, or different on purpose.
import fs from 'node:fs';
import path from 'node:path';

/** Why a scenario is expected to differ from the recording. */
export type Expectation = 'notYet' | 'onPurpose';

const filesOf = (dialect: string): readonly [string, Expectation][] => [
  [`not-yet.${dialect}.txt`, 'notYet'],
  [`deviations.${dialect}.txt`, 'onPurpose'],
];

/** Scenario name → why it is listed. A line is a name, and a reason behind it where it differs on purpose; `#` begins a comment. */
export function readLists(home: string, dialect: string): Map<string, Expectation> {
  const listed = new Map<string, Expectation>();
  for (const [file, expectation] of filesOf(dialect)) {
    for (const line of readLines(path.join(home, file))) {
      const name = nameIn(line);
      if (name === undefined) continue;
      if (listed.has(name)) throw new Error(`${file}: ${name} is listed twice`);
      if (expectation === 'onPurpose' && line.trim() === name) throw new Error(`${file}: ${name} needs a reason`);
      listed.set(name, expectation);
    }
  }
  return listed;
}

/** Takes scenarios out of the lists that need no entry any more. Nothing here ever adds one. */
export function removeFromLists(home: string, dialect: string, names: ReadonlySet<string>): void {
  for (const [file] of filesOf(dialect)) {
    const place = path.join(home, file);
    const lines = readLines(place);
    const kept = lines.filter((line) => !names.has(nameIn(line) ?? ''));
    if (kept.length < lines.length) fs.writeFileSync(place, kept.join('\n'));
  }
}

function readLines(file: string): string[] {
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split('\n') : [];
}

function nameIn(line: string): string | undefined {
  return /^\s*([^#\s]\S*)/.exec(line)?.[1];
}
