import type { RedirectRow } from './redirect.ts';

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
