import type { ButtonHTMLAttributes, ComponentChildren } from 'preact';
import { Icon, type IconName } from './icons.tsx';

type Kind = 'plain' | 'primary' | 'quiet' | 'danger';

interface Look {
  kind?: Kind;
  size?: 'normal' | 'small';
  icon?: IconName;
  /** a shortcut that does the same */
  keys?: string;
}

const classOf = ({ kind = 'plain', size = 'normal' }: Look, more = ''): string =>
  ['button', kind === 'plain' ? '' : kind, size === 'small' ? 'small' : '', more].filter(Boolean).join(' ');

export type ButtonProps = Look & Omit<ButtonHTMLAttributes, 'icon' | 'size'>;

/** Says what it does by a verb. */
export function Button({ kind, size, icon, keys, children, ...attributes }: ButtonProps) {
  return (
    <button type="button" {...attributes} class={classOf({ kind: kind ?? 'plain', size: size ?? 'normal' })}>
      {icon && <Icon name={icon} />}
      {children}
      {keys && <kbd aria-hidden="true">{keys}</kbd>}
    </button>
  );
}

/** Without visible words: `label` is its name, also as a tooltip. */
export function IconButton({
  label,
  icon,
  kind = 'quiet',
  size = 'normal',
  ...attributes
}: Omit<ButtonProps, 'children'> & { label: string; icon: IconName }) {
  return (
    <button
      type="button"
      title={label}
      aria-label={label}
      {...attributes}
      class={classOf({ kind, size }, 'icon-only')}
    >
      <Icon name={icon} />
    </button>
  );
}

/** A link that looks like a button: it leads somewhere, it changes nothing. `isElsewhere`: to another site, in a tab of its own. */
export function LinkButton({
  href,
  kind,
  size,
  icon,
  download,
  isElsewhere = false,
  children,
}: Look & { href: string; download?: boolean; isElsewhere?: boolean; children: ComponentChildren }) {
  return (
    <a
      href={href}
      download={download}
      {...(isElsewhere && { target: '_blank', rel: 'noreferrer' })}
      class={classOf({ kind: kind ?? 'plain', size: size ?? 'normal' })}
    >
      {icon && <Icon name={icon} />}
      {children}
    </a>
  );
}
