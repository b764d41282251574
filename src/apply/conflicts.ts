import { compareUtf8, FaultBudget } from '#base';
import { ApiError } from '#errors';
import { formatPath } from './fieldpath/path.ts';
import { pathsOf, type FieldSet } from './fieldpath/set.ts';
import type { Entry, Managed } from './managed-fields.ts';

/** The fields that an applier wants to change and others own, by the identity of their entries. */
export type Conflicts = ReadonlyMap<string, FieldSet>;

/**
 * 409 with one cause per field and manager; of very many only the first.
 * @spec 4.9
 */
export function conflictError(conflicts: Conflicts, managed: Managed): ApiError {
  const budget = new FaultBudget();
  const pathsIn = (fields: FieldSet): readonly string[] => {
    const paths: string[] = [];
    for (const path of pathsOf(fields)) {
      if (budget.isEnough) break;
      const text = formatPath(path);
      budget.add(text.length);
      paths.push(text);
    }
    return paths;
  };
  const owners = [...conflicts]
    .map(([id, fields]) => ({ entry: managed.get(id), fields }))
    .sort((a, b) => compareUtf8(orderOf(a.entry), orderOf(b.entry)))
    .map(({ entry, fields }) => ({ owner: nameOf(entry), fields: pathsIn(fields) }))
    .filter(({ fields }) => fields.length > 0);
  const causes = owners.flatMap(({ owner, fields }) =>
    fields.map((field) => ({ reason: 'FieldManagerConflict', message: `conflict with ${owner}`, field })),
  );
  const texts = owners.map(({ owner, fields }) => `conflicts with ${owner}:\n- ${fields.join('\n- ')}`);
  const [first] = causes;
  return new ApiError(
    'Conflict',
    causes.length === 1 && first !== undefined
      ? `Apply failed with 1 conflict: ${first.message}: ${first.field}`
      : `Apply failed with ${causes.length} conflicts: ${texts.join('\n')}`,
    { causes },
  );
}

function nameOf(entry: Entry | undefined): string {
  if (entry === undefined) return '"unknown"';
  const part = entry.subresource === '' ? '' : ` with subresource ${JSON.stringify(entry.subresource)}`;
  return `${JSON.stringify(entry.manager)}${part}${entry.operation === 'Update' ? ` using ${entry.apiVersion}` : ''}`;
}

/** Managers come in the order of their entries; of one name, the applier comes first. */
const orderOf = (entry: Entry | undefined): string =>
  JSON.stringify({
    manager: entry?.manager,
    operation: entry?.operation,
    ...(entry?.operation === 'Update' ? { apiVersion: entry.apiVersion } : {}),
    ...(entry?.subresource ? { subresource: entry.subresource } : {}),
  });
