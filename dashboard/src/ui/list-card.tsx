import type { ComponentChildren } from 'preact';
import type { Resource } from '../state/use-resource.ts';
import { Problem, Skeleton } from './states.tsx';

/** A card with a list that has its own request: a skeleton while it loads, or its error. */
export function ListCard<Data>({
  title,
  aside,
  resource: { data, error, reload },
  children,
}: {
  title: string;
  /** at the right of the header */
  aside: ComponentChildren;
  resource: Resource<Data>;
  children: (loaded: Data) => ComponentChildren;
}) {
  const loaded = data.value;
  return (
    <section class="card list-card">
      <header>
        <h2>{title}</h2>
        {aside}
      </header>
      {error.value && (
        <div class="body">
          <Problem error={error.value} onRetry={reload} />
        </div>
      )}
      {!loaded && !error.value && (
        <div class="body">
          <Skeleton lines={3} height={22} />
        </div>
      )}
      {loaded && children(loaded)}
    </section>
  );
}
