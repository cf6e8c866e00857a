import type { ApiError } from '../api/api-error.ts';
import { Problem } from './states.tsx';

/** What failed in a form, unless each part of it is told at one of its fields. */
export function FormError({ error, fields }: { error: ApiError | undefined; fields: readonly string[] }) {
  if (!error) return null;
  const isTold = error.issues.length > 0 && error.issues.every(({ path }) => fields.includes(path));
  return isTold ? null : <Problem error={error} />;
}
