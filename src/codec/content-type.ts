/** RFC 9110 5.6.6, with spaces where senders are known to put them. */
const PARAMETER = /\s*;\s*([!#$%&'*+.^`|~\w-]+)\s*=\s*([!#$%&'*+.^`|~\w-]+|"(?:[^"\\]|\\.)*")/y;

/** What stands before the parameters of a `Content-Type`, or of one part of an `Accept`, as it is written. */
export function bareMediaType(header: string): string {
  const end = header.indexOf(';');
  return (end < 0 ? header : header.slice(0, end)).trim();
}

/**
 * The media type of a `Content-Type`, in lower case and without parameters; empty where the header is. undefined: its parameters are none, or say
 * different things of one name. An empty parameter at the end is none.
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
