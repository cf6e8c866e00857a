import type { ApiError } from '../../api/client/api-error.ts';
import { Problem } from '../page/states.tsx';

/** The error of a form, unless `fields` show all of its issues. */
export function FormError({ error, fields }: { error: ApiError | undefined; fields: readonly string[] }) {
  if (!error) return null;
  const isShownAtFields = error.issues.length > 0 && error.issues.every(({ path }) => fields.includes(path));
  return isShownAtFields ? null : <Problem error={error} />;
}
