/**
 * Rows of the staging table. An entry for /old with a target, a status and no notes is the COPY line
 *
 *     seq  line  key   old_path  new_path  status_code  is_regex  group_id  notes  active_from  active_until  targets
 *     0    2     /old  \N        /new      302          \N        \N        \N     \N           \N            0
 *
 *     provided  needs_replay
 *     4         f
 *
 * `old_path` is null if it equals the key. `targets` has a bit for each environment, `provided` one for each field that
 * the entry names.
 */
import type { CopyCell } from '../../../db/copy/copy-text.ts';
import { type Environment, ENVIRONMENTS } from '../../../vocabulary/environment.ts';
import type { ImportEntry } from '../../../rules/entry.ts';
import { COLUMN_FIELDS, DEFAULTS, FIELD_NAMES, type FieldName, FIELDS, OPTIONAL_FIELDS } from '../../rule/fields.ts';
import { environmentsOf, type RawRedirect, type RedirectRow } from '../../rule/redirect.ts';

export const STAGE_COLUMNS = `seq int not null, line int not null, key text collate "C" not null,
  ${COLUMN_FIELDS.map((name) => `${FIELDS[name].wire} ${FIELDS[name].type}`).join(', ')},
  targets smallint not null, provided smallint not null, needs_replay boolean not null`;

/** A staged row with the existing redirect of its key. */
export interface StagedRow {
  seq: number;
  line: number;
  key: string;
  oldPath: string | null;
  newPath: string | null;
  statusCode: number | null;
  isRegex: boolean | null;
  groupId: string | null;
  notes: string | null;
  /** as PostgreSQL writes times */
  activeFrom: string | null;
  activeUntil: string | null;
  targets: number;
  provided: number;
  redirect: RawRedirect | null;
}

/** The bit of a field in the column `provided`. `oldPath`: an existing redirect gets the spelling of the entry. */
export const providedBit = (name: FieldName): number => 1 << FIELD_NAMES.indexOf(name);

const OPTIONAL_BITS = OPTIONAL_FIELDS.map((name) => ({ name, bit: providedBit(name) }));
const ALL_PROVIDED = OPTIONAL_BITS.reduce((bits, { bit }) => bits | bit, 0);

/** Bits of `targets` for a new redirect whose entry names no environments. */
export const DEFAULT_TARGETS = targetBits(DEFAULTS.environments);

function providedBits(entry: ImportEntry): number {
  let bits = entry.isExact ? providedBit('oldPath') : 0;
  for (const { name, bit } of OPTIONAL_BITS) if (entry[name] !== undefined) bits |= bit;
  return bits;
}

/** Environments as bits: production 1, staging 2, development 4. */
export function targetBits(environments: readonly Environment[]): number {
  return ENVIRONMENTS.reduce((bits, name, at) => bits | (environments.includes(name) ? 1 << at : 0), 0);
}

export function environmentsOfBits(bits: number): Environment[] {
  return ENVIRONMENTS.filter((_, at) => bits & (1 << at));
}

/** An entry as a row of STAGE_COLUMNS. Written out: mapping the list of fields takes twice as long, for each entry. */
export function stagedCells(seq: number, entry: ImportEntry, needsReplay: boolean): CopyCell[] {
  return [
    seq,
    entry.line,
    entry.key,
    entry.oldPath === entry.key ? null : entry.oldPath,
    entry.newPath,
    entry.statusCode ?? null,
    entry.isRegex ?? null,
    entry.groupId ?? null,
    entry.notes ?? null,
    entry.activeFrom?.toISOString() ?? null,
    entry.activeUntil?.toISOString() ?? null,
    entry.environments ? targetBits(entry.environments) : 0,
    providedBits(entry),
    needsReplay,
  ];
}

/** The row with the defaults of the decided fields that it lacks, and without its values of other fields. */
export function decidedRow(row: StagedRow, decided: ReadonlySet<FieldName>): StagedRow {
  const bits = OPTIONAL_BITS.reduce((sum, { name, bit }) => (decided.has(name) ? sum | bit : sum), 0);
  const hasTargets = (row.provided & providedBit('environments')) > 0;
  return {
    ...row,
    targets: hasTargets ? row.targets : DEFAULT_TARGETS,
    provided: bits | (row.provided & providedBit('oldPath')),
  };
}

/**
 * The row that stages the outcome of a replay in place of its entries, for jsonb_populate_recordset. `isMerged`: of
 * several entries.
 */
export function outcomeRow(
  { seq, line, provided }: StagedRow,
  redirect: RedirectRow,
  isMerged: boolean,
): Record<string, unknown> {
  return {
    ...{ seq, line, key: redirect.key },
    ...Object.fromEntries(COLUMN_FIELDS.map((name) => [FIELDS[name].wire, redirect[name]])),
    targets: targetBits(environmentsOf(redirect)),
    provided: isMerged ? ALL_PROVIDED | provided : provided,
    needs_replay: false,
  };
}
