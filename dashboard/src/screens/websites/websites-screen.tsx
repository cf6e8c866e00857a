import { Page } from '../../ui/page.tsx';
export function WebsitesScreen() {
  return <Page title="Websites">.</Page>;
}
