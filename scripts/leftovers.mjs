// What a build takes away: what earlier builds wrote and this one did not, so that no package holds it.
import fs from 'node:fs';
import path from 'node:path';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Beside the folder, in a name that no package takes. */
const listOf = (folder) => path.join(path.dirname(folder), `.${path.basename(folder)}.written`);

/**
 * Removes the files of `folder` that are not among `written`, a day after the first build that did without them: a server that was started
 * before loads parts of itself when it first needs them. `evenToday`: at once.
 */
export function removeEarlier(folder, written, { evenToday = false, nowMs = Date.now() } = {}) {
  const list = listOf(folder);
  const before = new Set(fs.existsSync(list) ? fs.readFileSync(list, 'utf8').split('\n') : []);
  const now = new Set(written);
  for (const name of fs.readdirSync(folder)) {
    if (now.has(name)) continue;
    const file = path.join(folder, name);
    if (evenToday) fs.rmSync(file);
    else if (before.has(name)) fs.utimesSync(file, nowMs / 1000, nowMs / 1000);
    else if (nowMs - fs.statSync(file).mtimeMs > DAY_MS) fs.rmSync(file);
  }
  fs.writeFileSync(list, [...now].join('\n'));
}

/** Removes what was compiled from sources that are gone. `apart`: folders at the top that are not compiled from sources of their name. */
export function removeOrphans(compiled, sources, apart) {
  for (const entry of fs.readdirSync(compiled, { recursive: true })) {
    const stem = /^(.*?)\.(?:js|js\.map|d\.ts)$/.exec(entry)?.[1];
    if (stem === undefined || apart.includes(entry.split(path.sep)[0])) continue;
    if (!fs.existsSync(path.join(sources, `${stem}.ts`))) fs.rmSync(path.join(compiled, entry));
  }
}
