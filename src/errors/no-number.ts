import { goQuoted } from './go-value.ts';

const SIGNED = /^[+-]?\d+$/;

/** What each function of Go's `strconv` takes for a number, as long as there is room for it. */
const FORMS = { Atoi: SIGNED, ParseInt: SIGNED, ParseUint: /^\d+$/ } as const;

/** Why a text is no number, in the words of Go, which clients of kube-apiserver know. `reader`: who would have read it. */
export const noNumber = (reader: keyof typeof FORMS, text: string): string =>
  `strconv.${reader}: parsing ${goQuoted(text)}: ${FORMS[reader].test(text) ? 'value out of range' : 'invalid syntax'}`;
