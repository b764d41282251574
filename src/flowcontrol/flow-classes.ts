import type { ApiObject } from '#api';
import { headersOnce, type Identified, type ReplyHeaders } from '#request';
import { BUILT_IN_LEVELS, BUILT_IN_SCHEMAS } from './built-in.ts';
import { createCounts, type FlowClass, type FlowCounts } from './flow-class.ts';
import { readLevel, type LevelSpec } from './level-config.ts';
import { PriorityLevel } from './priority-level.ts';
import { matchesRules, type FlowRule, type SchemaSpec } from './schema-rules.ts';

/** The kinds that configure flow control. */
export const FLOW_KINDS = ['PriorityLevelConfiguration', 'FlowSchema'] as const;
export type FlowKind = (typeof FLOW_KINDS)[number];

/** An object of these kinds in any version: the fields read here are the same in all. */
interface FlowObject extends ApiObject {
  readonly spec?: SchemaSpec & LevelSpec;
  readonly status?: { readonly conditions?: readonly { readonly type?: string; readonly status?: string; readonly reason?: string; readonly message?: string }[] };
}

interface Row extends FlowClass {
  readonly precedence: number;
  readonly rules: readonly FlowRule[];
}

/**
 * The stored priority levels and flow schemas, arranged for classifying requests. The owner of this object keeps it current. Schemas whose level does
 * not exist are ignored.
 */
export class FlowClasses {
  readonly #totalSeats: number;
  readonly #changed: () => void;
  readonly #levelObjects = new Map<string, FlowObject>();
  readonly #schemaObjects = new Map<string, FlowObject>();
  readonly #levels = new Map<string, PriorityLevel>();
  readonly #counts = new Map<string, FlowCounts>();
  #rows: readonly Row[] | undefined;

  /** `totalSeats`: concurrency of all levels together. `changed` is called after each change, before seats are given out anew. */
  constructor(totalSeats: number, changed: () => void) {
    this.#totalSeats = totalSeats;
    this.#changed = changed;
  }

  put(kind: FlowKind, object: ApiObject): void {
    this.#objectsOf(kind).set(object.metadata.name ?? '', object);
    this.#forget();
  }

  remove(kind: FlowKind, name: string): void {
    this.#objectsOf(kind).delete(name);
    this.#forget();
  }

  /** A request has left a level. A level whose object is deleted ends with its last request, and the other levels get its seats. */
  left(level: PriorityLevel): void {
    if (level.isQuiescing && level.isEmpty) this.#forget();
  }

  /** Gives each level its seats, after a change. */
  arrange(): void {
    this.#rows ??= this.#arranged();
  }

  /** The first matching schema, by precedence and then by name. */
  classify(request: Pick<Identified, 'info' | 'user'>): FlowClass {
    const rows = this.classes as readonly Row[];
    for (const row of rows) if (matchesRules(row.rules, request)) return row;
    return rows.find(({ schemaName }) => schemaName === 'catch-all') as Row;
  }

  /** In matching order. */
  get classes(): readonly FlowClass[] {
    return (this.#rows ??= this.#arranged());
  }

  /** Sorted by name. */
  get levels(): readonly PriorityLevel[] {
    this.arrange();
    return [...this.#levels.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  hasLevel(name: string): boolean {
    return this.#levelObjects.has(name) || Object.hasOwn(BUILT_IN_LEVELS, name);
  }

  get schemaObjects(): Iterable<FlowObject> {
    return this.#schemaObjects.values();
  }

  #objectsOf(kind: FlowKind): Map<string, FlowObject> {
    return kind === 'FlowSchema' ? this.#schemaObjects : this.#levelObjects;
  }

  #forget(): void {
    this.#rows = undefined;
    this.#changed();
  }

  #arranged(): readonly Row[] {
    this.#arrangeLevels();
    const rows = [...withBuiltIn(this.#schemaObjects, BUILT_IN_SCHEMAS)].flatMap(([name, { uid, spec }]) => this.#rowOf(name, uid, spec));
    for (const name of this.#counts.keys()) if (!rows.some(({ schemaName }) => schemaName === name)) this.#counts.delete(name);
    return rows.sort((a, b) => a.precedence - b.precedence || (a.schemaName < b.schemaName ? -1 : 1));
  }

  /** A deleted level stays as long as it has requests. */
  #arrangeLevels(): void {
    const wanted = withBuiltIn(this.#levelObjects, BUILT_IN_LEVELS);
    for (const [name, { uid, spec }] of wanted) {
      const config = readLevel(spec);
      const level = this.#levels.get(name) ?? new PriorityLevel(name, config);
      Object.assign(level, { config, uid, isQuiescing: false });
      this.#levels.set(name, level);
    }
    for (const level of this.#levels.values()) {
      if (wanted.has(level.name)) continue;
      if (level.isEmpty) this.#levels.delete(level.name);
      else level.isQuiescing = true;
    }
    const all = [...this.#levels.values()];
    const shares = all.reduce((sum, { config }) => sum + config.shares, 0);
    for (const level of all) level.seatLimit = Math.max(1, Math.ceil((this.#totalSeats * level.config.shares) / shares));
  }

  #rowOf(schemaName: string, uid: string, spec: SchemaSpec): readonly Row[] {
    const level = this.#levels.get(spec.priorityLevelConfiguration?.name ?? '');
    if (level === undefined || level.isQuiescing) return [];
    const counts = this.#counts.get(schemaName) ?? createCounts();
    this.#counts.set(schemaName, counts);
    const type = spec.distinguisherMethod?.type;
    const names = headersOf(uid, level.uid);
    return [
      {
        schemaName,
        level,
        distinguish: type === 'ByUser' || type === 'ByNamespace' ? type : undefined,
        label: headersOnce((headers) => ({ ...names, ...headers })),
        counts,
        precedence: spec.matchingPrecedence ?? 0,
        rules: spec.rules ?? [],
      },
    ];
  }
}

interface Known {
  readonly uid: string;
  readonly spec: SchemaSpec & LevelSpec;
}

function withBuiltIn(objects: ReadonlyMap<string, FlowObject>, builtIn: Readonly<Record<string, SchemaSpec & LevelSpec>>): ReadonlyMap<string, Known> {
  const all = new Map<string, Known>(Object.entries(builtIn).map(([name, spec]) => [name, { uid: '', spec }]));
  for (const [name, object] of objects) all.set(name, { uid: object.metadata.uid ?? '', spec: object.spec ?? {} });
  return all;
}

const headersOf = (schemaUid: string, levelUid: string): ReplyHeaders => ({
  'x-kubernetes-pf-flowschema-uid': schemaUid,
  'x-kubernetes-pf-prioritylevel-uid': levelUid,
});
