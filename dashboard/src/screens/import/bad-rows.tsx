import { badRowsAddress } from '../../api/imports.ts';
import type { FileImported } from '../../api/wire.ts';
import { number } from '../../format.ts';
import { LinkButton } from '../../ui/button.tsx';

/** As many as anybody reads here; the file has them all. */
const SHOWN = 200;

export function BadRows({ result }: { result: FileImported }) {
  const { errors, error_count, import_id } = result;
  if (error_count === 0) return null;
  const shown = errors.slice(0, SHOWN);
  return (
    <section class="card">
      <header>
        <h2>Bad rows</h2>
        <LinkButton size="small" icon="import" href={badRowsAddress(import_id)} download>
          All {number(error_count)} as CSV
        </LinkButton>
      </header>
      <div class="scroll-x" tabIndex={0} role="region" aria-label="Bad rows">
        <table class="table">
          <thead>
            <tr>
              <th scope="col" class="number">
                Line
              </th>
              <th scope="col">Field</th>
              <th scope="col">What is wrong</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ line, column, message }, at) => (
              <tr key={at}>
                <td class="number muted">{number(line)}</td>
                <td class="mono">{column}</td>
                <td class="break">{message}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {error_count > SHOWN && <p class="tail muted">The first {number(SHOWN)} are shown.</p>}
    </section>
  );
}
