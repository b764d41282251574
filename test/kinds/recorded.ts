// What was recorded of kube-apiserver 1.23.17, spelled in a dialect.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import type { Dialect } from '#api';

interface Spelling {
  readonly mapValue: (value: unknown, dialect: object) => unknown;
  readonly getDialect: (name: string) => object;
}

/** A packed file of `test/golden/`, by its name without `.json.br`. */
export async function readRecorded<T>(name: string, dialect: Dialect): Promise<T> {
  const { mapValue, getDialect } = (await import(path.resolve('test/conformance/runner/lib/dialect.mjs'))) as Spelling;
  const packed = readFileSync(path.resolve(`test/golden/${name}.json.br`));
  return mapValue(JSON.parse(brotliDecompressSync(packed).toString('utf8')), getDialect(dialect)) as T;
}
