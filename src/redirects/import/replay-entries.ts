/**
 * The entries that cannot be merged as a set: keys that stand twice, patterns (limits, groups), and statuses without a target. They are
 * replayed one by one, in their order, against the rule that is there; what remains in the staging table, beside what is marked special in
 * a dry run, is one entry a key, known to be good. Usually few.
 */
import type { PoolClient } from 'pg';
import type { LockedWebsite } from '../../websites/write-website.ts';
import { checkRedirect } from '../rule/check-redirect.ts';
import { environmentsOf, type RedirectFields, type RawRedirect, rowOf } from '../rule/redirect.ts';
import { type ConflictMode, environmentsOfBits, PROVIDED, type ImportError, targetBits } from './entry.ts';
import { admittedPatterns } from './limits.ts';
import type { Stage } from './stage.ts';

export interface Resolved {
  /** entries that are left in the staging table, one a key */
  staged: number;
  /** entries that were applied beyond the one a key that stays staged */
  updated: number;
  skipped: number;
}

interface ResolveInput {
  stage: Stage;
  mode: ConflictMode;
  /** nothing is applied: what was replayed stays in the staging table, marked special, for the verdict on each row */
  dryRun: boolean;
  onError: (error: ImportError) => void;
}

/** Entries that are read and replayed at a time. */
const PAGE = 1_000;

const ALL_GIVEN = Object.values(PROVIDED).reduce((bits, bit) => bits | bit, 0);

interface StagedRow {
  seq: number;
  line: number;
  key: string;
  /** null where it is the key */
  old_path: string | null;
  new_path: string | null;
  status_code: number | null;
  is_regex: boolean | null;
  group_id: string | null;
  notes: string | null;
  targets: number;
  given: number;
  rule: RawRedirect | null;
}

/** Replays what is special and leaves its outcome staged. Runs outside the merge's transaction: the staging table is this import's own. */
export async function replayEntries(
  reader: PoolClient,
  website: LockedWebsite,
  input: ResolveInput,
): Promise<Resolved> {
  const { table } = input.stage;
  if (!(await markSpecials(reader, website.id, input)))
    return { staged: input.stage.count, updated: 0, skipped: 0 };
  const admitted = await admittedPatterns(reader, website.id, table);
  const replay = createReplay(website, input, admitted);
  let after = { key: '', seq: -1 };
  for (;;) {
    const { rows } = await reader.query<StagedRow>(
      `select s.*, to_jsonb(r) as rule from ${table} s left join redirects r on r.website_id = $1 and r.key = s.key
      where s.special and (s.key, s.seq) > ($2 collate "C", $3) order by s.key, s.seq limit ${PAGE}`,
      [website.id, after.key, after.seq],
    );
    for (const row of rows) replay.apply(row);
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) break;
    // Without it each further page would read the whole stage; where one page is all, that is cheaper than an index.
    if (after.seq < 0) await reader.query(`create index on ${table} (key, seq) where special`);
    after = last;
    await storeOutcomes(reader, table, replay.takeOutcomes());
  }
  replay.end();
  await storeOutcomes(reader, table, replay.takeOutcomes());
  if (!input.dryRun) await reader.query(`delete from ${table} where special`);
  const { rows } = await reader.query<{ count: string }>(
    `select count(*) as count from ${table} where not special`,
  );
  return { ...replay.resolved, staged: Number(rows[0]?.count) };
}

/** Marks every entry of a key that has a special one, or meets a special rule. False where there are none. */
async function markSpecials(
  reader: PoolClient,
  websiteId: number,
  { stage, mode }: ResolveInput,
): Promise<boolean> {
  const { table } = stage;
  let meets = 0;
  if (mode === 'update') {
    const { rowCount } = await reader.query(
      `update ${table} s set special = true from redirects r
      where not s.special and r.website_id = $1 and r.key = s.key and (r.is_regex or r.status_code in (410, 451))`,
      [websiteId],
    );
    meets = rowCount ?? 0;
  }
  if (stage.hasDuplicates) {
    await reader.query(
      `update ${table} s set special = true where not s.special and s.key in (select d.key from ${table} d where d.special)`,
    );
  }
  return stage.hasSpecials || meets > 0;
}

interface Outcome {
  seq: number;
  line: number;
  key: string;
  fields: RedirectFields;
}

