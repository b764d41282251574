// npm run flags: writes docs/flags.md from the tables of flags. `--check` only says whether the page is what the tables make.
import fs from 'node:fs';
import path from 'node:path';
import { build, orExplain, root } from './build.mjs';

orExplain(() => build());
const { FEATURES, FLAG_GROUPS, FLAGS, groupOf, IDLE_FLAGS } = await import(path.join(root, 'dist/server/index.js'));
const file = path.join(root, 'docs/flags.md');
const page = makePage();

if (!process.argv.includes('--check')) fs.writeFileSync(file, page);
else if (!fs.existsSync(file) || fs.readFileSync(file, 'utf8') !== page) {
  console.error('docs/flags.md is not what the tables of flags make: npm run flags');
  process.exitCode = 1;
}

function makePage() {
  const all = [...FLAGS, ...IDLE_FLAGS];
  const parts = FLAG_GROUPS.flatMap((title) => {
    const flags = all.filter((flag) => groupOf(flag) === title);
    return flags.length === 0 ? [] : [`## ${title}`, '', '| Flag | Default | What it does |', '|---|---|---|', ...flags.map(flagRow), ''];
  });
  return [
    '# Flags of `orch serve`',
    '',
    'Made from `src/server/flags.table.ts` by `npm run flags`. Names and meaning are those of kube-apiserver where it has the flag.',
    'The same names stand in the file that `--config` names: `secure-port: 7443`, lists as lists, maps as maps. Flags that are given win.',
    '',
    'Files are read once, at the start, but for these: `--tls-cert-file`, `--tls-private-key-file`, `--tls-sni-cert-key`, `--cert-dir`, `--client-ca-file`,',
    '`--requestheader-client-ca-file`, `--proxy-client-cert-file`, `--proxy-client-key-file`, `--kubelet-client-certificate`, `--kubelet-client-key`, and the',
    'certificates, keys and tokens that a kubeconfig names by their paths. They are looked at every ten seconds; what is new is used for new connections',
    'once it is whole and fits together, and what was used before until then. New authorities of clients and proxies count on open connections as well, from',
    'the next request on. Those of etcd are read for each new connection. Every other file takes a new start.',
    '',
    ...parts,
    '## Feature gates',
    '',
    '`--feature-gates=Name=true,Other=false`. What is generally available (GA) stays as it is; `AllAlpha` and `AllBeta` name a stage.',
    '',
    '| Feature | Stage | Default | Can be switched here |',
    '|---|---|---|---|',
    ...FEATURES.map(({ name, stage, isOn, isSwitched }) => `| ${name} | ${stage} | ${isOn ? 'on' : 'off'} | ${isSwitched ? 'yes' : 'no'} |`),
    '',
  ].join('\n');
}

function flagRow({ name, type, help, choices, isList, default: fallback }) {
  const value = type === 'boolean' ? '' : `=${choices?.join('\\|') ?? (type === 'string' ? 'text' : type)}`;
  const shown = fallback === undefined || fallback === '' ? '' : `\`${fallback}\``;
  return `| \`--${name}\`${value === '' ? '' : ` \`${value}\``}${isList ? ' (list)' : ''} | ${shown} | ${help.replaceAll('|', '\\|').replaceAll('<', '&lt;')} |`;
}
