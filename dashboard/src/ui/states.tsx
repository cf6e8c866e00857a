/** What a screen shows where it has nothing to show: yet, at all, or because something failed. */
import type { ComponentChildren } from 'preact';
import type { ApiError } from '../api/api-error.ts';
import { timeOfDay } from '../format.ts';
import { Button } from './button.tsx';
import { Icon, type IconName } from './icons.tsx';

/** Nothing is here: says why, and offers the next step. */
export function Empty({
  icon,
  title,
  children,
  actions,
}: {
  icon: IconName;
  title: string;
  children?: ComponentChildren;
  actions?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <Icon name={icon} size={28} />
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {actions && <div class="actions">{actions}</div>}
    </div>
  );
}

/** A call failed: what the service says, the remedy, and trying again. */
export function Problem({ error, onRetry }: { error: ApiError; onRetry?: (() => void) | undefined }) {
  return (
    <div class="problem" role="alert">
      <Icon name="warning" />
      <div>
        <strong>{error.message}</strong>
        <div>{remedyOf(error)}</div>
      </div>
      {onRetry && (
        <Button size="small" onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}

function remedyOf(error: ApiError): string {
  if (error.reset !== undefined)
    return `The next requests are taken from ${timeOfDay(error.reset * 1000)} on.`;
  return error.details === error.message ? '' : error.details;
}

/** What must be known but is no failure. */
export function Notice({ children }: { children: ComponentChildren }) {
  return (
    <div class="notice">
      <Icon name="warning" />
      <div>{children}</div>
    </div>
  );
}

/** Holds the place of what is being read, so that nothing jumps when it comes. */
export function Skeleton({ lines = 3, height = 14 }: { lines?: number; height?: number }) {
  return (
    <div style={{ display: 'grid', gap: '12px' }} aria-busy="true" aria-label="Loading">
      {Array.from({ length: lines }, (_, at) => (
        <div
          key={at}
          class="skeleton"
          style={{ height: `${height}px`, width: `${92 - ((at * 17) % 40)}%` }}
        />
      ))}
    </div>
  );
}
