/** Parts of the screen that the first view of the list does without. */
import { lazy } from '../../ui/lazy.tsx';

const loadEditing = () => import('./editing.ts');
export const RedirectPage = lazy(async () => (await loadEditing()).RedirectPage);
export const NewRedirect = lazy(async () => (await loadEditing()).NewRedirect);
export const EditRow = lazy(async () => (await loadEditing()).EditRow);
export const BulkBar = lazy(async () => (await loadEditing()).BulkBar);
export const ExportDialog = lazy(async () => (await import('./export/export-dialog.tsx')).ExportDialog);
export const ViewDialog = lazy(async () => (await import('./views/view-dialog.tsx')).ViewDialog);
export const NoMatch = lazy(async () => (await loadEditing()).NoMatch);
export const Upcoming = lazy(async () => (await import('./upcoming/upcoming.tsx')).Upcoming);

/** Loads what a key or a click of the list opens. */
export async function preloadParts(): Promise<void> {
  for (const part of [EditRow, NewRedirect, RedirectPage, BulkBar]) if (!(await part.preload())) return;
}
