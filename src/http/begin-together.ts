import { deferred, setImmediate, type Deferred } from '#base';

/** So many requests fill the processor's caches as well as more would, and take some milliseconds. */
const TOGETHER = 128;
/** A group of so many waits for no others. */
const ENOUGH = 64;
/** After so many polls of the sockets in a row that bring no request, a group waits no longer. A poll takes some microseconds. */
const QUIET_POLLS = 4;
/** The most polls that a group waits for. */
const MOST_POLLS = 40;

interface Group {
  readonly begins: Deferred<void>;
  size: number;
  /** The size when the sockets were polled last. */
  sizeBefore: number;
  polls: number;
  quietPolls: number;
}

/** Groups of requests that have not begun, in the order of their arrival. */
let groups: Group[] = [];
/** The last group to begin held several requests: clients that are answered together ask again together, within microseconds. */
let isCrowd = false;

/**
 * Resolves when the request may begin: together with the others that arrive in this turn of the event loop and, while there are many clients, in the
 * polls of the sockets right after it. Node reads its sockets one by one and would take each request as far as it gets before it reads the next.
 * Requests that are started together go through each part of the server together and find its code and data in the processor's caches: writes of 16
 * clients cost half as much as they would one by one. Of very many, each turn begins some.
 */
export function beginTogether(): Promise<void> {
  let last = groups[groups.length - 1];
  if (last === undefined || last.size === TOGETHER) {
    last = { begins: deferred(), size: 0, sizeBefore: 0, polls: 0, quietPolls: 0 };
    if (groups.push(last) === 1) setImmediate(beginNext);
  }
  last.size += 1;
  return last.begins.promise;
}

function beginNext(): void {
  const [first, ...others] = groups;
  if (first === undefined) return;
  countPoll(first);
  const waits = isCrowd && others.length === 0 && first.size < ENOUGH && first.quietPolls < QUIET_POLLS && first.polls < MOST_POLLS;
  if (waits || others.length > 0) setImmediate(beginNext);
  if (waits) return;
  groups = others;
  isCrowd = first.size > 1;
  first.begins.resolve();
}

/** The sockets were polled: takes note of whether that brought requests to the group. */
function countPoll(group: Group): void {
  group.quietPolls = group.size > group.sizeBefore ? 0 : group.quietPolls + 1;
  group.sizeBefore = group.size;
  group.polls += 1;
}
