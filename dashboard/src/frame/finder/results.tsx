import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Website } from '../../api/client/wire.ts';
import { go } from '../../router.ts';
import { highestRole, mayCreateWebsites, mayEdit } from '../../state/session.ts';
import { currentWebsite, websites } from '../../state/websites.ts';
import { Icon } from '../../ui/icons.tsx';
import { Marked } from '../../ui/text/marked.tsx';
import { WrappedPath } from '../../ui/text/path-text.tsx';
import { Problem } from '../../ui/page/states.tsx';
import { counted } from '../../format.ts';
import { askedUrl } from '../../asked-url.ts';
import { useAnswer } from '../../state/resource/use-answer.ts';
import { REDIRECT_TOKENS } from '../../screens/redirects/view.ts';
import { readLine } from '../../ui/form/query-line.ts';
import { find } from './find.ts';
import { type Entry, entryId, type Section, type FinderModel, RESULTS_ID } from './entry.ts';
import { filterNames, placesFor } from './places.ts';

const DEBOUNCE_MS = 180;

/** The results below the field, in sections. Enter opens the active one, when it is known. */
export function FinderResults({ model }: { model: FinderModel }) {
  const text = model.text.value.trim();
  const { search, problem } = readLine(REDIRECT_TOKENS, text, true);
  const all = websites.value ?? [];
  const current = currentWebsite.value;
  const places = placesFor(text, {
    websites: all,
    current,
    mayEdit: mayEdit.value,
    mayCreate: mayCreateWebsites.value,
    isOwner: highestRole.value === 'owner',
  });
  const { answer = [], error, isOwn, isCurrent: isSettled, retry } = useFound(text, all, current);
  // Never those of other letters.
  const sections = [...places, ...(isOwn ? answer : []), ...filterNames(text)];
  const entries = sections.flatMap((section) => section.entries);
  const known = places.reduce((sum, section) => sum + section.entries.length, 0);
  const at = Math.max(0, Math.min(model.active.value, entries.length - 1));
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    model.count.value = entries.length;
    if (isSettled || entries.length > 0) model.active.value = at;
  });
  useEffect(() => box.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }), [at, text]);
  const isChosen = model.isChosen.value;
  useLayoutEffect(() => {
    if (!isChosen) return;
    const chosen = entries[at];
    // Results that are still to come may be listed above.
    const isKnown = at < known || isSettled;
    if (chosen && isKnown) open(chosen, model);
    else if (isKnown) model.isChosen.value = false;
  });
  return (
    <div ref={box} class="finder-results">
      {entries.length > 0 && (
        <div role="listbox" id={RESULTS_ID} aria-label="Results">
          {sections.map(({ title, entries: listed }, index) => (
            <div key={title} role="group" aria-labelledby={`${RESULTS_ID}-part-${index}`}>
              <div class="finder-title" id={`${RESULTS_ID}-part-${index}`}>
                {title}
              </div>
              {listed.map((entry) => (
                <Option
                  key={entry.href + entry.text}
                  entry={entry}
                  at={entries.indexOf(entry)}
                  search={search}
                  model={model}
                />
              ))}
            </div>
          ))}
        </div>
      )}
      {isSettled && error && <Problem error={error} onRetry={retry} />}
      {!(isSettled && error) && <Status text={text} found={isSettled ? entries.length : undefined} problem={problem} />}
    </div>
  );
}

const useFound = (text: string, all: readonly Website[], current: Website | undefined) =>
  useAnswer<Section[]>(
    text === '' ? undefined : JSON.stringify([text, current?.id]),
    (signal, show) => find({ text, asked: askedUrl(text, all, current), websites: all, current }, signal, show),
    DEBOUNCE_MS,
  );

function open({ href, run, line, isExternal }: Entry, model: FinderModel): void {
  if (line !== undefined) return fill(line, model);
  model.close();
  if (run) return run();
  if (isExternal) window.open(href, '_blank', 'noopener');
  else go(href);
}

/** The line as if it were typed. */
function fill(line: string, { text, active, isChosen }: FinderModel): void {
  text.value = line;
  active.value = 0;
  isChosen.value = false;
  document.querySelector<HTMLElement>('.finder [role=combobox]')?.focus();
}

/** A link, so that it can be opened in a new tab. */
function Option({ entry, at, search, model }: { entry: Entry; at: number; search: string; model: FinderModel }) {
  const { icon, text, target, badge, note, href, run, line, isExternal } = entry;
  return (
    <a
      id={entryId(at)}
      role="option"
      aria-selected={at === model.active.value}
      class={target !== undefined && note !== undefined ? 'finder-option two-lines' : 'finder-option'}
      href={href}
      tabIndex={-1}
      target={isExternal ? '_blank' : undefined}
      rel={isExternal ? 'noopener' : undefined}
      onClick={(event) => {
        if (run ?? line) event.preventDefault();
        else if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        if (line !== undefined) return fill(line, model);
        model.close();
        run?.();
      }}
      onPointerMove={() => (model.active.value = at)}
    >
      <Icon name={icon} />
      <span class="break">
        {text.startsWith('/') ? (
          <FoundPath path={text} search={search} />
        ) : (
          <bdi>
            <Marked text={text} search={search} />
          </bdi>
        )}
        {target !== undefined && (
          <>
            {' → '}
            {target === null ? 'no target' : <FoundPath path={target} search={search} />}
          </>
        )}
      </span>
      {badge !== undefined && <span class="badge">{badge}</span>}
      {note !== undefined && (
        <span class="finder-note muted small truncate">
          <Marked text={note} search={search} />
        </span>
      )}
    </a>
  );
}

function FoundPath({ path, search }: { path: string; search: string }) {
  return (
    <span class="mono">
      <WrappedPath path={path} search={search} />
    </span>
  );
}

/** Announces the number of results. `found`: undefined while they are not complete; `problem`: of a filter. */
function Status({ text, found, problem }: { text: string; found: number | undefined; problem: string | undefined }) {
  const isSeen = found === 0 || found === undefined;
  return (
    <p role="status" class={isSeen ? 'finder-note' : 'unseen'}>
      {found === undefined && 'Searching…'}
      {found === 0 && (problem ?? `Nothing found for “${text}”`)}
      {found !== undefined && found > 0 && counted(found, 'result')}
    </p>
  );
}
