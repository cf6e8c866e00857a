import '../../ui/steps.css';
import type { TestAnswer, Website } from '../../api/wire.ts';
import { liveUrl } from '../../live-url.ts';
import { mayEdit } from '../../state/session.ts';
import { LinkButton } from '../../ui/button.tsx';

/** What a visitor gets, step by step, and the rules that have a part in it. */
export function TestResult({ website, answer }: { website: Website; answer: TestAnswer }) {
  const { match, beaten, hops, version, environment, path, query } = answer;
  const visit = liveUrl(website, environment, path + (query === null ? '' : `?${query}`));
  const base = `/websites/${website.id}/redirects`;
  return (
    <div class="test-result">
      <section class="card" aria-live="polite">
        <header>
          <div>
            <h2>{headline(answer)}</h2>
            <p class="muted small">{version === 0 ? 'nothing is deployed here' : `by version ${version}`}</p>
          </div>
          {visit !== undefined && (
            <LinkButton size="small" icon="external" href={visit} isElsewhere>
              Visit
            </LinkButton>
          )}
        </header>
        <ol class="steps journey">
          <Step text={answer.path + (answer.query === null ? '' : `?${answer.query}`)} note="asked for" />
          {hops.map((hop) => (
            <Step key={hop.url} text={hop.location ?? 'no target'} note={String(hop.status_code)} />
          ))}
          {hops.length === 0 && answer.location !== null && (
            <Step text={answer.location} note={`${answer.status_code}, as all other requests`} />
          )}
        </ol>
        <p class="end">{endOf(answer)}</p>
      </section>
      {match && (
        <section>
          <h2>Which redirect answers</h2>
          <ul class="rules">
            <Rule rule={match} base={base} note={KIND[match.kind] ?? match.kind} />
            {beaten.map((rule) => (
              <Rule
                key={rule.redirect_id}
                rule={rule}
                base={base}
                note={rule.outcome === 'self' ? 'passed over: it would lead to itself' : 'beaten'}
              />
            ))}
          </ul>
        </section>
      )}
      {!match && mayEdit.value && (
        <div class="actions">
          <LinkButton kind="primary" icon="plus" href={`${base}?new=${encodeURIComponent(answer.path)}`}>
            Create a redirect for this path
          </LinkButton>
        </div>
      )}
    </div>
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

function Rule({ rule, base, note }: { rule: NonNullable<TestAnswer['match']>; base: string; note: string }) {
  return (
    <li data-won={rule.outcome === 'fired'}>
      <a class="mono break" href={`${base}?open=${rule.redirect_id}`}>
        {rule.old_path}
      </a>
      <span class="mono break muted">
        {rule.location ?? 'no target'} ({rule.status_code})
      </span>
      <span class={rule.outcome === 'fired' ? 'badge ok' : 'badge'}>{note}</span>
    </li>
  );
}

const KIND: Record<string, string> = {
  query: 'wins: it asks for this query',
  exact: 'wins: exactly this path',
  slash: 'wins: but for the slash at the end',
  pattern: 'wins: a pattern',
};

function headline({ match, status_code, location }: TestAnswer): string {
  if (match) return location === null ? `Answered with ${status_code}` : `Redirected with ${status_code}`;
  return location === null ? 'Not found: 404' : 'No redirect: sent on with the others';
}

function endOf({ outcome, hops, final_url: final }: TestAnswer): string {
  if (outcome === 'loop') return `A loop: it comes back to ${final} and never ends.`;
  if (outcome === 'too-many')
    return `After ${hops.length} steps it still goes on; browsers give up before that.`;
  if (outcome === 'gone') return 'It ends there: the page is gone.';
  if (hops.length > 1) return `${hops.length} steps to ${final}; one would be faster for visitors.`;
  return hops.length === 1 ? `It ends at ${final}.` : '';
}
