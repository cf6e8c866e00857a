/** The redirect form over other screens, whose first view does without it. */
import { lazy } from '../../ui/lazy.tsx';

export const RedirectPanel = lazy(async () => (await import('./editing.ts')).RedirectPanel);
