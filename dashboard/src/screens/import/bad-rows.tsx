import { badRowsUrl, listRows } from '../../api/imports.ts';
import type { FileImported } from '../../api/client/wire.ts';
import { number } from '../../format.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { LinkButton } from '../../ui/button.tsx';
import { FIELD_LABELS, rowErrorText, sourceText, statementOf } from './rows/row-words.ts';

/** Rows in the table; the download has all. */
const MAX_ROWS = 200;

/** The invalid rows of an import. `checkedId`: the check before it, which stores the text of the rows for an hour. */
export function BadRows({ result, checkedId }: { result: FileImported; checkedId: string | undefined }) {
  const { errors, error_count: count, import_id: id } = result;
  const { data } = useResource(`bad-rows:${id}`, async (signal) => {
    if (count === 0 || checkedId === undefined) return [];
    return (await listRows(checkedId, { verdict: 'invalid', offset: 0, limit: MAX_ROWS }, signal)).rows;
  });
  if (count === 0) return null;
  const shown = errors.slice(0, MAX_ROWS);
  /** The text of the row that was checked at this place, if it is the same one. */
  const sourceOf = ({ line, message }: FileImported['errors'][number], at: number): string => {
    const row = data.value?.[at];
    return row?.line === line ? sourceText(row) : (statementOf(message) ?? '');
  };
  return (
    <section class="card">
      <header>
        <h2>Invalid rows</h2>
        <LinkButton size="small" icon="import" href={badRowsUrl(id)} download>
          Download {number(count)} as CSV
        </LinkButton>
      </header>
      <div class="scroll-x" tabIndex={0} role="region" aria-label="Invalid rows">
        <table class="table">
          <thead>
            <tr>
              {['Line', 'Field', 'Error'].map((label) => (
                <th key={label} scope="col" class={label === 'Line' ? 'number' : undefined}>
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((error, at) => (
              <tr key={at}>
                <td class="number muted">{number(error.line)}</td>
                <td>{FIELD_LABELS[error.column] ?? error.column}</td>
                <td class="break">
                  {rowErrorText(error)}
                  <div class="mono muted">{sourceOf(error, at)}</div>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {count > MAX_ROWS && <p class="actions small muted tail">Showing the first {number(MAX_ROWS)}.</p>}
    </section>
  );
}
