import { concatenated, isJsonObject } from '#base';
import { writeFlow } from './yaml-flow.ts';
import { Indentation, lineBreak } from './yaml-indentation.ts';
import { sortedMembers } from './yaml-key-order.ts';
import { isShortKey, writeKey, writeText, type TextPlace } from './yaml-text.ts';

/**
 * Formats a JSON value as a YAML document as kube-apiserver does: in block style, with sorted keys, lists not indented below their key, and long
 * strings folded at 80 columns. Where that would take more spaces than any real object needs, the rest is in flow style.
 */
export function formatYaml(value: unknown): string {
  return `${new Writer().node(value, { indent: 0, column: 0 }, false)}\n`;
}

/** Writes one document. */
class Writer {
  readonly #indentation = new Indentation();

  /** `at.indent`: the indentation of the lines of this node. */
  node(value: unknown, at: TextPlace, isItem: boolean): string {
    if (typeof value === 'string') return writeText(value, { column: at.column, indent: isItem ? at.indent : at.indent + 2 }, this.#indentation);
    return this.#block(value, at.indent) ?? writeFlow(value);
  }

  /** A list or an object in block style; undefined: it is empty, or there is no room for that, or it is neither. */
  #block(value: unknown, indent: number): string | undefined {
    if (Array.isArray(value)) return this.#list(value as readonly unknown[], indent);
    return isJsonObject(value) ? this.#map(value, indent) : undefined;
  }

  #list(items: readonly unknown[], indent: number): string | undefined {
    if (items.length === 0 || !this.#indentation.takes(items.length, indent)) return undefined;
    const at = { indent: indent + 2, column: indent + 2 };
    return concatenated(items, lineBreak(indent), (item) => `- ${this.node(item, at, true)}`);
  }

  #map(value: Readonly<Record<string, unknown>>, indent: number): string | undefined {
    const members = sortedMembers(value);
    if (members.length === 0 || !this.#indentation.takes(members.length, indent)) return undefined;
    return concatenated(members, lineBreak(indent), ([key, member]) => this.#member(key, member, indent));
  }

  #member(key: string, value: unknown, indent: number): string {
    const keyText = writeKey(key);
    const isSimple = isShortKey(key) && !key.includes('\n');
    const head = isSimple ? `${keyText}:` : `? ${keyText}${lineBreak(indent)}:`;
    const inner = isSimple && Array.isArray(value) ? indent : indent + 2;
    const block = this.#block(value, inner);
    // Behind an explicit key there is room for the first line of the value.
    if (block !== undefined) return head + (isSimple ? lineBreak(inner) : ' ') + block;
    if (typeof value !== 'string') return `${head} ${writeFlow(value)}`;
    return `${head} ${this.node(value, { indent, column: isSimple ? indent + head.length + 1 : indent + 2 }, false)}`;
  }
}
