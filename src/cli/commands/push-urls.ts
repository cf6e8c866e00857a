import { type Command, type Context, environmentOption, isOn, SHARE } from '../command.ts';
import { withProgress } from '../progress.ts';
import { fetchSitemap, kindOfSource, placeOfFolder, SOURCE_OPTIONS, spoolFolder } from '../urls/open-source.ts';
import { type List, pushList } from '../urls/push-list.ts';
import { pushText } from '../urls/push-text.ts';
import { withTempFolder } from '../urls/spool.ts';
import { type Website, WEBSITE_OPTION, websiteOf } from '../website.ts';

/** A folder with more pages is sent in several bodies. */
const ROWS_PER_FILE = 100_000;

export const pushUrls: Command = {
  summary: 'Replaces a list of living pages by a folder of built HTML, a file or a sitemap.',
  words: 'SOURCE',
  options: {
    ...WEBSITE_OPTION,
    ...SOURCE_OPTIONS,
    environment: environmentOption('The environment whose list it is. Default: production.', 'e'),
    'max-removed': {
      value: 'N|N%',
      form: SHARE,
      help: 'The most URLs that may leave the list. Default 10%, at least 10.',
    },
    'dry-run': { help: 'Shows what would happen and changes nothing.' },
  },
  notes: `SOURCE is a folder, a file that the service knows (sitemap, text, CSV, JSON, also .gz), or the URL of a sitemap or
sitemap index. Of a folder, HTML pages and documents such as PDF are sent, with title, description and first h1; pages
with noindex, another canonical or a meta refresh are not living. Error pages such as 404.html, hidden files and
node_modules are skipped. Exit code 3 if more URLs leave the list than --max-removed allows.`,
  async run(context) {
    const website = await websiteOf(context);
    const isDryRun = isOn(context, 'dry-run');
    const pushed = await withTempFolder(async (temp) => {
      const list = await openList(context, website, temp);
      return withProgress(context.terminal.stderr, (show) => pushList(context, list, isDryRun, show));
    });
    const json = { website_id: website.id, ...pushed };
    return { text: pushText(pushed, isDryRun), json, outputs: ['list_version'] };
  },
};

async function openList(context: Context, website: Website, temp: string): Promise<List> {
  const [source = ''] = context.words;
  const base = { websiteId: website.id, source };
  const kind = await kindOfSource(source);
  if (kind === 'file') return { ...base, files: [source], parts: 1 };
  if (kind === 'sitemap') return { ...base, ...(await fetchSitemap(source, temp)) };
  const folder = { root: source, place: placeOfFolder(context, website) };
  const files = await spoolFolder(context, folder, temp, ROWS_PER_FILE);
  return { ...base, files, parts: files.length };
}
