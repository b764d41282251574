/** A parameter as in RFC 9110, 5.6.6, with spaces also around `=`, where some clients put them. */
const PARAMETER = /\s*;\s*([!#$%&'*+.^`|~\w-]+)\s*=\s*([!#$%&'*+.^`|~\w-]+|"(?:[^"\\]|\\.)*")/y;

/** The media type of a `Content-Type`, or of one clause of an `Accept`, without parameters and otherwise unchanged. */
export function bareMediaType(header: string): string {
  const end = header.indexOf(';');
  return (end < 0 ? header : header.slice(0, end)).trim();
}

/**
 * The media type of a `Content-Type`, in lower case and without parameters; empty for an empty header. undefined: its parameters are malformed, or
 * one has two different values. An empty parameter at the end is ignored.
 */
export function mediaTypeIn(header: string): string | undefined {
  const mediaType = bareMediaType(header).toLowerCase();
  const end = header.indexOf(';');
  return end < 0 || areParameters(header, end) ? mediaType : undefined;
}

function areParameters(header: string, start: number): boolean {
  const values = new Map<string, string>();
  let end = start;
  for (;;) {
    PARAMETER.lastIndex = end;
    const [whole = '', name = '', value = ''] = PARAMETER.exec(header) ?? [];
    if (whole === '') break;
    const key = name.toLowerCase();
    const said = unquoted(value);
    if ((values.get(key) ?? said) !== said) return false;
    values.set(key, said);
    end += whole.length;
  }
  const rest = header.slice(end).trim();
  return rest === '' || rest === ';';
}

const unquoted = (value: string): string => (value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value);
