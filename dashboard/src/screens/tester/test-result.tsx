import '../../ui/steps.css';
import { useSignal } from '@preact/signals';
import type { TestedUrl, Website } from '../../api/wire.ts';
import { liveUrl } from '../../urls.ts';
import { mayEdit } from '../../state/session.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { ExpectationDialog } from '../expectations/expectation-dialog.tsx';
import { WrappedPath } from '../../ui/path-text.tsx';

/** The response to a URL step by step, and the matching redirects. */
export function TestResult({ website, answer }: { website: Website; answer: TestedUrl }) {
  const { match, beaten, hops, version, environment, path, query } = answer;
  const visit = liveUrl(website, environment, path + (query === null ? '' : `?${query}`));
  const base = `/websites/${website.id}/redirects`;
  return (
    <div class="test-result">
      <section class="card" aria-live="polite">
        <header>
          <div>
            <h2>{headline(answer)}</h2>
            <p class="muted small">{version === 0 ? 'No deployed version' : `Version ${version}`}</p>
          </div>
          <div class="actions">
            {mayEdit.value && <SaveAsExpectation website={website} answer={answer} />}
            {visit !== undefined && (
              <LinkButton size="small" icon="external" href={visit} isExternal>
                Visit
              </LinkButton>
            )}
          </div>
        </header>
        <ol class="steps journey">
          <Step text={answer.path + (answer.query === null ? '' : `?${answer.query}`)} note="request" />
          {hops.map((hop) => (
            <Step key={hop.url} text={hop.location ?? 'no target'} note={String(hop.status_code)} />
          ))}
          {hops.length === 0 && answer.location !== null && (
            <Step text={answer.location} note={`${answer.status_code} fallback`} />
          )}
        </ol>
        <p class="end">{endOf(answer)}</p>
      </section>
      {match && (
        <section>
          <h2>Matching redirects</h2>
          <ul class="rules">
            <Rule rule={match} base={base} note={KIND[match.kind] ?? match.kind} />
            {beaten.map((rule) => (
              <Rule
                key={rule.redirect_id}
                rule={rule}
                base={base}
                note={rule.outcome === 'self' ? 'Skipped: it would redirect to itself' : 'Lower precedence'}
              />
            ))}
          </ul>
        </section>
      )}
      {!match && mayEdit.value && (
        <div class="actions">
          <LinkButton kind="primary" icon="plus" href={`${base}?new=${encodeURIComponent(answer.path)}`}>
            Create redirect for this path
          </LinkButton>
        </div>
      )}
    </div>
  );
}

/** Opens the dialog of a new expectation with this response. */
function SaveAsExpectation({ website, answer }: { website: Website; answer: TestedUrl }) {
  const isOpen = useSignal(false);
  const { path, query, environment, status_code, location } = answer;
  const url = path + (query === null ? '' : `?${query}`);
  return (
    <>
      <Button size="small" icon="expectations" onClick={() => (isOpen.value = true)}>
        Save as expectation
      </Button>
      {isOpen.value && (
        <ExpectationDialog
          website={website}
          start={{ url, environment, status_code, location }}
          onSaved={() => {}}
          onClose={() => (isOpen.value = false)}
        />
      )}
    </>
  );
}

function Step({ text, note }: { text: string; note: string }) {
  return (
    <li>
      <span class="mono break">{text}</span>
      <span class="badge">{note}</span>
    </li>
  );
}

function Rule({ rule, base, note }: { rule: NonNullable<TestedUrl['match']>; base: string; note: string }) {
  return (
    <li data-won={rule.outcome === 'fired'}>
      <a class="mono break" href={`${base}?open=${rule.redirect_id}`}>
        <WrappedPath path={rule.old_path} />
      </a>
      <span class="mono break muted">
        {rule.location === null ? 'no target' : <WrappedPath path={rule.location} />} ({rule.status_code})
      </span>
      <span class={rule.outcome === 'fired' ? 'badge ok' : 'badge'}>{note}</span>
    </li>
  );
}

const KIND: Record<string, string> = {
  query: 'Match: this query string',
  exact: 'Match: exact path',
  slash: 'Match: path without trailing slash',
  pattern: 'Match: pattern',
};

function headline({ match, status_code, location }: TestedUrl): string {
  if (match) return location === null ? `Responds with ${status_code}` : `Redirects with ${status_code}`;
  return location === null ? 'Not found (404)' : 'No match: sent to the fallback URL';
}

function endOf({ outcome, hops, final_url: final }: TestedUrl): string {
  if (outcome === 'loop') return `Loop: the redirects return to ${final}.`;
  if (outcome === 'too-many') return `More than ${hops.length} redirects: browsers stop following.`;
  if (outcome === 'gone') return 'The page is gone.';
  if (hops.length > 1) return `${hops.length} redirects to ${final}. A single one is faster for visitors.`;
  return hops.length === 1 ? `Final URL: ${final}` : '';
}
