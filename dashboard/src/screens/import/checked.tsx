import type { ApiError } from '../../api/api-error.ts';
import type { FileImported } from '../../api/wire.ts';
import { counted, fileSize } from '../../format.ts';
import { mayEdit } from '../../state/session.ts';
import { Button } from '../../ui/button.tsx';
import { Check, SelectField } from '../../ui/field.tsx';
import { Empty, Problem } from '../../ui/states.tsx';
import { ColumnTable } from './column-table.tsx';
import type { FileImport } from './file-import.ts';
import { FileRows } from './file-rows.tsx';
import { Notices } from './notices.tsx';
import { rowsIn, type VerdictCounts, VerdictFilter } from './verdict-filter.tsx';

/** What the file would do, row by row, and what can still be decided about it. */
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
  // What the first look at a file will tell is not there yet; so nothing stands where it would have to make room.
  const isKnown = checked !== undefined || error !== undefined;
  return (
    <div class="import-check" aria-busy={step !== 'checked'} inert={step === 'importing'}>
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
      {checked?.verdicts && !error && <Rows work={work} checked={checked} counts={checked.verdicts} />}
      {isKnown && <ColumnTable work={work} />}
      {isKnown && <Options work={work} />}
    </div>
  );
}

function Rows({ work, checked, counts }: { work: FileImport; checked: FileImported; counts: VerdictCounts }) {
  if (rowsIn(counts) === 0) {
    return (
      <Empty
        icon="file"
        title="No rows in this file"
        actions={<Button onClick={work.forget}>Another file</Button>}
      >
        There is nothing below its header.
      </Empty>
    );
  }
  const count = counts.new + counts.replaces;
  return (
    <>
      <VerdictFilter work={work} counts={counts} />
      <div class="actions" aria-live="polite">
        {!mayEdit.value && <p class="muted">Your role may check files; importing them takes an editor.</p>}
        {mayEdit.value && count > 0 && (
          <Button kind="primary" disabled={work.step.value !== 'checked'} onClick={work.run}>
            Import {counted(count, 'redirect')}
          </Button>
        )}
        <Remedies work={work} checked={checked} counts={counts} />
        <p class="muted">{outlookOf(counts)}</p>
      </div>
      <FileRows work={work} importId={checked.import_id} counts={counts} />
      <Notices notices={checked.notices} />
    </>
  );
}

/** What is wrong with many rows at once, and takes one press. */
function Remedies({
  work,
  checked,
  counts,
}: {
  work: FileImport;
  checked: FileImported;
  counts: VerdictCounts;
}) {
  const lackSlash = checked.errors.some(({ message }) => message.endsWith('add_slash=true'));
  return (
    <>
      {lackSlash && (
        <Button onClick={() => work.setOptions({ add_slash: true })}>
          Put a / before sources without one
        </Button>
      )}
      {counts.skipped > 0 && (
        <Button onClick={() => work.setOptions({ on_conflict: 'update' })}>Change what is there, too</Button>
      )}
    </>
  );
}

function outlookOf({ new: fresh, replaces, skipped, repeated, invalid }: VerdictCounts): string {
  if (fresh + replaces > 0) {
    if (invalid > 0) return 'Bad rows are left out; the others go in together.';
    return repeated + skipped > 0 ? '' : 'Every row is good.';
  }
  if (skipped > 0) return 'Nothing would change: the paths are there already, and stay as they are.';
  if (invalid > 0) return 'Nothing can be imported as it is: each row says why.';
  return 'Nothing would change: all of it is there, just like this.';
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
