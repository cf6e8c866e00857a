import { Page } from '../../ui/page.tsx';
export function RedirectsScreen() {
  return <Page title="Redirects">.</Page>;
}
