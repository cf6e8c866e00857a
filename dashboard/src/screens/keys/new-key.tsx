import { useSignal } from '@preact/signals';
import { type Scope, SCOPES } from '../../../../src/vocabulary/actor.ts';
import { createKey } from '../../api/account.ts';
import type { CreatedApiKey } from '../../api/client/wire.ts';
import { websites } from '../../state/websites.ts';
import { Check, SelectField, TextField } from '../../ui/form/field.tsx';
import type { ControlProps, FieldTable } from '../../ui/form/form-fields.tsx';
import { OneTimeSecret } from '../../ui/one-time-secret.tsx';
import { ResourceDialog } from '../../ui/list/resource-dialog.tsx';
import { expiryOf, type Lifetime, LIFETIMES, SCOPE_LABEL } from './key-state.ts';

interface Draft {
  name: string;
  scope: Scope;
  lifetime: Lifetime;
  day: string;
  /** null: all */
  website_ids: number[] | null;
}

const START: Draft = { name: '', scope: 'write', lifetime: 'never', day: '', website_ids: null };

const FIELDS: FieldTable<Draft> = [
  {
    name: 'name',
    label: 'Name',
    required: true,
    autofocus: true,
    placeholder: 'Nightly import',
    hint: 'The program that uses the key.',
  },
  {
    name: 'scope',
    label: 'Access',
    options: SCOPES.toReversed().map((each) => [each, SCOPE_LABEL[each]] as const),
    hint: 'Grant only what is needed. Lists, reports and exports need read access only.',
  },
  { name: 'website_ids', control: (props) => <WebsiteChoice {...props} /> },
  { name: 'lifetime', label: 'Expires', options: LIFETIMES, issues: ['expires_at'] },
  {
    name: 'day',
    label: 'Day',
    type: 'date',
    required: true,
    hint: 'Valid until the end of that day.',
    issues: ['expires_at'],
    isShown: ({ lifetime }) => lifetime === 'day',
  },
];

export function NewKey({ onCreated, onClose }: { onCreated: () => void; onClose: () => void }) {
  return (
    <ResourceDialog
      title="New API key"
      verb="Create key"
      start={START}
      fields={FIELDS}
      isReady={({ website_ids: ids }) => ids?.length !== 0}
      onSend={async ({ name, scope, lifetime, day, website_ids }) => {
        const body = { name: name.trim(), scope, expires_at: expiryOf(lifetime, day), website_ids };
        const created = (await createKey(body)).api_key;
        onCreated();
        return <CreatedKey apiKey={created} onDone={onClose} />;
      }}
      onClose={onClose}
    />
  );
}

function CreatedKey({ apiKey, onDone }: { apiKey: CreatedApiKey; onDone: () => void }) {
  return (
    <OneTimeSecret title="API key created" label="API key" text={apiKey.key} onDone={onDone}>
      <p>
        It is shown only once; the service stores only a hash. Save it where{' '}
        <strong class="break">{apiKey.name}</strong> can read it, never in a repository.
      </p>
      <div>
        <h3>Example request</h3>
        <pre class="code-block" tabIndex={0} aria-label="Example request with the key">
          {`curl ${location.origin}/api/v1/websites \\\n  -H "Authorization: Bearer ${apiKey.key}"`}
        </pre>
      </div>
    </OneTimeSecret>
  );
}

/** With fewer websites, the list needs no search. */
const SEARCH_FROM = 10;

const REACHES = [
  ['all', 'All websites, later ones included'],
  ['some', 'Only some websites'],
] as const;

/** The websites of a new key; null: all. */
function WebsiteChoice({ value: chosen, onChange, error }: ControlProps<number[] | null>) {
  return (
    <>
      <SelectField
        label="Websites"
        value={chosen === null ? 'all' : 'some'}
        options={REACHES}
        onChoose={(reach) => onChange(reach === 'all' ? null : [])}
        hint="A key for some websites sees no others, and manages no webhooks."
        error={error}
      />
      {chosen !== null && <WebsiteList chosen={chosen} onChange={onChange} />}
    </>
  );
}

function WebsiteList({ chosen, onChange }: { chosen: number[]; onChange: (chosen: number[]) => void }) {
  const search = useSignal('');
  const all = websites.value ?? [];
  const text = search.value.trim().toLowerCase();
  const shown = all.filter(({ name }) => name.toLowerCase().includes(text));
  return (
    <fieldset class="field website-choice">
      <legend>Websites of the key</legend>
      {all.length >= SEARCH_FROM && (
        <TextField
          label="Search websites"
          type="search"
          value={search.value}
          onText={(typed) => (search.value = typed)}
        />
      )}
      <div class="stack">
        {shown.map(({ id, name }) => (
          <Check
            key={id}
            label={<span class="break">{name}</span>}
            checked={chosen.includes(id)}
            onCheck={(isOn) => onChange(isOn ? [...chosen, id] : chosen.filter((each) => each !== id))}
          />
        ))}
        {shown.length === 0 && <p class="muted small">No website matches.</p>}
      </div>
    </fieldset>
  );
}
