/** Empty, failed and loading states. */
import type { ComponentChildren } from 'preact';
import type { ApiError } from '../../api/client/api-error.ts';
import { timeOfDay } from '../../format.ts';
import type { Resource } from '../../state/resource/use-resource.ts';
import { Button } from '../button.tsx';
import { Icon, type IconName } from '../icons.tsx';

/** Says why a screen or list is empty, and offers the next step. */
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

/** A failed request: the service's message, the remedy, and Retry. */
export function Problem({ error, onRetry }: { error: ApiError; onRetry?: (() => void) | undefined }) {
  return (
    <div class="problem" role="alert">
      <Icon name="warning" />
      <div>
        <strong>{error.message}</strong>
        <div>
          {remedyOf(error)} {error.code === 'PLAN_LIMIT_EXCEEDED' && <a href="/account">View plan</a>}
        </div>
      </div>
      {onRetry && (
        <Button size="small" onClick={onRetry}>
          Retry
        </Button>
      )}
    </div>
  );
}

function remedyOf(error: ApiError): string {
  if (error.reset !== undefined) return `You can retry at ${timeOfDay(error.reset * 1000)}.`;
  return error.details === error.message ? '' : error.details;
}

/** Important, but not an error. */
export function Notice({ children }: { children: ComponentChildren }) {
  return (
    <div class="notice">
      <Icon name="warning" />
      <div>{children}</div>
    </div>
  );
}

/** Takes the space of content while it loads, so that nothing moves when it arrives. */
export function Skeleton({ lines = 3, height = 14 }: { lines?: number; height?: number }) {
  return (
    <div style={{ display: 'grid', gap: '12px' }} role="group" aria-busy="true" aria-label="Loading">
      {Array.from({ length: lines }, (_, at) => (
        <div key={at} class="skeleton" style={{ height: `${height}px`, width: `${92 - ((at * 17) % 40)}%` }} />
      ))}
    </div>
  );
}

/** The content of a resource: a skeleton, or `wait`, while it loads, and the error with Retry if it fails. */
export function Loaded<Data>({
  of: { data, error, reload },
  wait,
  children,
  ...skeleton
}: {
  of: Resource<Data>;
  wait?: ComponentChildren;
  lines?: number;
  height?: number;
  children: (data: Data) => ComponentChildren;
}) {
  return (
    <>
      {error.value && <Problem error={error.value} onRetry={reload} />}
      {data.value === undefined && !error.value && (wait ?? <Skeleton {...skeleton} />)}
      {data.value !== undefined && children(data.value)}
    </>
  );
}

/** The error of a form, unless `fields` show all of its issues. */
export function FormError({ error, fields }: { error: ApiError | undefined; fields: readonly string[] }) {
  if (!error) return null;
  const isShownAtFields = error.issues.length > 0 && error.issues.every(({ path }) => fields.includes(path));
  return isShownAtFields ? null : <Problem error={error} />;
}
