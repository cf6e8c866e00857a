import { useSignal } from '@preact/signals';
import type { Environment } from '../../../src/vocabulary/environment.ts';
import type { AgentKind } from '../../../src/vocabulary/kinds.ts';
import { createKey } from '../api/account.ts';
import type { Website } from '../api/client/wire.ts';
import { useSubmit } from '../state/resource/use-submit.ts';
import { mayAs } from '../state/session.ts';
import { agentCommands, INSTALL_NOTE } from './agent-commands.ts';
import { Button } from './button.tsx';
import { CopyField } from './copy-field.tsx';
import { Problem } from './page/states.tsx';

/**
 * The lines that install agents, and the key that they need: read access to this website. The key does not expire,
 * because an agent without a valid key keeps serving old rules. `onKey` runs after the key was created.
 */
export function AgentLines({
  website,
  environment,
  labels,
  onKey,
}: {
  website: Website;
  environment: Environment;
  labels: Partial<Record<AgentKind, string>>;
  onKey?: () => void;
}) {
  const key = useSignal<string | undefined>(undefined);
  const { error, isBusy, submit } = useSubmit(async () => {
    const name = `Agents of ${[...website.name].slice(0, MAX_NAME).join('')}`;
    const created = await createKey({ name, scope: 'read', expires_at: null, website_ids: [website.id] });
    key.value = created.api_key.key;
    onKey?.();
  });
  const commands = agentCommands(website, environment, location.origin, key.value);
  return (
    <div class="stack gap-3">
      <p class="muted small">{INSTALL_NOTE}</p>
      {key.value === undefined ? (
        <p class="muted small">
          An agent needs an <a href="/account/keys">API key</a> with read access.
        </p>
      ) : (
        <p class="small" role="status">
          The lines have a new key that reads this website and does not expire. It is shown only once: copy a line
          before you leave.
        </p>
      )}
      {key.value === undefined && mayAs('owner') && (
        <form class="row" onSubmit={submit}>
          <Button type="submit" icon="key" disabled={isBusy.value}>
            Create a key for these lines
          </Button>
        </form>
      )}
      {error.value && <Problem error={error.value} />}
      {Object.entries(labels).map(([kind, label]) => (
        <CopyField key={kind} label={label} rows={2} isFocused={false} text={commands[kind as AgentKind]} />
      ))}
    </div>
  );
}
/** The name of a key has at most 200 characters, as that of a website. */
const MAX_NAME = 150;
