import { rateOf, type Measured } from './load.ts';

/** One line of the table. */
export interface Row {
  readonly work: string;
  readonly ours: Figure;
  readonly goalPerSecond: number;
  /** What it is compared with in this run, and from which ratio on that is good. */
  readonly probe: Figure & { readonly name: string };
  readonly bar: number;
}

export interface Figure {
  readonly measured: Measured;
  /** Processor time of the server per answer; absent where there is no process to ask. */
  readonly cpuUs?: number;
  readonly longestTurnMs?: number;
}

const COLUMNS = ['work', 'rate', 'p50', 'p99', 'turn', 'cpu', 'probe', 'rate', 'cpu', 'ratio', 'bar', 'goal'];
const WIDTHS = [-38, 9, 9, 9, 8, 8, -12, 9, 8, 6, 5, 9];

const line = (cells: readonly string[]): string =>
  cells.map((cell, at) => ((WIDTHS[at] ?? 0) < 0 ? cell.padEnd(-(WIDTHS[at] ?? 0)) : cell.padStart(WIDTHS[at] ?? 0))).join(' ');

export const headLine = (): string =>
  `${line(COLUMNS)}\nrates per second; cpu: server microseconds per answer; turn: longest hold-up of the event loop; ratio: rate over that of the probe`;

/** A figure alone, in the columns of the rows. */
export const besideLine = (work: string, figure: Figure): string => `${line(cellsOf(work, figure)).trimEnd()}${failedIn(figure)}`;

const cellsOf = (work: string, { measured, longestTurnMs, cpuUs }: Figure): string[] => [
  work,
  rateOf(measured).toFixed(0),
  milliseconds(measured.p50Ms),
  milliseconds(measured.p99Ms),
  longestTurnMs === undefined ? '' : `${longestTurnMs.toFixed(0)} ms`,
  microseconds(cpuUs),
];

export function rowLine({ work, ours, probe, bar, goalPerSecond }: Row): string {
  const ratio = rateOf(ours.measured) / rateOf(probe.measured);
  const cells = [
    ...cellsOf(work, ours),
    probe.name,
    rateOf(probe.measured).toFixed(0),
    microseconds(probe.cpuUs),
    ratio.toFixed(2),
    bar.toFixed(1),
    goalPerSecond === 0 ? '' : String(goalPerSecond),
  ];
  return `${line(cells)}${ratio < bar ? '  below' : ''}${failedIn(ours)}`;
}

function failedIn({ measured }: Figure): string {
  const failures = Object.entries(measured.failures).map(([status, count]) => `${count} x ${status}`);
  return failures.length === 0 ? '' : `  FAILED ${failures.join(', ')}`;
}

export const plainLine = (work: string, value: string, goal: string): string => `${work.padEnd(38)} ${value.padStart(9)}   goal ${goal}`;

const milliseconds = (ms: number): string => `${ms.toFixed(ms < 10 ? 2 : 0)} ms`;
const microseconds = (us: number | undefined): string => (us === undefined ? '' : `${us.toFixed(us < 100 ? 1 : 0)} us`);
