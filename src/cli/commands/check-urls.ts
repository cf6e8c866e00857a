import { type Command, type Context, environmentOption, isOn, VERSION } from '../command.ts';
import { EXIT, UsageError } from '../errors.ts';
import { fenced } from '../github/github.ts';
import { withProgress } from '../progress.ts';
import { unansweredByFile, unansweredLinks } from '../urls/check/answered.ts';
import { checkBuild } from '../urls/check/check-build.ts';
import { type CheckResult, checkText } from '../urls/check/check-text.ts';
import { createLinkCollector } from '../urls/folder/links.ts';
import { kindOfSource, placeOfFolder, SOURCE_OPTIONS, spoolFolder } from '../urls/open-source.ts';
import { withTempFolder } from '../urls/spool.ts';
import { type Website, WEBSITE_OPTION, websiteOf } from '../website.ts';

const SUGGEST = { pattern: /^(100|\d{1,2})$/, must: 'be a number from 0 to 100' };

export const checkUrls: Command = {
  summary: 'Shows which URLs a build would lose, and changes nothing.',
  words: 'SOURCE',
  options: {
    ...WEBSITE_OPTION,
    ...SOURCE_OPTIONS,
    environment: environmentOption('The environment. Default: production.', 'e'),
    against: { value: 'live|draft|N', form: VERSION, help: 'Live rules (default), current redirects, or a version.' },
    redirects: { value: 'FILE', help: 'A file of redirects that is synced together with the build.' },
    suggest: { value: 'N', form: SUGGEST, help: 'Suggests targets for up to N lost URLs. Default 0.' },
    'fail-on-broken-links': { help: 'Exit code 1 if a link of the folder leads to no page, redirect or anchor.' },
    markdown: { help: 'Prints Markdown, for the summary of a pull request.' },
  },
  notes: `SOURCE is a folder of built HTML or a file, and is compared with the stored lists. Exit code 3 if a URL is newly lost:
neither the build nor a redirect answers it. Of a folder, internal links and anchors that lead to nothing are listed with
file and line. With --redirects, literal rules that the file adds or changes count too, the first 1,000 of each.`,
  async run(context) {
    const website = await websiteOf(context);
    const result = await withTempFolder((temp) => checkSource(context, website, temp));
    const { check, lost, shadowed, dangling, brokenLinks, missingAnchors } = result;
    const isBroken = brokenLinks.length + missingAnchors.length > 0 && isOn(context, 'fail-on-broken-links');
    const markdown = `### URLs of ${website.name}\n\n${fenced(checkText(result))}`;
    return {
      exit: lost.length > 0 ? EXIT.refused : isBroken ? EXIT.failed : EXIT.done,
      text: isOn(context, 'markdown') ? markdown : checkText(result),
      json: {
        website_id: website.id,
        check: { ...check, newly_lost: lost.length },
        lost_urls: lost,
        shadowed_urls: shadowed,
        dangling_redirects: dangling,
        broken_links: brokenLinks,
        missing_anchors: missingAnchors,
      },
      markdown,
      outputs: ['newly_lost'],
    };
  },
};

async function checkSource(context: Context, website: Website, temp: string): Promise<CheckResult> {
  const [source = ''] = context.words;
  const kind = await kindOfSource(source);
  if (kind === 'sitemap') throw new UsageError('`urls check` takes a folder or a file: download the sitemap first');
  const place = placeOfFolder(context, website);
  const links = createLinkCollector(place);
  const folder = { root: source, place, links };
  const [file = ''] = kind === 'file' ? [source] : await spoolFolder(context, folder, temp, Infinity);
  return withProgress(context.terminal.stderr, async (show) => {
    show('checking');
    const checked = await checkBuild(context, website.id, file);
    const lost = await unansweredByFile(context, website.id, checked.lost);
    const broken = await links.findBroken(source);
    return {
      ...checked,
      lost,
      answeredByFile: checked.lost.length - lost.length,
      brokenLinks: await unansweredLinks(context, website.id, broken.links),
      missingAnchors: broken.anchors,
    };
  });
}
