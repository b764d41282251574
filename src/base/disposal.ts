/**
 * The members by which the end of a block (`await using`) calls `close`. Before Node 24 the worlds that test runners make have no
 * `Symbol.asyncDispose`, and what compilers make of such a block asks there for the symbol that is registered under its name.
 */
export function disposal(close: () => Promise<void>): { [Symbol.asyncDispose](): Promise<void> } {
  const registered: symbol = Symbol.for('Symbol.asyncDispose');
  const known = (Symbol as Partial<SymbolConstructor>).asyncDispose ?? registered;
  const members: Record<symbol, () => Promise<void>> = { [registered]: close, [known]: close };
  return members as ReturnType<typeof disposal>;
}
