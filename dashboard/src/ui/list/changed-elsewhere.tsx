import { ago } from '../../format.ts';
import type { Side } from '../../state/rebase.ts';
import { Button } from '../button.tsx';
import { FieldChanges } from './field-changes.tsx';
import type { FieldChange } from '../form/redirect-fields.ts';

/** Says who changed a record since its form was opened, field by field, and lets the user choose. */
export function ChangedElsewhere({
  what,
  by,
  at,
  changes,
  onChoose,
}: {
  /** such as `this redirect` */
  what: string;
  /** undefined if unknown */
  by: string | undefined;
  at: string;
  changes: FieldChange[];
  onChoose: (side: Side, event: Event) => void;
}) {
  return (
    <div class="notice" role="alert">
      <div class="fields">
        <strong>
          {by ?? 'Someone else'} changed {what} {ago(at)}. Your changes are not saved.
        </strong>
        <FieldChanges changes={changes} />
        <div class="actions">
          <Button size="small" onClick={(event: Event) => onChoose('mine', event)}>
            Overwrite
          </Button>
          <Button size="small" onClick={(event: Event) => onChoose('theirs', event)}>
            Take theirs
          </Button>
        </div>
      </div>
    </div>
  );
}
