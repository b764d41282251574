import type { Field } from './field.ts';

/** The fields of a message, as declared. */
export type Shape = Readonly<Record<string, Field>>;

type InlineKeys<S> = {
  [K in keyof S]: S[K] extends Field<infer _T, infer P, infer _N> ? ('inline' extends P ? (P extends 'inline' ? K : never) : never) : never;
}[keyof S];
type AlwaysKeys<S> = {
  [K in keyof S]: S[K] extends Field<infer _T, infer P, infer _N> ? (P extends 'always' ? K : never) : never;
}[keyof S];
type OptionalKeys<S> = Exclude<keyof S, InlineKeys<S> | AlwaysKeys<S>>;
type ValueType<F> = F extends Field<infer T, infer _P, infer _N> ? T : never;
type OrNull<F> = F extends Field<infer T, infer _P, infer N> ? (N extends true ? T | null : T) : never;
type Both<U> = (U extends unknown ? (one: U) => void : never) extends (all: infer I) => void ? I : never;
type InlineValues<S> = [InlineKeys<S>] extends [never] ? unknown : Both<ValueType<S[InlineKeys<S>]>>;

/**
 * The static type of a message's values in normal form: fields that are always written are present (lists, maps and pointers among them may be null),
 * other fields may be absent.
 */
export type ValueOf<S> = Simplify<
  { [K in OptionalKeys<S>]?: ValueType<S[K]> } & { [K in AlwaysKeys<S>]: OrNull<S[K]> } & InlineValues<S>
>;

type Simplify<T> = { [K in keyof T]: T[K] };
