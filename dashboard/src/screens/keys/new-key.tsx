import { type Scope, SCOPES } from '../../../../src/vocabulary/actor.ts';
import { createKey } from '../../api/keys.ts';
import type { CreatedApiKey } from '../../api/client/wire.ts';
import type { ComponentChildren } from 'preact';
import type { FieldTable } from '../../ui/form/form-fields.tsx';
import { WebsiteChoice } from '../../ui/form/website-choice.tsx';
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

const START: Draft = { name: '', scope: 'read', lifetime: '90', day: '', website_ids: null };

const REACH_HINT = 'A key for some websites sees no others, and manages no webhooks.';

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
    options: SCOPES.map((each) => [each, SCOPE_LABEL[each]] as const),
    hint: 'Grant only what is needed. Lists, reports and exports need read access only.',
  },
  { name: 'website_ids', control: (props) => <WebsiteChoice {...props} hint={REACH_HINT} /> },
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

export function CreatedKey({
  title = 'API key created',
  apiKey,
  note,
  onDone,
}: {
  title?: string;
  apiKey: CreatedApiKey;
  /** on the key that it replaces */
  note?: ComponentChildren;
  onDone: () => void;
}) {
  return (
    <OneTimeSecret title={title} label="API key" text={apiKey.key} onDone={onDone}>
      <p>
        It is shown only once; the service stores only a hash. Save it where{' '}
        <strong class="break">{apiKey.name}</strong> can read it, never in a repository.
      </p>
      {note && <p>{note}</p>}
      <div>
        <h3>Example request</h3>
        <pre class="code-block" tabIndex={0} aria-label="Example request with the key">
          {`curl ${location.origin}/api/v1/websites \\\n  -H "Authorization: Bearer ${apiKey.key}"`}
        </pre>
      </div>
    </OneTimeSecret>
  );
}
