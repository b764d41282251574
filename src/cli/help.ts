import type { Command } from './command.ts';
import { COMMANDS } from './commands.table.ts';
import type { CommandFlag } from './flag.ts';

/** The help text that lists all commands. */
export function overview(): string {
  const rows = [...COMMANDS].map(([name, { summary }]) => `  ${name.padEnd(14)} ${summary}`);
  return ['orch: an API server that speaks the Kubernetes API, and a client for it', '', 'Commands:', ...rows, '', 'orch <command> --help says more.', ''].join('\n');
}

/** The help text of one command, with its flags and examples. */
export function commandHelp({ usage, description, flags, groups, examples }: Command): string {
  const parts = groups?.titles.map((title) => [`${title} flags`, flags.filter((flag) => groups.of(flag) === title)] as const) ?? [['Flags', flags] as const];
  return [
    `Usage: ${usage}`,
    '',
    description,
    '',
    ...parts.filter(([, of]) => of.length > 0).flatMap(([title, of]) => [`${title}:`, ...of.map(flagHelp), '']),
    'Examples:',
    ...examples.map((example) => `  ${example}`),
    '',
  ].join('\n');
}

function flagHelp(flag: CommandFlag): string {
  const letter = flag.short === undefined ? '' : `-${flag.short}, `;
  const value = flag.type === 'boolean' ? '' : ` <${flag.choices?.join('|') ?? flag.value ?? (flag.type === 'string' ? 'text' : flag.type)}>`;
  const fallback = flag.default === undefined || flag.default === false ? '' : ` (default ${String(flag.default)})`;
  return `  ${letter}--${flag.name}${value}\n        ${flag.help}${fallback}`;
}
