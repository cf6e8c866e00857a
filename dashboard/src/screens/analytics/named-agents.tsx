import { useSignal } from '@preact/signals';
import type { Overview } from '../../api/client/wire.ts';
import { number } from '../../format.ts';
import { Button } from '../../ui/button.tsx';
import { share } from './bars.tsx';
import { TOP } from './view.ts';

type Found = Partial<Pick<Overview, 'named_agents' | 'unnamed_requests'>>;

/** A card with the requests of assistants and crawlers by name, unmatched ones included. Nothing without any. */
export function NamedAgents({ hits: { named_agents: named, unnamed_requests: unnamed } }: { hits: Found }) {
  const isExpanded = useSignal(false);
  if (!named || unnamed == null || named.length + unnamed === 0) return null;
  const total = named.reduce((sum, { requests }) => sum + requests, unnamed);
  const largest = named[0]?.requests ?? 1;
  const shown = isExpanded.value ? named : named.slice(0, TOP);
  return (
    <section class="card" aria-labelledby="named-agents">
      <header>
        <h2 id="named-agents">Assistants and crawlers</h2>
        <span class="muted small">Names are not verified</span>
      </header>
      {named.length === 0 && <p class="body muted">No known name among these requests.</p>}
      <ol class="bars">
        {shown.map((agent) => (
          <li key={agent.name}>
            <div class="bar" style={{ width: `${(agent.requests / largest) * 100}%` }} />
            <span class="bar-label">
              {agent.name} <span class="muted small">{agentText(agent)}</span>
            </span>
            <span>{number(agent.requests)}</span>
            <span class="muted small">{share.format(agent.requests / total)}</span>
          </li>
        ))}
        {unnamed > 0 && (
          <li class="muted">
            <span class="bar-label">Other bots and assistants</span>
            <span>{number(unnamed)}</span>
            <span class="muted small">{share.format(unnamed / total)}</span>
          </li>
        )}
      </ol>
      {shown.length < named.length && (
        <p class="bars-more">
          <Button size="small" onClick={() => (isExpanded.value = true)}>
            Show more
          </Button>
        </p>
      )}
    </section>
  );
}

/** Such as `OpenAI, assistant, 3 not found`. */
function agentText({
  operator,
  class: of,
  not_found: notFound,
}: NonNullable<Overview['named_agents']>[number]): string {
  const missed = notFound > 0 ? [`${number(notFound)} not found`] : [];
  return [operator, of === 'bot' ? 'crawler' : of, ...missed].join(', ');
}
