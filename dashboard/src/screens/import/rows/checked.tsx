import { ApiError } from '../../../api/client/api-error.ts';
import type { FileImported } from '../../../api/client/wire.ts';
import { counted, fileSize } from '../../../format.ts';
import { mayEdit } from '../../../state/session.ts';
import { Button } from '../../../ui/button.tsx';
import { Check, SelectField } from '../../../ui/form/field.tsx';
import { GroupField } from '../../../ui/form/group-field.tsx';
import { Empty, Notice, Problem } from '../../../ui/page/states.tsx';
import { ColumnTable } from '../file/column-table.tsx';
import type { FileImport } from '../file-import.ts';
import { FileRows } from './file-rows.tsx';
import { type FileProblem, fileProblem } from '../import-words.ts';
import { Remedies } from './remedies.tsx';
import { VerdictFilter } from './verdict-filter.tsx';
import { rowsIn, type VerdictCounts } from '../page-cache.ts';
import { isOfWebsite, mergedNotices, noticeText } from '../notice-words.ts';

/** The checked file: verdict of each row, columns and options. `onAnother`: choose another file. */
export function Checked({ work, file, onAnother }: { work: FileImport; file: File; onAnother: () => void }) {
  const [step, checked, error] = [work.step.value, work.checked.value, work.error.value];
  const problem = work.problem.value ?? (error && fileProblem(error));
  const ofColumns = problem?.isOfColumns === true ? problem : undefined;
  // Nothing below is shown before the first check, so that nothing moves when it completes.
  const isConfigurable =
    (checked !== undefined || error !== undefined) && (problem === undefined || ofColumns !== undefined);
  const hasColumns = error !== undefined || checked?.columns.length !== 0;
  const columns = isConfigurable && hasColumns && <ColumnTable work={work} problem={ofColumns} />;
  const counts = !error || ofColumns ? checked?.verdicts : undefined;
  return (
    <div
      class="stack import-check"
      aria-busy={step === 'checking' || step === 'importing'}
      inert={step === 'importing'}
    >
      <div class="actions">
        <strong class="break">{file.name}</strong>
        <span class="muted">{fileSize(file.size)}</span>
        <Button kind="quiet" size="small" onClick={onAnother}>
          Choose another file
        </Button>
      </div>
      <FileError work={work} problem={problem} />
      {columns}
      <div class="import-counts">
        {checked && counts && rowsIn(counts) > 0 && (
          <div class="stack gap-3">
            <VerdictFilter work={work} counts={counts} />
            <Remedies work={work} checked={checked} skipped={counts.skipped} />
          </div>
        )}
        {isConfigurable && <Options work={work} hasColumns={hasColumns} />}
      </div>
      {checked && counts && <Rows work={work} checked={checked} counts={counts} />}
    </div>
  );
}

/** An error of the file or the request. Those of columns are beside the columns. */
function FileError({ work, problem }: { work: FileImport; problem: FileProblem | undefined }) {
  const error = work.error.value;
  if (problem?.isOfColumns === true) return null;
  if (!problem) return error ? <Problem error={error} onRetry={work.check} /> : null;
  const shown = new ApiError(422, 'VALIDATION_ERROR', problem.title, { details: problem.remedy });
  return <Problem error={shown} onRetry={error?.code === 'CONFLICT' ? work.check : undefined} />;
}

function Rows({ work, checked, counts }: { work: FileImport; checked: FileImported; counts: VerdictCounts }) {
  if (rowsIn(counts) === 0) {
    return (
      <Empty
        icon="file"
        title="No rows in this file"
        actions={<Button onClick={work.reset}>Choose another file</Button>}
      >
        {checked.columns.length > 0 ? 'It contains only a header.' : 'It contains no redirects.'}
      </Empty>
    );
  }
  const count = counts.new + counts.replaces;
  return (
    <>
      <div class="actions" aria-live="polite">
        {!mayEdit.value && <p class="muted">You can check files. Importing requires the editor role.</p>}
        {mayEdit.value && count > 0 && (
          <Button
            kind="primary"
            disabled={work.step.value !== 'checked' || work.error.value !== undefined}
            onClick={work.run}
          >
            Import {counted(count, 'redirect')}
          </Button>
        )}
        <p class="muted">{summaryOf(counts, isOfServer(checked))}</p>
      </div>
      <FileRows work={work} importId={checked.import_id} counts={counts} />
      <Notices notices={checked.notices} websiteId={work.websiteId} />
    </>
  );
}

/** A configuration of a server: its rows are statements. */
const isOfServer = ({ columns, format }: FileImported): boolean => columns.length === 0 && !/json$/.test(format);

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

const ENVIRONMENTS: [string, string][] = [
  ['production', 'Production'],
  ['staging', 'Staging'],
  ['development', 'Development'],
  ['production,staging,development', 'All environments'],
  ['', 'None: import as drafts'],
];

function Options({ work, hasColumns }: { work: FileImport; hasColumns: boolean }) {
  const isServerFile = work.checked.value !== undefined && isOfServer(work.checked.value);
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
        {hasColumns && (
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

/** Values that were ignored or converted. Settings open in another tab, so that the checked file stays. */
function Notices({ notices, websiteId }: { notices: FileImported['notices']; websiteId: number }) {
  if (notices.length === 0) return null;
  return (
    <Notice>
      <ul>
        {mergedNotices(notices).map((notice) => (
          <li key={notice.code + notice.column + (notice.value ?? '')}>
            {noticeText(notice)}
            {!isOfWebsite(notice) && (
              <span class="muted"> ({counted(notice.count, notice.code === 'HOST_REMOVED' ? 'value' : 'row')})</span>
            )}
          </li>
        ))}
      </ul>
      {notices.some(isOfWebsite) && (
        <a href={`/websites/${websiteId}/settings`} target="_blank" rel="noreferrer">
          View the settings of this website
        </a>
      )}
    </Notice>
  );
}
