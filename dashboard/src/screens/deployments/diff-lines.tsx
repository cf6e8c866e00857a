import type { Diff } from '../../api/client/wire.ts';
import { number } from '../../format.ts';
import { WrappedPath } from '../../ui/text/path-text.tsx';
import { windowText } from '../../ui/form/redirect-fields.ts';
import { Time } from '../../ui/text/time.tsx';
import { type Kind, KINDS } from './compare-view.ts';

type DiffRule = Diff['changed'][number]['after'];
type ChangedBy = Pick<Diff['changed'][number], 'changed_by' | 'changed_at'>;

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

export const totalOf = (counts: Diff['counts']): number => counts.added + counts.changed + counts.removed;

export interface DiffEntry extends ChangedBy {
  kind: Kind;
  id: number;
  before: DiffRule | null;
  after: DiffRule | null;
}

/** The entries of a page: added, changed, removed. At most `max` of each. */
export function entriesOf({ added, changed, removed }: Diff, max = Infinity): DiffEntry[] {
  return [
    ...added.slice(0, max).map((rule): DiffEntry => ({ ...rule, kind: 'added', before: null, after: rule })),
    ...changed.slice(0, max).map((entry): DiffEntry => ({ ...entry, kind: 'changed' })),
    ...removed.slice(0, max).map((rule): DiffEntry => ({ ...rule, kind: 'removed', before: rule, after: null })),
  ];
}

/** A rule before and after, side by side, with the author of its last change. Marks the matches of `search`. */
export function DiffLine({ entry, search = '' }: { entry: DiffEntry; search?: string }) {
  const { kind, before, after, changed_by: by, changed_at: at } = entry;
  const path = after?.old_path ?? before?.old_path ?? '';
  return (
    <li class={kind}>
      <span aria-hidden="true">{SIGN[kind]}</span>
      <span class="unseen">{kind}</span>
      <span class="break">
        {before && before.old_path !== path && (
          <del>
            <WrappedPath path={before.old_path} search={search} />{' '}
          </del>
        )}
        <WrappedPath path={path} search={search} />
      </span>
      <span class="break diff-before">
        {before && <Target rule={before} search={search} isFormer={after !== null} />}
      </span>
      <span class="row top break">
        {after && (
          <>
            <span class="muted">→</span>
            <span>
              <Target rule={after} search={search} />
            </span>
          </>
        )}
      </span>
      <span class="break muted diff-author">
        {by && at !== null && (
          <>
            {by.type === 'key' ? `API key ${by.name}` : by.name}, <Time at={at} />
          </>
        )}
      </span>
    </li>
  );
}

function Target({ rule, search, isFormer = false }: { rule: DiffRule; search: string; isFormer?: boolean }) {
  const text = (
    <>
      {rule.new_path !== null && <WrappedPath path={rule.new_path} search={search} />} {rule.status_code}{' '}
      {windowText(rule)}
    </>
  );
  return isFormer ? <del>{text}</del> : text;
}
