import { useSignal } from '@preact/signals';
import type { TestedUrl, Website } from '../../api/client/wire.ts';
import { liveUrl, redirectUrl } from '../../urls.ts';
import { mayEdit } from '../../state/session.ts';
import { badgeOf } from '../../checks/states.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { directTarget } from '../../ui/direct-target.ts';
import { inactiveOf, ScheduledRedirect } from '../../ui/scheduled-redirect.tsx';
import { ExpectationDialog } from '../expectations/expectation-dialog.tsx';
import { NearPages } from '../../ui/near-pages.tsx';
import { PathText, type Step, Steps, TextWithPath, WrappedPath } from '../../ui/text/path-text.tsx';
import { Time } from '../../ui/text/time.tsx';
import { NearRule } from './near-rule.tsx';
import { capturedGroups, whyLonger } from './pattern-text.ts';
import { brokenText } from './resolved-text.ts';

/** The response to a URL step by step, and the matching redirects. */
export function TestResult({ website, answer }: { website: Website; answer: TestedUrl }) {
  const { match, inactive, version, environment, path, query } = answer;
  const visit = liveUrl(website, environment, path + (query === null ? '' : `?${query}`));
  const base = `/websites/${website.id}/redirects`;
  return (
    <div class="stack gap-5">
      <section class="card" aria-live="polite">
        <header>
          <div>
            <h2>{headline(answer)}</h2>
            <p class="muted small">{versionText(version)}</p>
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
        <Steps look="journey" isLoop={isEndless(answer)} steps={stepsOf(answer)} />
        <End answer={answer} websiteId={website.id} />
        <BrokenEnd target={answer.final_target} />
        {inactive && (
          <div class="end">
            <ScheduledRedirect of={inactiveOf(website.id, inactive)} now={`${answer.status_code} now. `} />
          </div>
        )}
      </section>
      {match && <Matching website={website} answer={answer} match={match} />}
      {!match && !inactive && answer.hops.length === 0 && <NearRule website={website} answer={answer} />}
      {!match && !inactive && mayEdit.value && answer.hops.length === 0 && (
        <DidYouMean website={website} answer={answer} />
      )}
      {!match && !inactive && mayEdit.value && (
        <div class="actions">
          <LinkButton kind="primary" icon="plus" href={`${base}?new=${encodeURIComponent(answer.path)}`}>
            Create redirect for this path
          </LinkButton>
        </div>
      )}
    </div>
  );
}

/** The redirect that matches, and those that match with less precedence. */
function Matching({ website, answer, match }: { website: Website; answer: TestedUrl; match: TestedRule }) {
  const groups = match.is_regex ? capturedGroups(match.old_path, answer.path, website.case_sensitive) : [];
  return (
    <section>
      <h2>Matching redirects</h2>
      <ul class="card row-list rules">
        <Rule rule={match} websiteId={website.id} note={KIND[match.kind] ?? match.kind} groups={groups} />
        {answer.beaten.map((rule) => (
          <Rule
            key={rule.redirect_id}
            rule={rule}
            websiteId={website.id}
            note={rule.outcome === 'self' ? 'Skipped: it would redirect to itself' : whyBeaten(match, rule)}
          />
        ))}
      </ul>
    </section>
  );
}

/** Pages that an unmatched path may mean. A click opens the new redirect to one. */
function DidYouMean({ website, answer: { environment, path } }: { website: Website; answer: TestedUrl }) {
  return (
    <NearPages websiteId={website.id} environment={environment} path={path} title={<h2>Did you mean</h2>}>
      {(target) => (
        <LinkButton
          size="small"
          icon="arrow"
          href={`/websites/${website.id}/redirects?${String(new URLSearchParams({ new: path, target }))}`}
        >
          <span class="unseen">Redirect {path} to </span>
          <span class="mono">
            <PathText path={target} />
          </span>
        </LinkButton>
      )}
    </NearPages>
  );
}

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

function stepsOf({ path, query, hops, location, status_code: status }: TestedUrl): Step[] {
  const request = { text: path + (query === null ? '' : `?${query}`), note: 'request' };
  if (hops.length === 0 && location !== null) return [request, { text: location, note: `${status} fallback` }];
  return [request, ...hops.map((hop) => ({ text: hop.location ?? 'no target', note: String(hop.status_code) }))];
}

interface RuleProps {
  rule: TestedRule;
  websiteId: number;
  note: string;
  /** those of a pattern that matched */
  groups?: readonly string[];
}

