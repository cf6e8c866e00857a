import { useSignal } from '@preact/signals';
import type { Environment } from '../../../src/vocabulary/environment.ts';
import type { AgentKind } from '../../../src/vocabulary/kinds.ts';
import type { Website } from '../api/client/wire.ts';
import { AGENT_LABEL, agentCommand, agentService } from './agent-commands.ts';
import { SelectField } from './form/field.tsx';
import { KeyedLines } from './keyed-lines.tsx';

/** The lines that install an agent of a kind that the user chooses, with a key that reads this website. */
export function AgentLines({
  website,
  environment,
  kinds,
  onKey,
}: {
  website: Website;
  environment: Environment;
  kinds: readonly AgentKind[];
  onKey?: () => void;
}) {
  const kind = useSignal<AgentKind>('edge');
  return (
    <>
      <SelectField
        label="Where visitors are answered"
        value={kind.value}
        options={kinds.map((each) => [each, AGENT_LABEL[each]] as const)}
        onChoose={(next) => (kind.value = next)}
      />
      <KeyedLines
        website={website}
        keyName="Agents of"
        scope="read"
        need="An agent"
        lines={(key) => {
          const rest = [website, environment, location.origin, key] as const;
          const service = agentService(kind.value, ...rest);
          return [
            { label: AGENT_LABEL[kind.value], text: agentCommand(kind.value, ...rest) },
            ...(service === undefined ? [] : [{ label: 'Or as a service of systemd', text: service }]),
          ];
        }}
        onKey={onKey}
      />
    </>
  );
}
