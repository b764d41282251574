// Which lines of a server's log the faults that were made explain.

/** What each fault makes the server or its controllers say, as the cause of a complaint. */
const EXPLAINED: readonly (readonly [fault: string, words: RegExp])[] = [
  ['a full disk', /no space left|can be written again|the store is not available/],
  ['a lost webhook', /failed (?:calling|to call) webhook|admission webhook "[^"]*" denied/],
  ['a stopped process, or a clock that jumped', /did not complete within the allotted timeout|did not answer within|said nothing for|cannot hold the lease/],
];

interface Line {
  readonly level?: string;
  readonly message?: string;
  readonly status?: number;
  readonly [field: string]: unknown;
}

/** The lines at `warn` and `error` that no fault explains, whichever part of the server complains. */
export const complaintsIn = (output: string): readonly string[] => output.split('\n').filter((line) => isComplaint(line));

function isComplaint(text: string): boolean {
  if (!text.startsWith('{')) return false;
  const line = JSON.parse(text) as Line;
  if (line.level !== 'warn' && line.level !== 'error') return false;
  if (line.status === 503) return false;
  const told = textsOf(line).join('\n');
  return !EXPLAINED.some(([, words]) => words.test(told));
}

/** The message and what stands in the other fields, failures and their causes among them. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}
