import type { Diff } from '../../api/wire.ts';
import { number } from '../../format.ts';

type DiffRule = Diff['changed'][number]['after'];

/** Rendered lines of each type; the counts include all. */
const MAX_LINES = 100;

const SIGNS = [
  ['added', '+'],
  ['changed', '~'],
  ['removed', '−'],
] as const;

/** `+12 ~3 −1`, with words for screen readers. Omits types without changes. */
export function Changes(counts: { added: number; changed: number; removed: number }) {
  const present = SIGNS.filter(([kind]) => counts[kind] > 0);
  if (present.length === 0) return <span class="muted small">No changes</span>;
  return (
    <span class="changes">
      {present.map(([kind, sign]) => (
        <span key={kind} class={kind} title={kind}>
          {sign}
          {number(counts[kind])}
          <span class="unseen"> {kind}</span>
        </span>
      ))}
    </span>
  );
}

export function DiffLines({ diff }: { diff: Diff }) {
  const { counts } = diff;
  const shown = [diff.added, diff.changed, diff.removed].reduce(
    (sum, list) => sum + Math.min(MAX_LINES, list.length),
    0,
  );
  const more = counts.added + counts.changed + counts.removed - shown;
  return (
    <>
      <ul class="diff" aria-label="Changes to deploy" tabIndex={0}>
        {diff.added.slice(0, MAX_LINES).map((rule) => (
          <Line key={`a${rule.id}`} kind="added" sign="+" rule={rule} />
        ))}
        {diff.changed.slice(0, MAX_LINES).map(({ id, before, after }) => (
          <Line key={`c${id}`} kind="changed" sign="~" rule={after} before={before} />
        ))}
        {diff.removed.slice(0, MAX_LINES).map((rule) => (
          <Line key={`r${rule.id}`} kind="removed" sign="−" rule={rule} />
        ))}
      </ul>
      {more > 0 && <p class="muted small">and {number(more)} more</p>}
    </>
  );
}

function Line({
  kind,
  sign,
  rule,
  before,
}: {
  kind: 'added' | 'changed' | 'removed';
  sign: string;
  rule: DiffRule;
  before?: DiffRule;
}) {
  return (
    <li class={kind}>
      <span aria-hidden="true">{sign}</span>
      <span class="unseen">{kind}</span>
      <span class="break">
        {before && before.old_path !== rule.old_path && <del>{before.old_path}</del>} {rule.old_path}{' '}
        <span class="muted">→</span> {before && textOf(before) !== textOf(rule) && <del>{textOf(before)}</del>}{' '}
        {textOf(rule)}
      </span>
    </li>
  );
}

const textOf = ({ new_path, status_code }: DiffRule): string => `${new_path ?? ''} ${status_code}`.trim();
