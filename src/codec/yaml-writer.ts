import { goFloatText, isJsonObject } from '#base';
import { compareKeys } from './yaml-key-order.ts';
import { styleOf, writeInline, writeLiteral } from './yaml-text.ts';

/** In characters. Longer keys are written on a line of their own, as explicit keys (`? key`). */
const MAX_SIMPLE_KEY = 128;

/**
 * Formats a JSON value as a YAML document as kube-apiserver does: in block style, with sorted keys, lists not indented below their key, and long
 * strings folded at 80 columns.
 */
export function formatYaml(value: unknown): string {
  const lines = writeNode(value, 0, 0, false);
  return `${lines}\n`;
}

/** The sorted members of an object, without those that are undefined. */
const membersOf = (map: Record<string, unknown>): (readonly [string, unknown])[] =>
  Object.entries(map)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => compareKeys(a, b));

/** `indent`: the indentation of the lines of this node. `column`: where it begins itself. */
function writeNode(value: unknown, indent: number, column: number, isItem: boolean): string {
  if (Array.isArray(value)) return value.length === 0 ? '[]' : writeList(value as readonly unknown[], indent);
  if (isJsonObject(value)) {
    const members = membersOf(value);
    return members.length === 0 ? '{}' : writeMap(members, indent);
  }
  return writeScalar(value, indent, column, isItem);
}

function writeList(items: readonly unknown[], indent: number): string {
  return items.map((item) => `- ${writeNode(item ?? null, indent + 2, indent + 2, true)}`).join(lineBreak(indent));
}

function writeMap(members: readonly (readonly [string, unknown])[], indent: number): string {
  return members.map(([key, value]) => writeMember(key, value, indent)).join(lineBreak(indent));
}

const lineBreak = (indent: number): string => `\n${' '.repeat(indent)}`;

function writeMember(key: string, value: unknown, indent: number): string {
  const keyStyle = styleOf(key, true);
  const keyText = writeInline(key, keyStyle, indent, indent, true);
  const isSimple = [...key].length <= MAX_SIMPLE_KEY && !key.includes('\n');
  const head = isSimple ? `${keyText}:` : `? ${keyText}${lineBreak(indent)}:`;
  return head + writeMemberValue(value, indent, isSimple ? indent + head.length + 1 : indent + 2);
}

function writeMemberValue(value: unknown, indent: number, column: number): string {
  if (Array.isArray(value) && value.length > 0) return lineBreak(indent) + writeList(value as readonly unknown[], indent);
  if (isJsonObject(value)) {
    const members = membersOf(value);
    if (members.length > 0) return lineBreak(indent + 2) + writeMap(members, indent + 2);
  }
  return ` ${writeNode(value, indent, column, false)}`;
}

function writeScalar(value: unknown, indent: number, column: number, isItem: boolean): string {
  if (typeof value === 'number') return formatNumber(value);
  if (typeof value === 'boolean' || typeof value === 'bigint') return value.toString();
  if (typeof value !== 'string') return 'null';
  const style = styleOf(value, false);
  const inner = isItem ? indent : indent + 2;
  return style === 'literal' ? writeLiteral(value, inner) : writeInline(value, style, column, inner, false);
}

/** Fractions below 1e-4 and from 1e6 on are written with an exponent of at least two digits. */
function formatNumber(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 1e21 ? String(value) : goFloatText(value);
}
