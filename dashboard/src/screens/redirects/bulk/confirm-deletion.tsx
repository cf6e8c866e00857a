import type { ComponentChildren } from 'preact';
import { counted } from '../../../format.ts';
import { Confirm } from '../../../ui/confirm.tsx';

/** Up to this number are deleted immediately. More need a confirmation. */
export const UNASKED = 20;
/** From this number on, the user must type the number. */
const TYPED_FROM = 1_000;

/** Asks before many redirects are deleted. `count`: undefined for all that the filters find. */
export function ConfirmDeletion(props: {
  count: number | undefined;
  onConfirm: () => Promise<void>;
  onClose: () => void;
  /** what is deleted */
  children?: ComponentChildren;
}) {
  const { count, onConfirm, onClose, children } = props;
  const name = count === undefined ? 'all matching redirects' : counted(count, 'redirect');
  return (
    <Confirm
      title={`Delete ${name}?`}
      verb={`Delete ${name}`}
      typed={count === undefined || count >= TYPED_FROM ? String(count ?? 'all') : undefined}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      {children}
      You can undo this in Activity for 30 days. If the website deploys automatically, visitors are no longer redirected
      within a second.
    </Confirm>
  );
}
