import type { ComponentChildren } from 'preact';
import type { ApiError } from '../../api/api-error.ts';
import type { Redirect, RedirectCheck } from '../../api/wire.ts';
import { currentLocation, query } from '../../router.ts';
import type { Draft, LocalErrors } from './draft.ts';

const FIELDS = ['old_path', 'new_path', 'group_id', 'notes'] as const;
type Field = (typeof FIELDS)[number];

/** What is wrong with a draft, by the field that it is shown at. */
export type FieldErrors = { [Each in Field]?: ComponentChildren };

export interface ErrorSources {
  /** what the eye sees */
  plain: LocalErrors;
  /** what the service refused when it was to be saved */
  error: ApiError | undefined;
  /** what the service says while it is written */
  check: RedirectCheck | undefined;
}

/** What the person sees at each field: nothing at one that is empty and was not touched yet. */
export function fieldErrorsOf(draft: Draft, touched: ReadonlySet<string>, known: ErrorSources): FieldErrors {
  const entries = FIELDS.flatMap((field) => {
    const isSeen = draft[field] !== '' || touched.has(field) || known.error !== undefined;
    const problem = isSeen ? fieldErrorOf(field, known) : undefined;
    return problem === undefined ? [] : [[field, problem]];
  });
  return Object.fromEntries(entries);
}

function fieldErrorOf(field: Field, { plain, error, check }: ErrorSources): ComponentChildren {
  const takenBy = field === 'old_path' ? check?.taken_by : undefined;
  if (plain[field] !== undefined) return plain[field];
  if (takenBy) return <Taken by={takenBy} />;
  const issue = error?.issueOf(field) ?? check?.issues.find(({ path }) => path === field)?.message;
  if (issue !== undefined) return asSentence(issue);
  return field === 'old_path' && error?.code === 'CONFLICT' ? error.message : undefined;
}

/** An error that stands at its field need not stand below as well; a path that is taken stands at the path. */
export function isShownByField(error: ApiError): boolean {
  if (error.code === 'CONFLICT' && error.details.startsWith('old_path:')) return true;
  const shown: readonly string[] = FIELDS;
  return error.issues.length > 0 && error.issues.every(({ path }) => shown.includes(path));
}

function Taken({ by }: { by: Redirect }) {
  return (
    <span>
      A redirect with the same path already exists. <a href={openAddress(by.id)}>Open it</a>
    </span>
  );
}

/** The list as it is, with the panel of this redirect. */
function openAddress(id: number): string {
  const next = new URLSearchParams(query.value);
  next.delete('new');
  next.set('open', String(id));
  return `${currentLocation.value.path}?${next.toString()}`;
}

/** The service's words follow the name of a field; here they stand alone. */
const asSentence = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
