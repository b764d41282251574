import { jsonText, listAt, memberIn, textAt } from '#base';
import { paint } from '../terminal.ts';
import { visible } from '../visible.ts';
import { columnsOf } from './columns-of.ts';

export interface TableOptions {
  /** Whether columns with a priority above 0 are shown. */
  readonly isWide: boolean;
  /** Whether the first column is the namespace. */
  readonly hasNamespaces: boolean;
  readonly hasColour: boolean;
}

/** Formats Tables of the server as text. Further Tables with the same columns, as from a watch, continue the first one without a header. */
export class TableText {
  readonly #options: TableOptions;
  #shown: readonly number[] = [];
  #header: readonly string[] = [];
  #widths: number[] = [];
  #isHeaderShown = false;

  constructor(options: TableOptions) {
    this.#options = options;
  }

  /** The lines of Tables with the same columns, preceded by the header the first time; empty without rows. */
  format(tables: readonly unknown[]): string {
    if (this.#header.length === 0) this.#readColumns(tables[0]);
    const rows = tables.flatMap((table) => listAt(table, 'rows')).map((row) => this.#cells(row));
    if (rows.length === 0) return '';
    const isFirst = !this.#isHeaderShown;
    this.#isHeaderShown = true;
    const lines = isFirst ? [this.#header, ...rows] : rows;
    this.#widths = this.#header.map((_, at) => lines.reduce((widest, cells) => Math.max(widest, columnsOf(cells[at] ?? '')), this.#widths[at] ?? 0));
    return lines.map((cells, at) => paint(this.#line(cells), 'bold', this.#options.hasColour && isFirst && at === 0)).join('\n') + '\n';
  }

  #readColumns(table: unknown): void {
    const columns = listAt(table, 'columnDefinitions');
    this.#shown = columns.flatMap((column, at) => (this.#options.isWide || (memberIn(column, 'priority') ?? 0) === 0 ? [at] : []));
    const names = this.#shown.map((at) => visible(textAt(columns[at], 'name')).toUpperCase());
    this.#header = this.#options.hasNamespaces ? ['NAMESPACE', ...names] : names;
  }

  #cells(row: unknown): readonly string[] {
    const all = listAt(row, 'cells');
    const cells = this.#shown.map((at) => cellText(all[at]));
    return this.#options.hasNamespaces ? [cellText(textAt(row, 'object', 'metadata', 'namespace')), ...cells] : cells;
  }

  #line(cells: readonly string[]): string {
    return cells.map((cell, at) => cell + ' '.repeat(Math.max(0, (this.#widths[at] ?? 0) - columnsOf(cell)))).join('   ').trimEnd();
  }
}

function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return '<none>';
  return visible(typeof cell === 'object' ? jsonText(cell) : String(cell as string | number | bigint | boolean));
}
