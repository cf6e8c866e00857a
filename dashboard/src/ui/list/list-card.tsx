import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import type { Resource } from '../../state/resource/use-resource.ts';
import { Loaded } from '../page/states.tsx';

/** A card with a list that has its own request: a skeleton while it loads, or its error. */
export function ListCard<Data>({
  title,
  aside,
  resource,
  children,
}: {
  title: string;
  /** at the right of the header */
  aside: ComponentChildren;
  resource: Resource<Data>;
  children: (loaded: Data) => ComponentChildren;
}) {
  const id = useId();
  return (
    <section class="card list-card" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {aside}
      </header>
      <Loaded of={resource} lines={3} height={22}>
        {children}
      </Loaded>
    </section>
  );
}
