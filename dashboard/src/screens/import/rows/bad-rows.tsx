import { badRowsUrl } from '../../../api/imports.ts';
import type { FileImported } from '../../../api/client/wire.ts';
import { number } from '../../../format.ts';
import { LinkButton } from '../../../ui/button.tsx';
import { FIELD_LABELS, rowErrorText, statementOf } from './row-words.ts';

/** Rows in the table; the download has all. */
const MAX_ROWS = 200;

export function BadRows({ result }: { result: FileImported }) {
  const { errors, error_count, import_id } = result;
  if (error_count === 0) return null;
  const shown = errors.slice(0, MAX_ROWS);
  return (
    <section class="card">
      <header>
        <h2>Invalid rows</h2>
        <LinkButton size="small" icon="import" href={badRowsUrl(import_id)} download>
          Download {number(error_count)} as CSV
        </LinkButton>
      </header>
      <div class="scroll-x" tabIndex={0} role="region" aria-label="Invalid rows">
        <table class="table">
          <thead>
            <tr>
              <th scope="col" class="number">
                Line
              </th>
              <th scope="col">Field</th>
              <th scope="col">Error</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((error, at) => (
              <tr key={at}>
                <td class="number muted">{number(error.line)}</td>
                <td>{FIELD_LABELS[error.column] ?? error.column}</td>
                <td class="break">
                  {rowErrorText(error)}
                  <div class="mono muted">{statementOf(error.message)}</div>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {error_count > MAX_ROWS && <p class="actions small muted tail">Showing the first {number(MAX_ROWS)}.</p>}
    </section>
  );
}
