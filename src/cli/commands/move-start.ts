import { mkdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { type Command, type Context, isOn, text } from '../command.ts';
import { UsageError } from '../errors.ts';
import { formBody } from '../moves/form.ts';
import { type Move, moveText, pathOf, waitUntilMatched } from '../moves/move.ts';
import { withProgress } from '../progress.ts';
import { fetchSitemap, kindOfSource, placeOfFolder, SOURCE_OPTIONS, spoolFolder } from '../urls/open-source.ts';
import { withTempFolder } from '../urls/spool.ts';
import { type Website, WEBSITE_OPTION, websiteOf } from '../website.ts';

const { list: _list, ...SOURCES } = SOURCE_OPTIONS;

export const startMove: Command = {
  summary: 'Begins a move: suggests a page of the new list for each URL of the old one.',
  words: 'OLD NEW',
  options: {
    ...WEBSITE_OPTION,
    ...SOURCES,
    name: { value: 'NAME', help: 'The name of the move. Default: that of OLD.' },
    'to-host': { value: 'HOST', help: 'NEW is `living`: the living pages of the website with this host.' },
    'no-wait': { help: 'Does not wait for the suggestions.' },
  },
  notes: `OLD is a file, a folder of built HTML, the URL of a sitemap, or \`lost\`: URLs of the website that are lost. NEW is one
of them, or \`living\`: the living pages of the website. Nothing is redirected before \`detour move apply\`.`,
  async run(context) {
    const website = await websiteOf(context);
    const { move } = await withTempFolder(async (temp) => {
      const [old, next] = [
        await fileOf(context, website, temp, 0, 'lost'),
        await fileOf(context, website, temp, 1, 'living'),
      ];
      return withProgress(context.terminal.stderr, (show) => {
        show('sending');
        return create(context, website, { from: old, to: next });
      });
    });
    const started = isOn(context, 'no-wait') ? move : await waitUntilMatched(context, website, move.id);
    return { text: moveText(started), json: { website_id: website.id, move: started }, outputs: [] };
  },
};

function create(context: Context, website: Website, files: { from: string | undefined; to: string | undefined }) {
  const fields = {
    name: text(context, 'name') ?? basename(context.words[0] ?? ''),
    from_hosts: text(context, 'from-hosts'),
    to_host: text(context, 'to-host'),
  };
  return context.client.call<{ move: Move }>({ method: 'POST', path: pathOf(website), body: formBody(fields, files) });
}

/** The file of a word; undefined if it is the `stored` list. */
async function fileOf(context: Context, website: Website, temp: string, index: 0 | 1, stored: string) {
  const source = context.words[index] ?? '';
  if (source === stored) return undefined;
  const kind = await kindOfSource(source);
  if (kind === 'file') return source;
  const folder = `${temp}/${index}`;
  await mkdir(folder);
  if (kind === 'folder') {
    const [file] = await spoolFolder(
      context,
      { root: source, place: placeOfFolder(context, website) },
      folder,
      Infinity,
    );
    if (file === undefined) throw new UsageError(`${source} has no page`);
    return file;
  }
  const { files, parts } = await fetchSitemap(source, folder);
  if (parts === 1) for (const file of files as string[]) return file;
  throw new UsageError(
    `${source} is an index of ${parts} sitemaps: push it with \`detour urls push\`, then use lost or living, or name one sitemap`,
  );
}
