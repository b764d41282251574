/** Why the sqlite engine cannot be tested here; false: it can. The newest LTS of Node, with which .ci/run runs all tests too, has SQLite. */
export const NO_SQLITE = process.getBuiltinModule('node:sqlite') === undefined ? 'this Node has no node:sqlite: 22.13 and newer do' : false;
