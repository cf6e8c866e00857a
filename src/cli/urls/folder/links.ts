/** Links between the pages of a folder, and those that lead to nothing. */
import { join } from 'node:path';
import { decoded, fileOfUrl, isInside, type Place, resolveUrl } from './page-url.ts';
import { type PageEvents, readPage } from './read-page.ts';

/** A link that leads to nothing, by its first place. */
export interface BrokenLink {
  /** a path, with the fragment of a missing anchor */
  target: string;
  file: string;
  line: number;
  /** places with this link */
  count: number;
}

export interface LinkCollector {
  /** Receives the links and anchors of a page, until `end`; `base` is the address of its base element. */
  startPage(file: string, url: URL): { events: PageEvents; end(base: string | undefined): void };
  /** Compares the links with the files. Targets without a file may still be redirected. */
  findBroken(root: string): Promise<{ links: BrokenLink[]; anchors: BrokenLink[] }>;
}

/** Each target is stored once: menus repeat theirs on every page. */
export function createLinkCollector(place: Place): LinkCollector {
  const targets = new Map<string, BrokenLink>();
  const fragments = new Map<string, BrokenLink>();
  const missing = new Map<string, BrokenLink>();

  function add(found: Map<string, BrokenLink>, target: string, file: string, line: number): void {
    const known = found.get(target);
    if (known) known.count++;
    else found.set(target, { target, file, line, count: 1 });
  }

  function startPage(file: string, url: URL) {
    const anchors = new Set<string>();
    const links: { href: string; line: number }[] = [];
    const events: PageEvents = {
      onLink: (href, line) => void links.push({ href, line }),
      onAnchor: (name) => void anchors.add(name),
    };
    function end(base: string | undefined): void {
      const from = (base !== undefined && resolveUrl(base, url)) || url;
      for (const { href, line } of links) {
        const target = resolveUrl(href, from);
        if (!target || !isInside(target, place)) continue;
        const fragment = anchorOf(target);
        const isSelf = target.pathname === url.pathname;
        if (!isSelf) add(targets, target.pathname, file, line);
        if (fragment === '') continue;
        if (!isSelf) add(fragments, `${target.pathname}#${fragment}`, file, line);
        else if (!anchors.has(fragment)) add(missing, `${target.pathname}#${fragment}`, file, line);
      }
    }
    return { events, end };
  }

  async function findBroken(root: string) {
    const links: BrokenLink[] = [];
    for (const link of targets.values()) {
      if ((await fileOf(root, link.target)) === undefined) links.push(link);
    }
    return { links, anchors: [...missing.values(), ...(await findMissingAnchors(root))] };
  }

  /** Reads each page again to which another page links with a fragment. */
  async function findMissingAnchors(root: string): Promise<BrokenLink[]> {
    const byPage = new Map<string, BrokenLink[]>();
    for (const link of fragments.values()) {
      const path = link.target.slice(0, link.target.indexOf('#'));
      byPage.set(path, [...(byPage.get(path) ?? []), link]);
    }
    const found: BrokenLink[] = [];
    for (const [path, ofPage] of byPage) {
      const file = await fileOf(root, path);
      if (file === undefined || !/\.x?html?$/i.test(file)) continue;
      const names = new Set<string>();
      await readPage(join(root, file), { onAnchor: (name) => void names.add(name) });
      found.push(...ofPage.filter(({ target }) => !names.has(target.slice(path.length + 1))));
    }
    return found;
  }

  const fileOf = (root: string, path: string): Promise<string | undefined> => fileOfUrl(root, path, place);

  return { startPage, findBroken };
}

/** The name that a link jumps to. Browsers know `#top` and text fragments. */
function anchorOf({ hash }: URL): string {
  const name = decoded(hash.slice(1)).split(':~:')[0] ?? '';
  return name === 'top' ? '' : name;
}
