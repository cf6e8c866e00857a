import type { ApiError } from '../../api/api-error.ts';
import type { ImportResult } from '../../api/imports.ts';
import { counted, fileSize } from '../../format.ts';
import { mayEdit } from '../../state/session.ts';
import { Button } from '../../ui/button.tsx';
import { Check, SelectField } from '../../ui/field.tsx';
import { Problem } from '../../ui/states.tsx';
import { BadRows } from './bad-rows.tsx';
import { ColumnTable } from './column-table.tsx';
import type { FileImport } from './file-import.ts';
import { Notices } from './notices.tsx';
import { Verdict } from './verdict.tsx';

/** What the file would do, and what can still be decided about it. */
export function Checked({
  work,
  file,
  checked,
  error,
}: {
  work: FileImport;
  file: File;
  checked: ImportResult | undefined;
  error: ApiError | undefined;
}) {
  const isBusy = work.step.value !== 'checked';
  const count = checked ? checked.imported + checked.updated : 0;
  return (
    <div class="import-check" aria-busy={isBusy}>
      <div class="file-line">
        <strong class="break">{file.name}</strong>
        <span class="muted">{fileSize(file.size)}</span>
        <Button kind="quiet" size="small" onClick={work.forget}>
          Another file
        </Button>
      </div>
      {error && <Problem error={error} onRetry={work.check} />}
      {error && lacksSource(error) && (
        <p>Choose “From” for the column that holds the old addresses, and “To” for the new ones.</p>
      )}
      {checked && !error && <Verdict result={checked} isDone={false} />}
      {checked && !error && (
        <div class="actions">
          {mayEdit.value ? (
            <Button kind="primary" disabled={isBusy || count === 0} onClick={work.run}>
              Import {counted(count, 'redirect')}
            </Button>
          ) : (
            <p class="muted">Your role may check files; importing them takes an editor.</p>
          )}
          {checked.error_count > 0 && <p class="muted">Bad rows are left out; the others go in together.</p>}
        </div>
      )}
      <ColumnTable work={work} />
      {checked && !error && <BadRows result={checked} />}
      <Options work={work} />
      {checked && <Notices notices={checked.notices} />}
    </div>
  );
}

/** No column is known as the source, or none is known at all. */
function lacksSource({ code, details }: ApiError): boolean {
  return code === 'UNKNOWN_COLUMN' || details.startsWith('file: no column');
}

function Options({ work }: { work: FileImport }) {
  const { on_conflict, add_slash } = work.options.value;
  return (
    <section class="card">
      <header>
        <h2>How rows are taken</h2>
      </header>
      <div class="body fields import-options">
        <SelectField
          label="Paths that are there already"
          value={on_conflict}
          options={[
            ['skip', 'Stay as they are'],
            ['update', 'Take what the file says'],
          ]}
          onChoose={(value) => work.setOptions({ on_conflict: value })}
        />
        <Check
          label="Put a / before sources without one"
          checked={add_slash}
          onCheck={(value) => work.setOptions({ add_slash: value })}
        />
      </div>
    </section>
  );
}
