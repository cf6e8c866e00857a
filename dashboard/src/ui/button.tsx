import type { AnchorHTMLAttributes, ButtonHTMLAttributes } from 'preact';
import { useSignal } from '@preact/signals';
import { toastError } from '../state/toasts.ts';
import { Icon, type IconName } from './icons.tsx';

interface Look {
  kind?: 'plain' | 'primary' | 'quiet' | 'danger' | undefined;
  size?: 'small' | undefined;
  icon?: IconName | undefined;
  /** the keyboard shortcut of the same action */
  keys?: string;
  /** its request runs */
  isBusy?: boolean;
}

const classOf = ({ kind = 'plain', size }: Look, more = ''): string =>
  ['button', kind === 'plain' ? '' : kind, size, more].filter(Boolean).join(' ');

export type ButtonProps = Look & Omit<ButtonHTMLAttributes, 'icon' | 'size'>;

export function Button({ kind, size, icon, keys, isBusy, disabled, children, ...attributes }: ButtonProps) {
  return (
    <button
      type="button"
      {...attributes}
      disabled={disabled || isBusy}
      aria-busy={isBusy || undefined}
      class={classOf({ kind, size })}
    >
      {icon && <Icon name={icon} />}
      {children}
      {keys && <kbd aria-hidden="true">{keys}</kbd>}
    </button>
  );
}

/** Sends a request. Busy while it runs; if it fails, a toast says `failure`, such as "Could not retry", and why. */
export function ActionButton({
  onAct,
  failure,
  ...button
}: ButtonProps & { onAct: () => Promise<void>; failure: string }) {
  const isBusy = useSignal(false);
  async function act(): Promise<void> {
    isBusy.value = true;
    await onAct().catch((thrown: unknown) => toastError(thrown, failure));
    isBusy.value = false;
  }
  return <Button {...button} isBusy={isBusy.value} onClick={() => void act()} />;
}

/** A button without visible text: `label` is its accessible name and its tooltip. */
export function IconButton({
  label,
  icon,
  kind = 'quiet',
  size,
  ...attributes
}: Omit<ButtonProps, 'children'> & { label: string; icon: IconName }) {
  return (
    <button type="button" title={label} aria-label={label} {...attributes} class={classOf({ kind, size }, 'icon-only')}>
      <Icon name={icon} />
    </button>
  );
}

type LinkProps = Look &
  Pick<AnchorHTMLAttributes, 'download' | 'aria-label' | 'onClick' | 'children'> & {
    href: string;
    isExternal?: boolean;
  };

/** A link that looks like a button; for navigation only. `isExternal`: to another site, in a new tab. */
export function LinkButton({ kind, size, icon, isExternal = false, children, ...attributes }: LinkProps) {
  return (
    <a {...attributes} {...(isExternal && { target: '_blank', rel: 'noreferrer' })} class={classOf({ kind, size })}>
      {icon && <Icon name={icon} />}
      {children}
    </a>
  );
}
