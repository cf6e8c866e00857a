import type { InferSelectModel } from 'drizzle-orm';
import type { redirects } from '../../db/schema.ts';
import { isoSeconds } from '../../platform/clock.ts';
import type { DeployedTimes } from '../../deployments/live/deployed-at.ts';
import { type Environment, inEnvironmentOrder } from '../../vocabulary/environment.ts';
import { DomainError } from '../../vocabulary/error.ts';
import type { Activity } from '../list/activity.ts';

export type RedirectRow = InferSelectModel<typeof redirects>;

/** What its editors say of a rule: everything but identity, times and what follows from these fields. */
export interface RedirectFields {
  oldPath: string;
  newPath: string | null;
  statusCode: number;
  isRegex: boolean;
  groupId: string | null;
  notes: string | null;
  environments: Environment[];
}

export interface Redirect extends RedirectFields {
  id: number;
  websiteId: number;
  createdAt: Date;
  updatedAt: Date;
}

/** With the times at which its live rule was published; null where it is not live. */
export interface ListedRedirect extends Redirect {
  deployed: DeployedTimes;
  /** only where it was asked for */
  activity?: Activity | undefined;
}

export function environmentsOf(row: Pick<RedirectRow, 'inProd' | 'inStaging' | 'inDev'>): Environment[] {
  const targeted: Environment[] = [];
  if (row.inProd !== null) targeted.push('production');
  if (row.inStaging !== null) targeted.push('staging');
  if (row.inDev !== null) targeted.push('development');
  return targeted;
}

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
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

/** The refusal for another account's redirect and for one that never was: the same. */
export function redirectNotFound(id: number | string): DomainError {
  return new DomainError('REDIRECT_NOT_FOUND', 'Redirect not found', {
    details: `id: there is no redirect ${id}`,
  });
}

/** A redirect as events carry it: ids as strings, environments as a list, null rather than absent. */
export function eventRedirect(redirect: Redirect): Record<string, unknown> {
  return {
    id: String(redirect.id),
    website_id: String(redirect.websiteId),
    old_path: redirect.oldPath,
    new_path: redirect.newPath,
    status_code: redirect.statusCode,
    is_regex: redirect.isRegex,
    group_id: redirect.groupId,
    notes: redirect.notes,
    target_environments: inEnvironmentOrder(redirect.environments),
    created_at: isoSeconds(redirect.createdAt),
    updated_at: isoSeconds(redirect.updatedAt),
  };
}

/** A row of `redirects` as a plain query gives it. */
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
  created_at: string | Date;
  updated_at: string | Date;
}

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
    createdAt: new Date(raw.created_at),
    updatedAt: new Date(raw.updated_at),
  };
}
