import { EXPECTED_STATUSES } from '../../../../src/vocabulary/status-code.ts';
import { deleteExpectation, putExpectations } from '../../api/checks.ts';
import type { Expectation, Website } from '../../api/client/wire.ts';
import { toast } from '../../state/toasts.ts';
import { ENVIRONMENT_OPTIONS } from '../../ui/text/environment.tsx';
import { isRedirect } from '../../ui/list/failure-list.tsx';
import type { FieldTable } from '../../ui/form/form-fields.tsx';
import { ResourceDialog } from '../../ui/list/resource-dialog.tsx';

const EMPTY: Expectation = { url: '', environment: 'production', status_code: 301, location: null, final: null };

interface Draft extends Pick<Expectation, 'url' | 'environment' | 'status_code'> {
  target: 'any' | 'location' | 'final';
  /** of the target */
  address: string;
}

const STATUS_LABEL: Record<number, string> = {
  404: '404 Not found (no redirect)',
  410: '410 Gone',
  451: '451 Unavailable for legal reasons',
};

const fieldsFor = ({ name }: Website): FieldTable<Draft> => [
  {
    name: 'url',
    label: 'URL or path',
    isCode: true,
    autofocus: true,
    required: true,
    placeholder: '/checkout?step=1',
    hint: `A path, or a URL of a host of ${name}.`,
  },
  { name: 'environment', label: 'Environment', options: ENVIRONMENT_OPTIONS },
  {
    name: 'status_code',
    label: 'Status',
    options: EXPECTED_STATUSES.map((code) => [code, STATUS_LABEL[code] ?? String(code)] as const),
  },
  {
    name: 'target',
    label: 'Target',
    options: [
      ['any', 'Any URL'],
      ['location', 'Redirects to exactly'],
      ['final', 'Last URL of the chain'],
    ],
    isShown: ({ status_code: code }) => isRedirect(code),
  },
  {
    name: 'address',
    label: ({ target }) => (target === 'final' ? 'Last URL' : 'Target URL'),
    isCode: true,
    required: true,
    placeholder: '/new-page',
    issues: ['location', 'final'],
    isShown: ({ status_code: code, target }) => isRedirect(code) && target !== 'any',
  },
];

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
  async function send(draft: Draft): Promise<void> {
    const next = expectationOf(draft);
    await putExpectations(website.id, [next]);
    const hasMoved = existing && (existing.url !== next.url || existing.environment !== next.environment);
    if (hasMoved) await deleteExpectation(website.id, existing);
    onSaved();
    const list = { label: 'View', href: `/websites/${website.id}/expectations` };
    toast('Expectation saved', undefined, existing ? undefined : list);
  }
  return (
    <ResourceDialog
      title={existing ? 'Edit expectation' : 'New expectation'}
      verb={existing ? 'Save' : 'Add expectation'}
      start={draftOf({ ...EMPTY, ...start, ...existing })}
      fields={fieldsFor(website)}
      onSend={send}
      onClose={onClose}
    />
  );
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
