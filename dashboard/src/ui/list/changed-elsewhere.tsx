/** A form whose record someone else has changed since it was opened. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import { ago } from '../../format.ts';
import { Button } from '../button.tsx';
import { FieldChanges } from './field-changes.tsx';
import type { FieldChange } from '../form/redirect-fields.ts';

/** Says who changed a record since its form was opened, field by field, and lets the user choose. Takes the focus. */
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
  const notice = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => notice.current?.focus(), [at]);
  function choose(side: Side, event: Event): void {
    const form = notice.current?.closest('form, [role=row]');
    // Fields before the form's own ones, such as the time of a test, are in no fieldset.
    const first = form?.querySelector<HTMLElement>('fieldset input:enabled') ?? form?.querySelector('input');
    first?.focus();
    onChoose(side, event);
  }
  return (
    <div ref={notice} class="notice" role="alert" tabIndex={-1}>
      <div class="fields">
        <strong>
          {by ?? 'Someone else'} changed {what} {ago(at)}. Your changes are not saved.
        </strong>
        <FieldChanges changes={changes} />
        <div class="actions">
          <Button kind="primary" size="small" onClick={(event: Event) => choose('mine', event)}>
            Overwrite
          </Button>
          <Button size="small" onClick={(event: Event) => choose('theirs', event)}>
            Take theirs
          </Button>
        </div>
      </div>
    </div>
  );
}

/** The side whose value a field gets that both have changed. */
export type Side = 'mine' | 'theirs';

/** The record that the form started from, and as it is now. */
export interface Newer<Fields> {
  base: Fields;
  current: Fields;
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** The draft on top of a newer state of the record: a field that only one side has changed keeps that change. */
export function rebased<Fields extends object>(draft: Fields, { base, current }: Newer<Fields>, side: Side): Fields {
  const keepsMine = (name: keyof Fields): boolean =>
    !isSame(draft[name], base[name]) && (side === 'mine' || isSame(current[name], base[name]));
  const entries = Object.entries(current).map(([key, value]): [string, unknown] => {
    const name = key as keyof Fields;
    return [key, keepsMine(name) ? draft[name] : value];
  });
  return Object.fromEntries(entries) as Fields;
}

/** True if a field has been changed by both sides, to different values. */
export function hasConflict<Fields extends object>(draft: Fields, newer: Newer<Fields>): boolean {
  return !isSame(rebased(draft, newer, 'mine'), rebased(draft, newer, 'theirs'));
}
