/** Parts of the screen that the first view of the list does without. */
import { lazy } from '../../ui/lazy.tsx';

export const RedirectPage = lazy(async () => (await import('./page/redirect-page.tsx')).RedirectPage);
export const NewRedirect = lazy(async () => (await import('./edit/new-redirect.tsx')).NewRedirect);
export const EditRow = lazy(async () => (await import('./edit/edit-row.tsx')).EditRow);
export const BulkBar = lazy(async () => (await import('./bulk/bulk-bar.tsx')).BulkBar);
export const ExportDialog = lazy(async () => (await import('./export/export-dialog.tsx')).ExportDialog);
export const Upcoming = lazy(async () => (await import('./upcoming/upcoming.tsx')).Upcoming);

/** Loads what a key or a click of the list opens. */
export async function preloadParts(): Promise<void> {
  for (const part of [EditRow, NewRedirect, RedirectPage, BulkBar]) if (!(await part.preload())) return;
}
