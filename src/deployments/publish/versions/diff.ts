import { containing, sql, type SQL } from '../../../db/drizzle.ts';
import type { Db, Queryable } from '../../../db/connection/client.ts';
import { queryRows, timeOf } from '../../../db/rows.ts';
import type { ServedFields } from '../../live/database/read-revisions.ts';
import {
  differenceSql,
  IS_DIFFERENT,
  isLiveOnly,
  isNotTargeted,
  type RulesPointer,
  targetColumn,
} from '../../live/database/rules-sql.ts';
import { type ShownActor, shownActor } from '../../../accounts/website-scope.ts';
import type { Actor } from '../../../vocabulary/actor.ts';
import type { Environment } from '../../../vocabulary/environment.ts';
import { requireWebsiteRow } from '../../../websites/website.ts';
import { sourceRules } from '../resolve-publication.ts';
import { chooseRules, type ChosenRules, noRules, type VersionChoice } from './version-choice.ts';
import { decodeDiffCursor, type DiffList, type DiffPosition, encodeDiffCursor } from './diff-cursor.ts';

/** Entries of each list on one page. */
const PAGE = 1_000;

const DIFF_KINDS = ['added', 'changed', 'removed'] as const;
export type DiffKind = (typeof DIFF_KINDS)[number];
/** Limits of a page: a kind, or the removed rules of `notTargeted`. */
export const DIFF_FILTERS = [...DIFF_KINDS, 'not_targeted'] as const;
export type DiffFilter = (typeof DIFF_FILTERS)[number];

/** `before` is null for an added redirect, `after` for a removed one. */
export interface DiffEntry {
  id: number;
  before: ServedFields | null;
  after: ServedFields | null;
  /** the last change of the rule between the two; null if it is older than the list of changes */
  changed: { by: ShownActor; at: Date } | null;
}

export interface DeploymentDiff extends Record<DiffKind, DiffEntry[]> {
  /** of the whole difference, on every page */
  counts: Record<DiffKind, number>;
  /** of the removed: rules that are live only by a promotion; on every page */
  liveOnly: number;
  /** of the removed: rules whose redirects exist, but do not target the environment of `to`; on every page */
  notTargeted: number;
  nextCursor: string | null;
}

export interface DiffInput {
  websiteId: number;
  environment: Environment;
  /** `none`: no rules, so that the difference is what `to` has */
  from: VersionChoice | 'none';
  to: VersionChoice;
  /** of `to`; default: environment */
  toEnvironment?: Environment | undefined;
  /** takes of `to` what a rollback or promotion would publish: without rules whose host is no longer allowed */
  asPublished?: boolean | undefined;
  /** only rules with this text in old_path or new_path before or after, ignoring case */
  q?: string | undefined;
  /** lists only these entries; the counts are of all */
  kind?: DiffFilter | undefined;
  cursor?: string | undefined;
}

/**
 * Lists the difference between two versions, also of two environments: up to 1,000 entries of each kind by id, and their counts.
 * Later pages are of the same moment as the first. Throws VERSION_NOT_FOUND, VERSION_EXPIRED, and INVALID_PARAMETER for
 * a cursor of another list, or of a live version that was replaced. The database computes the difference, whose cost
 * grows with the difference unless the rules are of two environments; this process holds one page.
 */
