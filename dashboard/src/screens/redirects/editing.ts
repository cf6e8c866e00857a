/** The parts that keys and clicks of the list open, in one file of scripts: as four files they took 15 requests. */
export { BulkBar } from './bulk/bulk-bar.tsx';
export { EditRow } from './edit/edit-row.tsx';
export { NewRedirect } from './edit/new-redirect.tsx';
export { RedirectPanel } from './edit/redirect-panel.tsx';
export { RedirectPage } from './page/redirect-page.tsx';
export { NoMatch } from './list/no-match.tsx';
