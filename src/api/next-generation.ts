/** The generation after this one. The largest that there is stays: clients may have set it, and a larger one does not fit into 64 bits. */
export function nextGeneration(generation: number | bigint = 0): number | bigint {
  const next = BigInt(generation) + 1n;
  if (BigInt.asIntN(64, next) !== next) return generation;
  return Number.isSafeInteger(Number(next)) ? Number(next) : next;
}
