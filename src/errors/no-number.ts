import { goQuoted } from './go-value.ts';

const SIGNED = /^[+-]?\d+$/;

/** The texts that each function of Go's `strconv` accepts, unless the number is out of range. */
const FORMS = { Atoi: SIGNED, ParseInt: SIGNED, ParseUint: /^\d+$/ } as const;

/** The message for a text that is not a number, in the wording of Go, as in kube-apiserver. `reader`: the function that would parse it. */
export const noNumber = (reader: keyof typeof FORMS, text: string): string =>
  `strconv.${reader}: parsing ${goQuoted(text)}: ${FORMS[reader].test(text) ? 'value out of range' : 'invalid syntax'}`;
