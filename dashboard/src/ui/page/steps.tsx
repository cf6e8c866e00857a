import { WrappedPath } from '../text/path-text.tsx';

export interface Step {
  /** a path or URL, or what stands for it */
  text: string;
  /** such as the status */
  note: string;
}

/** The URLs of a visitor who is redirected, in order. `isLoop`: they never end. */
export function Steps({ steps, isLoop, look = '' }: { steps: readonly Step[]; isLoop: boolean; look?: string }) {
  return (
    <ol class={`steps ${look}`} data-loop={isLoop}>
      {steps.map(({ text, note }, at) => (
        <li key={at}>
          <span class="mono break">
            <WrappedPath path={text} />
          </span>
          <span class="badge">{note}</span>
        </li>
      ))}
    </ol>
  );
}
