import type { Environment } from '../../../src/vocabulary/environment.ts';
import type { AgentKind } from '../../../src/vocabulary/kinds.ts';
import type { Website } from '../api/client/wire.ts';
import { agentCommands } from './agent-commands.ts';
import { KeyedLines } from './keyed-lines.tsx';

/** The lines that install agents, with a key that reads this website. */
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
  return (
    <KeyedLines
      website={website}
      keyName="Agents of"
      scope="read"
      need="An agent"
      lines={(key) => {
        const commands = agentCommands(website, environment, location.origin, key);
        return Object.entries(labels).map(([kind, label]) => ({ label, text: commands[kind as AgentKind] }));
      }}
      onKey={onKey}
    />
  );
}