export async function diffVersions(db: Db, actor: Actor, input: DiffInput): Promise<DeploymentDiff> {
  const { websiteId, environment, toEnvironment = environment, asPublished = false, q = '', kind, cursor } = input;
  return db.transaction(
    async (tx) => {
      const website = await requireWebsiteRow(tx, actor, websiteId);
      const from =
        input.from === 'none'
          ? { version: 0, history: '', pointer: noRules(environment) }
          : await chooseRules(tx, input, input.from);
      const chosen = await chooseRules(tx, { websiteId, environment: toEnvironment }, input.to);
      const to = asPublished ? await publishedRules(tx, websiteId, toEnvironment, chosen) : chosen;
      const histories = [from.history, to.history];
      const list = {
        histories,
        websiteId,
        environment,
        toEnvironment,
        asPublished,
        from: from.version,
        to: to.version,
        q,
        kind,
      };
      const at = cursor === undefined ? undefined : decodeDiffCursor(cursor, list, website.headRev);
      const start = at ?? { ...momentOf(from, to), after: [0, 0, 0], counts: [0, 0, 0, 0, 0] };
      const pointers = { from: pointerAt(from, start), to: pointerAt(to, start) };
      const between = { websiteId, environment, toEnvironment, ...pointers, q, kind };
      return pageOf(actor, await readPage(tx, between, start, at === undefined), start, list);
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  );
}

async function publishedRules(
  tx: Queryable,
  websiteId: number,
  environment: Environment,
  chosen: ChosenRules,
): Promise<ChosenRules> {
  const { version } = chosen;
  if (version === 'draft' || version === 0) return chosen;
  const publication = await sourceRules(tx, websiteId, { environment, version });
  return publication ? { ...chosen, pointer: publication.to } : chosen;
}

/** The revision and the largest id of the draft, for later pages; zeros if none of the two is the draft. */
function momentOf(...chosen: ChosenRules[]): Pick<DiffPosition, 'rev' | 'maxId'> {
  const draft = chosen.find(({ version }) => version === 'draft');
  return { rev: draft?.pointer.rulesRev ?? 0, maxId: draft?.pointer.rulesMaxId ?? 0 };
}

function pointerAt({ version, pointer }: ChosenRules, { rev, maxId }: DiffPosition): RulesPointer {
  return version === 'draft' ? { ...pointer, rulesRev: rev, rulesMaxId: maxId } : pointer;
}

/** Counts of the whole list, on each row of the first page; zeros on later pages. */
interface Totals {
  addedTotal: number;
  changedTotal: number;
  removedTotal: number;
  /** of the removed: rules that are live only by a promotion */
  liveOnlyTotal: number;
  /** of the removed: rules whose redirects do not target the environment of `to` */
  notTargetedTotal: number;
}

/** Fields of the rule before have the prefix `b`, those of the rule after `a`. */
interface Row extends Totals {
  /** null of the only row of a page without entries */
  id: number | null;
  kind: DiffKind;
  bOldPath: string | null;
  bNewPath: string | null;
  bStatusCode: number;
  bIsRegex: boolean;
  bActiveFrom: string | null;
  bActiveUntil: string | null;
  aOldPath: string | null;
  aNewPath: string | null;
  aStatusCode: number;
  aIsRegex: boolean;
  aActiveFrom: string | null;
  aActiveUntil: string | null;
  actorType: Actor['type'] | null;
  actorId: string | null;
  actorName: string | null;
  changedAt: string | null;
}

interface Between {
  websiteId: number;
  environment: Environment;
  toEnvironment: Environment;
  from: RulesPointer;
  to: RulesPointer;
  q: string;
  kind: DiffFilter | undefined;
}

/**
 * Reads one row more of each listed kind than fits on the page. Totals are counted for the first page only; the cursor
 * carries them on.
 */
async function readPage(
  tx: Queryable,
  { websiteId, environment, toEnvironment, from, to, q, kind: listed }: Between,
  at: DiffPosition,
  withTotals: boolean,
): Promise<Row[]> {
  const pattern = containing(q);
  const hasText = sql`(b.old_path ilike ${pattern} or b.new_path ilike ${pattern} or a.old_path ilike ${pattern}
    or a.new_path ilike ${pattern})`;
  const count = (condition: SQL): SQL => (withTotals ? sql`(count(*) filter (where ${condition}))::int` : sql`0`);
  const kinds = DIFF_KINDS.map((kind) => sql`${count(sql`kind = ${kind}`)} as ${sql.raw(`${kind}_total`)}`);
  const source = withTotals ? sql`from d` : sql``;
  const totals = sql`select ${sql.join(kinds, sql`, `)}, ${count(sql`is_live_only`)} as live_only_total,
    ${count(sql`is_not_targeted`)} as not_targeted_total ${source}`;
  const isNarrowed = listed === 'not_targeted';
  const lists = DIFF_KINDS.map(
    (kind, index) => sql`
      (select * from d where kind = ${kind} and id > ${at.after[index] ?? 0}::bigint
        and (is_not_targeted or not ${isNarrowed}::boolean)
      order by id limit ${isListed(kind, listed) ? PAGE + 1 : 0})`,
  );
  // If the later side lacks a rule, its last change is the end of its last state, otherwise the begin.
  const endedKind = from.rulesEnv !== to.rulesEnv ? '' : to.rulesRev < from.rulesRev ? 'added' : 'removed';
  const laterRev = Math.max(from.rulesRev, to.rulesRev);
  return queryRows<Row>(tx)`
    ${sql.raw(differenceSql(websiteId, from, to))},
    d as (
      select coalesce(a.id, b.id) as id, greatest(a.since, b.since) as since,
        case when b.id is null then 'added' when a.id is null then 'removed' else 'changed' end as kind,
        ${sql.raw(isLiveOnly(environment, from, to))} as is_live_only,
        ${sql.raw(withTotals || isNarrowed ? isNotTargeted(toEnvironment) : 'false')} as is_not_targeted,
        b.old_path as b_old_path, b.new_path as b_new_path, b.status_code as b_status_code, b.is_regex as b_is_regex,
        b.active_from as b_active_from, b.active_until as b_active_until,
        a.old_path as a_old_path, a.new_path as a_new_path, a.status_code as a_status_code, a.is_regex as a_is_regex,
        a.active_from as a_active_from, a.active_until as a_active_until
      from b full join a on b.id = a.id
      where ${sql.raw(IS_DIFFERENT)}
        and ${q === '' ? sql`true` : hasText}),
    page as (${sql.join(lists, sql` union all `)}),
    totals as materialized (${totals})
    select page.*, totals.*, c.actor_type, c.actor_id, c.actor_name, c.created_at as changed_at
    from totals left join page on true
    left join lateral (
      select max(v.rev_to) as rev from redirect_revisions v
      where page.kind = ${endedKind} and v.website_id = ${websiteId}::int and v.redirect_id = page.id
        and v.${sql.raw(targetColumn(to.rulesEnv))} = page.since and v.rev_to <= ${laterRev}::int
        and v.rev_from < v.rev_to) ended on true
    left join changes c on c.website_id = ${websiteId}::int and c.revision = coalesce(ended.rev, page.since)
    order by page.id`;
}

const isListed = (kind: DiffKind, listed: DiffFilter | undefined): boolean =>
  kind === (listed === 'not_targeted' ? 'removed' : (listed ?? kind));

function pageOf(viewer: Actor, rows: Row[], at: DiffPosition, list: DiffList): DeploymentDiff {
  const lists = DIFF_KINDS.map((kind) => rows.filter((row) => row.id !== null && row.kind === kind));
  const shown = lists.map((entries) => entries.slice(0, PAGE).map((row) => entryOf(viewer, row)));
  const after = shown.map((entries, index) => entries.at(-1)?.id ?? at.after[index] ?? 0);
  const hasMore = lists.some((entries) => entries.length > PAGE);
  const [row] = rows;
  const totals = row && [row.addedTotal, row.changedTotal, row.removedTotal, row.liveOnlyTotal, row.notTargetedTotal];
  // A later page has none.
  const counts = totals?.some((total) => total > 0) ? totals : at.counts;
  const [added = 0, changed = 0, removed = 0, liveOnly = 0, notTargeted = 0] = counts;
  const [addedRules = [], changedRules = [], removedRules = []] = shown;
  return {
    added: addedRules,
    changed: changedRules,
    removed: removedRules,
    counts: { added, changed, removed },
    liveOnly,
    notTargeted,
    nextCursor: hasMore ? encodeDiffCursor({ ...at, after, counts }, list) : null,
  };
}

function entryOf(viewer: Actor, row: Row): DiffEntry {
  const before = ruleOf(row.bOldPath, row.bNewPath, row.bStatusCode, row.bIsRegex, row.bActiveFrom, row.bActiveUntil);
  const after = ruleOf(row.aOldPath, row.aNewPath, row.aStatusCode, row.aIsRegex, row.aActiveFrom, row.aActiveUntil);
  const { actorType, actorId, actorName, changedAt } = row;
  const changed =
    actorType === null || actorId === null || actorName === null || changedAt === null
      ? null
      : { by: shownActor(viewer, { type: actorType, id: actorId, name: actorName }), at: new Date(changedAt) };
  return { id: row.id ?? 0, before, after, changed };
}

/** Null if the side has no rule. */
function ruleOf(
  oldPath: string | null,
  newPath: string | null,
  statusCode: number,
  isRegex: boolean,
  from: string | null,
  until: string | null,
): ServedFields | null {
  if (oldPath === null) return null;
  return { oldPath, newPath, statusCode, isRegex, activeFrom: timeOf(from), activeUntil: timeOf(until) };
}
