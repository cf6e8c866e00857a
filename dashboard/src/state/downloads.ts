/** Links that download, over plain HTTP. */
import { call } from '../api/client/client.ts';
import { toastError } from './toasts.ts';

/**
 * Over plain HTTP the browser does not send which page has the link, so the service does not accept the session below
 * `/api/v1`. A click then requests a one-time URL.
 */
export function startDownloads(): void {
  if (isSecureContext) return;
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (!link?.hasAttribute('download') || event.defaultPrevented) return;
    if (link.origin !== location.origin || !link.pathname.startsWith('/api/v1/')) return;
    event.preventDefault();
    download(link.pathname + link.search).catch((thrown: unknown) => toastError(thrown, 'Could not download'));
  });
}

async function download(path: string): Promise<void> {
  const options = { body: { path }, isRead: true };
  const created = await call<{ download: { url: string } }>('POST', '/api/v1/downloads', options);
  location.assign(created.download.url);
}
