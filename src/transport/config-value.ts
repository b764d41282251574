import { memberOf } from '#base';
import { TransportFailure } from './failure.ts';

export type ConfigMap = Readonly<Record<string, unknown>>;

/** Reads fields of one map of a kubeconfig; `where` names the map in messages. Messages never contain values: they may be secrets. */
export class ConfigReader {
  readonly #map: ConfigMap;
  readonly #where: string;

  constructor(map: ConfigMap, where: string) {
    this.#map = map;
    this.#where = where;
  }

  /** Whether the field is present and not empty. */
  has(name: string): boolean {
    const value = this.#get(name);
    return value !== undefined && value !== null && value !== '' && value !== false;
  }

  text(name: string): string | undefined {
    const value = this.#get(name);
    if (value === undefined || value === null || value === '') return undefined;
    if (typeof value !== 'string') throw this.wrong(name, 'must be a text');
    return value;
  }

  isTrue(name: string): boolean {
    const value = this.#get(name) ?? false;
    if (typeof value !== 'boolean') throw this.wrong(name, 'must be true or false');
    return value;
  }

  /** The decoded text of a base64 field. */
  decoded(name: string): string | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    if (!/^[A-Za-z0-9+/\s]+=*\s*$/.test(value)) throw this.wrong(name, 'must be base64');
    return Buffer.from(value, 'base64').toString('utf8');
  }

  wrong(name: string, why: string): TransportFailure {
    return new TransportFailure('configuration', `${this.#where}: ${name} ${why}`);
  }

  #get(name: string): unknown {
    return memberOf(this.#map, name);
  }
}
