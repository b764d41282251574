import type { Command } from './command.ts';
import { COMMANDS } from './commands.table.ts';
import type { CommandFlag } from './flag.ts';

/** All commands. */
export function overview(): string {
  const rows = [...COMMANDS].map(([name, { summary }]) => `  ${name.padEnd(14)} ${summary}`);
  return ['orch: an API server that speaks the Kubernetes API, and a client for it', '', 'Commands:', ...rows, '', 'orch <command> --help says more.', ''].join('\n');
}

/** One command with its flags and examples. */
export function commandHelp({ usage, description, flags, examples }: Command): string {
  return [
    `Usage: ${usage}`,
    '',
    description,
    '',
    'Flags:',
    ...flags.map(flagHelp),
    '',
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
