import type { InferSelectModel } from '../../db/drizzle.ts';
import { timeOf } from '../../db/rows.ts';
import type { redirects } from '../../db/schema/redirects.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { DomainError } from '../../vocabulary/error.ts';

export type RedirectRow = InferSelectModel<typeof redirects>;

/** The editable fields of a redirect. `fields.ts` says how each behaves. */
export interface RedirectFields extends Pick<
  RedirectRow,
  'oldPath' | 'newPath' | 'statusCode' | 'isRegex' | 'groupId' | 'notes' | 'activeFrom' | 'activeUntil'
> {
  environments: Environment[];
}

export interface Redirect extends RedirectFields, Pick<RedirectRow, 'id' | 'websiteId' | 'createdAt' | 'updatedAt'> {}

/** Converts a row to the redirect that operations return. */
export function redirectOf(row: RedirectRow): Redirect {
  return {
    id: row.id,
    websiteId: row.websiteId,
    oldPath: row.oldPath,
    newPath: row.newPath,
    statusCode: row.statusCode,
    isRegex: row.isRegex,
    groupId: row.groupId,
    notes: row.notes,
    environments: environmentsOf(row),
    activeFrom: row.activeFrom,
    activeUntil: row.activeUntil,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

/** The revision since which a rule is targeted at each environment; null if it is not. */
export type TargetedSince = Pick<RedirectRow, 'inProd' | 'inStaging' | 'inDev'>;

/** The environments that a row is targeted at, in the canonical order. */
export function environmentsOf(row: TargetedSince): Environment[] {
  const environments: Environment[] = [];
  if (row.inProd !== null) environments.push('production');
  if (row.inStaging !== null) environments.push('staging');
  if (row.inDev !== null) environments.push('development');
  return environments;
}

/** Targets a rule at `environments` since revision `rev`. Environments of `before` keep their revision. */
export function sinceRevision(environments: readonly Environment[], rev: number, before: TargetedSince = NOT_TARGETED) {
  const since = (environment: Environment, previous: number | null): number | null =>
    environments.includes(environment) ? (previous ?? rev) : null;
  return {
    inProd: since('production', before.inProd),
    inStaging: since('staging', before.inStaging),
    inDev: since('development', before.inDev),
  };
}

const NOT_TARGETED: TargetedSince = { inProd: null, inStaging: null, inDev: null };

/** The error for a redirect that does not exist or belongs to another account. */
export function redirectNotFound(id: number | string): DomainError {
  return new DomainError('REDIRECT_NOT_FOUND', 'Redirect not found', {
    details: `id: there is no redirect ${id}`,
  });
}

/** A row of `redirects` as a raw query returns it. */
export interface RawRedirect extends Record<string, unknown> {
  id: string | number;
  website_id: number;
  key: string;
  old_path: string;
  new_path: string | null;
  status_code: number;
  is_regex: boolean;
  group_id: string | null;
  notes: string | null;
  rev: number;
  in_prod: number | null;
  in_staging: number | null;
  in_dev: number | null;
  active_from: string | Date | null;
  active_until: string | Date | null;
  created_at: string | Date;
  updated_at: string | Date;
}

/** Converts a raw row. Written out, because lists stream a million of them. */
export function rowOf(raw: RawRedirect): RedirectRow {
  return {
    id: Number(raw.id),
    websiteId: raw.website_id,
    key: raw.key,
    oldPath: raw.old_path,
    newPath: raw.new_path,
    statusCode: raw.status_code,
    isRegex: raw.is_regex,
    groupId: raw.group_id,
    notes: raw.notes,
    rev: raw.rev,
    inProd: raw.in_prod,
    inStaging: raw.in_staging,
    inDev: raw.in_dev,
    activeFrom: timeOf(raw.active_from),
    activeUntil: timeOf(raw.active_until),
    createdAt: new Date(raw.created_at),
    updatedAt: new Date(raw.updated_at),
  };
}
