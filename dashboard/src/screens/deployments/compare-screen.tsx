import './deployments.css';
import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { listDeployments } from '../../api/deployments.ts';
import type { Website } from '../../api/client/wire.ts';
import { query, setQuery } from '../../router.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { ENVIRONMENT_OPTIONS } from '../../ui/text/environment.tsx';
import { SelectField } from '../../ui/form/field.tsx';
import { Page } from '../../ui/page/page.tsx';
import { type CompareView, compareViewOf, MAX_VERSIONS, versionLabel } from './compare-view.ts';
import { Difference } from './difference.tsx';

/** The whole difference between two versions, also of two environments; or what one version has. */
export function CompareScreen({ website }: { website: Website }) {
  const view = compareViewOf(query.value);
  const { environment, toEnvironment, from, to } = view;
  return (
    <Page
      title="Compare versions"
      lead={`Redirects that differ between two versions of ${[...new Set([environment, toEnvironment])].join(' and ')}.`}
      actions={
        <LinkButton href={`/websites/${website.id}/deployments?environment=${environment}`}>Deployments</LinkButton>
      }
    >
      <Versions website={website} view={view} />
      <Difference request={{ website_id: website.id, environment, to_environment: toEnvironment, from, to }} />
    </Page>
  );
}

function Versions({ website, view }: { website: Website; view: CompareView }) {
  const { environment, toEnvironment, from, to } = view;
  const fromOptions = useVersionOptions(website.id, environment, from);
  const toOptions = useVersionOptions(website.id, toEnvironment, to);
  return (
    <div class="row wrap compare-choice">
      <SelectField
        label="From environment"
        value={environment}
        options={ENVIRONMENT_OPTIONS}
        onChoose={(next) => setQuery({ environment: next, to_environment: toEnvironment, from: 'live' })}
      />
      <SelectField
        label="From"
        value={from}
        options={[...fromOptions, ['none', versionLabel('none')]]}
        onChoose={(next) => setQuery({ from: next })}
      />
      <Button
        icon="undo"
        disabled={from === 'none'}
        onClick={() => setQuery({ environment: toEnvironment, to_environment: environment, from: to, to: from })}
      >
        Swap
      </Button>
      <SelectField
        label="To environment"
        value={toEnvironment}
        options={ENVIRONMENT_OPTIONS}
        onChoose={(next) => setQuery({ to_environment: next === environment ? undefined : next, to: 'live' })}
      />
      <SelectField label="To" value={to} options={toOptions} onChoose={(next) => setQuery({ to: next })} />
    </div>
  );
}

/** The versions of an environment; also an older one that is chosen already. */
function useVersionOptions(websiteId: number, environment: Environment, chosen: string) {
  const { data } = useResource(`versions:${websiteId}:${environment}`, (signal) =>
    listDeployments({ website_id: websiteId, environment, limit: MAX_VERSIONS }, signal),
  );
  const numbers = (data.value?.deployments ?? []).flatMap(({ version }) => (version === null ? [] : [String(version)]));
  const extra = /^\d/.test(chosen) && !numbers.includes(chosen) ? [chosen] : [];
  return ['live', 'draft', ...extra, ...numbers].map((each) => [each, versionLabel(each)] as const);
}
