import type { ComponentChildren } from 'preact';
import type { Diff } from '../../api/client/wire.ts';
import { number } from '../../format.ts';
import { IconButton } from '../../ui/button.tsx';
import { markedParts, partsBetween } from '../../ui/text/marked.tsx';
import { sharedFolder, shownPath } from '../../ui/text/path-parts.ts';
import { Hidden, Parts, WrappedPath } from '../../ui/text/path-text.tsx';
import { windowText } from '../../ui/form/redirect-fields.ts';
import { Time } from '../../ui/text/time.tsx';
import { changedParts } from './changed-part.ts';
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

/** A longer folder that most of the first sources share is named once. */
const MIN_FOLDER = 24;
const MAX_COMPARED = 200;

interface DiffListProps {
  label: string;
  entries: readonly DiffEntry[];
  /** its matches are marked */
  search?: string;
  /** of the list */
  look?: string;
  /** takes back the change of a redirect; undefined: it cannot be */
  onDiscard?: ((id: number) => void) | undefined;
}

/** Rules before and after. A long folder that most of their sources share is an ellipsis, which a line above explains. */
export function DiffList({ label, entries, search = '', look = '', onDiscard }: DiffListProps) {
  const sources = entries.slice(0, MAX_COMPARED).map(({ before, after }) => (after ?? before)?.old_path ?? '');
  const shared = sharedFolder(sources);
  const folder = shared.length > MIN_FOLDER ? shared : '';
  return (
    <div>
      {folder !== '' && (
        <p class="small muted break shared-folder">
          <span class="mono">/…/</span> is{' '}
          <span class="mono">
            <WrappedPath path={folder} />
          </span>
        </p>
      )}
      <ul class={`diff ${look}`} aria-label={label} tabIndex={0}>
        {entries.map((entry) => (
          <DiffLine key={entry.kind + entry.id} {...{ entry, search, folder, onDiscard }} />
        ))}
      </ul>
    </div>
  );
}

interface DiffLineProps extends Pick<SideProps, 'search' | 'folder'>, Pick<DiffListProps, 'onDiscard'> {
  entry: DiffEntry;
}

/** A rule before and after, side by side, with the author of its last change. */
function DiffLine({ entry, search, folder, onDiscard }: DiffLineProps) {
  const { kind, before, after, changed_by: by, changed_at: at } = entry;
  const isMoved = before !== null && after !== null && before.old_path !== after.old_path;
  const last = after ?? before;
  const side = { search, folder };
  return (
    <li class={kind}>
      <span aria-hidden="true">{SIGN[kind]}</span>
      <span class="unseen">{kind}</span>
      <span class="break">
        {isMoved && (
          <>
            <EditedPath path={before.old_path} other={after.old_path} tag="del" {...side} />{' '}
          </>
        )}
        {last && <EditedPath path={last.old_path} other={isMoved ? before.old_path : null} tag="ins" {...side} />}
      </span>
      <span class="break diff-before">{before && <Response rule={before} other={after} tag="del" {...side} />}</span>
      <span class="row top break">
        {after && (
          <>
            <span class="muted">→</span>
            <span>
              <Response rule={after} other={before} tag="ins" {...side} />
            </span>
          </>
        )}
      </span>
      <span class="break muted diff-author">
        <span>
          {by && at !== null && (
            <>
              {by.type === 'key' ? `API key ${by.name}` : by.name}, <Time at={at} />
            </>
          )}
        </span>
        {onDiscard && last && (
          <IconButton
            size="small"
            icon="undo"
            label={`Discard the change of ${last.old_path}`}
            onClick={() => onDiscard(entry.id)}
          />
        )}
      </span>
    </li>
  );
}

interface SideProps {
  /** marks what the other side lacks */
  tag: 'del' | 'ins';
  search: string;
  /** an ellipsis in a path that is in it; '' for none */
  folder: string;
}

/** `other`: the path on the other side; null: nothing is marked. */
function EditedPath({ path, other, tag: Tag, search, folder }: SideProps & { path: string; other: string | null }) {
  const { text } = shownPath(path);
  const { begin, end } = changedParts(text, other === null ? text : shownPath(other).text).before;
  const parts = markedParts(text, search);
  const cut = shownPath(folder).text.length - 1;
  // A difference within the folder is not hidden.
  const isCut = cut > 0 && path.startsWith(folder) && begin >= cut;
  return (
    <span class="path-text" data-path={path} title={isCut ? text : undefined}>
      {isCut && (
        <>
          /<Hidden parts={partsBetween(parts, 1, cut)} />
        </>
      )}
      <Parts parts={partsBetween(parts, isCut ? cut : 0, begin)} />
      {begin < end && (
        <Tag>
          <Parts parts={partsBetween(parts, begin, end)} />
        </Tag>
      )}
      <Parts parts={partsBetween(parts, end, text.length)} />
    </span>
  );
}

/** The response of a rule: its target, status and schedule. `other`: the rule on the other side, if it has one. */
function Response({ rule, other, tag: Tag, ...side }: SideProps & { rule: DiffRule; other: DiffRule | null }) {
  const part = (text: string, otherText: string | null): ComponentChildren =>
    text === '' || otherText === null || text === otherText ? text : <Tag>{text}</Tag>;
  const target = other && (other.new_path ?? '');
  return (
    <>
      {rule.new_path !== null && <EditedPath path={rule.new_path} other={target} tag={Tag} {...side} />}{' '}
      {part(String(rule.status_code), other && String(other.status_code))}{' '}
      {part(windowText(rule), other && windowText(other))}
      {other && other.is_regex !== rule.is_regex && <Tag>{rule.is_regex ? 'as a pattern' : 'as an exact path'}</Tag>}
    </>
  );
}
