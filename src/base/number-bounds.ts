/** Bounds of a whole number. Default: from 0 on. */
export interface Bounds {
  readonly min?: number;
  readonly max?: number;
}

/** Whether a value is a whole number within the bounds. */
export const isWithin = (value: unknown, { min = 0, max = Number.MAX_SAFE_INTEGER }: Bounds): value is number => Number.isInteger(value) && (value as number) >= min && (value as number) <= max;

/** The numbers within the bounds, for messages: `a whole number from 0 to 65535`. */
export const withinWords = ({ min = 0, max = Number.MAX_SAFE_INTEGER }: Bounds): string => `a whole number ${max === Number.MAX_SAFE_INTEGER ? `from ${min} on` : `from ${min} to ${max}`}`;
