import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { holdKeys, rendered } from '../state/hold-keys.ts';
import { toast } from '../state/toasts.ts';

/** A component whose scripts load when it is first shown, or by `preload`. Shows nothing until then. */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  let found: ComponentType<Props> | undefined;
  /** Returns false, after a message, if the scripts cannot be loaded. */
  async function preload(): Promise<boolean> {
    try {
      found ??= await load();
    } catch {
      toast('A part of this page could not be loaded. Reload the page.');
    }
    return found !== undefined;
  }
  /** Runs `show`, which renders the component. Until its scripts are loaded, the keys that the user types wait. */
  function open(show: () => void): void {
    if (found) return show();
    void holdKeys(async () => {
      const isLoaded = await preload();
      if (isLoaded) show();
      await rendered();
      return isLoaded;
    });
  }
  function Lazy(props: Props) {
    const isLoaded = useSignal(found !== undefined);
    useEffect(() => {
      if (!isLoaded.peek()) void preload().then((isNow) => (isLoaded.value = isNow));
    }, []);
    const Component = isLoaded.value ? found : undefined;
    return Component ? <Component {...props} /> : null;
  }
  return Object.assign(Lazy, { preload, open });
}
