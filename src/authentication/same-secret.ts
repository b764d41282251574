import { timingSafeEqual } from 'node:crypto';

/** Compares a stored secret with a given one: how long it takes tells nothing about where they differ, only whether they are equally long. */
export const isSameSecret = (stored: Uint8Array, given: Uint8Array): boolean => stored.length === given.length && timingSafeEqual(stored, given);
