/** Who owns the fields that commands write, unless a flag names another. */
export const FIELD_MANAGER = 'orch';
