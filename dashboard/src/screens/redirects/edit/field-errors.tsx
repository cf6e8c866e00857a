import type { ComponentChildren } from 'preact';
import type { ApiError } from '../../../api/client/api-error.ts';
import type { Redirect, RedirectCheck } from '../../../api/client/wire.ts';
import { capitalized } from '../../../format.ts';
import { HostNotAllowed } from '../../../ui/form/host-not-allowed.tsx';
import { pageUrl } from '../open-page.ts';
import type { Draft, LocalErrors } from './draft.ts';

const FIELDS = ['old_path', 'new_path', 'group_id', 'notes', 'active_from', 'active_until'] as const;
type Field = (typeof FIELDS)[number];

/** Error messages by field. */
export type FieldErrors = { [Each in Field]?: ComponentChildren };

export interface ErrorSources {
  /** found without a request */
  localErrors: LocalErrors;
  websiteId: number;
  /** the host of the target, if the website does not allow it */
  foreignHost: string | undefined;
  /** the response to the last attempt to save */
  error: ApiError | undefined;
  /** the response to the check while the user types */
  check: RedirectCheck | undefined;
}

/** Errors to show. Empty fields have none until they are touched or saving fails. */
export function fieldErrorsOf(draft: Draft, touched: ReadonlySet<string>, known: ErrorSources): FieldErrors {
  const entries = FIELDS.flatMap((field) => {
    const isVisible = draft[field] !== '' || touched.has(field) || known.error !== undefined;
    const message = isVisible ? fieldErrorOf(field, known) : undefined;
    return message === undefined ? [] : [[field, message]];
  });
  return Object.fromEntries(entries);
}

function fieldErrorOf(field: Field, known: ErrorSources): ComponentChildren {
  const { localErrors: plain, error, check, foreignHost, websiteId } = known;
  const takenBy = field === 'old_path' ? check?.taken_by : undefined;
  if (field === 'new_path' && foreignHost !== undefined)
    return <HostNotAllowed host={foreignHost} websiteId={websiteId} text={plain.new_path} />;
  if (plain[field] !== undefined) return plain[field];
  if (takenBy) return <Taken by={takenBy} />;
  const issue = error?.issueOf(field) ?? check?.issues.find(({ path }) => path === field)?.message;
  // Messages of the service follow a field name; here they start a sentence.
  if (issue !== undefined) return capitalized(issue);
  return field === 'old_path' && error?.code === 'CONFLICT' ? error.message : undefined;
}

/** True if fields show all of the error, so that the form need not repeat it. */
export function isShownByField(error: ApiError): boolean {
  if (error.code === 'CONFLICT' && error.details.startsWith('old_path:')) return true;
  const shown: readonly string[] = FIELDS;
  return error.issues.length > 0 && error.issues.every(({ path }) => shown.includes(path));
}

function Taken({ by }: { by: Redirect }) {
  return (
    <span>
      A redirect with the same path already exists. <a href={pageUrl(by.website_id, by.id)}>Open it</a>
    </span>
  );
}
