/** The call that makes a file the truth of a website, and what it says. */
import type { Query } from '../client.ts';
import { type Context, SHARE, text } from '../command.ts';
import type { OptionSpec } from '../options.ts';
import { ApiError } from '../errors.ts';
import type { Failure } from '../expectations.ts';
import type { Website } from '../website.ts';
import { type InputFile, sendFile } from './redirects-file.ts';

export const SYNC_OPTIONS: Record<string, OptionSpec> = {
  group: { value: 'GROUP', help: 'Compares and deletes only redirects of this group; entries get it.' },
  'max-delete': {
    value: 'N|N%',
    form: SHARE,
    help: 'The most redirects that may be deleted, or cleared of one field. Default 10%, at least 10.',
  },
  fields: {
    value: 'LIST',
    help: 'The fields that FILE decides, such as new_path,status_code; others stay. Default: those that it names.',
  },
};

/** Fields of a redirect; in `before` and `after` of an update, those that change or all. */
export interface Rule {
  old_path?: string;
  new_path?: string | null;
  status_code?: number;
  is_regex?: boolean;
  target_environments?: string[];
  [field: string]: unknown;
}

export interface Change {
  kind: string;
  old_path: string;
  before: Rule | null;
  after: Rule | null;
}

export interface SyncCounts {
  created: number;
  updated: number;
  deleted: number;
  unchanged: number;
}

export interface Loop {
  environment: string;
  code: string;
  old_paths: string[];
}

export interface GateRun {
  environment: string;
  passed: number;
  failed: number;
  failures: Failure[];
  /** the check reached its time limit */
  cut_short?: boolean;
}

export interface SyncResult {
  sync: SyncCounts;
  /** by field, the redirects that lose their value */
  cleared?: Record<string, number>;
  revision: number;
  /** missing in the responses of earlier releases */
  history?: string | null;
  change_id: string | null;
  deployments: string[];
  /** of a dry run: the first 1,000 of each kind */
  changes?: Change[];
  /** of a dry run: what a deployment would find */
  loops?: Loop[];
  gate?: GateRun[];
}

/** Sends the file. `query` overrides the options of the command. Throws an ApiError that names options of the command. */
export async function putRedirects(
  context: Context,
  websiteId: string,
  file: InputFile,
  query: Query,
): Promise<SyncResult> {
  try {
    return await sendFile(context, file, {
      method: 'PUT',
      path: `/websites/${websiteId}/redirects`,
      query: {
        group_id: text(context, 'group'),
        max_delete: text(context, 'max-delete'),
        fields: text(context, 'fields'),
        ...query,
      },
    });
  } catch (error) {
    const refusal = error instanceof ApiError ? refusalText(error, file.name) : undefined;
    throw error instanceof ApiError && refusal ? new ApiError(error.status, error.body, refusal) : error;
  }
}

/** Why a guard refuses the file, and the command to run next; undefined for other errors. */
function refusalText({ code, body }: ApiError, name: string): string | undefined {
  const { total, max_delete: allowed, sync, cleared = {}, revision, history } = body;
  if (code === 'TOO_MANY_DELETES' && sync && total !== undefined && allowed !== undefined) {
    const [deletes, all, most] = [sync.deleted, total, allowed].map((count) => count.toLocaleString('en'));
    if (sync.deleted <= allowed) {
      const needed = Math.max(...Object.values(cleared));
      return `the sync would clear ${clearedText(cleared)} of ${all} redirects, and may clear ${most} of a field; nothing was changed. To keep the stored values, remove the field from ${name} or name the others with --fields. To clear them, add --max-delete ${needed}`;
    }
    return `the sync would delete ${deletes} of ${all} redirects, and may delete ${most}; nothing was changed. Check that ${name} is complete. To apply it, add --max-delete ${sync.deleted}`;
  }
  if (code === 'REVISION_CHANGED' && revision !== undefined) {
    const next = `--if-revision ${revision}${history ? ` --if-history ${history}` : ''}`;
    return `the website is at revision ${revision} now, with other redirects; nothing was changed. Run \`detour diff ${name}\`, then add ${next}`;
  }
  return undefined;
}

/** A line for each environment that a rollback or promotion holds: a sync changes nothing that its visitors see. */
export function heldLines({ held_environments: held }: Website): string[] {
  return held.map(
    (environment) =>
      `${environment}: automatic deployments are stopped by a rollback or promotion; visitors get these redirects after \`detour deploy --resume --environment ${environment}\``,
  );
}

/** Such as `notes (412), group_id (3)`. */
export function clearedText(cleared: Record<string, number>): string {
  return Object.entries(cleared)
    .map(([field, count]) => `${field} (${count.toLocaleString('en')})`)
    .join(', ');
}

export function countsText({ created, updated, deleted, unchanged }: SyncCounts): string {
  const [c, u, d, same] = [created, updated, deleted, unchanged].map((count) => count.toLocaleString('en'));
  return `${c} created, ${u} updated, ${d} deleted, ${same} unchanged`;
}

export function isEmpty({ created, updated, deleted }: SyncCounts): boolean {
  return created + updated + deleted === 0;
}

/** The fields of a change that differ, such as `new_path: /a -> /b`. */
export function differences({ before, after }: Change): string[] {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? null));
  return fields
    .filter((field) => shown(before?.[field]) !== shown(after?.[field]))
    .map((field) => `${field}: ${shown(before?.[field])} -> ${shown(after?.[field])}`);
}

/** A rule in a few words: `/new 301`, or `410`. */
export function ruleText(rule: Rule | null): string {
  if (!rule) return '';
  const environments = rule.target_environments ?? ['production'];
  const places =
    environments.length === 1 && environments[0] === 'production' ? [] : [environments.join(',') || 'draft'];
  return [rule.new_path ?? '', rule.status_code ?? '', rule.is_regex ? 'pattern' : '', ...places]
    .filter((part) => part !== '')
    .join(' ');
}
