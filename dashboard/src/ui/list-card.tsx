import type { ComponentChildren } from 'preact';
import type { Resource } from '../state/use-resource.ts';
import { Problem, Skeleton } from './states.tsx';

/** A card with a list that is read by itself: its head is there at once, below it what was read, its like while it comes, or what failed. */
export function ListCard<Answer>({
  title,
  aside,
  resource: { data, error, reload },
  children,
}: {
  title: string;
  /** at the other end of the head */
  aside: ComponentChildren;
  resource: Resource<Answer>;
  children: (answer: Answer) => ComponentChildren;
}) {
  const answer = data.value;
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
      {!answer && !error.value && (
        <div class="body">
          <Skeleton lines={3} height={22} />
        </div>
      )}
      {answer && children(answer)}
    </section>
  );
}
