import './tester.css';
import { timeZone } from '../../format.ts';
import type { TestOptions } from '../../api/redirects.ts';
import type { Website } from '../../api/client/wire.ts';
import { query, setQuery, urlWith } from '../../router.ts';
import { DateTimeField } from '../../ui/form/date-time-field.tsx';
import { SelectField } from '../../ui/form/field.tsx';
import { Page } from '../../ui/page/page.tsx';
import { Tabs } from '../../ui/page/tabs.tsx';
import { environmentIn } from '../../urls.ts';
import { TestList } from './test-list.tsx';
import { TestOne } from './test-one.tsx';

const RULES = [
  ['live', 'Live'],
  ['draft', 'With undeployed changes'],
] as const satisfies readonly (readonly [TestOptions['against'], string])[];

/** Shows how the redirects respond to a URL while it is typed, or to a list of URLs. */
export function TesterScreen({ website }: { website: Website }) {
  const options = optionsIn(query.value, website.id);
  const isList = query.value.get('urls') === 'list';
  const Test = isList ? TestList : TestOne;
  return (
    <Page title="Tester" lead="See which redirect matches a URL, and where visitors end.">
      <Tabs
        label="Number of URLs"
        tabs={[
          { href: urlWith({ urls: undefined }), isCurrent: !isList, label: 'One URL' },
          { href: urlWith({ urls: 'list' }), isCurrent: isList, label: 'List of URLs' },
        ]}
      />
      <Test website={website} options={options}>
        <OptionFields options={options} />
      </Test>
    </Page>
  );
}

/** The options in the URL. An invalid time is ignored: the field then shows none. */
function optionsIn(parameters: URLSearchParams, websiteId: number): TestOptions {
  const at = parameters.get('at') ?? '';
  return {
    website_id: websiteId,
    environment: environmentIn(parameters),
    against: parameters.get('rules') === 'draft' ? 'draft' : 'live',
    at: at === '' || Number.isNaN(Date.parse(at)) ? undefined : at,
  };
}

function OptionFields({ options: { against, at = '' } }: { options: TestOptions }) {
  return (
    <>
      <SelectField
        label="Redirects"
        value={against}
        options={RULES}
        onChoose={(name) => setQuery({ rules: name === 'live' ? undefined : name })}
      />
      <DateTimeField
        label="At"
        value={at}
        onChange={(time) => setQuery({ at: time }, { replace: true })}
        hint={at === '' ? 'Now' : timeZone()}
      />
    </>
  );
}
