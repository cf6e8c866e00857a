import { useSignal } from '@preact/signals';
import { EXPECTED_STATUSES } from '../../../../src/vocabulary/status-code.ts';
import { deleteExpectation, putExpectation } from '../../api/expectations.ts';
import type { ApiError } from '../../api/api-error.ts';
import type { Expectation, Website } from '../../api/wire.ts';
import { toast } from '../../state/toasts.ts';
import { ENVIRONMENT_OPTIONS } from '../../ui/environment.tsx';
import { isRedirect } from '../../ui/failure-list.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Problem } from '../../ui/states.tsx';

type Target = 'any' | 'location' | 'final';

const TARGETS = [
  ['any', 'Any URL'],
  ['location', 'Redirects to exactly'],
  ['final', 'Last URL of the chain'],
] as const;

/** Adds an expectation, or changes `existing`. `start`: initial values of a new one. */
export function ExpectationDialog({
  website,
  existing,
  start,
  onSaved,
  onClose,
}: {
  website: Website;
  existing?: Expectation | undefined;
  start?: Partial<Expectation> | undefined;
  onSaved: () => void;
  onClose: () => void;
}) {
  const draft = useSignal(draftOf({ ...EMPTY, ...start, ...existing }));
  const value = draft.value;
  async function send(): Promise<void> {
    const next = expectationOf(value);
    await putExpectation(website.id, next);
    const hasMoved = existing && (existing.url !== next.url || existing.environment !== next.environment);
    if (hasMoved) await deleteExpectation(website.id, existing);
    onSaved();
    onClose();
    toast('Expectation saved', undefined, existing ? undefined : listLink(website));
  }
  return (
    <FormDialog
      title={existing ? 'Edit expectation' : 'New expectation'}
      verb={existing ? 'Save' : 'Add expectation'}
      isReady={value.url.trim() !== '' && (value.target === 'any' || value.address.trim() !== '')}
      onSend={send}
      onClose={onClose}
    >
      {(error) => (
        <>
          <Fields
            draft={value}
            onChange={(next) => (draft.value = { ...value, ...next })}
            website={website}
            error={error}
          />
          {error && error.issues.length === 0 && <Problem error={error} />}
        </>
      )}
    </FormDialog>
  );
}

const listLink = ({ id }: Website) => ({ label: 'View', href: `/websites/${id}/expectations` });

const EMPTY: Expectation = { url: '', environment: 'production', status_code: 301, location: null, final: null };

interface Draft extends Pick<Expectation, 'url' | 'environment' | 'status_code'> {
  target: Target;
  /** of the target */
  address: string;
}

function draftOf({ url, environment, status_code, location, final }: Expectation): Draft {
  const target = final !== null ? 'final' : location !== null ? 'location' : 'any';
  return { url, environment, status_code, target, address: final ?? location ?? '' };
}

function expectationOf({ url, environment, status_code, target, address }: Draft): Expectation {
  const of = isRedirect(status_code) ? target : 'any';
  return {
    url: url.trim(),
    environment,
    status_code,
    location: of === 'location' ? address.trim() : null,
    final: of === 'final' ? address.trim() : null,
  };
}

const STATUS_LABEL: Record<number, string> = {
  404: '404 Not found (no redirect)',
  410: '410 Gone',
  451: '451 Unavailable for legal reasons',
};

function Fields({
  draft,
  onChange,
  website,
  error,
}: {
  draft: Draft;
  onChange: (next: Partial<Draft>) => void;
  website: Website;
  error: ApiError | undefined;
}) {
  return (
    <>
      <TextField
        label="URL or path"
        isCode
        autofocus
        required
        placeholder="/checkout?step=1"
        hint={`A path, or a URL of a host of ${website.name}.`}
        value={draft.url}
        onText={(url) => onChange({ url })}
        error={error?.issueOf('url')}
      />
      <SelectField
        label="Environment"
        value={draft.environment}
        options={ENVIRONMENT_OPTIONS}
        onChoose={(environment) => onChange({ environment })}
      />
      <SelectField
        label="Status"
        value={String(draft.status_code)}
        options={EXPECTED_STATUSES.map((code) => [String(code), STATUS_LABEL[code] ?? String(code)] as const)}
        onChoose={(code) => onChange({ status_code: Number(code) })}
      />
      {isRedirect(draft.status_code) && (
        <SelectField
          label="Target"
          value={draft.target}
          options={TARGETS}
          onChoose={(target) => onChange({ target })}
        />
      )}
      {isRedirect(draft.status_code) && draft.target !== 'any' && (
        <TextField
          label={draft.target === 'final' ? 'Last URL' : 'Target URL'}
          isCode
          required
          placeholder="/new-page"
          value={draft.address}
          onText={(address) => onChange({ address })}
          error={error?.issueOf('location') ?? error?.issueOf('final')}
        />
      )}
    </>
  );
}
