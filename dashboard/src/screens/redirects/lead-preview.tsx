import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { statusHasTarget } from '../../../../src/vocabulary/status-code.ts';
import { testAddress } from '../../api/tester.ts';
import type { TestAnswer, Website } from '../../api/wire.ts';
import { Button } from '../../ui/button.tsx';
import { ENVIRONMENT_LABEL } from '../../ui/environment.tsx';
import type { Draft } from './draft.ts';
import { environmentsOf } from './view.ts';

const DEBOUNCE_MS = 220;

interface PreviewProps {
  website: Website;
  draft: Draft;
  /** of the redirect that is edited */
  redirectId: number | undefined;
  onChange: (fields: Partial<Draft>) => void;
}

interface Lead {
  environment: Environment;
  /** what visitors of the source get today */
  now: TestAnswer | undefined;
  /** where the target leads on to today */
  on: TestAnswer | undefined;
}

/** Where the redirect would lead, asked of the rules that are live: who answers the source now, and what becomes of the target. */
export function LeadPreview({ website, draft, redirectId, onChange }: PreviewProps) {
  const lead = useLead(website.id, draft);
  if (!lead || (!lead.now && !lead.on)) return null;
  const { now, on } = lead;
  const taken = now?.match && now.match.redirect_id !== redirectId ? now.match : undefined;
  const hops = on?.hops ?? [];
  const comesBack = hops.some((hop) => hop.location !== null && hop.location === now?.path);
  const end = on && hops.length > 0 && on.outcome !== 'loop' ? on.final_url : undefined;
  return (
    <section class="lead" aria-live="polite" aria-label="Where it would lead">
      <h3>Where it would lead, by what is live in {ENVIRONMENT_LABEL[lead.environment].toLowerCase()}</h3>
      <ol>
        <Step path={draft.old_path} note={sourceNote(now, taken !== undefined, redirectId)} />
        {statusHasTarget(draft.status_code) && draft.new_path !== '' && (
          <Step path={draft.new_path} note={String(draft.status_code)} isHop />
        )}
        {hops.map((hop) => (
          <Step
            key={hop.url}
            path={hop.location ?? (hop.status_code === 451 ? 'withheld' : 'gone')}
            note={String(hop.status_code)}
            isHop
          />
        ))}
      </ol>
      {taken && (
        <p>
          <code>{taken.old_path}</code> answers this path now.{' '}
          {taken.is_regex ? 'A path goes before a pattern.' : ''}
        </p>
      )}
      {(comesBack || on?.outcome === 'loop') && <p class="bad">That comes back to where it began: a loop.</p>}
      {end !== undefined && !comesBack && on?.outcome !== 'gone' && (
        <p>
          Visitors would take {hops.length + 1} steps.{' '}
          <Button size="small" onClick={() => onChange({ new_path: end })}>
            Lead straight to {end}
          </Button>
        </p>
      )}
      {on?.outcome === 'gone' && <p class="bad">The target itself is gone.</p>}
    </section>
  );
}

function sourceNote(now: TestAnswer | undefined, isTaken: boolean, redirectId: number | undefined): string {
  if (!now) return 'the source';
  if (isTaken) return `now ${now.status_code}`;
  return redirectId === undefined ? `now ${now.status_code}` : 'the source';
}

function Step({ path, note, isHop = false }: { path: string; note: string; isHop?: boolean }) {
  return (
    <li data-hop={isHop}>
      <span class="mono break">{path}</span>
      <span class="badge">{note}</span>
    </li>
  );
}

/** Asks once the typing pauses; an answer that is overtaken is dropped. */
function useLead(websiteId: number, draft: Draft): Lead | undefined {
  const lead = useSignal<Lead | undefined>(undefined);
  const source = draft.is_regex ? '' : pathOf(draft.old_path);
  const target = draft.is_regex || !statusHasTarget(draft.status_code) ? '' : pathOf(draft.new_path);
  const environment = environmentsOf(draft)[0] ?? 'production';
  useEffect(() => {
    if (source === '' && target === '') {
      lead.value = undefined;
      return;
    }
    const mine = new AbortController();
    const timer = setTimeout(() => {
      const ask = async (url: string): Promise<TestAnswer | undefined> =>
        url === ''
          ? undefined
          : testAddress({ website_id: websiteId, environment, url }, mine.signal).catch(() => undefined);
      void Promise.all([ask(source), ask(target)]).then(([now, on]) => {
        if (!mine.signal.aborted) lead.value = { environment, now, on };
      });
    }, DEBOUNCE_MS);
    return () => {
      clearTimeout(timer);
      mine.abort();
    };
  }, [websiteId, source, target, environment]);
  return lead.value;
}

/** What the tester takes; anything else is still being written. */
function pathOf(text: string): string {
  const path = text.trim();
  return /^\/(?!\/)[^#]+$/.test(path) ? path : '';
}
