import { EXPORT_FORMATS, exportAddress, type ExportFormat } from '../../api/redirects.ts';
import { Icon } from '../../ui/icons.tsx';
import { Menu } from '../../ui/menu.tsx';

const NAMES: Record<ExportFormat, string> = {
  csv: 'CSV',
  json: 'JSON',
  ndjson: 'NDJSON, a line each',
  nginx: 'nginx map',
  apache: 'Apache .htaccess',
  caddy: 'Caddyfile',
  netlify: 'Netlify _redirects',
  vercel: 'Vercel JSON',
  cloudflare: 'Cloudflare Bulk Redirects',
};

const LOSSLESS = new Set<ExportFormat>(['csv', 'json', 'ndjson']);

/** All redirects of the website as a file, or what is live in production as another server's configuration. */
export function ExportMenu({ websiteId }: { websiteId: number }) {
  const entry = (format: ExportFormat) => (
    <a
      key={format}
      download
      href={exportAddress({ website_id: websiteId, format, ...(!LOSSLESS.has(format) && { lossy: true }) })}
    >
      {NAMES[format]}
    </a>
  );
  return (
    <Menu
      buttonClass="button"
      button={
        <>
          Export <Icon name="down" />
        </>
      }
    >
      <p>Every redirect, nothing lost</p>
      {EXPORT_FORMATS.filter((format) => LOSSLESS.has(format)).map(entry)}
      <hr />
      <p>Production, for another server; what it cannot express becomes a comment</p>
      {EXPORT_FORMATS.filter((format) => !LOSSLESS.has(format)).map(entry)}
    </Menu>
  );
}
