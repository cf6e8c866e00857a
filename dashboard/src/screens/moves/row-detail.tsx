import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import type { MoveRow } from '../../api/client/wire.ts';
import { searchCandidates } from '../../api/moves.ts';
import { number } from '../../format.ts';
import { useAnswer } from '../../state/resource/use-answer.ts';
import { useKeys } from '../../state/keys.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Problem } from '../../ui/page/states.tsx';
import { Marked } from '../../ui/text/marked.tsx';
import { candidatesOf, type Desk, NOTHING, suggestedDecision } from './desk.ts';
import { CONFIDENCE_TONE, DECISION_TEXT } from './row-list.tsx';

const percent = new Intl.NumberFormat(undefined, { style: 'percent' });
const SEARCH_DEBOUNCE_MS = 120;
const MIN_WORD = 3;
const TARGET = /^(\/|https?:\/\/)/;

/** Words of the old page, to be marked in candidates. */
const wordsOf = ({ url, title }: MoveRow): string =>
  [...new Set(`${url} ${title ?? ''}`.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])]
    .filter((word) => word.length >= MIN_WORD)
    .join(' ');

/** The selected row: its page beside the candidates, and the decisions about it. */
export function RowDetail({ desk, row, canEdit }: { desk: Desk; row: MoveRow; canEdit: boolean }) {
  const { decide } = desk;
  const search = useRef<HTMLInputElement>(null);
  const choose = (target: string | undefined): void => {
    if (target !== undefined) decide(row, { ...NOTHING, decision: 'redirect', target });
  };
  const suggestion = suggestedDecision(row);
  // That no page is near is no reason for a 410: a person decides that by X.
  const isAcceptable = suggestion !== undefined && suggestion.decision !== 'gone';
  const accept = (): void => {
    if (isAcceptable) decide(row, suggestion);
  };
  const decideAs = (decision: 'gone' | 'keep' | 'skip') => () => decide(row, { ...NOTHING, decision });
  useDecisionKeys(canEdit, {
    accept,
    choose: (index) => choose(candidatesOf(row)[index]?.target),
    decideAs,
    search,
    undo: desk.undo,
  });
  return (
    <section class="card move-detail" aria-label="Selected row">
      <header>
        <h2 class="mono break">{row.url}</h2>
        {row.title && <p>{row.title}</p>}
        <p class="small muted break">
          {row.weight > 0 && `Weight ${number(row.weight)} `}
          {row.raw_urls
            ? `${row.raw_urls.length} addresses: ${row.raw_urls.slice(0, 3).join(', ')}`
            : row.raw_url !== row.url && row.raw_url}
        </p>
        <DecidedLine row={row} />
      </header>
      {canEdit && (
        <div class="actions">
          <Button size="small" kind="primary" keys="A" disabled={!isAcceptable} onClick={accept}>
            Accept
          </Button>
          <Button size="small" keys="X" onClick={decideAs('gone')}>
            Gone
          </Button>
          <Button size="small" keys="E" onClick={decideAs('keep')}>
            Stays
          </Button>
          <Button size="small" keys="S" onClick={decideAs('skip')}>
            Skip
          </Button>
          <Button size="small" kind="quiet" icon="undo" keys="U" onClick={desk.undo}>
            Undo
          </Button>
        </div>
      )}
      <Candidates row={row} canEdit={canEdit} onChoose={choose} />
      {canEdit && <Search key={row.url} desk={desk} input={search} onChoose={choose} />}
    </section>
  );
}

function DecidedLine({ row: { decision, target, decided_by: by, rule } }: { row: MoveRow }) {
  if (decision === null) return null;
  return (
    <p class="row wrap">
      <Icon name="check" />
      <strong>{decision === 'redirect' ? 'Redirect' : DECISION_TEXT[decision]}</strong>
      {target !== null && <span class="mono break">{target}</span>}
      <span class="small muted">
        {by && `by ${by.name}`} {rule !== null && `by the rule ${rule}`}
      </span>
    </p>
  );
}

interface Decisions {
  accept: () => void;
  /** a candidate, from 0 */
  choose: (index: number) => void;
  decideAs: (decision: 'gone' | 'keep' | 'skip') => () => void;
  search: { current: HTMLInputElement | null };
  undo: () => void;
}

function useDecisionKeys(canEdit: boolean, { accept, choose, decideAs, search, undo }: Decisions): void {
  const all = [
    ...['Enter', 'a'].map((keys) => ({ keys, label: 'Accept the suggestion, and go to the next row', run: accept })),
    ...[...'1234567890'].map((keys, index) => ({
      keys,
      label: `Redirect to candidate ${index + 1}`,
      run: () => choose(index),
    })),
    { keys: 'x', label: 'The page is gone (410)', run: decideAs('gone') },
    { keys: 'e', label: 'The page stays', run: decideAs('keep') },
    { keys: 's', label: 'Skip the row', run: decideAs('skip') },
    { keys: 'f', label: 'Find among all new pages', run: () => search.current?.focus() },
    { keys: 'u', label: 'Undo the last decision', run: undo },
  ];
  useKeys(canEdit ? all : []);
}

