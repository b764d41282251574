import { accountOfUserName } from '#api';
import { extraKeyIn, headerText, textOfHeader, type Received } from '#request';

/** One attribute of the identity that a request asks to impersonate. */
export type Item =
  | { readonly kind: 'User' | 'Group' | 'UID'; readonly name: string }
  | { readonly kind: 'ServiceAccount'; readonly namespace: string; readonly name: string }
  | { readonly kind: 'UserExtra'; readonly key: string; readonly name: string };

const EXTRA = 'impersonate-extra-';

/** The attributes that the `Impersonate-*` headers ask for, in the order in which permission is checked; the user comes first. @spec 5.7 */
export function readItems(headers: Received['headers']): readonly Item[] {
  const items: Item[] = [];
  const user = headerText(headers, 'impersonate-user');
  const account = accountOfUserName(user);
  if (account !== undefined) items.push({ kind: 'ServiceAccount', ...account });
  else if (user !== '') items.push({ kind: 'User', name: user });
  for (const name of headers.get('impersonate-group') ?? []) items.push({ kind: 'Group', name: textOfHeader(name) });
  for (const [header, values] of headers) {
    if (!header.startsWith(EXTRA)) continue;
    const key = extraKeyIn(header.slice(EXTRA.length));
    for (const name of values) items.push({ kind: 'UserExtra', key, name: textOfHeader(name) });
  }
  const uid = headerText(headers, 'impersonate-uid');
  if (uid !== '') items.push({ kind: 'UID', name: uid });
  return items;
}
