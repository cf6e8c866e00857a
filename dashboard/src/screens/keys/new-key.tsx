import { type Signal, useSignal } from '@preact/signals';
import { type Scope, SCOPES } from '../../../../src/vocabulary/actor.ts';
import type { ApiError } from '../../api/api-error.ts';
import { createKey } from '../../api/keys.ts';
import type { CreatedApiKey } from '../../api/wire.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { FormError } from '../../ui/form-error.tsx';
import { OneTimeSecret } from '../../ui/one-time-secret.tsx';
import { expiryOf, type Lifetime, LIFETIMES, SCOPE_LABEL } from './key-state.ts';
import { WebsiteChoice } from './website-choice.tsx';

interface Draft {
  name: string;
  scope: Scope;
  lifetime: Lifetime;
  day: string;
  /** null: all */
  websiteIds: number[] | null;
}

const START: Draft = { name: '', scope: 'write', lifetime: 'never', day: '', websiteIds: null };
const FIELDS = ['name', 'scope', 'expires_at', 'website_ids'];

/** Creates a key, then shows it once. */
export function NewKey({ onCreated, onClose }: { onCreated: () => void; onClose: () => void }) {
  const draft = useSignal(START);
  const created = useSignal<CreatedApiKey | undefined>(undefined);
  const { name, scope, lifetime, day, websiteIds } = draft.value;
  if (created.value) return <CreatedKey apiKey={created.value} onDone={onClose} />;
  return (
    <FormDialog
      title="New API key"
      verb="Create key"
      isReady={name.trim() !== '' && (lifetime !== 'day' || day !== '') && websiteIds?.length !== 0}
      onSend={async () => {
        const body = { name: name.trim(), scope, expires_at: expiryOf(lifetime, day), website_ids: websiteIds };
        created.value = (await createKey(body)).api_key;
        onCreated();
      }}
      onClose={onClose}
    >
      {(error) => <Fields draft={draft} error={error} />}
    </FormDialog>
  );
}

function Fields({ draft, error }: { draft: Signal<Draft>; error: ApiError | undefined }) {
  const { name, scope, lifetime, day, websiteIds } = draft.value;
  const change = (changes: Partial<Draft>): void => void (draft.value = { ...draft.value, ...changes });
  const expiryError = error?.issueOf('expires_at');
  return (
    <>
      <TextField
        label="Name"
        autofocus
        value={name}
        onText={(text) => change({ name: text })}
        placeholder="Nightly import"
        hint="The program that uses the key."
        error={error?.issueOf('name')}
      />
      <SelectField
        label="Access"
        value={scope}
        options={SCOPES.toReversed().map((each) => [each, SCOPE_LABEL[each]] as const)}
        onChoose={(chosen) => change({ scope: chosen })}
        hint="Grant only what is needed. Lists, reports and exports need read access only."
        error={error?.issueOf('scope')}
      />
      <WebsiteChoice
        chosen={websiteIds}
        onChange={(chosen) => change({ websiteIds: chosen })}
        error={error?.issueOf('website_ids')}
      />
      <SelectField
        label="Expires"
        value={lifetime}
        options={LIFETIMES}
        onChoose={(chosen) => change({ lifetime: chosen })}
        error={lifetime === 'day' ? undefined : expiryError}
      />
      {lifetime === 'day' && (
        <TextField
          label="Day"
          type="date"
          value={day}
          onText={(text) => change({ day: text })}
          hint="Valid until the end of that day."
          error={expiryError}
        />
      )}
      <FormError error={error} fields={FIELDS} />
    </>
  );
}

/** The key, shown once, and an example request. */
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