interface Choosing {
  onChoose: (target: string) => void;
}

function Candidates({ row, canEdit, onChoose }: Choosing & { row: MoveRow; canEdit: boolean }) {
  const { suggested, confidence, reasons, pending } = row;
  const candidates = candidatesOf(row);
  const words = wordsOf(row);
  if (pending && candidates.length === 0) return <p class="muted">Suggestions are being computed.</p>;
  return (
    <>
      {(suggested === 'gone' || suggested === 'keep') && (
        <p>
          Suggested: <strong>{suggested === 'gone' ? 'gone' : 'the page stays'}</strong>
          {confidence && <span class={`badge ${CONFIDENCE_TONE[confidence]}`}>{confidence}</span>}{' '}
          <span class="muted">{reasons.join('; ')}</span>
        </p>
      )}
      {candidates.length === 0 && suggested === null && <p class="muted">No page of the new website is near.</p>}
      <ol class="move-candidates" aria-label="Candidates">
        {candidates.map(({ target, title, score, reasons: why }, index) => (
          <li key={target}>
            <Choice
              canEdit={canEdit}
              onChoose={() => onChoose(target)}
              keys={String((index + 1) % 10)}
              url={target}
              title={title}
              words={words}
            >
              <span class="small muted">
                {percent.format(score)}
                {index === 0 && confidence && suggested === 'redirect' && `, ${confidence}`}
                {why.length > 0 && `: ${why.join('; ')}`}
              </span>
            </Choice>
          </li>
        ))}
      </ol>
    </>
  );
}

interface ChoiceProps {
  canEdit: boolean;
  onChoose: () => void;
  keys: string;
  url: string;
  title: string | null;
  /** to be marked */
  words: string;
  children: ComponentChildren;
}

/** A page as a button; viewers see it as text. */
function Choice({ canEdit, onChoose, keys, url, title, words, children }: ChoiceProps) {
  const page = (
    <span class="stack gap-1">
      <span class="mono break">
        <Marked text={url} search={words} />
      </span>
      {title !== null && title !== '' && (
        <span class="break">
          <Marked text={title} search={words} />
        </span>
      )}
      {children}
    </span>
  );
  if (!canEdit) return page;
  return (
    <Button onClick={onChoose} keys={keys}>
      {page}
    </Button>
  );
}

/** Finds a page among all candidates; a path or an address that is typed can be chosen as it is. */
function Search({ desk, input, onChoose }: Choosing & { desk: Desk; input: { current: HTMLInputElement | null } }) {
  const text = useSignal('');
  const q = text.value.trim();
  const found = useAnswer(
    q === '' ? undefined : q,
    (signal) => searchCandidates(desk.website.id, desk.moveId, q, signal),
    SEARCH_DEBOUNCE_MS,
  );
  const isTarget = TARGET.test(q);
  const pages = found.answer?.candidates ?? [];
  function take(target: string | undefined): void {
    if (target === undefined) return;
    input.current?.blur();
    onChoose(target);
  }
  return (
    <div class="stack gap-2">
      <label class="search">
        <Icon name="search" />
        <span class="unseen">Search new pages</span>
        <input
          ref={input}
          class="input"
          type="search"
          placeholder="Search new pages, or type a target"
          value={text.value}
          spellcheck={false}
          onInput={(event) => (text.value = event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') input.current?.blur();
            if (event.key !== 'Enter') return;
            event.preventDefault();
            // The last letter may not be rendered yet.
            const typed = event.currentTarget.value.trim();
            if (TARGET.test(typed)) take(typed);
            else if (found.isCurrent && typed === q) take(pages[0]?.url);
          }}
        />
        <kbd aria-hidden="true">F</kbd>
      </label>
      {found.error && <Problem error={found.error} />}
      <Found {...{ q, isTarget, pages, isEmpty: found.isCurrent && pages.length === 0 }} onChoose={take} />
    </div>
  );
}

interface FoundProps extends Choosing {
  q: string;
  /** the text is a path or an address, which can be chosen as it is */
  isTarget: boolean;
  pages: readonly { url: string; title: string | null }[];
  isEmpty: boolean;
}

function Found({ q, isTarget, pages, isEmpty, onChoose }: FoundProps) {
  if (q === '') return null;
  return (
    <ul class="move-candidates" aria-label="Found pages">
      {isTarget && (
        <li>
          <Button onClick={() => onChoose(q)}>
            Use <span class="mono break">{q}</span>
          </Button>
        </li>
      )}
      {pages.map(({ url, title }) => (
        <li key={url}>
          <Button onClick={() => onChoose(url)}>
            <span class="stack gap-1">
              <span class="mono break">
                <Marked text={url} search={q} />
              </span>
              {title && (
                <span class="break">
                  <Marked text={title} search={q} />
                </span>
              )}
            </span>
          </Button>
        </li>
      ))}
      {isEmpty && !isTarget && <li class="muted">No page has this text.</li>}
    </ul>
  );
}
