import { useSignal } from '@preact/signals';
import type { Environment } from '../../../src/vocabulary/environment.ts';
import type { AgentKind } from '../../../src/vocabulary/kinds.ts';
import type { Website } from '../api/client/wire.ts';
import { AGENT_LABEL, type AgentRun, agentTexts, RUN_LABEL, runsOf } from './agent-commands.ts';
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
  const chosen = useSignal<AgentRun>('service');
  const runs = runsOf(kind.value);
  const run = runs.find((each) => each === chosen.value) ?? 'service';
  return (
    <>
      <SelectField
        label="Where visitors are answered"
        value={kind.value}
        options={kinds.map((each) => [each, AGENT_LABEL[each]] as const)}
        onChoose={(next) => (kind.value = next)}
      />
      {runs.length > 0 && (
        <SelectField
          label="How it runs"
          hint={run === 'docker' ? undefined : 'That machine needs Node.js 20 or newer.'}
          value={run}
          options={runs.map((each) => [each, RUN_LABEL[each]] as const)}
          onChoose={(next) => (chosen.value = next)}
        />
      )}
      <KeyedLines
        website={website}
        keyName="Agents of"
        scope="read"
        need="An agent"
        lines={(key) => agentTexts({ kind: kind.value, run, website, environment }, location.origin, key)}
        onKey={onKey}
      />
    </>
  );
}
