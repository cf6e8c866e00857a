import '../../ui/steps.css';
import type { RedirectCheck, Website } from '../../api/wire.ts';
import { Button } from '../../ui/button.tsx';
import { ENVIRONMENT_LABEL } from '../../ui/environment.tsx';
import type { Draft } from './draft.ts';

type Trial = NonNullable<RedirectCheck['trial']>;
type Rule = NonNullable<RedirectCheck['now']>;

interface TrialResultProps {
  website: Website;
  draft: Draft;
  check: RedirectCheck;
  isNew: boolean;
  /** left out for those who may not change it */
  onChange: ((fields: Partial<Draft>) => void) | undefined;
}

/** What the check says of one address: its steps where the redirect answers it, else why it does not. */
export function TrialResult({ website, draft, check, isNew, onChange }: TrialResultProps) {
  const { trial, now } = check;
  if (trial?.result === 'fired') {
    return (
      <>
        <ol class="steps" data-loop={trial.outcome === 'loop'}>
          <Step path={sourceOf(draft, trial)} note={sourceNote(now, isNew, website)} />
          {trial.hops.map((hop) => (
            <Step key={hop.url} path={endOf(hop)} note={String(hop.status_code)} isHop />
          ))}
        </ol>
        {now && <AnswersNow rule={now} isPath={!draft.is_regex} />}
        <Journey draft={draft} check={check} trial={trial} onChange={onChange} />
      </>
    );
  }
  return (
    <>
      {now && !trial && !draft.is_regex && (
        <ol class="steps">
          <Step path={draft.old_path} note={`now ${now.status_code}`} />
          <Step path={endOf(now)} note={String(now.status_code)} isHop />
        </ol>
      )}
      {trial ? <WhyNot trial={trial} /> : draft.is_regex && <NotYet check={check} />}
      {now && trial?.result !== 'beaten' && <AnswersNow rule={now} isPath={false} />}
    </>
  );
}

function sourceOf(draft: Draft, { path, query }: Trial): string {
  if (!draft.is_regex) return draft.old_path;
  return query === null ? path : `${path}?${query}`;
}

/** What visitors of the source get today, where that is news. */
function sourceNote(now: Rule | null, isNew: boolean, website: Website): string {
  if (now) return `now ${now.status_code}`;
  if (!isNew) return 'the source';
  return website.fallback_url === null ? 'now 404' : 'now 302';
}

function endOf({ status_code, location }: Pick<Rule, 'status_code' | 'location'>): string {
  return location ?? (status_code === 451 ? 'withheld' : 'gone');
}

function Step({ path, note, isHop = false }: { path: string; note: string; isHop?: boolean }) {
  return (
    <li data-hop={isHop}>
      <span class="mono break">{path}</span>
      <span class="badge">{note}</span>
    </li>
  );
}

function AnswersNow({ rule, isPath }: { rule: Rule; isPath: boolean }) {
  return (
    <p>
      <code>{rule.old_path}</code> answers this path now.{' '}
      {isPath && rule.is_regex ? 'A path goes before a pattern.' : ''}
    </p>
  );
}

/** Loops that the field of the target does not tell already. */
export function Loops({ check }: { check: RedirectCheck }) {
  if (check.issues.some(({ code }) => code === 'REDIRECT_LOOP')) return null;
  return check.loops.map((loop) => (
    <p key={loop.environment} class="bad">
      {loopText(loop)}
    </p>
  ));
}

/** Names the loop that a redirect would close, in one line. */
export function loopText({ environment, paths, endless }: RedirectCheck['loops'][number]): string {
  const where = ENVIRONMENT_LABEL[environment].toLowerCase();
  const way = paths.join(' → ');
  return endless ? `Steps without end in ${where}: ${way} → …` : `A loop in ${where}: ${way}`;
}

function Journey({
  draft,
  check,
  trial,
  onChange,
}: Pick<TrialResultProps, 'draft' | 'check' | 'onChange'> & { trial: Trial }) {
  const { outcome, hops, final_url } = trial;
  if (check.loops.length > 0 || hops.length < 2) return null;
  if (outcome === 'loop') return <p class="bad">The target leads into a loop of other redirects.</p>;
  if (outcome === 'gone') return <p class="bad">The target itself is gone.</p>;
  if (outcome === 'too-many')
    return <p class="bad">Visitors would take more than {hops.length} steps, and browsers give up.</p>;
  return (
    <p>
      Visitors would take {hops.length} steps.{' '}
      {!draft.is_regex && onChange && (
        <Button size="small" onClick={() => onChange({ new_path: final_url })}>
          Lead straight to {final_url}
        </Button>
      )}
    </p>
  );
}

function WhyNot({ trial: { result, winner, location } }: { trial: Trial }) {
  if (result === 'unmatched') return <p>The pattern does not match this path.</p>;
  if (result === 'self') return <p>It would lead to the path itself, so it is passed over.</p>;
  return (
    <>
      <p>
        {winner && <code>{winner.old_path}</code>} goes before it on this path.{' '}
        {winner && !winner.is_regex ? 'A path goes before a pattern.' : ''}
      </p>
      {location !== null && (
        <p>
          The pattern would lead to <code>{location}</code>
        </p>
      )}
    </>
  );
}

/** The fields make no redirect yet. */
function NotYet({ check }: { check: RedirectCheck }) {
  if (check.issues.some(({ path }) => path === 'try_path')) return null;
  return <p class="muted">Once the pattern and its target can be used, this says where the path leads.</p>;
}
