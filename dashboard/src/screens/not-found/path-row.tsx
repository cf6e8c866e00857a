import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { MissingPath } from '../../api/wire.ts';
import { counted, number } from '../../format.ts';
import { mayEdit } from '../../state/session.ts';
import { Button } from '../../ui/button.tsx';
import { PathText } from '../../ui/path-text.tsx';
import { Time } from '../../ui/time.tsx';
import { ROW } from '../../ui/use-rows.ts';
import { type Inbox, setIgnored, takeSuggestion } from './actions.ts';
import { TargetForm } from './target-form.tsx';

const percent = new Intl.NumberFormat(undefined, { style: 'percent' });

/** A path, how much it is missed, and what can be done about it. */
export function PathRow({
  inbox,
  missing,
  isAside,
}: {
  inbox: Inbox;
  missing: MissingPath;
  isAside: boolean;
}) {
  const isWriting = useSignal(false);
  const { path } = missing;
  // Cut where it was recorded: nobody can make a rule of it.
  const isWhole = !path.endsWith('…');
  const canEdit = mayEdit.value;
  const row = useRef<HTMLLIElement>(null);
  function close(): void {
    isWriting.value = false;
    row.current?.focus();
  }
  return (
    <li ref={row} {...ROW}>
      <div class="missing-head">
        <span class="mono missing-path">
          <PathText path={path} />
        </span>
        <Counts missing={missing} />
        {canEdit && (
          <div class="actions">
            {isWhole && !isAside && !missing.noise && (
              <Button
                size="small"
                data-key="Enter"
                aria-expanded={isWriting.value}
                aria-label={`Redirect ${path}`}
                onClick={() => (isWriting.value = !isWriting.value)}
              >
                Redirect
              </Button>
            )}
            <Button
              kind="quiet"
              size="small"
              data-key={isAside ? 'Enter' : 'Delete'}
              onClick={() => setIgnored(inbox, missing, !isAside)}
            >
              {isAside ? 'Put back' : 'Put aside'}
              <span class="unseen"> {path}</span>
            </Button>
          </div>
        )}
      </div>
      {canEdit && isWhole && !isAside && !isWriting.value && <Suggestions inbox={inbox} missing={missing} />}
      {isWriting.value && <TargetForm inbox={inbox} missing={missing} onClose={close} />}
    </li>
  );
}

function Counts({ missing }: { missing: MissingPath }) {
  const { hits, bot_hits: bots, last_seen_at: last, referrer_host: from } = missing;
  return (
    <span class="small muted missing-counts">
      <strong>{counted(hits, 'hit')}</strong>
      {bots > 0 && <span>{number(bots)} by bots</span>}
      <span>
        <Time at={last} />
      </span>
      {from !== null && <span class="break">from {from}</span>}
    </span>
  );
}

/** Live targets that look like the path: each makes the redirect at once. */
function Suggestions({ inbox, missing }: { inbox: Inbox; missing: MissingPath }) {
  if (missing.suggestions.length === 0) return null;
  return (
    <ul class="suggestions">
      {missing.suggestions.map(({ new_path: target, similarity }, at) => (
        <li key={target}>
          <Button
            size="small"
            icon="arrow"
            data-key={at + 1}
            title={`Redirect it to ${target}`}
            onClick={() => takeSuggestion(inbox, missing, target)}
          >
            <span class="unseen">Redirect {missing.path} to </span>
            <span class="mono">
              <PathText path={target} />
            </span>
            <span class="muted">{percent.format(similarity)} alike</span>
          </Button>
        </li>
      ))}
    </ul>
  );
}