interface Replay {
  apply(row: StagedRow): void;
  end(): void;
  takeOutcomes(): Outcome[];
  resolved: Omit<Resolved, 'staged'>;
}

/** Applies entries that come ordered by key and sequence; remembers one key at a time. */
function createReplay(website: LockedWebsite, input: ResolveInput, admitted: ReadonlySet<string>): Replay {
  const resolved = { updated: 0, skipped: 0 };
  let outcomes: Outcome[] = [];
  let key: string | undefined;
  let fields: RedirectFields | null = null;
  /** the last entry that was applied: it stands for the outcome */
  let last: StagedRow | undefined;
  let applied = 0;

  function end(): void {
    if (last && fields && applied > 0) {
      outcomes.push({ seq: last.seq, line: last.line, key: last.key, fields });
      resolved.updated += applied - 1;
    }
    last = undefined;
    applied = 0;
  }

  function begin(row: StagedRow): void {
    key = row.key;
    const rule = row.rule && rowOf(row.rule);
    fields = rule && { ...rule, environments: environmentsOf(rule) };
  }

  function apply(row: StagedRow): void {
    if (row.key !== key) {
      end();
      begin(row);
    }
    if (input.mode === 'skip' && fields) {
      resolved.skipped++;
      return;
    }
    const next = afterEntry(fields, row);
    const problem = problemOf(next, row, website, admitted, fields?.isRegex ?? false);
    if (problem) return input.onError({ line: row.line, oldPath: row.old_path ?? row.key, ...problem });
    fields = next;
    last = row;
    applied++;
  }

  const takeOutcomes = (): Outcome[] => {
    const taken = outcomes;
    outcomes = [];
    return taken;
  };
  return { apply, end, takeOutcomes, resolved };
}

/** The rule after one entry: each field that the entry names, else what it was, else the default. */
function afterEntry(before: RedirectFields | null, row: StagedRow): RedirectFields {
  const names = (bit: number): boolean => (row.given & bit) > 0;
  const isRegex = names(PROVIDED.isRegex) ? (row.is_regex ?? false) : (before?.isRegex ?? false);
  return {
    // A literal and a pattern may share a key and be written differently: the entry's text counts where the kind changes.
    oldPath: before && before.isRegex === isRegex ? before.oldPath : (row.old_path ?? row.key),
    newPath: row.new_path,
    statusCode: names(PROVIDED.statusCode) ? (row.status_code ?? 301) : (before?.statusCode ?? 301),
    isRegex,
    groupId: names(PROVIDED.groupId) ? row.group_id : (before?.groupId ?? null),
    notes: names(PROVIDED.notes) ? row.notes : (before?.notes ?? null),
    environments: names(PROVIDED.environments)
      ? environmentsOfBits(row.targets)
      : (before?.environments ?? ['production']),
  };
}

function problemOf(
  next: RedirectFields,
  row: StagedRow,
  website: LockedWebsite,
  admitted: ReadonlySet<string>,
  wasRegex: boolean,
): { column: string; code: string; message: string } | undefined {
  const { issues, key } = checkRedirect(next, website.allowedTargetHosts);
  const issue = issues[0];
  if (issue) return { column: issue.path, code: issue.code, message: issue.message };
  if (key !== row.key) {
    return {
      column: 'old_path',
      code: 'CONFLICT',
      message: 'the path stands for another redirect of the website',
    };
  }
  if (!next.isRegex || wasRegex || admitted.has(row.key)) return undefined;
  return {
    column: 'old_path',
    code: 'TOO_MANY_PATTERNS',
    message: 'the website has no room for a further pattern of this kind',
  };
}

async function storeOutcomes(reader: PoolClient, table: string, outcomes: Outcome[]): Promise<void> {
  if (outcomes.length === 0) return;
  const rows = outcomes.map(({ seq, line, key, fields }) => ({
    seq,
    line,
    key,
    old_path: fields.oldPath,
    new_path: fields.newPath,
    status_code: fields.statusCode,
    is_regex: fields.isRegex,
    group_id: fields.groupId,
    notes: fields.notes,
    targets: targetBits(fields.environments),
    given: ALL_GIVEN,
    special: false,
  }));
  await reader.query(
    `insert into ${table} select * from jsonb_populate_recordset(null::${table}, $1::jsonb)`,
    [JSON.stringify(rows)],
  );
}
