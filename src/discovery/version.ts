/** The content of `/version`, by which clients decide which features to use. */
export interface VersionInfo {
  readonly major: string;
  readonly minor: string;
  readonly gitVersion: string;
  readonly gitCommit: string;
  readonly gitTreeState: string;
  readonly buildDate: string;
  readonly goVersion: string;
  readonly compiler: string;
  readonly platform: string;
}

/** The release whose API is served. */
const API_RELEASE = '1.23.17';

/** This program contains no Go; `goVersion` and `compiler`, which clients print, name its own runtime. */
export const versionInfo: VersionInfo = {
  major: '1',
  minor: '23',
  gitVersion: `v${API_RELEASE}`,
  gitCommit: '',
  gitTreeState: '',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: `node${process.version.slice(1)}`,
  compiler: 'node',
  platform: `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`,
};
