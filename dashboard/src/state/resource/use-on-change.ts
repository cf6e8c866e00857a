import { useEffect, useRef } from 'preact/hooks';

/** Calls `run` whenever `value` changes. The first value, and undefined, are no change. */
export function useOnChange(value: string | number | undefined, run: () => void): void {
  const known = useRef(value);
  useEffect(() => {
    const isChange = known.current !== undefined && value !== undefined && value !== known.current;
    known.current = value ?? known.current;
    if (isChange) run();
  }, [value]);
}
