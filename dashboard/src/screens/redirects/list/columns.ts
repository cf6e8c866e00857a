/** The columns of the list beside the paths: which are shown, and how wide they are. From and To share the rest. */
import { signal } from '@preact/signals';
import { ENVIRONMENTS } from '../../../../../src/vocabulary/environment.ts';
import type { Redirect } from '../../../api/client/wire.ts';
import { STATES } from '../../../checks/states.ts';
import { number } from '../../../format.ts';
import { readStored, writeStored } from '../../../state/browser.ts';
import { scheduleOf } from '../../../ui/text/schedule.ts';
import { environmentsOf, type View } from '../view.ts';

const OPTIONAL = ['schedule', 'group', 'target', 'hits', 'last', 'changed'] as const;
export type Column = (typeof OPTIONAL)[number];
/** Shown without a choice if there is room. Most websites have no live checks. */
const USUAL: readonly Column[] = OPTIONAL.filter((column) => column !== 'target');

export const COLUMN_LABEL: Record<Column, string> = {
  schedule: 'Schedule',
  group: 'Group',
  target: 'Target',
  hits: 'Hits',
  last: 'Last hit',
  changed: 'Changed',
};

/** Widths of the list in pixels from which it has room for a column, if the user has not chosen columns. */
const TWO_COLUMNS_PX = 980;
const ALL_COLUMNS_PX = 1_400;

const STORED = 'detour.columns';
const isColumn = (text: string): text is Column => OPTIONAL.some((column) => column === text);

/** The columns that the user has chosen, remembered in this browser; undefined: as many as there is room for. */
export const chosenColumns = signal(parse(readStored(STORED)));

function parse(text: string | undefined): readonly Column[] | undefined {
  return text === undefined ? undefined : text.split(',').filter(isColumn);
}

export function chooseColumns(columns: readonly Column[] | undefined): void {
  chosenColumns.value = columns;
  writeStored(STORED, columns?.join());
}

/** The columns that the list shows now. */
export const listColumns = signal<ReadonlySet<Column>>(new Set());

const SORTED: Readonly<Record<string, Column>> = { hits: 'hits', last_hit_at: 'last', updated_at: 'changed' };

/** The optional columns that the website and the plan have. */
export function availableColumns({ hasHits, hasGroups, hasSchedules }: Has): Column[] {
  const isShown: Partial<Record<Column, boolean>> = {
    group: hasGroups,
    schedule: hasSchedules,
    hits: hasHits,
    last: hasHits,
  };
  return OPTIONAL.filter((column) => isShown[column] ?? true);
}

interface Has {
  hasHits: boolean;
  /** a redirect of the first page has a group, or a schedule; chosen columns are shown without */
  hasGroups: boolean;
  hasSchedules: boolean;
}

/**
 * The shown columns. The one that the list is sorted by is always among them. Without a choice, a narrow list shows the
 * columns that say whether a redirect is used rather than when it was changed.
 */
export function shownColumns({
  width,
  sort,
  chosen,
  ...has
}: {
  width: number;
  sort: View['sort'];
  chosen: readonly Column[] | undefined;
} & Has): Set<Column> {
  const sorted = SORTED[sort.replace('-', '')];
  const available = availableColumns(chosen ? { ...has, hasGroups: true, hasSchedules: true } : has);
  const wanted = chosen ?? preferred(width, has.hasHits);
  if (width < TWO_COLUMNS_PX) {
    const usage = wanted.find((column) => column === 'hits' || column === 'last');
    const only = sorted ?? usage;
    return new Set(available.filter((column) => column === only));
  }
  const isReplaced = (column: Column): boolean =>
    chosen === undefined && sorted === 'changed' && column === 'last' && width < ALL_COLUMNS_PX;
  return new Set(available.filter((column) => column === sorted || (wanted.includes(column) && !isReplaced(column))));
}

function preferred(width: number, hasHits: boolean): readonly Column[] {
  if (!hasHits || width >= ALL_COLUMNS_PX) return USUAL;
  return width >= TWO_COLUMNS_PX ? ['schedule', 'group', 'hits', 'last'] : ['hits'];
}

/** The line of the hits, with its gap. */
const LINE_PX = 56;
/** A digit or letter of the small text in a wide font, and what a header needs. */
const CHAR_PX = 8.2;
const HEADER_PX: Record<Column, number> = { schedule: 62, group: 42, target: 46, hits: 62, last: 54, changed: 58 };
const SORT_ICON_PX = 16;
/** The longest relative times and dates: `12 Nov 2025`. */
const TIME_PX = 80;
const MAX_GROUP_PX = 132;
/** Rows below the measured ones have other groups: short paths leave them the room of such a name. */
const GROUP_CHARS = 14;
const MAX_GROUP_SHARE = 0.25;
/** Around the text of a badge. */
const BADGE_PX = 16;
/** The header of the marks, and each with its gap. */
const LIVE_PX = 68;
const MARK_PX = 36;
/** A letter of a schedule. */
const SCHEDULE_CHAR_PX = 7.4;
const STATUS_PX = 44;
const CHECK_PX = 20;

