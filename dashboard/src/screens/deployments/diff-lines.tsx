import type { Diff } from '../../api/wire.ts';
import { number } from '../../format.ts';
import { WrappedPath } from '../../ui/path-text.tsx';
import { windowText } from '../../ui/redirect-fields.ts';
import { type Kind, KINDS } from './compare-view.ts';

type DiffRule = Diff['changed'][number]['after'];

/** Rendered lines of each type; the counts include all. */
const MAX_LINES = 100;

const SIGN: Record<Kind, string> = { added: '+', changed: '~', removed: '−' };

/** `+12 ~3 −1`, with words for screen readers. Omits types without changes. */
export function Changes(counts: { added: number; changed: number; removed: number }) {
  const present = KINDS.filter((kind) => counts[kind] > 0);
  if (present.length === 0) return <span class="muted small">No changes</span>;
  return (
    <span class="changes">
      {present.map((kind) => (
        <span key={kind} class={kind} title={kind}>
          {SIGN[kind]}
          {number(counts[kind])}
          <span class="unseen"> {kind}</span>
        </span>
      ))}
    </span>
  );
}

/** A line of a difference. */
export interface DiffEntry {
  kind: Kind;
  id: number;
  rule: DiffRule;
  before?: DiffRule;
}

/** The entries of a page: added, changed, removed. At most `max` of each. */
export function entriesOf({ added, changed, removed }: Diff, max = Infinity): DiffEntry[] {
  return [
    ...added.slice(0, max).map((rule): DiffEntry => ({ kind: 'added', id: rule.id, rule })),
    ...changed.slice(0, max).map(({ id, before, after }): DiffEntry => ({ kind: 'changed', id, rule: after, before })),
    ...removed.slice(0, max).map((rule): DiffEntry => ({ kind: 'removed', id: rule.id, rule })),
  ];
}

/** `allUrl`: the page with the whole difference. */
export function DiffLines({ diff, allUrl }: { diff: Diff; allUrl: string }) {
  const { counts } = diff;
  const entries = entriesOf(diff, MAX_LINES);
  const more = counts.added + counts.changed + counts.removed - entries.length;
  return (
    <>
      <ul class="diff" aria-label="Changes to deploy" tabIndex={0}>
        {entries.map((entry) => (
          <DiffLine key={entry.kind + entry.id} entry={entry} />
        ))}
      </ul>
      <p class="muted small">
        {more > 0 && `and ${number(more)} more. `}
        <a href={allUrl}>View all changes</a>
      </p>
    </>
  );
}

export function DiffLine({ entry: { kind, rule, before } }: { entry: DiffEntry }) {
  return (
    <li class={kind}>
      <span aria-hidden="true">{SIGN[kind]}</span>
      <span class="unseen">{kind}</span>
      <span class="break">
        {before && before.old_path !== rule.old_path && (
          <del>
            <WrappedPath path={before.old_path} />
          </del>
        )}{' '}
        <WrappedPath path={rule.old_path} /> <span class="muted">→</span>{' '}
        {before && restOf(before) !== restOf(rule) && (
          <del>
            <Target rule={before} />
          </del>
        )}{' '}
        <Target rule={rule} />
      </span>
    </li>
  );
}

/** Target, status and schedule. */
function Target({ rule }: { rule: DiffRule }) {
  return (
    <>
      {rule.new_path !== null && <WrappedPath path={rule.new_path} />} {rule.status_code} {windowText(rule)}
    </>
  );
}

const restOf = (rule: DiffRule): string => [rule.new_path, rule.status_code, windowText(rule)].join(' ');
