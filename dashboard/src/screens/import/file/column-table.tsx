import { useSignal } from '@preact/signals';
import { type Options, Select } from '../../../ui/form/field.tsx';
import { Icon } from '../../../ui/icons.tsx';
import type { FileImport } from '../file-import.ts';
import type { FileProblem } from '../import-words.ts';
import { FIELD_LABELS } from '../rows/row-words.ts';

const FIELDS: Options<string> = [
  ['', 'Not used'],
  ...Object.entries(FIELD_LABELS).filter(([name]) => name !== 'row' && name !== 'website_id'),
];

/**
 * The columns of the file with examples and their fields; folded if all were recognized, so that the rows below are in
 * sight. `problem`: why the fields do not fit.
 */
export function ColumnTable({ work, problem }: { work: FileImport; problem: FileProblem | undefined }) {
  const rows = work.sample.value;
  const known = work.checked.value?.columns ?? [];
  const [first = []] = rows;
  const hasHeader = known.length === 0 || known.every(({ header }, at) => header === first[at] || first[at] === '');
  const columns = hasHeader ? first : known.map(({ header }) => header);
  const samples = hasHeader ? rows.slice(1) : rows;
  // Decided by the first check: choosing a field later does not fold the card.
  const isRecognized = useSignal(known.length > 0 && known.every(({ field }) => field !== null));
  if (columns.length === 0) return null;
  return (
    <details class="card columns-card" open={problem !== undefined || !isRecognized.value || work.isGuessed.value}>
      <summary>
        <h2>Columns</h2>{' '}
        <span class="muted small break">
          {known.map(({ header, field }) => `${header} → ${fieldLabel(field) || 'not used'}`).join(', ')}
        </span>
      </summary>
      {(problem || work.isMapped.value) && <ColumnsNote problem={problem} isGuessed={work.isGuessed.value} />}
      <div class="scroll-x" tabIndex={0} role="region" aria-label="Columns of the file">
        <table class="table columns">
          <thead>
            <tr>
              <th scope="col">Column</th>
              <th scope="col">Examples</th>
              <th scope="col">Field</th>
            </tr>
          </thead>
          <tbody>
            {columns.map((header, at) => (
              <tr key={at}>
                <th scope="row">{(hasHeader && header) || `Column ${at + 1}`}</th>
                <td class="mono muted">
                  {samples.slice(0, 2).map((row, index) => (
                    <div key={index} class="truncate">
                      {row[at] || '\u00a0'}
                    </div>
                  ))}
                </td>
                <td>
                  <FieldSelect
                    work={work}
                    header={header}
                    field={known[at]?.field}
                    isFixed={!hasHeader || header === ''}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

const fieldLabel = (field: string | null): string => (field === null ? '' : (FIELD_LABELS[field] ?? field));

/** Takes the same space with and without a problem, so that choosing a field moves nothing. */
function ColumnsNote({ problem, isGuessed }: { problem: FileProblem | undefined; isGuessed: boolean }) {
  return (
    <div class={`notice columns-note ${problem ? 'danger' : 'ok'}`} role="status">
      <Icon name={problem ? 'warning' : 'check'} />
      <p>
        <strong>
          {problem ? problem.title : `The columns are recognized${isGuessed ? ' by their contents: check them' : ''}`}
        </strong>
        <br />
        {problem ? problem.remedy : 'Choose “Not used” for a column that you do not need. The rows are below.'}
      </p>
    </div>
  );
}

function FieldSelect({
  work,
  header,
  field,
  isFixed,
}: {
  work: FileImport;
  header: string;
  field: string | null | undefined;
  isFixed: boolean;
}) {
  const value = work.mapping.value[header] ?? field ?? '';
  const isListed = FIELDS.some(([each]) => each === value);
  const other = [value, `Read as: ${value.replaceAll('_', ' ')}`] as const;
  return (
    <Select
      aria-label={`Field for ${header}`}
      value={value}
      options={isListed ? FIELDS : [...FIELDS, other]}
      disabled={isFixed}
      onChoose={(chosen) => work.map(header, chosen)}
    />
  );
}