function Rule({ rule, websiteId, note, groups = [] }: RuleProps) {
  return (
    <li data-won={rule.outcome === 'fired'}>
      <a class="mono break" href={redirectUrl(websiteId, rule.redirect_id)}>
        <WrappedPath path={rule.old_path} />
      </a>
      <span class="mono break muted">
        {rule.location === null ? 'no target' : <WrappedPath path={rule.location} />} ({rule.status_code})
      </span>
      <span class={rule.outcome === 'fired' ? 'badge ok' : 'badge'}>{note}</span>
      {groups.length > 0 && <span class="mono small muted break whole">{groups.join(', ')}</span>}
    </li>
  );
}

function versionText(version: number | null): string {
  if (version === null) return 'Current redirects, undeployed changes included';
  return version === 0 ? 'No deployed version' : `Version ${version}`;
}

/** The end of the hops, or why they never end; with a link to the redirect to change. */
function End({ answer, websiteId }: { answer: TestedUrl; websiteId: number }) {
  const { match, outcome } = answer;
  const text = endOf(answer);
  if (text === '') return null;
  return (
    <div class="actions break end">
      <p>
        {isEndless(answer) && <span class="badge danger">{outcome === 'loop' ? 'Loop' : 'Too many redirects'}</span>}{' '}
        <TextWithPath text={text} path={answer.final_url} />
      </p>
      {match && mayEdit.value && (isEndless(answer) || isShortenable(answer)) && (
        <LinkButton size="small" icon="edit" href={redirectUrl(websiteId, match.redirect_id)}>
          {isEndless(answer) ? 'Change the target' : 'Redirect directly'}
        </LinkButton>
      )}
    </div>
  );
}

/** Says that the last live check found the target broken. */
function BrokenEnd({ target }: { target: TestedUrl['final_target'] }) {
  const text = brokenText(target);
  if (!target || text === undefined) return null;
  return (
    <p class="end">
      <span class="badge danger">{badgeOf(target).label}</span> {text}, by the live check{' '}
      <Time at={target.checked_at} />.
    </p>
  );
}

/** Flattening could shorten the chain of its redirect. */
function isShortenable({ match, hops }: TestedUrl): boolean {
  if (!match || match.is_regex) return false;
  const start = hops.findIndex(({ redirect_id: id }) => id === match.redirect_id);
  return start >= 0 && directTarget(hops.slice(start)) !== undefined;
}

const isEndless = ({ outcome }: TestedUrl): boolean => outcome === 'loop' || outcome === 'too-many';

const KIND: Record<string, string> = {
  query: 'Match: this query string',
  exact: 'Match: exact path',
  slash: 'Match: path without trailing slash',
  pattern: 'Match: pattern',
};

type TestedRule = NonNullable<TestedUrl['match']>;

function whyBeaten(winner: TestedRule, beaten: TestedRule): string {
  const { kind } = beaten;
  if (winner.kind !== kind) return `Lower precedence: ${RANK[winner.kind]} wins`;
  if (kind === 'pattern') return whyLonger(winner, beaten);
  if (kind === 'query') return 'Lower precedence: more required parameters win';
  return 'Lower precedence: the same letter case wins';
}

const RANK: Record<TestedRule['kind'], string> = {
  query: 'a path with a query string',
  exact: 'an exact path',
  slash: 'a path',
  pattern: 'a pattern',
};

function headline({ match, status_code, location, outcome }: TestedUrl): string {
  if (outcome === 'loop') return 'Redirects in a loop';
  if (outcome === 'too-many') return 'Redirects too often';
  if (match) return location === null ? `Responds with ${status_code}` : `Redirects with ${status_code}`;
  return location === null ? 'Not found (404)' : 'No match: sent to the fallback URL';
}

function endOf(answer: TestedUrl): string {
  const { outcome, hops, final_url: final } = answer;
  if (outcome === 'loop') return `The redirects return to ${final}, so browsers show an error.`;
  if (outcome === 'too-many') return `More than ${hops.length} redirects: browsers stop and show an error.`;
  if (outcome === 'gone') return 'The page is gone.';
  const advice = isShortenable(answer) ? ' A shorter chain is faster for visitors.' : '';
  if (hops.length > 1) return `${hops.length} redirects to ${final}.${advice}`;
  return hops.length === 1 ? `Final URL: ${final}` : '';
}
