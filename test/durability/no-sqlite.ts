/** Why nothing of SQLite can be tested here; false: it can. */
export const NO_SQLITE = process.getBuiltinModule('node:sqlite') === undefined ? 'this Node has no node:sqlite: 22.13 and newer do' : false;
