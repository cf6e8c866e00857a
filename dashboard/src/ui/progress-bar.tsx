/** `part`: from 0 to 1; undefined if unknown */
export const ProgressBar = ({ label, part }: { label: string; part: number | undefined }) => (
  <div
    class={part === undefined ? 'progress unknown' : 'progress'}
    role="progressbar"
    aria-label={label}
    aria-valuemin={0}
    aria-valuemax={100}
    aria-valuenow={part === undefined ? undefined : Math.floor(part * 100)}
  >
    <div style={part === undefined ? {} : { width: `${part * 100}%` }} />
  </div>
);
