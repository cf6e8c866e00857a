import './expectations.css';
import { useSignal } from '@preact/signals';
import { deleteExpectation, expectationsUrl, listExpectations, putExpectation } from '../../api/expectations.ts';
import type { Expectation, Website } from '../../api/wire.ts';
import { type Params, query, closeQuery, setQuery } from '../../router.ts';
import { useKeys } from '../../state/keys.ts';
import { mayEdit } from '../../state/session.ts';
import { toast, toastError } from '../../state/toasts.ts';
import { type Pages, usePages } from '../../state/use-pages.ts';
import { useWebsite } from '../../state/websites.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { ENVIRONMENT_LABEL } from '../../ui/environment.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Problem, Skeleton } from '../../ui/states.tsx';
import { useRows } from '../../ui/use-rows.ts';
import { ExpectationDialog } from './expectation-dialog.tsx';
import { ExpectationRow } from './expectation-row.tsx';
import { ImportButton } from './import-button.tsx';
import { RunCard } from './run-card.tsx';

const PAGE_SIZE = 100;
const TEST = { keys: 't', label: 'Test the URL' };
const EDIT = { keys: 'Enter', label: 'Edit the expectation' };
const DELETE = { keys: 'Delete', label: 'Delete the expectation' };

/** The expected responses of a website, and a run of them. */
export function ExpectationsScreen({ params }: { params: Params }) {
  const website = useWebsite(params);
  return website ? <Expectations key={website.id} website={website} /> : null;
}

function Expectations({ website }: { website: Website }) {
  const pages = usePages<Expectation>(`expectations:${website.id}`, async (cursor, signal) => {
    const page = await listExpectations(website.id, { cursor, limit: PAGE_SIZE }, signal);
    return { rows: page.expectations, next: page.next_cursor };
  });
  const edited = useSignal<Expectation | undefined>(undefined);
  const rows = pages.rows.value;
  const isEmpty = rows?.length === 0;
  const isNew = query.value.has('new') && mayEdit.value;
  const add = (): void => setQuery({ new: 'expectation' });
  function close(): void {
    edited.value = undefined;
    closeQuery('new');
  }
  useKeys(mayEdit.value ? [{ keys: 'n', label: 'New expectation', run: add }] : []);
  return (
    <Page
      title="Expectations"
      lead={<Lead website={website} />}
      actions={
        <>
          {rows && !isEmpty && (
            <LinkButton icon="file" href={expectationsUrl(website.id)} download>
              Export
            </LinkButton>
          )}
          {mayEdit.value && <ImportButton website={website} present={presentText(pages)} onDone={pages.reload} />}
          {mayEdit.value && (
            <Button kind="primary" icon="plus" keys="N" onClick={add}>
              New expectation
            </Button>
          )}
        </>
      }
    >
      {pages.error.value && <Problem error={pages.error.value} onRetry={pages.reload} />}
      {!rows && !pages.error.value && <Skeleton lines={8} height={22} />}
      {isEmpty && <NoExpectations website={website} />}
      {rows && !isEmpty && (
        <>
          <RunCard website={website} />
          <List website={website} pages={pages} rows={rows} onEdit={(each) => (edited.value = each)} />
        </>
      )}
      {(isNew || edited.value) && (
        <ExpectationDialog website={website} existing={edited.value} onSaved={pages.reload} onClose={close} />
      )}
    </Page>
  );
}

/** The number of expectations in words; undefined without any. */
function presentText({ rows, hasMore }: Pages<Expectation>): string | undefined {
  const count = rows.value?.length ?? 0;
  if (count === 0) return undefined;
  return hasMore.value ? `There are more than ${count} now` : `There ${count === 1 ? 'is' : 'are'} ${count} now`;
}

function Lead({ website }: { website: Website }) {
  const gated = website.gated_environments;
  return (
    <>
      What visitors of {website.name} must get.{' '}
      {gated.length === 0
        ? 'Deployments do not check them yet: choose environments in '
        : `Deployments to ${gated.map((each) => ENVIRONMENT_LABEL[each].toLowerCase()).join(' and ')} fail unless they hold. `}
      <a href={`/websites/${website.id}/settings`}>{gated.length === 0 ? 'Settings' : 'Change'}</a>.{' '}
      {!mayEdit.value && <span class="badge warn">Read only</span>}
    </>
  );
}

function List({
  website,
  pages,
  rows,
  onEdit,
}: {
  website: Website;
  pages: Pages<Expectation>;
  rows: Expectation[];
  onEdit: (expectation: Expectation) => void;
}) {
  const list = useRows(mayEdit.value ? [EDIT, DELETE, TEST] : [TEST]);
  return (
    <div class="card" {...list}>
      <ol class="row-list expectation-list" aria-label="Expectations">
        {rows.map((each) => (
          <ExpectationRow
            key={`${each.environment} ${each.url}`}
            website={website}
            expectation={each}
            onEdit={() => onEdit(each)}
            onDelete={() => void remove(website, pages, each)}
          />
        ))}
      </ol>
      <LoadMore pages={pages} />
    </div>
  );
}

/** Removes the row immediately; it returns on failure and on Undo. */
async function remove(website: Website, pages: Pages<Expectation>, expectation: Expectation): Promise<void> {
  pages.rows.value = pages.rows.value?.filter((row) => row !== expectation);
  async function undo(): Promise<void> {
    try {
      await putExpectation(website.id, expectation);
    } catch (thrown) {
      toastError(thrown, 'Could not undo');
    }
    pages.reload();
  }
  try {
    await deleteExpectation(website.id, expectation);
    toast('Expectation deleted', { label: 'Undo', run: () => void undo() });
  } catch (thrown) {
    pages.reload();
    toastError(thrown, 'Could not delete');
  }
}

function NoExpectations({ website }: { website: Website }) {
  return (
    <Empty
      icon="expectations"
      title="No expectations yet"
      actions={
        <>
          {mayEdit.value && (
            <Button kind="primary" icon="plus" onClick={() => setQuery({ new: 'expectation' })}>
              New expectation
            </Button>
          )}
          <LinkButton href={`/websites/${website.id}/tester`}>Go to tester</LinkButton>
        </>
      }
    >
      An expectation names the response to a URL, for example that /checkout redirects to the shop. Run them before you
      deploy, or let every deployment check them.
    </Empty>
  );
}