/** Rows whose content sets widths: the first page, so that scrolling moves nothing. */
const MEASURED_ROWS = 100;
/** A character of a path in a wide font, and its button. */
const PATH_CHAR_PX = 8;
const COPY_PX = 28;
const MAX_SOURCE = '28%';
const MAX_TARGET = '14%';
/** The paths are as long as most of them: few long ones are cut. */
const PATH_QUANTILE = 0.9;
const MIN_SHARE = 0.15;

/** In hundredths: factors below 1 in all leave space empty, as when another column is at its minimum. */
const partOf = (share: number): string => `${Math.round(share * 100)}fr`;

/** `grid-template-columns` of the rows. */
export function columnTemplate(rows: readonly Redirect[], shown: ReadonlySet<Column>, sort: View['sort']): string {
  const measured = rows.slice(0, MEASURED_ROWS);
  const sorted = SORTED[sort.replace('-', '')];
  const content: Record<Column, number> = {
    schedule: scheduleWidth(measured),
    group: Math.min(MAX_GROUP_PX, longest(measured, ({ group_id: group }) => group?.length ?? 0) * CHAR_PX),
    target:
      longest(measured, ({ target_state: state }) => (state ? STATES[state].label.length : 0)) * CHAR_PX + BADGE_PX,
    hits:
      longest(measured, ({ hits = 0 }) => number(hits).length) * CHAR_PX +
      (measured.some(({ daily_hits: days }) => days) ? LINE_PX : 0),
    // Rows below the measured ones may have a time.
    last: TIME_PX,
    changed: TIME_PX,
  };
  const from = fromShare(measured);
  const widthOf = (column: Column): string => {
    const least = Math.max(content[column], HEADER_PX[column] + (column === sorted ? SORT_ICON_PX : 0));
    return column === 'group'
      ? `minmax(${Math.ceil(least)}px, ${partOf(groupShare(measured))})`
      : `${Math.ceil(least)}px`;
  };
  const optional = OPTIONAL.filter((column) => shown.has(column));
  const needed = (paths: readonly string[]): number => Math.ceil(usualLength(paths) * PATH_CHAR_PX + COPY_PX);
  const source = needed(measured.map(({ old_path: path }) => path));
  const target = needed(measured.map(({ new_path: path }) => path ?? ''));
  // People look for sources, so most are shown in full, up to this part of the row.
  const paths = [
    `minmax(min(${source}px, ${MAX_SOURCE}), ${partOf(from)})`,
    `minmax(min(${target}px, ${MAX_TARGET}), ${partOf(1 - from)})`,
  ];
  return [
    `${CHECK_PX}px`,
    ...paths,
    `${STATUS_PX}px`,
    `${Math.max(liveWidth(measured), shown.has('schedule') ? 0 : scheduleWidth(measured))}px`,
    ...optional.map(widthOf),
  ].join(' ');
}

/** Without its own column, a schedule is below the environments. */
const scheduleWidth = (rows: readonly Redirect[]): number =>
  Math.ceil(longest(rows, (row) => scheduleOf(row, Date.now()).text.length) * SCHEDULE_CHAR_PX);

/** Each environment has its place, up to the last one that is used. */
function liveWidth(rows: readonly Redirect[]): number {
  const places = ENVIRONMENTS.findLastIndex((each) => rows.some((row) => environmentsOf(row).includes(each))) + 1;
  return Math.max(LIVE_PX, places * MARK_PX - 4);
}

/** The part of a group beside both paths, which share 1. */
function groupShare(rows: readonly Redirect[]): number {
  const paths =
    usualLength(rows.map(({ old_path: path }) => path)) + usualLength(rows.map(({ new_path: path }) => path ?? ''));
  return Math.min(MAX_GROUP_SHARE, GROUP_CHARS / Math.max(1, paths));
}

/** The part of the space for paths that the sources get: in proportion to the lengths of most. */
function fromShare(rows: readonly Redirect[]): number {
  const from = usualLength(rows.map(({ old_path: path }) => path));
  const to = usualLength(rows.map(({ new_path: path }) => path ?? ''));
  if (from + to === 0) return 0.5;
  return Math.max(MIN_SHARE, Math.min(1 - MIN_SHARE, from / (from + to)));
}

function usualLength(paths: readonly string[]): number {
  const lengths = paths.map((path) => path.length).toSorted((a, b) => a - b);
  return lengths[Math.ceil((lengths.length - 1) * PATH_QUANTILE)] ?? 0;
}

const longest = (rows: readonly Redirect[], lengthOf: (row: Redirect) => number): number =>
  rows.reduce((most, row) => Math.max(most, lengthOf(row)), 0);
