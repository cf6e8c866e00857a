import { ApiError } from '../../api/api-error.ts';
import type { FileImported } from '../../api/wire.ts';
import { counted, fileSize } from '../../format.ts';
import { mayEdit } from '../../state/session.ts';
import { Button } from '../../ui/button.tsx';
import { Check, SelectField } from '../../ui/field.tsx';
import { GroupField } from '../../ui/group-field.tsx';
import { Empty, Problem } from '../../ui/states.tsx';
import { ColumnTable } from './column-table.tsx';
import type { FileImport } from './file-import.ts';
import { FileRows } from './file-rows.tsx';
import { fileProblem } from './import-words.ts';
import { Notices } from './notices.tsx';
import { Remedies } from './remedies.tsx';
import { rowsIn, type VerdictCounts, VerdictFilter } from './verdict-filter.tsx';

/** The checked file: verdict of each row, columns and options. */
export function Checked({
  work,
  file,
  checked,
  error,
}: {
  work: FileImport;
  file: File;
  checked: FileImported | undefined;
  error: ApiError | undefined;
}) {
  const step = work.step.value;
  // Nothing below is shown before the first check, so that nothing moves when it completes.
  const isKnown = checked !== undefined || error !== undefined;
  const isServerFile = !error && checked?.columns.length === 0;
  return (
    <div class="import-check" aria-busy={step !== 'checked'} inert={step === 'importing'}>
      <div class="file-line">
        <strong class="break">{file.name}</strong>
        <span class="muted">{fileSize(file.size)}</span>
        <Button kind="quiet" size="small" onClick={work.reset}>
          Choose another file
        </Button>
      </div>
      {error && <Problem error={inWords(error)} onRetry={work.check} />}
      {checked?.verdicts && !error && <Rows work={work} checked={checked} counts={checked.verdicts} />}
      {isKnown && !isServerFile && <ColumnTable work={work} />}
      {isKnown && <Options work={work} isServerFile={isServerFile} />}
    </div>
  );
}

function Rows({ work, checked, counts }: { work: FileImport; checked: FileImported; counts: VerdictCounts }) {
  const isServerFile = checked.columns.length === 0;
  if (rowsIn(counts) === 0) {
    return (
      <Empty
        icon="file"
        title="No rows in this file"
        actions={<Button onClick={work.reset}>Choose another file</Button>}
      >
        {isServerFile ? 'It contains no redirects.' : 'It contains only a header.'}
      </Empty>
    );
  }
  const count = counts.new + counts.replaces;
  return (
    <>
      <VerdictFilter work={work} counts={counts} />
      <div class="actions" aria-live="polite">
        {!mayEdit.value && <p class="muted">You can check files. Importing requires the editor role.</p>}
        {mayEdit.value && count > 0 && (
          <Button kind="primary" disabled={work.step.value !== 'checked'} onClick={work.run}>
            Import {counted(count, 'redirect')}
          </Button>
        )}
        <Remedies work={work} checked={checked} skipped={counts.skipped} />
        <p class="muted">{summaryOf(counts, isServerFile)}</p>
      </div>
      <FileRows work={work} importId={checked.import_id} counts={counts} />
      <Notices notices={checked.notices} websiteId={work.websiteId} />
    </>
  );
}

function summaryOf({ new: fresh, replaces, skipped, repeated, invalid }: VerdictCounts, isServerFile: boolean): string {
  if (fresh + replaces > 0) {
    const remedy = isServerFile ? ' Keep them on the server, or create redirects for them.' : '';
    if (invalid > 0) return `Invalid rows are skipped, and all others imported together.${remedy}`;
    return repeated + skipped > 0 ? '' : 'All rows are valid.';
  }
  if (skipped > 0) return 'Nothing would change: existing redirects are skipped.';
  if (invalid > 0) return 'No row can be imported. Each row shows the reason.';
  return 'Nothing would change: the redirects exist with the same values.';
}

/** The error with the words of the screen. */
function inWords(error: ApiError): ApiError {
  const problem = fileProblem(error);
  return problem ? new ApiError(error.status, error.code, problem.title, { details: problem.remedy }) : error;
}

const ENVIRONMENTS: [string, string][] = [
  ['production', 'Production'],
  ['staging', 'Staging'],
  ['development', 'Development'],
  ['production,staging,development', 'All environments'],
  ['', 'None: import as drafts'],
];

function Options({ work, isServerFile }: { work: FileImport; isServerFile: boolean }) {
  const { on_conflict, add_slash, group_id = '', target_environments = 'production' } = work.options.value;
  return (
    <section class="card">
      <header>
        <h2>Options</h2>
      </header>
      <div class="body fields import-options">
        <SelectField
          label="Existing paths"
          value={on_conflict}
          options={[
            ['skip', 'Keep unchanged'],
            ['update', 'Update from the file'],
          ]}
          onChoose={(value) => work.setOptions({ on_conflict: value })}
        />
        <SelectField
          label="Environments"
          hint={isServerFile ? undefined : 'For rows that name none'}
          value={target_environments}
          options={ENVIRONMENTS}
          onChoose={(value) => work.setOptions({ target_environments: value === 'production' ? undefined : value })}
        />
        <GroupField
          {...(!isServerFile && { hint: 'For rows without a group' })}
          label="Group"
          value={group_id}
          onText={work.setGroup}
        />
        {!isServerFile && (
          <Check
            label="Add a leading / to sources without one"
            checked={add_slash}
            onCheck={(value) => work.setOptions({ add_slash: value })}
          />
        )}
      </div>
    </section>
  );
}
