import { memberOf } from '#base';
import { TransportFailure } from './failure.ts';

export type ConfigMap = Readonly<Record<string, unknown>>;

/** Reads members of one map of a kubeconfig; `where` names the map in messages. Values are never shown: they may be secrets. */
export class ConfigReader {
  readonly #map: ConfigMap;
  readonly #where: string;

  constructor(map: ConfigMap, where: string) {
    this.#map = map;
    this.#where = where;
  }

  /** Whether the member is there and says something. */
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

  /** The text of a base64 member. */
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
